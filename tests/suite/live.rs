//! Laws of live sessions: what a client sends is what a replay of its history would have sent.

use std::sync::Arc;

use proptest::prelude::*;
use trimtab::conversation::{Body, Message, Role, Usage};
use trimtab::effect::SummaryRequest;
use trimtab::plan::Plan;
use trimtab::playbook::{Delta, Playbook, Reflector, RuleReflector, Timestamp};
use trimtab::run::{Answer, Environment, Learning, Next, Reflection, SavedSession, Session};
use trimtab::simulate::{Confirmations, FailingSummariser, Options, ReplayInputs, Summariser, replay};
use trimtab::transcript::{self, Requested, Transcript, message_json};

use crate::bound_reasoning::BINDING_MODEL;
use crate::{generated, laws};

/// Answers depend on the request only. Some are failures.
struct ByRequest;

impl Summariser for ByRequest {
    fn summarise(&mut self, request: &SummaryRequest, _: u64) -> Result<String, String> {
        let length = request.transcript.len() + request.instructions.len();
        if length.is_multiple_of(5) { Err("busy".to_owned()) } else { Ok(format!("sum {length}")) }
    }
}

/// What the client does around a call.
#[derive(Clone, Copy, Debug)]
enum Move {
    /// It reports the reply and the results as they come.
    Report,
    /// It only sends the history again, with the reply in it.
    Resend,
    /// The process ends after the reply, and another one continues.
    Restart,
    /// The process ends while the session waits for an answer, or before the reply.
    RestartEarly,
    /// It sends the request twice.
    Retry,
    /// It asks something else about a part of the history, then returns.
    Fork(prop::sample::Index),
    /// It sends a request, gets no reply, and sends another one with a message more; then the history without it.
    Abort,
    /// It sends the request again without the thinking in the history.
    LeaveOutThinking,
    /// It sends the request with another system prompt.
    OtherPrompt,
    /// It knows nothing of the session before.
    Forget,
    /// The process ends, and another one knows only the log of decisions.
    Recover,
    /// The same, and the process was killed while it wrote the log.
    RecoverCut(prop::sample::Index),
}

fn moves() -> impl Strategy<Value = Vec<Move>> {
    let one = prop_oneof![
        3 => Just(Move::Report),
        3 => Just(Move::Resend),
        1 => Just(Move::Restart),
        1 => Just(Move::RestartEarly),
        1 => Just(Move::Retry),
        1 => any::<prop::sample::Index>().prop_map(Move::Fork),
        1 => Just(Move::Abort),
        1 => Just(Move::LeaveOutThinking),
        1 => Just(Move::OtherPrompt),
        1 => Just(Move::Forget),
        2 => Just(Move::Recover),
        1 => any::<prop::sample::Index>().prop_map(Move::RecoverCut),
    ];
    prop::collection::vec(one, 1..12)
}

/// A history as clients have it: without usage, and without the marks of a recorded harness, unless it comes from its recording. A live session is called with the
/// newest message, and a replay knows the time of a call from its reply, so replies come at once.
fn history(events: &[generated::Event], binds_reasoning: bool, is_recorded: bool) -> Transcript {
    let mut transcript = generated::transcript(events);
    if binds_reasoning {
        transcript.model = Some(BINDING_MODEL.into());
    }
    let mut now = None;
    for message in &mut transcript.messages {
        let message = Arc::make_mut(message);
        (message.usage, message.resets, message.run) = (None, message.resets && is_recorded, None);
        if message.is_reply() {
            message.at.clone_from(&now);
        }
        now = message.at.clone().or(now);
    }
    transcript
}

fn without_thinking(message: &Arc<Message>) -> Arc<Message> {
    let mut message = message.as_ref().clone();
    message.parts.retain(|part| !matches!(part.body, Body::Thinking { .. }));
    Arc::new(message)
}

