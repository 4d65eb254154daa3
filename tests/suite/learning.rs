//! What sessions and replays learn: cited strategies, distilled strategies, and who distils them.

use std::fmt::Write as _;
use std::sync::Arc;

use serde_json::json;
use trimtab::conversation::{Arguments, Message, Part, Role, SentMessage};
use trimtab::plan::Plan;
use trimtab::playbook::{Delta, Playbook, Timestamp, ToolBatch};
use trimtab::run::{Answer, Environment, Learning, Next, Reflection, SavedSession, Session};
use trimtab::simulate::{FailingSummariser, Options, replay};
use trimtab::transcript::{self, Transcript};

use trimtab::{
    Dialect, Engine, Extract, Host, LiveNext, LiveSession, PlaybookFile, Reflect, ReflectionFuture, RuleReflector,
};

use crate::laws;

const SHOWS: &str = "edition 2026\npolicy p { rule show { do playbook } }\n";

fn plan(text: &str) -> Arc<Plan> {
    Arc::new(laws::plan(text))
}

fn environment(learning: Learning) -> Environment {
    Environment { window: Some(100_000), learning, ..Environment::default() }
}

fn strategies(contents: &[&str]) -> Playbook {
    let mut playbook = Playbook::default();
    let adds: Vec<Delta> = contents.iter().map(|content| Delta::add("testing", content)).collect();
    playbook.apply(&adds, &Timestamp::Call(0));
    playbook
}

fn begin(plan: &Arc<Plan>, playbook: Playbook, reflection: Reflection) -> Session {
    Session::new(Arc::clone(plan), environment(Learning { playbook: Arc::new(playbook), reflection }), 0)
}

fn user(text: &str) -> Arc<Message> {
    Arc::new(Message::text(Role::User, text))
}

/// A reply with a text and calls: tool and arguments.
fn reply(text: &str, calls: &[(&str, &str)]) -> Arc<Message> {
    let call = |(at, (tool, arguments)): (usize, &(&str, &str))| {
        Part::call(format!("c{at}"), *tool, Arguments::Text((*arguments).into()))
    };
    let calls = calls.iter().enumerate().map(call);
    Arc::new(Message::new(Role::Assistant, std::iter::once(Part::text(text)).chain(calls).collect()))
}

fn result(at: usize, is_error: bool) -> Arc<Message> {
    Arc::new(Message::new(Role::Tool, vec![Part::result(format!("c{at}"), "the output", is_error)]))
}

