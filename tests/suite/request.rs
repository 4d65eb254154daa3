//! Laws of requests in each dialect: only edits change bytes, and a client that sends what is rendered sends what a
//! replay of the same JSON would have sent.

mod client;
pub(crate) mod client_list;
pub(crate) mod normal;
mod odd;
mod real;
mod scribe;
pub(crate) mod valid;
mod views;
pub(crate) mod written;

use std::sync::Arc;

use proptest::prelude::*;
use serde_json::Value as Json;
use serde_json::value::RawValue;
use trimtab::conversation::{Message, Origin, Role, SentMessage};
use trimtab::effect::SummaryRequest;
use trimtab::plan::Plan;
use trimtab::playbook::{Reflector, RuleReflector};
use trimtab::request::{Dialect, ElementEdit, Rendered, Request, read_reply, read_reply_after};
use trimtab::run::{Answer, Next, Session};
use trimtab::simulate::{Confirmations, Options, ReplayInputs, Summariser, replay};
use trimtab::transcript::{self, Transcript};

use crate::{generated, laws};
use normal::{NormalMessage, normal};
use written::{Hand, Written};

/// A policy that edits what it can.
const GREEDY: &str = r#"edition 2026
policy p {
  rule a { do mask results keep 0 messages including errors placeholder "[]" then mask calls keep 0 messages placeholder "" }
  rule b { do mask thinking keep 0 messages then mask images keep 0 messages then inject "More." as assistant for step }
  rule c { when context.messages > 4 do summarise older keep 2 messages }
}"#;

const IDLE: &str = "edition 2026\npolicy p { rule n { do notify \"\" } }";

/// Answers depend on the request only. Some are failures.
struct ByRequest;

impl Summariser for ByRequest {
    fn summarise(&mut self, request: &SummaryRequest, _: u64) -> Result<String, String> {
        let length = request.transcript.len() + request.instructions.len();
        if length.is_multiple_of(5) { Err("busy".to_owned()) } else { Ok(format!("sum {length}")) }
    }
}

pub(crate) fn dialect() -> impl Strategy<Value = Dialect> {
    prop::sample::select(Dialect::ALL.to_vec())
}

/// How a client gives replies to the session.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Replies {
    /// In the next request.
    Resent,
    /// When they arrive.
    Reported,
    /// When they arrive, and without their thinking in later requests.
    Shortened,
}

/// What a client does with its history.
#[derive(Clone, Copy, Debug)]
struct Habits {
    replies: Replies,
    /// It only sends what a provider accepts.
    is_valid: bool,
    /// It gives the previous request when it reads one.
    reuses: bool,
}

fn habits() -> impl Strategy<Value = Habits> {
    let replies = prop_oneof![
        (Just(Replies::Resent), any::<bool>()),
        (Just(Replies::Reported), any::<bool>()),
        // A reply of thinking only would disappear.
        Just((Replies::Shortened, true)),
    ];
    (replies, any::<bool>()).prop_map(|((replies, is_valid), reuses)| Habits { replies, is_valid, reuses })
}

/// The contexts of the calls of a replay; none for calls after a stop.
pub(crate) fn replayed(plan: &Plan, transcript: &Transcript, dialect: Dialect) -> Vec<Option<Vec<NormalMessage>>> {
    // What a client has kept after a compaction is a copy, and no call.
    let is_call = |message: &&Arc<Message>| message.role == Role::Assistant && !message.kept;
    let calls = transcript.messages.iter().filter(is_call).count();
    let mut contexts = vec![None; calls];
    let options = Options { confirm: Confirmations::ALWAYS, ..Options::default() };
    replay(plan, transcript, &options, &mut ByRequest, &mut |sent| {
        contexts[sent.call] = Some(normal(&context(&sent.views.request(sent.conversation), dialect)));
    });
    contexts
}

/// The messages of a context, with the roles that a dialect has.
fn context(messages: &[SentMessage<'_>], dialect: Dialect) -> Vec<Message> {
    let spoken = |sent: &SentMessage<'_>| {
        let message = sent.message();
        let is_prompt = matches!(sent, SentMessage::Prompt(_));
        let is_new_system = message.role == Role::System && message.origin != Origin::Recorded && !is_prompt;
        let role = if is_new_system && dialect == Dialect::Gemini { Role::User } else { message.role };
        Message { role, ..message.as_ref().clone() }
    };
    messages.iter().map(spoken).collect()
}