/// What a request names besides its messages: models with other windows and prices, and tools that policies ask for.
fn requested() -> impl Strategy<Value = Requested> {
    let model = prop::option::weighted(0.3, prop::sample::select(vec!["claude-opus-4-7", "claude-haiku-4-5", "gpt-5"]));
    let tool = (prop::sample::select(vec!["read_file", "bash", "write_file", "a"]), prop::option::of(1u64..200));
    let tools = prop::option::weighted(0.3, prop::collection::vec(tool, 0..3));
    (model, tools).prop_map(|(model, tools)| Requested {
        model: model.map(Into::into),
        tools: tools.map(|tools| tools.into_iter().map(|(name, tokens)| (name.into(), tokens)).collect()),
    })
}

/// The contexts of the calls of a replay; none for calls after a stop.
fn replayed(plan: &Plan, transcript: &Transcript, has_constant_facts: bool) -> Vec<Option<String>> {
    let calls = transcript.messages.iter().filter(|message| message.role == Role::Assistant).count();
    let mut contexts = vec![None; calls];
    let options = Options { playbook: Some(playbook()), confirm: Confirmations::ALWAYS, ..Options::default() };
    let events = generated::reports(plan, &transcript.messages, has_constant_facts);
    let transcript = &Transcript { events, ..transcript.clone() };
    replay(plan, transcript, &options, &mut ByRequest, &mut |sent| {
        contexts[sent.call] = Some(json(sent.messages().iter().map(AsRef::as_ref)));
    });
    contexts
}

/// The context of the request that follows a history; none when the run is stopped.
fn expected_after(client: &Client<'_>, transcript: &Transcript, history: &[Arc<Message>]) -> Option<String> {
    let reply = Arc::new(Message::text(Role::Assistant, "Done."));
    let messages = history.iter().cloned().chain([reply]).collect();
    replayed(client.plan, &Transcript { messages, ..transcript.clone() }, client.has_constant_facts).pop().flatten()
}

/// The messages without what has changed around them, which a history does not have.
fn json<'a>(messages: impl Iterator<Item = &'a Message>) -> String {
    let json = |message| {
        let mut json = message_json(message);
        json.as_object_mut().map(|fields| fields.shift_remove("changed"));
        json
    };
    serde_json::Value::from(messages.map(json).collect::<Vec<_>>()).to_string()
}

/// The playbook with which sessions begin. Generated replies cite its strategies.
fn playbook() -> Arc<Playbook> {
    let mut playbook = Playbook::default();
    playbook.apply(&[Delta::add("error", "Look twice."), Delta::add("code", "Read it.")], &Timestamp::Call(0));
    Arc::new(playbook)
}

/// A client with a session of its own.
struct Client<'a> {
    plan: &'a Arc<Plan>,
    environment: Environment,
    overhead: u64,
    session: Session,
    /// The log of decisions.
    log: String,
    /// Whether its host always supplies the same facts, as a session that knows nothing of the past must assume.
    has_constant_facts: bool,
}

impl<'a> Client<'a> {
    /// A client that distils strategies itself, as a replay does, or leaves it to the session.
    fn new(plan: &'a Arc<Plan>, transcript: &Transcript, reflects: bool) -> Self {
        let inputs = ReplayInputs::of(plan, transcript, &Options::default());
        let reflection = if reflects { Reflection::Host } else { Reflection::Embedded };
        let learning = Learning { playbook: playbook(), reflection };
        let environment = Environment { learning, ..inputs.environment() };
        let overhead = inputs.overheads[0];
        let session = Session::new(Arc::clone(plan), environment.clone(), overhead);
        Self { plan, environment, overhead, session, log: String::new(), has_constant_facts: false }
    }

    fn forget(&mut self) {
        self.session = Session::new(Arc::clone(self.plan), self.environment.clone(), self.overhead);
    }

    /// Writes the log.
    fn keep_log(&mut self) {
        for part in self.session.unlogged() {
            self.log.push_str(&part.text);
            self.session.mark_logged(&part);
        }
    }