/// A call to list and one to read, which teach a strategy.
const LIST_AND_READ: &[(&str, &str)] = &[("list_files", "{}"), ("read_file", r#"{"path":"a"}"#)];

/// The messages of a run with one call whose reply cites the first strategy and whose second result may be an error.
fn run(fails: bool) -> Vec<Arc<Message>> {
    vec![
        user("Look at it."),
        reply("As [tes-00000] says.", LIST_AND_READ),
        result(0, false),
        result(1, fails),
        reply("Done.", &[]),
    ]
}

/// Sends all messages, asks for the requests before the replies, and ends the iteration. Questions are answered by `answer`.
fn drive(
    session: &mut Session,
    messages: &[Arc<Message>],
    answer: &mut dyn FnMut(&ToolBatch) -> Vec<Delta>,
) -> Vec<String> {
    let mut sent = Vec::new();
    let mut settle = |session: &mut Session, mut next: Next| {
        while let Next::Reflect(question, batch) = &next {
            next = session.answer(*question, Answer::Strategies(answer(batch)));
        }
        next
    };
    for (at, message) in messages.iter().enumerate() {
        if message.role == Role::Assistant {
            let next = session.before_request(&messages[..at], None);
            assert_eq!(settle(session, next), Next::Send);
            sent.push(request(session));
            let next = session.after_reply(message, None, None);
            settle(session, next);
        }
    }
    let next = session.before_request(messages, None);
    settle(session, next);
    sent
}

/// The text of the next request.
fn request(session: &Session) -> String {
    text(session.request().iter().map(SentMessage::message))
}

fn text<'a>(messages: impl Iterator<Item = &'a Arc<Message>>) -> String {
    let mut text = String::new();
    for message in messages {
        let _ = writeln!(text, "{}: {}", message.role.word(), message.plain_text());
    }
    text
}

fn no_question(batch: &ToolBatch) -> Vec<Delta> {
    panic!("{batch:?}")
}

/// For each strategy: its id, and how often it was helpful, harmful and neutral.
fn counts(playbook: &Playbook) -> Vec<(String, [u64; 3])> {
    let counts = playbook.strategies().iter();
    counts.map(|one| (one.id.to_string(), [one.helpful, one.harmful, one.neutral])).collect()
}

#[test]
fn a_cited_strategy_is_tagged_by_the_results_and_a_new_one_is_distilled() {
    let plan = plan(SHOWS);
    for (fails, expected) in [(false, [1, 0, 0]), (true, [0, 1, 0])] {
        let mut session = begin(&plan, strategies(&["Run the tests."]), Reflection::Embedded);
        let sent = drive(&mut session, &run(fails), &mut no_question);
        let found = counts(session.playbook());
        assert_eq!(found, [("tes-00000".to_owned(), expected), ("fil-00001".to_owned(), [0, 0, 0])]);
        assert!(sent[0].contains("[tes-00000] Run the tests. (helpful=0, harmful=0)"), "{}", sent[0]);
        assert!(!sent[0].contains("fil-00001"));
        assert!(sent[1].contains("[fil-00001] List a directory"), "{}", sent[1]);
        let strategy = &session.playbook().strategies()[1];
        assert_eq!((&strategy.created, &strategy.last_used), (&Some(Timestamp::Call(1)), &None));
    }
}

#[test]
fn the_times_of_messages_are_the_times_of_strategies() {
    let mut messages = run(false);
    for (at, message) in messages.iter_mut().enumerate() {
        Arc::make_mut(message).at = Some(format!("2026-01-31T09:30:0{at}Z").into());
    }
    let mut session = begin(&plan(SHOWS), strategies(&["Run the tests."]), Reflection::Embedded);
    drive(&mut session, &messages, &mut no_question);
    let newest_result = Some(Timestamp::Time("2026-01-31T09:30:03Z".into()));
    let [cited, distilled] = session.playbook().strategies() else { panic!("two strategies") };
    assert_eq!((&cited.last_used, &distilled.created), (&newest_result, &newest_result));
}

#[test]
fn a_citation_without_calls_or_results_is_neutral() {
    let mut session = begin(&plan(SHOWS), strategies(&["Run the tests."]), Reflection::Embedded);
    let messages = [user("Go."), reply("tes-00000 is about that.", &[]), user("And?"), reply("Nothing.", &[])];
    drive(&mut session, &messages, &mut no_question);
    assert_eq!(counts(session.playbook())[0].1, [0, 0, 1]);
    let mut session = begin(&plan(SHOWS), strategies(&["Run the tests."]), Reflection::Embedded);
    let messages =
        [user("Go."), reply("tes-00000", LIST_AND_READ), result(0, false), user("Stop."), reply("Yes.", &[])];
    drive(&mut session, &messages, &mut no_question);
    assert_eq!(counts(session.playbook())[0].1, [0, 0, 1], "one result is missing");
}

#[test]
fn a_policy_without_the_effect_learns_nothing() {
    let plan = plan("edition 2026\npolicy p { rule size { when playbook.size > 0 do notify \"{playbook.size}\" } }\n");
    let mut session = begin(&plan, strategies(&["Run the tests."]), Reflection::Host);
    drive(&mut session, &run(false), &mut no_question);
    assert_eq!(session.playbook(), &strategies(&["Run the tests."]));
    let outcomes = session.take_outcomes();
    let signals = outcomes.iter().flat_map(|(_, outcome)| &outcome.signals);
    let notices: Vec<&str> = signals.filter_map(|given| given.signal.notice()).collect();
    assert_eq!(notices, ["1", "1", "1"]);
}

#[test]
fn a_stopped_run_teaches_nothing() {
    let plan = plan("edition 2026\npolicy p { rule show { do playbook } rule end { on reply do stop \"end\" } }\n");
    let mut session = begin(&plan, strategies(&["Run the tests."]), Reflection::Embedded);
    let messages = run(false);
    session.before_request(&messages[..1], None);
    session.after_reply(&messages[1], None, None);
    session.add(&messages[2..4], None);
    session.end_iteration();
    assert_eq!(session.playbook(), &strategies(&["Run the tests."]));
}

#[test]
fn a_harmful_strategy_is_pruned() {
    let mut session = begin(&plan(SHOWS), strategies(&["Run the tests."]), Reflection::Embedded);
    let messages: Vec<Arc<Message>> = (0..3).flat_map(|_| run(true)).collect();
    drive(&mut session, &messages, &mut no_question);
    assert_eq!(counts(session.playbook()), [("fil-00001".to_owned(), [0, 0, 0])]);
    assert_eq!(session.playbook().strategies()[0].observed, 3);
}

#[test]
fn the_host_distils_if_it_says_so() {
    let mut session = begin(&plan(SHOWS), strategies(&["Run the tests."]), Reflection::Host);
    let mut batches = Vec::new();
    drive(&mut session, &run(true), &mut |batch| {
        batches.push(batch.clone());
        vec![Delta::add("habits", "Look twice."), Delta::Remove { id: "tes-00009".to_owned() }]
    });
    assert_eq!(counts(session.playbook()), [("tes-00000".to_owned(), [0, 1, 0]), ("hab-00001".to_owned(), [0, 0, 0])]);
    let [batch] = batches.as_slice() else { panic!("a question for each reply with calls: {batches:?}") };
    assert_eq!((batch.request.as_str(), batch.reply.as_str()), ("Look at it.", "As [tes-00000] says."));
    assert_eq!(batch.cited.iter().map(ToString::to_string).collect::<Vec<_>>(), ["tes-00000"]);
    let calls: Vec<(&str, &str, bool)> =
        batch.calls.iter().map(|call| (call.tool.as_str(), call.arguments.as_str(), call.is_error)).collect();
    assert_eq!(calls, [("list_files", "{}", false), ("read_file", r#"{"path":"a"}"#, true)]);
    assert_eq!(batch.calls[0].result.as_deref(), Some("the output"));
}

#[test]
fn a_question_stays_open_in_a_saved_session_and_an_answer_counts_once() {
    let plan = plan(SHOWS);
    let mut session = begin(&plan, strategies(&["Run the tests."]), Reflection::Host);
    let messages = run(false);
    session.before_request(&messages[..1], None);
    session.after_reply(&messages[1], None, None);
    session.add(&messages[2..4], None);
    let Next::Reflect(question, _) = session.end_iteration() else { panic!("a question") };
    let text = serde_json::to_string(&session.save()).unwrap();
    let mut restored = Session::restore(&plan, &serde_json::from_str::<SavedSession>(&text).unwrap()).unwrap();
    let again = restored.before_request(&messages[..4], None);
    let Next::Reflect(repeated, _) = again else { panic!("{again:?}") };
    assert_eq!(repeated, question);
    let answer = Answer::Strategies(vec![Delta::add("habits", "Look twice.")]);
    assert_eq!(restored.answer(question, answer.clone()), Next::Send);
    assert_eq!(restored.answer(question, answer), Next::Send);
    assert_eq!(restored.playbook().strategies()[1].observed, 1);
    let text = serde_json::to_string(&restored.save()).unwrap();
    let restored_again = Session::restore(&plan, &serde_json::from_str::<SavedSession>(&text).unwrap()).unwrap();
    assert_eq!(restored_again.playbook(), restored.playbook());
}

#[test]
fn a_fork_has_learned_what_its_messages_teach() {
    let mut session = begin(&plan(SHOWS), Playbook::default(), Reflection::Embedded);
    let messages = run(false);
    drive(&mut session, &messages, &mut no_question);
    assert_eq!(session.playbook().len(), 1);
    let other = [messages[0].clone(), user("Or that?")];
    assert_eq!(session.before_request(&other, None), Next::Send);
    assert_eq!(session.playbook().len(), 0);
}

/// The texts of the requests of a replay.
fn replayed(plan: &Plan, transcript: &Transcript, options: &Options) -> Vec<String> {
    let mut sent = Vec::new();
    replay(plan, transcript, options, &mut FailingSummariser, &mut |context| {
        sent.push(text(context.messages().iter()));
    });
    sent
}

#[test]
fn a_replay_of_the_recording_shows_the_same_strategies() {
    let plan = plan(SHOWS);
    let messages: Vec<Arc<Message>> = [run(true), run(false)].concat();
    for reflection in [Reflection::Embedded, Reflection::Host] {
        let mut session = begin(&plan, strategies(&["Run the tests.", "Run them often."]), reflection);
        let mut number = 0;
        let sent = drive(&mut session, &messages, &mut |batch| {
            number += 1;
            vec![Delta::add("habits", &format!("{number}: {}", batch.request))]
        });
        let (_, recording) = session.take_recording().unwrap();
        let read = transcript::read(recording.as_bytes(), None).unwrap().transcripts.remove(0);
        assert_eq!(replayed(&plan, &read, &Options::default()), sent);
        assert_eq!(sent[3].contains("[hab-00002] 1: Look at it."), reflection == Reflection::Host, "{}", sent[3]);
    }
}

#[test]
fn a_replay_begins_with_the_given_playbook_or_an_empty_one() {
    let plan = plan(SHOWS);
    let transcript = Transcript { messages: run(false), ..Transcript::default() };
    let empty = replayed(&plan, &transcript, &Options::default());
    assert!(!empty[0].contains("Learned") && empty[1].contains("[fil-00000] List a directory"), "{empty:?}");
    let playbook = Some(Arc::new(strategies(&["Run the tests."])));
    let given = replayed(&plan, &transcript, &Options { playbook, ..Options::default() });
    assert!(given[0].contains("[tes-00000] Run the tests. (helpful=0, harmful=0)"));
    assert!(given[1].contains("[tes-00000] Run the tests. (helpful=1, harmful=0)"));
}

/// A request of a client with the run's messages up to this one.
fn body(messages: usize) -> String {
    let call =
        |id: &str, name: &str| json!({"id": id, "type": "function", "function": {"name": name, "arguments": "{}"}});
    let calls = [call("c0", "list_files"), call("c1", "read_file")];
    let all = [
        json!({"role": "system", "content": "Work."}),
        json!({"role": "user", "content": "Look at it."}),
        json!({"role": "assistant", "content": "As [tes-00000] says.", "tool_calls": calls}),
        json!({"role": "tool", "tool_call_id": "c0", "content": "a"}),
        json!({"role": "tool", "tool_call_id": "c1", "content": "b"}),
        json!({"role": "assistant", "content": "Done."}),
    ];
    json!({"model": "m", "messages": all[..messages]}).to_string()
}

fn is_in_prompt(json: &str, text: &str) -> bool {
    let body: serde_json::Value = serde_json::from_str(json).unwrap();
    let messages = body["messages"].as_array().unwrap().iter();
    let prompt = messages.take_while(|message| message["role"] == "system");
    prompt.map(ToString::to_string).any(|message| message.contains(text))
}

#[test]
fn an_embedder_distils_strategies_and_keeps_them_in_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = PlaybookFile::new(folder.path().join("playbook.json"));
    file.save(&strategies(&["Run the tests."])).unwrap();
    let plan = trimtab::compile("p.trim", SHOWS).plan(None).unwrap();
    let host = Host::new().window(100_000).playbook(file.load().unwrap().0).own_reflector();
    let mut session = trimtab::Session::new(&plan, host);
    assert_eq!(session.playbook(), &strategies(&["Run the tests."]));
    let next = session.before_request(Dialect::OpenAiChat, body(2), None).unwrap();
    let trimtab::Next::Send(request) = next else { panic!("{next:?}") };
    assert!(is_in_prompt(&request.json, "[tes-00000] Run the tests. (helpful=0, harmful=0)"), "{}", request.json);
    let next = session.before_request(Dialect::OpenAiChat, body(5), None).unwrap();
    let trimtab::Next::Reflect(question, batch) = next else { panic!("{next:?}") };
    assert_eq!(batch.calls.len(), 2);
    let next = session.learn(question, vec![Delta::add("habits", "Look twice.")]);
    let trimtab::Next::Send(request) = next else { panic!("{next:?}") };
    assert!(is_in_prompt(&request.json, "[hab-00001] Look twice. (helpful=0, harmful=0)"), "{}", request.json);
    assert!(is_in_prompt(&request.json, "[tes-00000] Run the tests. (helpful=1, harmful=0)"), "{}", request.json);
    file.save(session.playbook()).unwrap();

    let (playbook, skipped) = file.load().unwrap();
    assert_eq!((&playbook, skipped.len()), (session.playbook(), 0));
    let mut later = trimtab::Session::new(&plan, Host::new().window(100_000).playbook(playbook));
    let next = later.before_request(Dialect::OpenAiChat, body(2), None).unwrap();
    let trimtab::Next::Send(request) = next else { panic!("{next:?}") };
    assert!(is_in_prompt(&request.json, "[hab-00001] Look twice."), "{}", request.json);
}

/// A reflector that never answers when the reply says so.
struct Slow;

impl Reflect for Slow {
    fn reflect<'a>(&'a self, batch: &'a ToolBatch) -> ReflectionFuture<'a> {
        Box::pin(async {
            tokio::task::yield_now().await;
            if batch.request.contains("forever") {
                std::future::pending::<()>().await;
            }
            vec![Delta::add("habits", &batch.request)]
        })
    }
}

#[test]
fn an_engine_awaits_its_reflector_until_the_deadline() {
    let plan = trimtab::compile("p.trim", SHOWS).plan(None).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    for (request, learned) in [("Look at it.", 1), ("Look at it forever.", 0)] {
        let engine = Engine::new(Arc::new(Extract)).reflector(Arc::new(Slow));
        let engine = engine.deadline(std::time::Duration::from_secs(30));
        let session = LiveSession::new(&plan, Host::new(), engine, "s");
        let body = body(5).replace("Look at it.", request);
        let sent = runtime.block_on(session.before_request(Dialect::OpenAiChat, &body, None)).unwrap();
        assert!(matches!(sent, LiveNext::Send(_)), "{sent:?}");
        assert_eq!(session.playbook().len(), learned);
    }
}

#[test]
fn an_engine_can_await_a_reflector_of_rules() {
    let plan = trimtab::compile("p.trim", SHOWS).plan(None).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let strict = RuleReflector { min_confidence: 76, ..RuleReflector::default() };
    for (reflector, learned) in [(RuleReflector::default(), 1), (strict, 0)] {
        let engine = Engine::new(Arc::new(Extract)).reflector(Arc::new(reflector));
        let session = LiveSession::new(&plan, Host::new(), engine, "s");
        runtime.block_on(session.before_request(Dialect::OpenAiChat, &body(5), None)).unwrap();
        assert_eq!(session.playbook().len(), learned, "{reflector:?}");
    }
}
