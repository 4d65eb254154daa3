//! A counter that measures each text of a recording once, so that the fit of the factor only multiplies measures.

use std::sync::Arc;

use foldhash::{HashMap, HashMapExt};
use trimtab_base::conversation::{Arguments, Body, Counter, ImageSize, Message};

use super::{TokenCounter, Tokenizer};

/// Shorter texts are weighed again, which is faster than looking them up.
const MIN_WEIGHED: usize = 64;

/// The same limit for a tokenizer, which is slower than weighing.
const MIN_TOKENIZED: usize = 8;

/// The place of a text in memory: its address and its length.
type Place = (usize, usize);

/// The length in the place of arguments that are not text.
const JSON: usize = usize::MAX;

/// The measures of the texts of some messages.
#[derive(Clone, Debug, Default)]
pub struct Measures {
    texts: HashMap<Place, u64>,
    /// The measures of the texts of all parts in their order, or `None` where a part has no text, or an empty one.
    parts: Vec<Option<u64>>,
    /// The tokenizer that measured, or `None` if texts have weights.
    tokenizer: Option<Tokenizer>,
    /// Keeps the texts at their places.
    messages: Vec<Arc<Message>>,
}

/// A counter with measures of texts.
#[derive(Clone, Debug)]
pub struct MeasuredCounter {
    counter: TokenCounter,
    measures: Arc<Measures>,
    /// The counts of whole messages, by their addresses.
    counts: Arc<HashMap<usize, u64>>,
}

impl Measures {
    /// Keeps some messages without measuring their texts.
    pub fn none(messages: &[Arc<Message>], counter: TokenCounter) -> Self {
        let (texts, parts) = (HashMap::new(), Vec::new());
        Self { texts, parts, tokenizer: counter.tokenizer(), messages: messages.to_vec() }
    }

    /// Measures all texts of some messages.
    pub fn of(messages: &[Arc<Message>], counter: TokenCounter) -> Self {
        let mut measures = Self::none(messages, counter);
        let count = messages.iter().map(|message| message.parts.len()).sum();
        measures.texts.reserve(count);
        measures.parts.reserve(count);
        for body in messages.iter().flat_map(|message| &message.parts).map(|part| &part.body) {
            let measure = match body {
                Body::Text(text) | Body::Thinking { text, .. } => measures.add(text, counter),
                Body::ToolResult(result) => measures.add(&result.text, counter),
                Body::ToolCall { arguments: Arguments::Text(text), .. } => measures.add(text, counter),
                Body::ToolCall { arguments: arguments @ Arguments::Json(_), .. } => {
                    let measure = counter.measure(&arguments.text());
                    measures.texts.insert((address(arguments), JSON), measure);
                    Some(measure)
                }
                Body::Image { .. } | Body::Other(_) => None,
            };
            measures.parts.push(measure);
        }
        measures
    }

    /// The bytes of the shortest text that is measured.
    const fn min_length(&self) -> usize {
        if self.tokenizer.is_some() { MIN_TOKENIZED } else { MIN_WEIGHED }
    }

    /// Measures a text. Returns the measure, or `None` if the text is empty.
    fn add(&mut self, text: &str, counter: TokenCounter) -> Option<u64> {
        match text.len() {
            0 => None,
            length if length < self.min_length() => Some(counter.measure(text)),
            _ => Some(*self.texts.entry(place(text)).or_insert_with(|| counter.measure(text))),
        }
    }
}

fn place(text: &str) -> Place {
    (text.as_ptr().addr(), text.len())
}

fn address<T>(value: &T) -> usize {
    std::ptr::from_ref(value).addr()
}

impl MeasuredCounter {
    /// Creates a counter that uses the measures if the same tokenizer, or none, made them; its factor may differ.
    pub fn new(counter: TokenCounter, measures: Arc<Measures>) -> Self {
        let is_same = measures.tokenizer == counter.tokenizer();
        Self { counter, measures: if is_same { measures } else { Arc::default() }, counts: Arc::default() }
    }

    /// Counts all measured messages now, so that later counts of them are looked up.
    pub fn with_messages(self) -> Self {
        let mut measures = self.measures.parts.iter().copied();
        let count = |message: &Arc<Message>| {
            let parts = message.parts.iter().map(|part| match measures.next().flatten() {
                Some(measure) => self.count(&part.body, measure),
                None => self.body(&part.body),
            });
            (address(&**message), parts.sum::<u64>() + self.counter.overhead(message))
        };
        let counts = self.measures.messages.iter().map(count).collect();
        Self { counts: Arc::new(counts), ..self }
    }