    /// Continues from the log and the history that the client sends.
    fn recover(&mut self, history: &[Arc<Message>]) {
        let texts = history.iter().flat_map(|message| &message.parts).filter_map(|part| match &part.body {
            Body::Text(text) if text.len() > 20 => Some(text),
            _ => None,
        });
        for text in texts {
            assert!(!self.log.contains(text.as_ref()), "the log has no text of the conversation");
        }
        if let Some(session) = Session::recovered(self.plan, &self.log, history) {
            self.session = session;
        } else {
            self.forget();
        }
    }

    /// The same with the whole log, after which the session has the same state.
    fn recover_all(&mut self, history: &[Arc<Message>]) {
        let state = |session: &Session| {
            let request = json(session.request().iter().map(|sent| sent.message().as_ref()));
            (session.branch(), request, session.tokens(), session.call(), session.hidden_tools())
        };
        let (before, known) = (state(&self.session), self.session.history_ids().count());
        self.recover(history);
        if known == history.len() && known > 0 {
            assert_eq!(state(&self.session), before, "{}", self.log);
        }
    }

    fn restart(&mut self) {
        let text = serde_json::to_string(&self.session.save()).expect("JSON");
        let saved: SavedSession = serde_json::from_str(&text).expect("a saved session");
        self.session = Session::restore(self.plan, &saved).expect("the same plan");
        assert_eq!(self.session.save(), saved);
    }

    /// Answers all questions.
    fn answer(&mut self, mut next: Next) -> Next {
        loop {
            next = match next {
                Next::Summarise(question, request, number) => {
                    let answer = ByRequest.summarise(&request, number);
                    self.session.answer(question, answer.map_or_else(Answer::Failed, Answer::Summary))
                }
                Next::Ask(question, _) => self.session.answer(question, Answer::Continue),
                Next::Confirm(question, _) => self.session.answer(question, Answer::Confirmed),
                Next::Reflect(question, batch) => {
                    let deltas = RuleReflector::default().reflect(&batch);
                    self.session.answer(question, Answer::Strategies(deltas))
                }
                Next::Ready | Next::Send | Next::Stop(_) => return next,
            }
        }
    }

    /// The context of the request that follows a history; none when the run is stopped.
    fn request(&mut self, history: &[Arc<Message>]) -> Option<String> {
        self.request_for(history, &Requested::default())
    }

    /// The same, for a request that names this besides its messages.
    fn request_for(&mut self, history: &[Arc<Message>], requested: &Requested) -> Option<String> {
        self.supply(generated::step(history));
        let next = self.session.before_request_for(history, requested, None);
        self.sent(next)
    }

    /// Supplies the values of a step.
    fn supply(&mut self, step: usize) {
        let step = if self.has_constant_facts { 1 } else { step };
        self.session.supply(&generated::host_values(self.plan, step));
    }

    fn sent(&mut self, next: Next) -> Option<String> {
        let next = self.answer(next);
        self.keep_log();
        match next {
            Next::Send => Some(json(self.session.request().iter().map(|sent| sent.message().as_ref()))),
            Next::Stop(_) => None,
            next => panic!("{next:?}"),
        }
    }

    fn report(&mut self, messages: &[Arc<Message>]) {
        let [reply, results @ ..] = messages else { return };
        let next = self.session.after_reply(reply, None, None);
        self.answer(next);
        let next = self.session.add(results, None);
        self.answer(next);
        self.keep_log();
    }
}

