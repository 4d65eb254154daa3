//! Conversations put together from model calls that each carry the whole history.
//!
//! [`Histories::add`] compares the input of a call with the conversations so far and adds what is new in it. A call that
//! continues no conversation begins another one. Messages are compared by what identifies them (see
//! `key`).

mod copies;
mod head;
mod key;
mod log;
mod unreliable_ids;

use std::collections::BTreeMap;
use std::sync::Arc;

use foldhash::{HashMap, HashSet};
use smol_str::SmolStr;
use trimtab_base::conversation::{Cleared, HarnessEdits, Message, Role};

use super::record::Skipped;
use super::{HarnessCall, HarnessCallKind, Tool, Transcript};
use copies::Copies;
use head::Head;
pub(super) use key::by_ids;
use key::{Ids, Key, common_prefix};
pub(super) use log::RequestLog;

/// A model call.
#[derive(Debug, Default)]
pub(super) struct ModelCall {
    /// The id of the conversation; empty if it is not recorded.
    pub(super) conversation: String,
    /// The agent that made the call.
    pub(super) agent: Option<SmolStr>,
    /// The messages sent.
    pub(super) input: Vec<Message>,
    /// The reply, with its usage. It has no parts if the content was not recorded.
    pub(super) reply: Option<Message>,
    /// The tools sent.
    pub(super) tools: Vec<Tool>,
}

/// The conversations of a file.
#[derive(Debug, Default)]
pub(super) struct Histories {
    all: Vec<History>,
    /// The indices in `all` of the histories of each conversation and agent.
    by_conversation: HashMap<(String, Option<SmolStr>), Vec<usize>>,
}

#[derive(Debug, Default)]
struct History {
    conversation: String,
    agent: Option<SmolStr>,
    tools: Vec<Tool>,
    messages: Vec<Message>,
    ids: Ids,
    /// The key of each message.
    keys: Vec<Key>,
    /// The index of the first message that is still in the context.
    start: usize,
    /// A reply whose content was not recorded. The next call may contain it.
    unrecorded: Option<Message>,
    /// The tool definitions and the system prompt of the newest request.
    head: Head,
    /// The calls whose replies were left out.
    branch_calls: Vec<HarnessCall>,
}

/// How a call continues a history.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Match {
    /// Some of its messages are in the history.
    Shared,
    /// Its input begins with this many messages of the history.
    Prefix(usize),
}

impl Histories {
    /// Adds the new messages and the reply of a call. Calls must be added in the order in which they began.
    pub(super) fn add(&mut self, call: ModelCall, skipped: &mut Skipped) {
        let keys = Ids::default().keys(&call.input);
        let (conversation, agent) = (call.conversation.clone(), call.agent.clone());
        let candidates = self.by_conversation.entry((call.conversation, call.agent)).or_default();
        let matches =
            candidates.iter().filter_map(|index| Some((self.all[*index].find_match(&call.input, &keys)?, *index)));
        let found = matches.max().map(|(_, index)| index);
        let index = found.unwrap_or_else(|| {
            self.all.push(History { conversation, agent, ..History::default() });
            candidates.push(self.all.len() - 1);
            self.all.len() - 1
        });
        let history = &mut self.all[index];
        history.head.advance(&call.tools, &keys[..system_length(&call.input)]);
        history.extend(call.input, keys, skipped);
        if history.tools.is_empty() {
            history.tools = call.tools;
        }
        if let Some(reply) = call.reply {
            history.add_reply(reply);
        }
    }

    /// Returns the conversations. A transcript has the name of its agent unless that agent made the first call.
    pub(super) fn into_transcripts(self) -> Vec<Transcript> {
        let mut main_agents: BTreeMap<String, Option<SmolStr>> = BTreeMap::new();
        let transcripts = self.all.into_iter().map(|history| {
            let main = main_agents.entry(history.conversation.clone()).or_insert_with(|| history.agent.clone());
            let agent = history.agent.clone().filter(|agent| main.as_ref() != Some(agent));
            history.into_transcript(agent)
        });
        transcripts.filter(|transcript| !transcript.messages.is_empty()).collect()
    }
}

