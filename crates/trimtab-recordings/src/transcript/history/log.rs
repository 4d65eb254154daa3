//! Logs of requests: records of which each has the whole history of its session.
//!
//! A record that repeats all messages of an earlier one and adds some continues its session. Many records are no log, such as
//! samples of a data set that begin with the same prompt: they stay conversations of their own. A session that has been
//! continued once is recognised in further records although its context has changed: its client has cleared results, has
//! begun the context again, or has asked for a reply again.

use foldhash::{HashMap, HashSet};
use smol_str::SmolStr;
use trimtab_base::conversation::{Cleared, HarnessEdits, Message, Role};

use super::{History, Ids, Key, common_prefix, system_length};
use crate::transcript::record::Skipped;
use crate::transcript::{HarnessCall, Transcript};

/// The sessions of a log.
#[derive(Debug, Default)]
pub(in crate::transcript) struct RequestLog {
    ids: Ids,
    sessions: Vec<PartialSession>,
    /// The sessions by the key of their first message besides the system prompt.
    by_first: HashMap<Key, Vec<usize>>,
    /// The session of each reply and each result that a later record added.
    by_answer: HashMap<Key, usize>,
}

/// A session so far.
#[derive(Debug, Default)]
struct PartialSession {
    /// What the first record says besides its messages.
    transcript: Transcript,
    history: History,
    harness_calls: Vec<HarnessCall>,
    /// The number of messages of the first record.
    first: usize,
    is_continued: bool,
    /// The keys of the messages that later records added.
    added: HashSet<Key>,
    /// The results that the provider has cleared, and how many tokens that saved.
    cleared: (HashSet<SmolStr>, u64),
}

/// How a record continues a session; the best match is the greatest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Continuation {
    /// It has replies or results of it.
    Shared,
    /// It begins with this many of its messages, replies among them.
    Changed(usize),
    /// It repeats all of its messages, this many.
    Extended(usize),
}

impl RequestLog {
    /// Whether one of these transcripts, which have been read from one record each, continues another one.
    pub(in crate::transcript) fn is_log(records: &[Transcript]) -> bool {
        if records.len() < 2 {
            return false;
        }
        let mut log = Self { ids: Ids::of(records), ..Self::default() };
        records.iter().filter(|record| !record.messages.is_empty()).any(|record| {
            log.add(record.clone(), &mut Skipped::default());
            log.sessions.iter().any(|session| session.is_continued)
        })
    }

    /// Adds what has been read from a record.
    fn add(&mut self, record: Transcript, skipped: &mut Skipped) {
        let Transcript { messages, harness_calls, .. } = &record;
        let mut input: Vec<Message> = messages.iter().map(|message| message.as_ref().clone()).collect();
        let is_reply = |message: &mut Message| message.is_reply() && message.usage.is_some();
        let reply = input.pop_if(is_reply);
        let (harness_calls, before) = (harness_calls.clone(), input.len());
        let keys = self.ids.keys(&input);
        let tools = record.tools.clone();
        let found = self.find(&input, &keys).filter(|_| !input.is_empty());
        let at = found.unwrap_or(self.sessions.len());
        if found.is_none() {
            let transcript = Transcript { messages: Vec::new(), harness_calls: Vec::new(), ..record };
            let history = History { ids: self.ids.clone(), ..History::default() };
            self.sessions.push(PartialSession { transcript, history, ..PartialSession::default() });
        }
        let session = &mut self.sessions[at];
        session.history.head.advance(&tools, &keys[..system_length(&input)]);
        session.add((input, keys), reply, skipped);
        // Those of earlier replies have been added with them.
        let is_new = |call: &HarnessCall| found.is_none() || call.messages >= before;
        let last = session.history.messages.len().saturating_sub(1);
        let calls = harness_calls.into_iter().filter(is_new);
        session
            .harness_calls
            .extend(calls.map(|call| if found.is_none() { call } else { HarnessCall { messages: last, ..call } }));
        self.index(at);
    }

    fn find(&self, input: &[Message], keys: &[Key]) -> Option<usize> {
        let first = keys.get(system_length(input))?;
        let by_answer = input.iter().zip(keys).rev().filter(|(message, _)| is_answer(message));
        let by_answer = by_answer.filter_map(|(_, key)| self.by_answer.get(key)).take(1);
        let candidates = self.by_first.get(first).into_iter().flatten().chain(by_answer);
        let matches = candidates.filter_map(|at| Some((self.sessions[*at].continuation(input, keys)?, *at)));
        matches.max().map(|(_, at)| at)
    }

