//! Ids of calls that do not tell calls apart.
//!
//! Reliability is decided per group of records: if one id of a record is unreliable, so are all its ids, and those of every
//! record that shares an id with it.
//! That a call has other arguments or another result than before does not mean that its id repeats, since clients edit both.

use std::hash::{DefaultHasher, Hash, Hasher};

use foldhash::{HashMap, HashSet};
use smol_str::SmolStr;
use trimtab_base::conversation::{Arguments, Message, Role};

use crate::transcript::Transcript;
use crate::transcript::gemini_contents::part::PartReader;

/// The ids that are missing or made up in the records of a log, or belong to several calls.
pub(super) fn unreliable_ids(records: &[Transcript]) -> HashSet<SmolStr> {
    let mut known = KnownCalls::default();
    let mut groups = Groups::default();
    let mut unreliable = Vec::new();
    for record in records {
        let mut ids = record.messages.iter().flat_map(|message| message.calls()).map(|(id, ..)| id);
        let Some(first) = ids.next() else { continue };
        groups.join(first, first);
        ids.for_each(|id| groups.join(first, id));
        if known.repeat_in(record) {
            unreliable.push(first);
        }
    }
    let unreliable: HashSet<usize> = unreliable.into_iter().map(|id| groups.root(id)).collect();
    let ids: Vec<&SmolStr> = groups.numbers.keys().copied().collect();
    ids.into_iter().filter(|id| unreliable.contains(&groups.root(id))).cloned().collect()
}

/// What the records so far say of the call with each id.
#[derive(Default)]
struct KnownCalls<'a> {
    tools: HashMap<&'a SmolStr, &'a SmolStr>,
    /// The arguments and the result with each id in the newest record that has it.
    newest: HashMap<&'a SmolStr, (&'a Arguments, &'a str)>,
    /// A hash of the tool, arguments and result of each id.
    contents: HashMap<&'a SmolStr, u64>,
    /// The first id with each hash.
    ids: HashMap<u64, &'a SmolStr>,
}

impl<'a> KnownCalls<'a> {
    /// Whether an id of a record repeats, or is that of another call in a record before.
    fn repeat_in(&mut self, record: &'a Transcript) -> bool {
        let mut calls: HashMap<&SmolStr, (&'a SmolStr, &'a Arguments)> = HashMap::default();
        let mut contents = Vec::new();
        // The newest reply that the request contains; results after it are new.
        let last_sent_reply =
            record.messages.iter().rposition(|message| message.role == Role::Assistant && !is_record_reply(message));
        let mut repeats = false;
        for (at, message) in record.messages.iter().enumerate() {
            for (id, tool, arguments) in message.calls() {
                let is_made_up = id.is_empty() || PartReader::is_generated_id(id);
                let is_of_other_tool = *self.tools.entry(id).or_insert(tool) != tool;
                repeats |= is_made_up || is_of_other_tool || calls.insert(id, (tool, arguments)).is_some();
            }
            for result in message.results() {
                let Some((tool, arguments)) = calls.get(&result.id) else { continue };
                let mut hasher = DefaultHasher::new();
                (tool, arguments.json(), &result.text).hash(&mut hasher);
                contents.push((&result.id, hasher.finish()));
                // A client edits old results, not new ones.
                let is_new = last_sent_reply.is_some_and(|reply| at > reply);
                // A longer old text says nothing: the client may only have shortened the result.
                let is_other = |known: &str| known != result.text.as_ref() && known.len() <= result.text.len();
                let known = self.newest.insert(&result.id, (arguments, &result.text));
                repeats |= is_new && known.is_some_and(|(known, text)| is_other(text) || !known.same(arguments));
            }
        }
        repeats || self.moved(&contents)
    }

    /// Whether a call and its result have another id than in a record before.
    fn moved(&mut self, contents: &[(&'a SmolStr, u64)]) -> bool {
        let own: HashMap<_, _> = contents.iter().copied().collect();
        let is_moved = |(id, content): &(&SmolStr, u64)| {
            let before = self.ids.get(content).filter(|before| *before != id);
            self.contents.get(id).is_some_and(|known| known != content)
                && before.is_some_and(|before| own.get(before) != Some(content))
        };
        let moved = contents.iter().any(is_moved);
        // In their order, so that the first of several ids with the same content is always the same one.
        for (id, content) in contents {
            self.ids.entry(*content).or_insert(id);
        }
        self.contents.extend(own);
        moved
    }
}

/// Whether a message is the reply of a record, and not a part of its request.
fn is_record_reply(message: &Message) -> bool {
    message.usage.is_some()
}

/// Ids in groups that have been joined.
#[derive(Default)]
struct Groups<'a> {
    numbers: HashMap<&'a SmolStr, usize>,
    /// For each id, another one of its group, or itself.
    parents: Vec<usize>,
}

impl<'a> Groups<'a> {
    fn number(&mut self, id: &'a SmolStr) -> usize {
        let next = self.parents.len();
        let number = *self.numbers.entry(id).or_insert(next);
        if number == next {
            self.parents.push(next);
        }
        number
    }

    fn root(&mut self, id: &'a SmolStr) -> usize {
        let mut number = self.number(id);
        while self.parents[number] != number {
            self.parents[number] = self.parents[self.parents[number]];
            number = self.parents[number];
        }
        number
    }

    fn join(&mut self, one: &'a SmolStr, other: &'a SmolStr) {
        let (one, other) = (self.root(one), self.root(other));
        self.parents[other] = one;
    }
}

#[cfg(test)]
mod tests {
    use trimtab_base::conversation::Part;

    use super::*;

    #[test]
    fn the_first_of_several_ids_with_the_same_content_is_always_the_same_one() {
        let record = |results: [&str; 3]| {
            let rounds = ["a", "b", "c"].into_iter().zip(results).flat_map(|(id, text)| {
                let call = Part::call(id, "ls", Arguments::Text("{}".into()));
                let result = Message::new(Role::Tool, vec![Part::result(id, text, false)]);
                [Message::new(Role::Assistant, vec![call]), result]
            });
            let end = Message::text(Role::Assistant, "done");
            Transcript { messages: rounds.chain([end]).map(Into::into).collect(), ..Transcript::default() }
        };
        let records = [record(["same", "same", "other"]), record(["edited", "same", "same"])];
        for _ in 0..32 {
            assert_eq!(unreliable_ids(&records).len(), 3);
        }
    }
}