impl History {
    fn find_match(&self, input: &[Message], keys: &[Key]) -> Option<Match> {
        let own_start = self.start + system_length(&self.messages[self.start..]);
        let input_start = system_length(input);
        let prefix = common_prefix(&self.keys[own_start..], &keys[input_start..]);
        let has_reply =
            self.messages[own_start..own_start + prefix].iter().any(|message| message.role == Role::Assistant);
        let same_system = self.keys[self.start..own_start] == keys[..input_start];
        if has_reply || prefix > 0 && same_system {
            return Some(Match::Prefix(prefix));
        }
        let own_keys: HashSet<Key> = self.keys[own_start..].iter().copied().collect();
        let is_shared = |(message, key): (&Message, &Key)| {
            matches!(message.role, Role::Assistant | Role::Tool) && own_keys.contains(key)
        };
        input.iter().zip(keys).any(is_shared).then_some(Match::Shared)
    }

    /// Adds the messages of the input that are new, and returns the index of the first one.
    fn extend(&mut self, input: Vec<Message>, keys: Vec<Key>, skipped: &mut Skipped) -> usize {
        let (own_start, input_start) =
            (self.start + system_length(&self.messages[self.start..]), system_length(&input));
        if self.messages.is_empty() {
            self.append(input.into_iter().zip(keys));
            return 0;
        }
        let prefix = common_prefix(&self.keys[own_start..], &keys[input_start..]);
        let cleared = self.find_cleared(&self.messages[own_start..own_start + prefix], &input[input_start..]);
        let answers_newest = self.is_newest_answered((&input, &keys), input_start + prefix);
        let length_before = self.messages.len();
        let new = input.into_iter().zip(keys).skip(input_start + prefix).collect::<Vec<_>>();
        let left_out = &self.keys[own_start + prefix..];
        if !left_out.is_empty() {
            let replies =
                self.messages[own_start + prefix..].iter().filter(|message| message.role == Role::Assistant).count();
            let is_shared = new.iter().any(|(_, key)| left_out.contains(key));
            // The client has compacted: it still sends messages after a gap, or has left out several replies.
            if is_shared || answers_newest || !new.is_empty() && replies > 1 {
                self.reset(prefix, own_start, new);
                return self.start;
            }
            // Otherwise the reply was generated again, or the conversation was rewound.
            skipped.add("other branch", left_out.len() as u64);
            let at = own_start + prefix;
            for call in &mut self.branch_calls {
                call.messages = at.min(call.messages);
            }
            let removed = self.messages.drain(at..).filter(Message::is_reply);
            let call = |reply: Message| {
                let (kind, usage, model) = (HarnessCallKind::Branch, reply.usage?, reply.model);
                Some(HarnessCall { messages: at, kind, usage, model })
            };
            self.branch_calls.extend(removed.filter_map(call));
            self.keys.truncate(at);
        }
        let first = self.messages.len();
        self.append(new);
        if let (Some(cleared), Some(first)) = (cleared, self.messages.get_mut(length_before)) {
            first.harness_edits = Some(Box::new(HarnessEdits { cleared: Some(cleared), ..HarnessEdits::default() }));
        }
        first
    }

    /// Whether the result for the newest recorded reply is among the new messages of the input, at or after `first_new`. If so,
    /// messages before that reply were left out, even if the context seems to begin as before, because equal calls are compared
    /// by content.
    fn is_newest_answered(&self, (input, keys): (&[Message], &[Key]), first_new: usize) -> bool {
        let newest = self.messages.iter().rposition(|message| message.role == Role::Assistant);
        let Some(reply) = input.iter().rposition(|message| message.role == Role::Assistant) else { return false };
        let result = input.get(reply + 1).filter(|message| message.role == Role::Tool && reply + 1 >= first_new);
        keys[reply].is_of_content() && result.is_some() && newest.is_some_and(|newest| self.keys[newest] == keys[reply])
    }

    /// The results that the harness has replaced with something shorter.
    fn find_cleared(&self, recorded: &[Message], input: &[Message]) -> Option<Cleared> {
        let text = |message: &Message| message.results().map(|result| result.text.len()).sum::<usize>();
        let changed = recorded.iter().zip(input).filter(|(old, new)| old.role == Role::Tool && text(new) < text(old));
        let is_new = |id: &SmolStr| {
            let earlier = self.messages.iter().filter_map(Message::cleared);
            !id.is_empty() && !earlier.into_iter().any(|cleared| cleared.results.contains(id))
        };
        let ids = changed.flat_map(|(old, _)| old.results().map(|result| result.id.clone()));
        let results: Vec<_> = ids.filter(is_new).collect();
        (!results.is_empty()).then_some(Cleared { results, tokens: None })
    }