proptest! {
    #![proptest_config(generated::cases(300))]

    #[test]
    fn a_live_session_sends_what_a_replay_of_its_history_sends(
        events in generated::events(),
        policy in generated::policy(),
        moves in moves(),
        (reflects, binds_reasoning) in any::<(bool, bool)>(),
    ) {
        // A live session without usage knows nothing of the cache, and so other costs than a replay.
        prop_assume!(!binds_reasoning || !policy.contains(".cost"));
        let plan = Arc::new(laws::plan(&policy));
        let transcript = history(&events, binds_reasoning, false);
        let has_constant_facts = moves.iter().any(|one| matches!(one, Move::Forget | Move::RecoverCut(_)));
        let expected = replayed(&plan, &transcript, has_constant_facts);
        let messages = &transcript.messages;
        let mut client = Client { has_constant_facts, ..Client::new(&plan, &transcript, reflects) };
        let mut history: Vec<Arc<Message>> = Vec::new();
        let mut call = 0;
        let mut moves = moves.iter().cycle();
        for (at, message) in messages.iter().enumerate() {
            if message.role == Role::Assistant {
                let next_move = *moves.next().expect("a cycle");
                match next_move {
                    Move::Fork(index) => {
                        let mut other = history[..index.index(history.len() + 1)].to_vec();
                        other.push(Arc::new(Message::text(Role::User, "And what is this?")));
                        let expected = expected_after(&client, &transcript, &other);
                        prop_assert_eq!(client.request(&other), expected, "{}", &policy);
                    }
                    Move::Abort => {
                        client.request(&history);
                        let mut other = history.clone();
                        other.push(Arc::new(Message::text(Role::User, "Wait.")));
                        let expected = expected_after(&client, &transcript, &other);
                        prop_assert_eq!(client.request(&other), expected, "{}", &policy);
                    }
                    Move::Retry => drop(client.request(&history)),
                    Move::RestartEarly => {
                        client.supply(generated::step(&history));
                        let _ = client.session.before_request(&history, None);
                        client.restart();
                    }
                    Move::Forget => client.forget(),
                    Move::Recover => client.recover_all(&history),
                    Move::RecoverCut(index) => {
                        let end = index.index(client.log.len() + 1);
                        client.log = String::from_utf8_lossy(&client.log.as_bytes()[..end]).into_owned() + "\n";
                        client.recover(&history);
                    }
                    Move::LeaveOutThinking => {
                        client.request(&history);
                        let sent = client.request(&history.iter().map(without_thinking).collect::<Vec<_>>());
                        prop_assert_eq!(&sent, &expected[call], "call {} of {}", call, &policy);
                    }
                    Move::OtherPrompt if history.len() > 1 && history[0].role == Role::System && history[1].role != Role::System => {
                        client.request(&history);
                        let mut other = history.clone();
                        other[0] = Arc::new(Message::text(Role::System, format!("Today is day {at}.")));
                        // What was sent of the old prompt is what a policy has read. A request has the client's own.
                        let is_edited = client.session.conversation().entries().first().is_none_or(|entry| entry.message() != entry.recorded());
                        if !is_edited {
                            let branch = client.session.branch();
                            prop_assert_eq!(&client.request(&other), &expected[call], "call {} of {}", call, &policy);
                            prop_assert_eq!(client.session.branch(), branch);
                        }
                    }
                    Move::Report | Move::Resend | Move::Restart | Move::OtherPrompt => {}
                }
                let sent = client.request(&history);
                prop_assert_eq!(&sent, &expected[call], "call {} of {}\n{:?}", call, &policy, next_move);
                call += 1;
                if matches!(next_move, Move::Report) {
                    let results = messages[at + 1..].iter().take_while(|message| message.role == Role::Tool).count();
                    client.report(&messages[at..=at + results]);
                }
                if matches!(next_move, Move::Restart) {
                    client.report(&messages[at..=at]);
                    client.restart();
                }
            }
            history.push(Arc::clone(message));
        }
    }
    #[test]
    fn a_replay_of_its_recording_repeats_a_live_session(
        events in generated::events(),
        policy in generated::policy(),
        usages in prop::collection::vec(prop::option::of((1u64..4000, 0u64..500)), 1..9),
        restarts in prop::collection::vec(prop::option::of(any::<bool>()), 1..9),
        requests in prop::collection::vec(requested(), 1..9),
        rejections in prop::collection::vec(any::<bool>(), 1..9),
        (reflects, binds_reasoning, is_recorded) in any::<(bool, bool, bool)>(),
    ) {
        let plan = Arc::new(laws::plan(&policy));
        let transcript = history(&events, binds_reasoning, is_recorded);
        let mut client = Client::new(&plan, &transcript, reflects);
        let (mut recording, mut sent, mut fired) = (String::new(), Vec::new(), vec![0; plan.rules.len()]);
        let (mut usages, mut restarts) = (usages.iter().cycle(), restarts.iter().cycle());
        let (mut requests, mut rejections) = (requests.iter().cycle(), rejections.iter().cycle());
        for (at, message) in transcript.messages.iter().enumerate() {
            let next = if message.role == Role::Assistant {
                let mut context = client.request_for(&transcript.messages[..at], requests.next().expect("a cycle"));
                if *rejections.next().expect("a cycle") && context.is_some() {
                    let next = client.session.rejected(client.session.call());
                    context = client.sent(next);
                }
                sent.push(context);
                // During the call.
                client.supply(at + 1);
                let usage = usages.next().expect("a cycle").map(|(input, cache_read)| Usage { input, cache_read, cache_write: 0, output: 7, ..Usage::default() });
                client.session.after_reply(message, usage, None)
            } else {
                client.supply(at * 7);
                client.session.add(std::slice::from_ref(message), None)
            };
            client.answer(next);
            fired_rules(&mut client, &mut fired);
            recording.extend(client.session.take_recording().map(|(_, text)| text));
            client.keep_log();
            match *restarts.next().expect("a cycle") {
                Some(true) => client.restart(),
                Some(false) => {
                    client.recover_all(&transcript.messages[..=at]);
                    recording.clear();
                }
                None => {}
            }
        }
        let next = client.session.end_iteration();
        client.answer(next);
        fired_rules(&mut client, &mut fired);
        recording.extend(client.session.take_recording().map(|(_, text)| text));
        if !recording.is_empty() {
            let read = transcript::read(recording.as_bytes(), None).expect("a recording").transcripts.remove(0);
            let mut contexts = vec![None; sent.len()];
            let trace = replay(&plan, &read, &Options::default(), &mut FailingSummariser, &mut |context| {
                contexts[context.call] = Some(json(context.messages().iter().map(AsRef::as_ref)));
            });
            // The recording says how many tokens were sent, which the live messages do not.
            let sent: Vec<_> = sent.into_iter().map(|context| context.map(|text| without_sizes(&text))).collect();
            let contexts: Vec<_> = contexts.into_iter().map(|context| context.map(|text| without_sizes(&text))).collect();
            let differs = sent.iter().zip(&contexts).position(|(live, replayed)| live != replayed);
            if let Some(at) = differs {
                prop_assert_eq!(&sent[at], &contexts[at], "call {} of {}\n{}\n{:?}", at, &policy, &recording, trace.calls[at]);
            }
            let replayed: Vec<usize> = trace.rules.iter().map(|rule| rule.fired).collect();
            prop_assert_eq!(fired, replayed, "{}\n{}\n{:#?}", &policy, &recording, trace.calls);
        }
    }
}

