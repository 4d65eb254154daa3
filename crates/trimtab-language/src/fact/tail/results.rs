//! The results in a context, told apart by their calls and contents.

use std::collections::BTreeMap;
use std::hash::BuildHasher;
use std::sync::Arc;

use foldhash::quality::RandomState;
use foldhash::{HashMap, HashSet};
use smol_str::SmolStr;
use trimtab_base::conversation::{CallKinds, Conversation, Entry, GroupId, Mark, Message, ToolResult};

/// How many characters at the beginning of two results are compared to tell whether they are alike.
const COMPARED_CHARS: usize = 200;

/// The results of known calls in a context, followed as it changes. Edits of content do not matter.
#[derive(Debug, Default)]
pub(super) struct Results {
    mark: Option<Mark>,
    /// The number of results up to each message.
    counts: Vec<usize>,
    /// In the order of their arrival.
    arrived: Vec<Classified>,
    /// The class of each call with its result, in the order in which the model made the calls.
    by_call: BTreeMap<CallPlace, usize>,
    calls: CallKinds,
    alike: Classes,
    same: Classes,
}

/// Where a call is: its reply and its position there. The last number tells results of one call apart.
type CallPlace = (GroupId, usize, usize);

/// A result.
#[derive(Clone, Copy, Debug)]
struct Classified {
    /// Where its call is.
    place: CallPlace,
    /// The class of results that are alike.
    alike: usize,
}

/// The classes of equal results. Each has a number and one of its results.
#[derive(Debug, Default)]
struct Classes {
    first: Vec<(Key, Arc<Message>)>,
    by_hash: HashMap<u64, Vec<usize>>,
    hashes: RandomState,
}

/// What must be equal besides the content.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    Tool(SmolStr),
    Call(usize),
}

impl Classes {
    fn class(&mut self, key: Key, message: &Arc<Message>, result: &ToolResult, chars: Option<usize>) -> usize {
        let hash = self.hashes.hash_one((&key, result.is_error, beginning(&result.text, chars)));
        let first = &mut self.first;
        let known = self.by_hash.entry(hash).or_default();
        let is_equal = |class: &usize| {
            let (other, message) = &first[*class];
            *other == key && message.results().next().is_some_and(|other| is_equal(result, other, chars))
        };
        known.iter().copied().find(is_equal).unwrap_or_else(|| {
            known.push(first.len());
            first.push((key, Arc::clone(message)));
            first.len() - 1
        })
    }
}

/// Whether two results are equal; of their texts only this many characters count, or all.
fn is_equal(result: &ToolResult, other: &ToolResult, chars: Option<usize>) -> bool {
    result.is_error == other.is_error
        && beginning(&result.text, chars) == beginning(&other.text, chars)
        && result.attachments == other.attachments
}

fn beginning(text: &str, chars: Option<usize>) -> &str {
    let end = chars.and_then(|chars| text.char_indices().nth(chars)).map_or(text.len(), |(end, _)| end);
    text.get(..end).unwrap_or(text)
}

impl Results {
    /// Of the newest results, this many, how many repeat another one of them. Returns `None` while there are fewer.
    pub(super) fn repeated(&mut self, conversation: &Conversation, last: usize) -> Option<usize> {
        self.update(conversation);
        let first = self.arrived.len().checked_sub(last)?;
        let different: HashSet<usize> = self.arrived[first..].iter().map(|result| result.alike).collect();
        Some(last - different.len())
    }

    /// How many times in a row, up to the newest of these calls, the same calls had the same results; a pattern of
    /// calls has at most `period` calls.
    pub(super) fn cycles(&mut self, conversation: &Conversation, period: usize, within: usize) -> usize {
        self.update(conversation);
        let newest: Vec<usize> = self.by_call.values().rev().take(within).copied().collect();
        let longest = period.min(newest.len());
        (1..=longest).map(|period| occurrences(&newest, period)).max().unwrap_or(0)
    }

    fn update(&mut self, conversation: &Conversation) {
        let unchanged = self.mark.as_ref().map_or(0, |mark| conversation.unchanged_since(mark));
        self.counts.truncate(unchanged);
        for dropped in self.arrived.drain(self.counts.last().copied().unwrap_or(0)..) {
            self.by_call.remove(&dropped.place);
        }
        for (at, entry) in conversation.entries().iter().enumerate().skip(self.counts.len()) {
            self.add(conversation, at, entry);
            self.counts.push(self.arrived.len());
        }
        self.mark = Some(conversation.mark());
    }

    /// Adds the result in a message, if its call is known.
    fn add(&mut self, conversation: &Conversation, at: usize, entry: &Entry) {
        let Some(result) = entry.recorded().results().next() else { return };
        let Some((position, tool, arguments)) = conversation.answered_call(at) else { return };
        let (message, place) = (entry.shared_recorded(), (entry.group(), position, self.arrived.len()));
        let call = Key::Call(self.calls.number(tool, arguments));
        self.by_call.insert(place, self.same.class(call, message, result, None));
        let alike = self.alike.class(Key::Tool(tool.clone()), message, result, Some(COMPARED_CHARS));
        self.arrived.push(Classified { place, alike });
    }
}

/// How many times in a row the first `period` items occur.
fn occurrences(items: &[usize], period: usize) -> usize {
    let equal = items.iter().zip(&items[period..]).take_while(|(item, earlier)| item == earlier).count();
    1 + equal / period
}