    /// Counts a part whose text, or whose arguments, have this measure.
    fn count(&self, body: &Body, measure: u64) -> u64 {
        let tokens = self.counter.of_measure(measure);
        match body {
            Body::Thinking { signature, .. } => tokens.max(self.counter.signature(signature.as_deref())),
            Body::ToolCall { name, .. } => self.text(name) + tokens,
            Body::ToolResult(result) => {
                tokens + result.attachments.iter().map(|attachment| self.body(attachment)).sum::<u64>()
            }
            Body::Text(_) | Body::Image { .. } | Body::Other(_) => tokens,
        }
    }
}

impl Counter for MeasuredCounter {
    fn text(&self, text: &str) -> u64 {
        let is_measured = text.len() >= self.measures.min_length();
        match self.measures.texts.get(&place(text)).filter(|_| is_measured) {
            Some(measure) => self.counter.of_measure(*measure),
            None => self.counter.text(text),
        }
    }

    fn image(&self, size: Option<ImageSize>) -> u64 {
        self.counter.image(size)
    }

    fn envelope(&self) -> u64 {
        self.counter.envelope()
    }

    fn estimate_factor(&self) -> Option<u64> {
        self.counter.estimate_factor()
    }

    fn body(&self, body: &Body) -> u64 {
        match body {
            Body::Thinking { text, signature } => self.text(text).max(self.counter.signature(signature.as_deref())),
            Body::ToolCall { arguments, .. } => match self.measures.texts.get(&(address(arguments), JSON)) {
                Some(measure) => self.count(body, *measure),
                None => body.tokens(self),
            },
            _ => body.tokens(self),
        }
    }

    fn message(&self, message: &Message) -> u64 {
        let count = || {
            let parts = message.parts.iter().map(|part| self.body(&part.body));
            parts.sum::<u64>() + self.counter.overhead(message)
        };
        self.counts.get(&address(message)).copied().unwrap_or_else(count)
    }
}

#[cfg(test)]
mod tests {
    use rust_decimal::Decimal;
    use serde_json::json;
    use trimtab_base::conversation::{Part, Role, ToolResult};

    use super::*;

    #[test]
    fn counts_are_those_of_the_counter_with_any_factor() {
        let long = "a result that is longer than what is measured again; ".repeat(3);
        let thinking = |signature: Option<&str>| Body::Thinking {
            text: long.as_str().into(),
            signature: signature.map(Into::into),
        };
        let image = Body::Image { media_type: "image/png".into(), bytes: 9, size: None };
        let parts = vec![
            Part::text(long.as_str()),
            Part::text("short"),
            Part::text(""),
            Part::new(thinking(None)),
            Part::new(thinking(Some(&"x".repeat(9_000)))),
            Part::call("a", "read", Arguments::Text(long.as_str().into())),
            Part::call("b", "read", Arguments::from(json!({ "path": long }))),
            Part::call("c", "read", Arguments::from(json!({}))),
            Part::result("a", long.as_str(), false),
            Part::new(image.clone()),
            Part::new(Body::Other(Box::new(json!({ "other": long })))),
        ];
        let attached = |text: &str| ToolResult {
            id: "b".into(),
            name: None,
            text: text.into(),
            attachments: vec![image.clone(), Body::Text(long.as_str().into())],
            is_error: false,
        };
        let results = [attached(&long), attached("")].map(|result| Part::new(Body::ToolResult(Box::new(result))));
        let messages = [Message::new(Role::Assistant, parts), Message::new(Role::Tool, results.into())].map(Arc::new);
        let models = crate::model::Models::default();
        for base in
            [TokenCounter::default(), TokenCounter::of_model("gpt-4o", &models), TokenCounter::exact(Tokenizer::O200k)]
        {
            let measures = Arc::new(Measures::of(&messages, base));
            for factor in ["1", "1.237", "0.5"] {
                let counter = base.with_factor(factor.parse::<Decimal>().expect("a number"));
                let measured = MeasuredCounter::new(counter, Arc::clone(&measures));
                assert_eq!(measured.envelope(), counter.envelope());
                let counted = measured.clone().with_messages();
                for message in &messages {
                    let copy = Message::clone(message);
                    assert_eq!(measured.message(message), counter.message(message));
                    assert_eq!([&**message, &copy].map(|one| counted.message(one)), [counter.message(message); 2]);
                    for part in message.parts.iter().chain(&copy.parts) {
                        assert_eq!(measured.body(&part.body), counter.body(&part.body), "{part:?}");
                    }
                }
            }
        }
    }
}