/// The history of a request with texts that it had no place for.
pub(crate) fn with_additions(request: &Request, additions: &[String]) -> Vec<Message> {
    let mut history: Vec<Message> = request.history().iter().map(|message| message.as_ref().clone()).collect();
    let prompt = history.iter().take_while(|message| message.role == Role::System).count();
    history.splice(prompt..prompt, additions.iter().map(|text| Message::text(Role::System, text.as_str())));
    history
}

/// Answers all questions. Returns whether the request is sent.
fn is_sent(session: &mut Session, mut next: Next) -> bool {
    loop {
        next = match next {
            Next::Summarise(question, request, number) => {
                let answer = ByRequest.summarise(&request, number);
                session.answer(question, answer.map_or_else(Answer::Failed, Answer::Summary))
            }
            Next::Ask(question, _) => session.answer(question, Answer::Continue),
            Next::Confirm(question, _) => session.answer(question, Answer::Confirmed),
            Next::Reflect(question, batch) => {
                let deltas = RuleReflector::default().reflect(&batch);
                session.answer(question, Answer::Strategies(deltas))
            }
            Next::Ready | Next::Stop(_) => return false,
            Next::Send => return true,
        }
    }
}

/// The texts of the elements of a list or body.
pub(crate) fn elements(dialect: Dialect, json: &str) -> Vec<String> {
    let texts = |raw: &str| {
        let list: Vec<&RawValue> = serde_json::from_str(raw).expect("a list");
        list.into_iter().map(|element| element.get().to_owned()).collect()
    };
    if json.trim_start().starts_with('[') {
        return texts(json);
    }
    let body: serde_json::Map<String, Json> = serde_json::from_str(json).expect("a body");
    let fields: std::collections::HashMap<String, &RawValue> = serde_json::from_str(json).expect("a body");
    let key = list_key(dialect);
    assert!(body.contains_key(key));
    texts(fields[key].get())
}

/// The key of the list in a body.
pub(crate) fn list_key(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::OpenAiResponses => "input",
        Dialect::Gemini => "contents",
        Dialect::OpenAiChat | Dialect::Anthropic => "messages",
        other => panic!("{other:?} has no list"),
    }
}

/// A body without the tool that is declared for a plan that offloads. Generated bodies declare no tools.
fn without_recall(dialect: Dialect, json: &str) -> String {
    let tool = match dialect {
        Dialect::Gemini => format!("{{\"functionDeclarations\":[{}]}}", dialect.recall_tool()),
        _ => dialect.recall_tool(),
    };
    json.replacen(&format!(",\"tools\":[{tool}]"), "", 1)
}

/// Whether a system message that was in the middle of a list has become its first one. Reading takes it for the
/// whole system prompt then.
pub(crate) fn begins_with_moved_system(dialect: Dialect, old: &[String], new: &[String]) -> bool {
    let is_system = |list: &[String]| {
        let first: Option<Json> = list.first().map(|text| serde_json::from_str(text).expect("an element"));
        first.is_some_and(|first| first["role"] == "system")
    };
    matches!(dialect, Dialect::Anthropic | Dialect::Gemini) && is_system(new) && !is_system(old)
}

/// The elements after edits.
fn edited(old: &[String], edits: &[ElementEdit]) -> Vec<String> {
    edits
        .iter()
        .filter_map(|edit| match edit {
            ElementEdit::Keep(at) => Some(old[*at].clone()),
            ElementEdit::Replace(_, text) | ElementEdit::Insert(text) => Some(text.clone()),
            ElementEdit::Remove(_) => None,
        })
        .collect()
}

/// A system message that has lost its place: only its role is another one.
fn as_user(system: &str) -> String {
    let fields: Vec<(usize, &str)> = system.match_indices("\"system\"").collect();
    let role = fields.iter().find(|(at, _)| system[..*at].trim_end().ends_with(':'));
    role.map_or_else(String::new, |(at, word)| format!("{}\"user\"{}", &system[..*at], &system[at + word.len()..]))
}