fn fired_rules(client: &mut Client<'_>, fired: &mut [usize]) {
    for (_, outcome) in client.session.take_outcomes() {
        for due in outcome.due.iter().filter(|due| due.firing.is_some()) {
            fired[due.rule] += 1;
        }
    }
}

/// A context without usage and sizes of replies.
fn without_sizes(context: &str) -> String {
    let mut messages: serde_json::Value = serde_json::from_str(context).expect("JSON");
    for message in messages.as_array_mut().into_iter().flatten().filter_map(|message| message.as_object_mut()) {
        message.shift_remove("usage");
        message.shift_remove("sent");
    }
    messages.to_string()
}

/// The overhead that a session learns from usage depends on the size of each request: what had left the context before it is no
/// part of it, and what rules show or hide is, also since before the harness compacted.
#[test]
fn a_replay_learns_the_overhead_of_a_live_session_that_compacts() {
    let rules = [
        "",
        "rule hide { on request do tools hide [bash] for session }",
        "rule plan { on request do set plan \"Read, then write.\" for session once in session }",
    ];
    let message = |role, text: &str| Message::text(role, text);
    let reply = |sent| Arc::new(Message { sent, ..message(Role::Assistant, "Done.") });
    let compacted = |text| Arc::new(Message { resets: true, harness: true, ..message(Role::User, text) });
    // The reply may come from a recording, with the size of another request.
    for (rule, sent) in rules.iter().flat_map(|rule| [(rule, None), (rule, Some(1))]) {
        let messages = [
            Arc::new(message(Role::System, "You are a test.")),
            Arc::new(message(Role::User, "Read every file of the project, and then write what you have found.")),
            reply(None),
            compacted("It has been read."),
            reply(sent),
            compacted("It has been written."),
            reply(None),
        ];
        let probe = "rule probe { on compaction when iteration >= 2 do inject \"[{context.tokens}]\" for step }";
        let plan = Arc::new(laws::plan(&format!("edition 2026\npolicy p {{ {rule} {probe} }}")));
        let mut client = Client::new(&plan, &Transcript::default(), false);
        let requested = Requested {
            tools: Some([("bash".into(), Some(100)), ("read".into(), None)].into()),
            ..Requested::default()
        };
        let mut sent = Vec::new();
        for (at, reply) in messages.iter().enumerate().filter(|(_, message)| message.is_reply()) {
            sent.push(client.request_for(&messages[..at], &requested).expect("a request"));
            let usage = Usage { input: 1000, output: 7, ..Usage::default() };
            let next = client.session.after_reply(reply, Some(usage), None);
            client.answer(next);
        }
        let (_, text) = client.session.take_recording().expect("a recording");
        let recorded = transcript::read(text.as_bytes(), None).expect("a recording").transcripts.remove(0);
        let mut contexts = Vec::new();
        replay(&plan, &recorded, &Options::default(), &mut FailingSummariser, &mut |context| {
            contexts.push(json(context.messages().iter().map(AsRef::as_ref)));
        });
        for (live, replayed) in sent.iter().zip(&contexts) {
            assert_eq!(without_sizes(live), without_sizes(replayed), "{rule}\n{text}");
        }
        assert!(contexts.len() == 3 && contexts[2].contains("injected"), "{contexts:?}");
    }
}

