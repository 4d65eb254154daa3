//! What expectations about contexts need of the contexts that are sent.
//!
//! A text is looked for in what is new in a context. A context is not kept, so a long session costs no more at each call.

use std::collections::BTreeMap;
use std::sync::Arc;

use trimtab_base::conversation::Message;
use trimtab_language::check::{ContextSelector, TextPattern};
use trimtab_simulate::simulate::Sent;

use super::scan::Scan;

/// The most messages of a context that are shown: this many at the beginning, and this many at the end.
pub(in super::super) const SHOWN: (usize, usize) = (2, 6);

/// A context that was sent: whether it has the texts, and the messages that are shown of it.
#[derive(Clone, Debug)]
pub(in super::super) struct Context {
    pub(in super::super) call: usize,
    /// Whether it contains the texts, each after the one before it.
    pub(in super::super) contains: bool,
    /// The messages at its beginning and its end, all of them if there are few.
    pub(in super::super) shown: Vec<Arc<Message>>,
    /// The number of messages between them.
    pub(in super::super) skipped: usize,
}

/// Follows the contexts of a replay for one expectation.
#[derive(Clone, Debug)]
pub(in super::super) struct ContextWatch<'a> {
    which: &'a ContextSelector,
    pattern: &'a TextPattern,
    scan: Scan<'a>,
    /// The contexts of the calls that the expectation names.
    pub(in super::super) named: BTreeMap<usize, Context>,
    /// The first context that has what `any` wants, or does not have what `every` wants.
    pub(in super::super) decisive: Option<Context>,
    pub(in super::super) last: Option<Context>,
}

impl<'a> ContextWatch<'a> {
    pub(super) fn new(which: &'a ContextSelector, pattern: &'a TextPattern) -> Self {
        let scan = Scan::new(&pattern.texts);
        Self { which, pattern, scan, named: BTreeMap::new(), decisive: None, last: None }
    }

    /// Records a context that is sent.
    pub(super) fn record(&mut self, sent: &Sent<'_>) {
        let contains = self.scan.finds_in(sent);
        let context = || Context::of(sent, contains);
        let is_good = contains == self.pattern.present;
        let decides = match self.which {
            ContextSelector::At(calls) => {
                if calls.iter().any(|call| usize::try_from(*call) == Ok(sent.call)) {
                    self.named.insert(sent.call, context());
                }
                return;
            }
            ContextSelector::Final => false,
            ContextSelector::Every => !is_good,
            ContextSelector::Any => is_good,
        };
        if decides {
            self.decisive.get_or_insert_with(context);
        }
        if self.decisive.is_none() {
            self.last = Some(context());
        }
    }
}

impl Context {
    fn of(sent: &Sent<'_>, contains: bool) -> Self {
        let (first, last) = SHOWN;
        let (mut shown, skipped) = match sent.whole_conversation() {
            Some((entries, end)) => {
                let all = entries.len() + end.len();
                let skipped = all.saturating_sub(first + last);
                let before = entries.iter().take(if skipped > 0 { first } else { all });
                let after = entries.iter().skip(if skipped > 0 { (first + skipped).min(entries.len()) } else { all });
                let shown = before.chain(after).map(|entry| Arc::clone(entry.shared_message())).collect::<Vec<_>>();
                (shown.into_iter().chain(end).collect::<Vec<_>>(), skipped)
            }
            None => (sent.messages(), 0),
        };
        // Messages that are added at the end may be many, too.
        let more = shown.len().saturating_sub(first + last);
        shown.drain(first.min(shown.len())..(first + more).min(shown.len()));
        Self { call: sent.call, contains, shown, skipped: skipped + more }
    }
}