/// Checks that edits and JSON say the same, and that elements without an edited message keep their bytes.
fn check_bytes(request: &Request, session: &Session, rendered: &Rendered) -> Result<(), TestCaseError> {
    let old = elements(request.dialect(), request.json());
    prop_assert_eq!(edited(&old, &rendered.edits), elements(request.dialect(), &rendered.json));
    let places: Vec<usize> = rendered
        .edits
        .iter()
        .filter_map(|edit| match edit {
            ElementEdit::Keep(at) | ElementEdit::Replace(at, _) | ElementEdit::Remove(at) => Some(*at),
            ElementEdit::Insert(_) => None,
        })
        .collect();
    prop_assert_eq!(places, (0..request.element_count()).collect::<Vec<_>>());
    let (ids, sent) = (session.history_ids().collect::<Vec<_>>(), session.request());
    let is_untouched = |at: usize| {
        let mut entries = sent.iter().filter_map(|sent| match sent {
            SentMessage::Entry(entry) => Some(entry),
            SentMessage::Prompt(_) | SentMessage::End(_) => None,
        });
        let entry = entries.find(|entry| Some(entry.id()) == ids[at]);
        entry.is_some_and(|entry| entry.message() == entry.recorded())
    };
    for edit in &rendered.edits {
        if let ElementEdit::Replace(at, text) = edit {
            let messages = request.messages_of(*at);
            let is_divided = messages.len() > 1;
            prop_assert!(is_divided || !messages.clone().all(is_untouched) || *text == as_user(&old[*at]), "{text}");
        }
    }
    let is_same = sent.len() == request.history().len() && (0..ids.len()).all(is_untouched);
    if is_same && session.views().are_empty() {
        prop_assert_eq!(without_recall(request.dialect(), &rendered.json), request.json());
    }
    Ok(())
}

/// The transcript that a list is read as.
fn transcript_of(whole: &Request) -> Transcript {
    Transcript { window: Some(3000), messages: whole.history().to_vec(), ..Transcript::default() }
}

proptest! {
    #![proptest_config(generated::cases(200))]

    #[test]
    fn without_edits_no_byte_changes(
        events in generated::events(),
        dialect in dialect(),
        hand in written::hand(),
    ) {
        let written = Written::new(dialect, &generated::transcript(&events).messages, &hand);
        let json = written.json(written.len());
        let request = Request::read(dialect, None, &json).expect("a request");
        let plan = Arc::new(laws::plan(IDLE));
        let inputs = ReplayInputs::of(&plan, &transcript_of(&request), &Options::default());
        let mut session = Session::new(Arc::clone(&plan), inputs.environment(), 0);
        let next = session.before_request(request.history(), None);
        prop_assert!(is_sent(&mut session, next));
        let rendered = request.render(&session);
        prop_assert_eq!(&rendered.json, &json);
        prop_assert!(rendered.edits.iter().enumerate().all(|(at, edit)| *edit == ElementEdit::Keep(at)));
    }

    #[test]
    fn a_request_is_read_like_a_recording(
        events in generated::events(),
        dialect in prop::sample::select(vec![Dialect::OpenAiChat, Dialect::Anthropic, Dialect::Gemini]),
        hand in written::hand(),
        names_calls in any::<bool>(),
    ) {
        let hand = hand.naming_calls(names_calls);
        let written = Written::new(dialect, &generated::transcript(&events).messages, &hand);
        let json = written.json(written.len());
        let request = Request::read(dialect, None, &json).expect("a request");
        let format = serde_json::to_value(dialect).expect("a name");
        let read = transcript::read(json.as_bytes(), format.as_str());
        let messages = read.map(|read| read.transcripts[0].messages.clone()).unwrap_or_default();
        prop_assert_eq!(request.history(), &messages[..], "{}", json);
    }

    #[test]
    fn an_earlier_request_makes_no_difference_to_what_is_read(
        events in generated::events(),
        dialect in dialect(),
        hand in written::hand(),
        lengths in any::<[prop::sample::Index; 2]>(),
        damage in prop::option::of((any::<prop::sample::Index>(), 0..3_usize, "[\\[\\]{}\",.:0 x]{0,2}")),
        names_calls in any::<bool>(),
    ) {
        let hand = hand.naming_calls(names_calls);
        let written = Written::new(dialect, &generated::transcript(&events).messages, &hand);
        let [old, new] = lengths.map(|index| written.json(index.index(written.len() + 1)));
        let mut new = new;
        if let Some((place, removed, added)) = damage {
            let boundaries: Vec<usize> = new.char_indices().map(|(at, _)| at).chain([new.len()]).collect();
            let first = place.index(boundaries.len());
            let last = (first + removed).min(boundaries.len() - 1);
            new.replace_range(boundaries[first]..boundaries[last], &added);
        }
        let previous = Request::read(dialect, None, &old).expect("a request");
        let (fresh, reused) = (Request::read(dialect, None, &new), Request::read(dialect, Some(&previous), &new));
        prop_assert_eq!(format!("{fresh:?}"), format!("{reused:?}"), "{}\n{}", old, new);
    }

    #[test]
    fn json_of_any_shape_is_rejected_or_changes_only_where_it_is_edited(
        elements in prop::collection::vec(odd::element(), 0..6),
        dialect in dialect(),
        is_idle in any::<bool>(),
    ) {
        let json = Json::from(elements).to_string();
        let _ = (Dialect::of_body(&json), read_reply(dialect, &json));
        if let Ok(request) = Request::read(dialect, None, &json) {
            let plan = Arc::new(laws::plan(if is_idle { IDLE } else { GREEDY }));
            let inputs = ReplayInputs::of(&plan, &transcript_of(&request), &Options::default());
            let mut session = Session::new(Arc::clone(&plan), inputs.environment(), 0);
            let next = session.before_request(request.history(), None);
            prop_assert!(is_sent(&mut session, next));
            let rendered = request.render(&session);
            prop_assert!(!is_idle || rendered.json == json);
            check_bytes(&request, &session, &rendered)?;
        }
    }

    #[test]
    fn a_client_sends_what_a_replay_of_its_requests_sends(
        events in generated::events(),
        policy in generated::policy(),
        dialect in dialect(),
        hand in written::hand(),
        habits in habits(),
    ) {
        drive(&events, &policy, dialect, &hand, habits)?;
    }
}