    /// Begins a new context with copies of the common prefix, then `new`.
    fn reset(&mut self, prefix: usize, own: usize, new: Vec<(Message, Key)>) {
        let mut copies = Copies::of(&self.messages[own + prefix..], &self.keys[own + prefix..]);
        let after_replies = new.iter().rposition(|(message, _)| message.role != Role::User).map_or(0, |last| last + 1);
        let copied = |(at, (message, key)): (usize, (Message, Key))| {
            let is_copy = copies.has_next(key, at >= after_replies);
            (if is_copy { message.kept_copy() } else { Message { harness_edits: None, ..message } }, key)
        };
        let new: Vec<_> = new.into_iter().enumerate().map(copied).collect();
        let prefix =
            self.messages[own..own + prefix].iter().map(Message::kept_copy).zip(self.keys[own..].iter().copied());
        let mut context: Vec<_> = prefix.chain(new).collect();
        if let Some((first, _)) = context.first_mut() {
            first.resets = true;
        }
        self.start = self.messages.len();
        self.append(context);
    }

    fn append(&mut self, messages: impl IntoIterator<Item = (Message, Key)>) {
        for (mut message, key) in messages {
            if message.role == Role::Assistant
                && let Some(reply) = self.unrecorded.take()
            {
                message = Message { parts: message.parts, ..reply };
            }
            self.messages.push(message);
            self.keys.push(key);
        }
    }

    fn add_reply(&mut self, mut reply: Message) {
        self.head.mark(&mut reply);
        if reply.parts.is_empty() {
            self.unrecorded = Some(reply);
            return;
        }
        self.unrecorded = None;
        self.keys.push(self.ids.key(&reply));
        self.messages.push(reply);
    }

    fn into_transcript(mut self, agent: Option<SmolStr>) -> Transcript {
        self.messages.extend(self.unrecorded.take().filter(|reply| reply.usage.is_some()));
        Transcript {
            id: self.conversation,
            agent,
            tools: self.tools,
            messages: self.messages.into_iter().map(Arc::new).collect(),
            harness_calls: self.branch_calls,
            ..Transcript::default()
        }
    }
}

/// The number of system messages at the beginning.
fn system_length(messages: &[Message]) -> usize {
    messages.iter().take_while(|message| message.role == Role::System).count()
}

#[cfg(test)]
mod tests {
    use trimtab_base::conversation::{Arguments, Part, Usage};

    use super::*;

    fn text(role: Role, text: &str) -> Message {
        Message::text(role, text)
    }

    fn user(words: &str) -> Message {
        text(Role::User, words)
    }

    fn reply(words: &str) -> Message {
        text(Role::Assistant, words)
    }

    fn call(id: &str) -> Message {
        Message::new(Role::Assistant, vec![Part::call(id, "ls", Arguments::Text("{}".into()))])
    }

    fn result(id: &str, text: &str) -> Message {
        Message::new(Role::Tool, vec![Part::result(id, text, false)])
    }

    fn read(calls: Vec<(&[Message], Message)>) -> (Vec<Transcript>, Skipped) {
        let (mut histories, mut skipped) = (Histories::default(), Skipped::default());
        for (input, reply) in calls {
            histories
                .add(ModelCall { input: input.to_vec(), reply: Some(reply), ..ModelCall::default() }, &mut skipped);
        }
        (histories.into_transcripts(), skipped)
    }

    fn roles(transcript: &Transcript) -> String {
        transcript.messages.iter().filter_map(|message| message.role.word().get(..1)).collect()
    }

    #[test]
    fn each_call_adds_its_new_messages() {
        let system = text(Role::System, "Be brief.");
        let first = [system.clone(), user("go")];
        let second = [system, user("go"), call("a"), result("a", "x"), user("more")];
        let (read, skipped) = read(vec![(&first, call("a")), (&second, reply("done"))]);
        assert_eq!((read.len(), roles(&read[0]).as_str()), (1, "suatua"));
        assert!(skipped.0.is_empty());
    }

