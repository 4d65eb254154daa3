//! A law of whole sessions of a client in each dialect, through the public API: retries, forks, aborted calls, restarts, and
//! compactions by the client itself.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use trimtab::conversation::{Message, Role};
use trimtab::effect::SummaryRequest;
use trimtab::request::{Dialect, ElementEdit, Request};
use trimtab::simulate::Summariser;
use trimtab::transcript;
use trimtab::{Host, Next, Plan, PreparedRequest, SavedSession, Session};

use super::client_list::{beginning, compacted, with_message};
use super::normal::{NormalMessage, normal, prompt, with_prompt};
use super::written::{self, Written};
use super::{
    ByRequest, begins_with_moved_system, comparable, dialect, edited, elements, replayed, transcript_of, with_additions,
};
use crate::{generated, laws};

/// What the client does around a call.
#[derive(Clone, Debug)]
enum Move {
    /// It only sends the history again, with the reply in it.
    Resend,
    /// It reports the reply when it arrives.
    Report,
    /// It sends the request twice.
    Retry,
    /// It asks something else about a part of the history, then returns.
    Fork(prop::sample::Index),
    /// It sends the request, gets no reply, and sends it again with a message more; then without it.
    Abort,
    /// The process ends after the request, and another one continues.
    Restart,
    /// The process ends while the session waits for an answer.
    RestartEarly,
    /// It knows nothing of the session before.
    Forget,
    /// It replaces the beginning of the list with a summary of its own.
    Compact(prop::sample::Index),
}

fn moves() -> impl Strategy<Value = Vec<Move>> {
    let one = prop_oneof![
        3 => Just(Move::Resend),
        3 => Just(Move::Report),
        1 => Just(Move::Retry),
        1 => any::<prop::sample::Index>().prop_map(Move::Fork),
        1 => Just(Move::Abort),
        1 => Just(Move::Restart),
        1 => Just(Move::RestartEarly),
        1 => Just(Move::Forget),
        1 => any::<prop::sample::Index>().prop_map(Move::Compact),
    ];
    prop::collection::vec(one, 1..12)
}

const WINDOW: u64 = 3000;

/// A client with a list of elements, and its session.
struct Client<'a> {
    plan: Plan,
    reference: trimtab::plan::Plan,
    dialect: Dialect,
    written: &'a Written,
    session: Session,
    /// Whether it has replaced the beginning of its list with a summary. If the session has recognised that, its guards and counts
    /// go on, so that the list alone does not show what is sent.
    has_compacted: bool,
    /// The recording of each branch of the session.
    recordings: BTreeMap<u64, String>,
}

impl Client<'_> {
    fn host() -> Host {
        Host::new().window(WINDOW)
    }

    fn json(&self, list: &[String]) -> String {
        self.written.list(list.iter().map(String::as_str))
    }

    fn restart(&mut self) {
        let Some(saved) = self.session.save() else { return };
        let text = serde_json::to_string(&saved).expect("JSON");
        let saved: SavedSession = serde_json::from_str(&text).expect("a saved session");
        self.session = Session::restore(&self.plan, Self::host(), &saved).expect("the same plan");
    }

    /// Sends a request, and checks it against a replay of what it contains.
    fn check(&mut self, list: &[String]) -> Result<(), TestCaseError> {
        let json = self.json(list);
        let next = self.session.before_request(self.dialect, &json, None).expect("a request");
        let sent = self.answered(next);
        let mut candidates = self.recorded(&json);
        if !self.has_compacted {
            candidates = vec![self.expected(&json)];
        }
        let at = candidates.iter().position(|expected| self.is_expected(&json, sent.as_ref(), expected.as_deref()));
        let expected = candidates.swap_remove(at.unwrap_or(0));
        prop_assert_eq!(sent.is_some(), expected.is_some(), "{}", json);
        let (Some(sent), Some(expected)) = (sent, expected) else { return Ok(()) };
        let (old, new) = (elements(self.dialect, &json), elements(self.dialect, &sent.json));
        if !begins_with_moved_system(self.dialect, &old, &new) {
            let [context, expected] = comparable(self.dialect, [self.context(&sent), expected]);
            prop_assert_eq!(context, expected, "{}\n{}", json, &sent.json);
        }
        prop_assert_eq!(edited(&old, &sent.edits), new.clone());
        let is_kept = sent.edits.iter().enumerate().all(|(at, edit)| *edit == ElementEdit::Keep(at));
        prop_assert_eq!(is_kept, new == old);
        Ok(())
    }

    /// The context of a request that the session has prepared.
    fn context(&self, sent: &PreparedRequest) -> Vec<NormalMessage> {
        let read = Request::read(self.dialect, None, &sent.json).expect("a request");
        normal(&with_additions(&read, &sent.prompt_additions))
    }

    /// Whether what is sent is what a replay sends.
    fn is_expected(&self, json: &str, sent: Option<&PreparedRequest>, expected: Option<&[NormalMessage]>) -> bool {
        match (sent, expected) {
            (Some(sent), Some(expected)) => {
                let (old, new) = (elements(self.dialect, json), elements(self.dialect, &sent.json));
                let [context, expected] = comparable(self.dialect, [self.context(sent), expected.to_vec()]);
                begins_with_moved_system(self.dialect, &old, &new) || context == expected
            }
            (sent, expected) => sent.is_none() && expected.is_none(),
        }
    }

    /// What a replay of the recording of the branch sends last; none when the run is stopped. If nothing is new to a branch, it is
    /// one of those before. A client may write a new system prompt when it compacts. A recording has the first one.
    fn recorded(&mut self, json: &str) -> Vec<Option<Vec<NormalMessage>>> {
        let request = Request::read(self.dialect, None, json).expect("a request");
        let system = |messages: &[Arc<Message>]| {
            normal(&messages[..1.min(messages.len())].iter().map(|one| Message::clone(one)).collect::<Vec<_>>())
        };
        let now = system(request.history());
        let mut branches: Vec<u64> = self.recordings.keys().copied().collect();
        if let Some((branch, text)) = self.session.take_recording() {
            self.recordings.entry(branch).or_default().push_str(&text);
            branches = vec![branch];
        }
        let last = |branch: &u64| {
            let text = self.recordings[branch].as_bytes();
            let mut read = transcript::read(text, None).expect("a recording").transcripts.remove(0);
            read.messages.push(Arc::new(Message::text(Role::Assistant, "Done.")));
            let sent = replayed(&self.reference, &read, self.dialect).pop().flatten();
            let first = system(&read.messages);
            sent.map(|sent| {
                if prompt(&now) == prompt(&first) { sent } else { with_prompt(&sent, prompt(&first), prompt(&now)) }
            })
        };
        branches.iter().map(last).collect()
    }

    /// What a replay of the history in a request sends after it; none when the run is stopped.
    fn expected(&self, json: &str) -> Option<Vec<NormalMessage>> {
        let request = Request::read(self.dialect, None, json).expect("a request");
        let mut transcript = transcript_of(&request);
        transcript.model = request.model().map(Into::into);
        transcript.messages.push(Arc::new(Message::text(Role::Assistant, "Done.")));
        replayed(&self.reference, &transcript, self.dialect).pop().flatten()
    }

    /// Answers all questions. None if nothing is sent.
    fn answered(&mut self, mut next: Next) -> Option<PreparedRequest> {
        loop {
            next = match next {
                Next::Send(request) => return Some(request),
                Next::Summarise(question, request) => self.session.answer(question, summary(&request)),
                Next::Ask(question, _) => self.session.decide(question, false),
                Next::Confirm { question, .. } => self.session.confirm(question, true),
                _ => return None,
            };
        }
    }
}