/// What is sent and what is expected, so that they can be compared.
pub(crate) fn comparable(dialect: Dialect, lists: [Vec<NormalMessage>; 2]) -> [Vec<NormalMessage>; 2] {
    if dialect == Dialect::Anthropic { normal::placed(lists) } else { lists }
}

fn drive(
    events: &[generated::Event],
    policy: &str,
    dialect: Dialect,
    hand: &Hand,
    habits: Habits,
) -> Result<(), TestCaseError> {
    let mut messages = generated::transcript(events).messages;
    if habits.is_valid {
        messages = valid::repaired(&messages, dialect);
    }
    let written = Written::new(dialect, &messages, hand);
    let whole = Request::read(dialect, None, written.json(written.len())).expect("a request");
    let transcript = transcript_of(&whole);
    let plan = Arc::new(laws::plan(policy));
    let inputs = ReplayInputs::of(&plan, &transcript, &Options::default());
    let mut session = Session::new(Arc::clone(&plan), inputs.environment(), inputs.overheads[0]);
    let mut expected = replayed(&plan, &transcript, dialect).into_iter();
    let mut previous: Option<Request> = None;
    let is_shortened = habits.replies == Replies::Shortened;
    for at in 0..written.len() {
        let messages = whole.messages_of(at);
        let is_first = at == 0 || whole.messages_of(at - 1) != messages;
        if !is_first || messages.is_empty() || whole.history()[messages.start].role != Role::Assistant {
            continue;
        }
        let mut expected = expected.next().expect("a call");
        let json = if is_shortened { written.without_thinking(at) } else { written.json(at) };
        let request = Request::read(dialect, previous.as_ref().filter(|_| habits.reuses), &json).expect("a request");
        if !is_shortened {
            prop_assert_eq!(request.history(), &whole.history()[..messages.start]);
        }
        let next = session.before_request(request.history(), None);
        let sent = is_sent(&mut session, next);
        prop_assert_eq!(sent, expected.is_some());
        if sent {
            let rendered = request.render(&session);
            check_bytes(&request, &session, &rendered)?;
            let read = Request::read(dialect, None, &rendered.json).expect("a request");
            let mut sent = normal(&with_additions(&read, &rendered.prompt_additions));
            if is_shortened {
                normal::remove_thinking(&mut sent);
                expected.as_mut().into_iter().for_each(normal::remove_thinking);
            }
            let [old, new] = [json.as_str(), &rendered.json].map(|json| elements(dialect, json));
            if !begins_with_moved_system(dialect, &old, &new) {
                let [sent, expected] = comparable(dialect, [sent, expected.expect("it is sent")]);
                prop_assert_eq!(sent, expected, "{}\n{}\n{}", policy, json, rendered.json);
            }
            if habits.is_valid {
                let problems = valid::problems(dialect, &rendered.json);
                prop_assert!(problems.is_empty(), "{:?}\n{}\n{}\n{}", problems, policy, json, rendered.json);
            }
        }
        if habits.replies != Replies::Resent {
            let (reply, usage) =
                read_reply_after(dialect, &request.unnamed_calls(), &written.reply(at, &whole)).expect("a reply");
            prop_assert_eq!(&reply.parts, &whole.history()[messages.start].parts);
            let next = session.after_reply(&reply, usage, None);
            is_sent(&mut session, next);
        }
        previous = Some(request);
    }
    Ok(())
}
