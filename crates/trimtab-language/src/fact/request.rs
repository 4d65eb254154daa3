//! The request of a run: the first message that a person or a caller wrote.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use smol_str::SmolStr;
use trimtab_base::conversation::{Body, Message};

use super::argument::Texts;

/// The request of a run, which is read only if a fact needs it, and searched once.
#[derive(Clone, Debug, Default)]
pub struct Request(Option<Arc<Text>>);

#[derive(Debug)]
struct Text {
    message: Arc<Message>,
    words: OnceLock<u64>,
    lower_case: OnceLock<String>,
    /// Whether it mentions one of some texts, by [`Texts::key`].
    mentions: Mutex<BTreeMap<SmolStr, bool>>,
}

impl Request {
    /// Whether there is none yet.
    pub const fn is_missing(&self) -> bool {
        self.0.is_none()
    }

    /// The request that a message makes. Its parts other than text do not matter.
    pub fn of(message: &Arc<Message>) -> Self {
        Self(Some(Arc::new(Text {
            message: Arc::clone(message),
            words: OnceLock::new(),
            lower_case: OnceLock::new(),
            mentions: Mutex::default(),
        })))
    }

    pub(super) fn words(&self) -> u64 {
        self.0.as_ref().map_or(0, |text| text.words())
    }

    /// Whether it contains one of these texts, whatever their case.
    pub(super) fn mentions(&self, texts: Texts<'_>) -> bool {
        let Some(request) = &self.0 else { return false };
        let mut known = request.mentions.lock().unwrap_or_else(PoisonError::into_inner);
        let search = || texts.list().iter().any(|text| request.lower_case().contains(&text.to_lowercase()));
        *known.entry(texts.key().into()).or_insert_with(search)
    }
}

impl Text {
    fn words(&self) -> u64 {
        let count = || u64::try_from(self.lower_case().split_whitespace().count()).unwrap_or(u64::MAX);
        *self.words.get_or_init(count)
    }

    fn lower_case(&self) -> &str {
        self.lower_case.get_or_init(|| {
            let texts = self.message.parts.iter().filter_map(|part| match &part.body {
                Body::Text(text) => Some(text.to_lowercase()),
                _ => None,
            });
            texts.collect::<Vec<_>>().join("\n")
        })
    }
}

#[cfg(test)]
mod tests {
    use trimtab_base::conversation::{Part, Role};
    use trimtab_base::quantity::Value;

    use super::*;
    use crate::fact::texts_argument;

    fn mentions(request: &Request, texts: &[&str]) -> bool {
        let Value::Text(key) = texts_argument(texts.iter().copied()) else { unreachable!("a text") };
        request.mentions(Texts::new(&key))
    }

    #[test]
    fn texts_are_found_in_any_case_and_inside_words() {
        let request = Request::of(&Arc::new(Message::text(Role::User, "Please REDESIGN\tthe  Größe, \"now\"")));
        assert_eq!(request.words(), 5);
        assert!(mentions(&request, &["design"]) && mentions(&request, &["x", "GRÖSSE", "größe"]));
        assert!(mentions(&request, &["\"Now\""]) && mentions(&request, &["redesign\tthe"]));
        assert!(!mentions(&request, &["re design"]) && !mentions(&request, &["x,y"]));
    }

    #[test]
    fn all_text_parts_are_read_and_nothing_else() {
        let parts = vec![Part::text("fix it"), Part::result("a", "refactor", false), Part::text("now")];
        let request = Request::of(&Arc::new(Message::new(Role::User, parts)));
        assert_eq!((request.words(), mentions(&request, &["refactor"])), (3, false));
        assert_eq!((Request::default().words(), mentions(&Request::default(), &["a"])), (0, false));
    }
}