fn summary(request: &SummaryRequest) -> Result<String, String> {
    ByRequest.summarise(request, 0)
}

proptest! {
    #![proptest_config(generated::cases(200))]

    #[test]
    fn a_client_that_forks_restarts_and_compacts_sends_what_a_replay_sends(
        events in generated::events(),
        policy in generated::policy(),
        dialect in dialect(),
        hand in written::hand(),
        moves in moves(),
    ) {
        drive(&events, &policy, dialect, &hand, &moves)?;
    }
}

fn drive(
    events: &[generated::Event],
    policy: &str,
    dialect: Dialect,
    hand: &written::Hand,
    moves: &[Move],
) -> Result<(), TestCaseError> {
    let written = Written::new(dialect, &generated::transcript(events).messages, hand);
    let whole = Request::read(dialect, None, written.json(written.len())).expect("a request");
    let plan = trimtab::compile("made.trim", policy).plan(None).expect("a plan");
    let session = Session::new(&plan, Client::host());
    let reference = laws::plan(policy);
    let mut client = Client {
        plan,
        reference,
        dialect,
        written: &written,
        session,
        has_compacted: false,
        recordings: BTreeMap::new(),
    };
    let mut list: Vec<String> = Vec::new();
    let mut moves = moves.iter().cycle();
    for (at, element) in written.elements().iter().enumerate() {
        let messages = whole.messages_of(at);
        let begins = at == 0 || whole.messages_of(at - 1) != messages;
        if begins && !messages.is_empty() && whole.history()[messages.start].role == Role::Assistant {
            let next_move = moves.next().expect("a cycle");
            match next_move {
                Move::Retry => client.check(&list)?,
                Move::Fork(index) => {
                    let other =
                        with_message(dialect, &beginning(&written, dialect, &list, *index), "And what is this?");
                    client.check(&other)?;
                }
                Move::Abort => {
                    client.check(&list)?;
                    let other = with_message(dialect, &list, "Wait.");
                    client.check(&other)?;
                }
                Move::RestartEarly => {
                    let json = client.json(&list);
                    let _ = client.session.before_request(dialect, &json, None).expect("a request");
                    client.restart();
                }
                Move::Forget => {
                    client.session = Session::new(&client.plan, Client::host());
                    client.recordings.clear();
                }
                Move::Compact(index) => {
                    list = compacted(&written, dialect, &list, *index, at);
                    client.has_compacted = true;
                }
                Move::Resend | Move::Report | Move::Restart => {}
            }
            client.check(&list)?;
            match next_move {
                Move::Report => {
                    let reply = written.reply(at, &whole);
                    let next = client.session.after_reply(&reply, None).expect("a reply");
                    client.answered(next);
                }
                Move::Restart => client.restart(),
                _ => {}
            }
        }
        list.push(element.clone());
    }
    Ok(())
}

#[test]
fn a_client_may_write_a_new_system_prompt_when_it_compacts() {
    let hand = written::Hand::of_bodies(vec![6, 0, 0, 0, 0, 0, 47, 0, 0, 0, 0, 32, 0, 0, 0, 0, 29, 0]);
    let policy = "edition 2026\npolicy made {\n  rule r0 { on request do mask results }\n}\n";
    let mut runner = TestRunner::deterministic();
    for _ in 0..8 {
        let index = any::<prop::sample::Index>().new_tree(&mut runner).unwrap().current();
        let moves = [vec![Move::Resend; 5], vec![Move::Compact(index)]].concat();
        drive(&generated::with_empty_system_message(), policy, Dialect::Anthropic, &hand, &moves).unwrap();
    }
}