    fn index(&mut self, at: usize) {
        let session = &self.sessions[at];
        let History { messages, keys, start, .. } = &session.history;
        let first = *start + system_length(&messages[*start..]);
        if let Some(first) = keys.get(first) {
            let known = self.by_first.entry(*first).or_default();
            if !known.contains(&at) {
                known.push(at);
            }
        }
        let added = messages.iter().zip(keys).skip(session.first).rev().take_while(|(_, key)| {
            let is_known = self.by_answer.get(*key) == Some(&at);
            !is_known
        });
        let answers: Vec<Key> = added.filter(|(message, _)| is_answer(message)).map(|(_, key)| *key).collect();
        self.by_answer.extend(answers.into_iter().map(|key| (key, at)));
    }

    /// Joins what has been read from the records of a file, if it is a log.
    pub(in crate::transcript) fn join(records: Vec<Transcript>, head: usize, skipped: &mut Skipped) -> Vec<Transcript> {
        if !Self::is_log(records.get(..head).unwrap_or(&records)) {
            return records;
        }
        let mut log = Self { ids: Ids::of(&records), ..Self::default() };
        for record in records {
            log.add(record, skipped);
        }
        log.into_transcripts()
    }

    /// The sessions in the order in which they begin.
    fn into_transcripts(self) -> Vec<Transcript> {
        self.sessions.into_iter().map(PartialSession::into_transcript).collect()
    }
}

impl PartialSession {
    fn continuation(&self, input: &[Message], keys: &[Key]) -> Option<Continuation> {
        let History { messages, keys: known, start, .. } = &self.history;
        let (own, other) = (system_length(&messages[*start..]), system_length(input));
        let own = *start + own;
        let prefix = common_prefix(&known[own..], &keys[other..]);
        let has_reply = messages[own..own + prefix].iter().any(|message| message.role == Role::Assistant);
        let same_system = known[*start..own] == keys[..other];
        if prefix > 0 && own + prefix == known.len() && (has_reply || same_system) {
            return Some(Continuation::Extended(prefix));
        }
        if !self.is_continued {
            return None;
        }
        if has_reply && own + prefix > self.first {
            return Some(Continuation::Changed(prefix));
        }
        let is_shared = |(message, key): (&Message, &Key)| is_answer(message) && self.added.contains(key);
        input.iter().zip(keys).any(is_shared).then_some(Continuation::Shared)
    }

    fn add(&mut self, (input, keys): (Vec<Message>, Vec<Key>), reply: Option<Message>, skipped: &mut Skipped) {
        let before = self.history.messages.len();
        self.is_continued |= before > 0 && (input.len() > before || input.len() == before && reply.is_some());
        let first = self.history.extend(input, keys, skipped);
        if self.history.start >= before && before > 0 {
            self.cleared = (HashSet::default(), 0);
        }
        if let Some(mut reply) = reply {
            self.keep_new_clearings(&mut reply);
            self.history.add_reply(reply);
        }
        if before == 0 {
            self.first = self.history.messages.len();
        } else {
            self.added.extend(self.history.keys.iter().skip(first));
        }
    }

    /// Leaves of the clearings that a request states what the requests before it did not state.
    fn keep_new_clearings(&mut self, reply: &mut Message) {
        let Some(edits) = reply.harness_edits.as_deref_mut() else { return };
        let Some(Cleared { results, tokens }) = edits.cleared.take() else { return };
        let (known, saved) = &mut self.cleared;
        let new: Vec<SmolStr> = results.into_iter().filter(|id| known.insert(id.clone())).collect();
        let tokens = tokens.map(|tokens| tokens.saturating_sub(std::mem::replace(saved, tokens)));
        if !new.is_empty() {
            edits.cleared = Some(Cleared { results: new, tokens });
        }
        if *edits == HarnessEdits::default() {
            reply.harness_edits = None;
        }
    }

    fn into_transcript(self) -> Transcript {
        let Self { transcript, history, mut harness_calls, .. } = self;
        harness_calls.extend(history.branch_calls);
        harness_calls.sort_by_key(|call| call.messages);
        Transcript { messages: history.messages.into_iter().map(Into::into).collect(), harness_calls, ..transcript }
    }
}

/// Whether a message is a reply or a result.
fn is_answer(message: &Message) -> bool {
    matches!(message.role, Role::Assistant | Role::Tool)
}

#[cfg(test)]
mod tests;