    #[test]
    fn a_call_without_common_messages_is_another_conversation() {
        let later = [user("go"), reply("hello"), user("again")];
        let (read, _) =
            read(vec![(&[user("go")], reply("hello")), (&[user("Name this.")], reply("A")), (&later, reply("b"))]);
        assert_eq!(read.iter().map(roles).collect::<Vec<_>>(), ["uaua", "ua"]);
    }

    #[test]
    fn a_reply_that_was_generated_again_replaces_the_first_one() {
        let usage = Usage { input: 5, output: 1, ..Usage::default() };
        let first = Message { usage: Some(usage), model: Some("m".into()), ..reply("no") };
        let (read, skipped) = read(vec![(&[user("go")], first), (&[user("go")], reply("yes"))]);
        assert_eq!(read[0].messages[1].plain_text(), "yes");
        assert_eq!(skipped.0.get("other branch"), Some(&1));
        let call = HarnessCall { messages: 1, kind: HarnessCallKind::Branch, usage, model: Some("m".into()) };
        assert_eq!(read[0].harness_calls, [call]);
    }

    #[test]
    fn a_context_of_which_only_a_part_is_left_is_reset() {
        let second = [user("go"), call("a"), result("a", "x")];
        let third = [user("go"), call("a"), result("a", "x"), call("b"), result("b", "y")];
        let compacted = [user("summary"), call("b"), result("b", "y")];
        let (read, _) =
            read(vec![(&second[..1], call("a")), (&second, call("b")), (&third, call("c")), (&compacted, reply("ok"))]);
        assert_eq!(roles(&read[0]), "uatatauata");
        let resets: Vec<_> = read[0].messages.iter().map(|message| message.resets).collect();
        assert_eq!(resets.iter().position(|resets| *resets), Some(6));
    }

    #[test]
    fn what_a_client_sends_again_after_a_reset_is_a_copy() {
        let usage = Some(Usage { input: 9, ..Usage::default() });
        let paid = |id: &str| Message { usage, ..call(id) };
        let second = [user("go"), paid("a"), result("a", "x")];
        let third = [user("go"), call("a"), result("a", "x"), call("b"), result("b", "y")];
        let slid = [user("go"), call("b"), result("b", "y"), call("c"), result("c", "z"), user("go")];
        let (read, _) = read(vec![
            (&second[..1], paid("a")),
            (&second, paid("b")),
            (&third, paid("c")),
            (&slid, Message { usage, ..reply("ok") }),
        ]);
        assert_eq!(roles(&read[0]), "uatatauatatua");
        let kept: Vec<bool> = read[0].messages[6..].iter().map(|message| message.kept).collect();
        // The last result has not been sent before, and the same words may be a new message.
        assert_eq!(kept, [true, true, true, true, false, false, false]);
        assert_eq!(read[0].messages.iter().filter(|message| message.is_reply() && message.usage.is_some()).count(), 4);
        assert_eq!(read[0].messages.iter().position(|message| message.resets), Some(6));
    }

    #[test]
    fn results_that_were_replaced_with_placeholders_are_cleared() {
        let second = [user("go"), call("a"), result("a", "a long text")];
        let third = [user("go"), call("a"), result("a", "-"), call("b"), result("b", "y")];
        let (read, _) = read(vec![(&second[..1], call("a")), (&second, call("b")), (&third, reply("ok"))]);
        assert_eq!(roles(&read[0]), "uatata");
        assert_eq!(read[0].messages[4].cleared().map(|cleared| cleared.results.clone()), Some(vec!["a".into()]));
        assert_eq!(read[0].messages[2].results().next().map(|result| result.text.as_ref()), Some("a long text"));
    }

    #[test]
    fn a_reply_without_content_gets_it_from_the_next_call() {
        let usage = Some(Usage { input: 5, ..Usage::default() });
        let empty = Message { usage, ..Message::new(Role::Assistant, Vec::new()) };
        let later = [user("go"), reply("hello"), user("again")];
        let (read, _) = read(vec![(&later[..1], empty.clone()), (&later, empty)]);
        assert_eq!(roles(&read[0]), "uaua");
        assert_eq!((read[0].messages[1].plain_text().as_str(), read[0].messages[1].usage), ("hello", usage));
        assert_eq!(read[0].messages[3].usage, usage);
    }
}