/// A call has the window of the model of its reply; of the call to come, the last reply tells the model.
#[test]
fn a_live_session_follows_the_models_of_replies_and_its_recording_repeats_that() {
    let plan = laws::plan("edition 2026\npolicy p { rule full { when context.ratio >= 20% do notify \"full\" } }");
    let plan = Arc::new(plan);
    let reply = |model: &str| {
        let mut reply = Message::text(Role::Assistant, "Done.");
        reply.usage = Some(Usage { input: 60_000, output: 2, ..Usage::default() });
        reply.model = Some(model.into());
        Arc::new(reply)
    };
    let user = |text: &str| Arc::new(Message::text(Role::User, text));
    let (large, small) = ("claude-opus-4-7", "claude-haiku-4-5");
    let messages = [user("a"), reply(large), user("b"), reply(small), user("c"), reply(large), user("d")];
    let first = Transcript { model: Some(large.into()), ..Transcript::default() };
    let environment = ReplayInputs::of(&plan, &first, &Options::default()).environment();
    let mut session = Session::new(Arc::clone(&plan), environment, 0);
    let mut fired = Vec::new();
    for end in [1, 3, 5, 7] {
        assert_eq!(session.before_request(&messages[..end], None), Next::Send);
        fired.push(session.take_outcomes().iter().any(|(_, outcome)| !outcome.signals.is_empty()));
        let text = serde_json::to_string(&session.save()).unwrap();
        session = Session::restore(&plan, &serde_json::from_str(&text).unwrap()).unwrap();
        drop(session.take_outcomes());
    }
    assert_eq!(fired, [false, false, true, false]);
    session.after_reply(&reply(large), None, None);
    let (_, text) = session.take_recording().unwrap();
    let recorded = transcript::read(text.as_bytes(), None).unwrap().transcripts.remove(0);
    let trace = replay(&plan, &recorded, &Options::default(), &mut FailingSummariser, &mut |_| {});
    assert!(trace.is_live);
    assert_eq!(trace.notices().map(|(call, ..)| call).collect::<Vec<_>>(), [2]);
}
