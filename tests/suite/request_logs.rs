//! No call of a request log is lost, whatever API it is of, whatever its client does to the context and whatever ids calls have.

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::{Value as Json, json};
use trimtab::transcript::{self, HarnessCallKind, Transcript};

use crate::generated::cases;

/// The APIs of requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Api {
    Chat,
    Anthropic,
    Converse,
    Gemini,
}

/// What the ids of calls are.
#[derive(Clone, Copy, Debug)]
enum Ids {
    Distinct,
    /// They begin anew in each session.
    OfSession,
    Missing,
    Same,
    /// Each request numbers its calls.
    Numbered,
}

/// What the client does before a request.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// It sends everything.
    Send,
    /// It leaves out all rounds but the newest ones, for all later requests too.
    Window(usize),
    /// It replaces all rounds but the newest ones with a summary.
    Summarise(usize),
    /// It replaces the results of all rounds but the newest ones.
    Clear(usize),
    /// It throws the reply of this request away and asks again.
    Retry,
    /// The provider answers with an error.
    Fail,
}

/// A call with its result, by the number of the response that it came with.
#[derive(Clone, Copy, Debug)]
struct Round {
    response: usize,
    is_cleared: bool,
}

#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a habit of a client, and all combine")]
struct Session {
    api: Api,
    ids: Ids,
    /// Whether all calls have the same arguments.
    repeats: bool,
    /// Whether replies have text beside their calls, which the client does not send again.
    drops_text: bool,
    /// Whether a chat client writes messages as Anthropic's API does.
    has_blocks: bool,
    /// What a cleared result is replaced with.
    placeholder: &'static str,
    /// Whether the arguments of calls are cut when their results are cleared.
    cuts_arguments: bool,
    steps: Vec<Step>,
}

/// A log with what it holds: the records, and the number of replies that the client has thrown away.
#[derive(Default)]
struct Log {
    records: Vec<Json>,
    responses: usize,
    retries: usize,
    /// The texts of the results in its requests.
    results: BTreeSet<String>,
}

/// A session while it is recorded.
struct Client<'a> {
    session: &'a Session,
    task: String,
    /// The number of its first response.
    first: usize,
    summary: Option<String>,
    rounds: Vec<Round>,
}

impl Client<'_> {
    fn step(&mut self, step: Step, log: &mut Log) {
        let older = |kept: usize| self.rounds.len().saturating_sub(kept);
        match step {
            Step::Window(kept) => drop(self.rounds.drain(..older(kept))),
            Step::Summarise(kept) if older(kept) > 0 => {
                self.rounds.drain(..older(kept));
                self.summary = Some(format!("summary {}", log.responses));
            }
            Step::Clear(kept) => {
                let older = older(kept);
                self.rounds[..older].iter_mut().for_each(|round| round.is_cleared = true);
            }
            _ => {}
        }
        let whole = self.rounds.iter().filter(|round| !round.is_cleared);
        log.results.extend(whole.map(|round| format!("result {}", round.response)));
        if matches!(step, Step::Fail) {
            log.records.push(json!({"request": self.request(), "response": {"error": {"message": "overloaded"}}}));
            return;
        }
        let response = log.responses;
        log.responses += 1;
        if self.rounds.is_empty() && self.summary.is_none() {
            self.first = response;
        }
        let number = self.rounds.len();
        log.records.push(json!({"request": self.request(), "response": self.response(response, number)}));
        if matches!(step, Step::Retry) {
            log.retries += 1;
        } else {
            self.rounds.push(Round { response, is_cleared: false });
        }
    }

    fn id(&self, response: usize, number: usize) -> String {
        match self.session.ids {
            Ids::Distinct => format!("id{response}"),
            Ids::OfSession => (response - self.first).to_string(),
            Ids::Missing => String::new(),
            Ids::Same => "call_0".to_owned(),
            Ids::Numbered => format!("call_{number}"),
        }
    }

    fn arguments(&self, response: usize) -> Json {
        if self.session.repeats {
            json!({"path": self.task, "all": true})
        } else {
            json!({"path": response, "all": true})
        }
    }

    /// The API whose form the messages of requests have.
    fn form(&self) -> Api {
        let is_chat = self.session.api == Api::Chat && self.session.has_blocks;
        if is_chat { Api::Anthropic } else { self.session.api }
    }

    /// A reply as the client sends it.
    fn sent_reply(&self, round: Round, number: usize) -> Json {
        let is_cut = round.is_cleared && self.session.cuts_arguments;
        let arguments = if is_cut { json!({"path": "[cut]"}) } else { self.arguments(round.response) };
        reply(self.form(), (self.id(round.response, number), arguments), None)
    }

    fn result(&self, round: Round, number: usize) -> Json {
        let id = self.id(round.response, number);
        let cleared = round.is_cleared.then(|| self.session.placeholder.to_owned());
        let text = cleared.unwrap_or_else(|| format!("result {}", round.response));
        match self.form() {
            Api::Chat => json!({"role": "tool", "tool_call_id": id, "content": text}),
            Api::Anthropic => {
                json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": text}]})
            }
            Api::Converse => {
                json!({"role": "user", "content": [{"toolResult": {"toolUseId": id, "content": [{"text": text}]}}]})
            }
            Api::Gemini => {
                let mut result = json!({"name": "read", "response": {"output": text}});
                if !id.is_empty() {
                    result["id"] = id.into();
                }
                json!({"role": "user", "parts": [{"functionResponse": result}]})
            }
        }
    }

    fn user(&self, text: &str) -> Json {
        match self.session.api {
            Api::Chat | Api::Anthropic => json!({"role": "user", "content": text}),
            Api::Converse => json!({"role": "user", "content": [{"text": text}]}),
            Api::Gemini => json!({"role": "user", "parts": [{"text": text}]}),
        }
    }

    fn request(&self) -> Json {
        let mut messages = vec![self.user(self.summary.as_ref().unwrap_or(&self.task))];
        for (number, round) in self.rounds.iter().enumerate() {
            messages.push(self.sent_reply(*round, number));
            messages.push(self.result(*round, number));
        }
        let key = if self.session.api == Api::Gemini { "contents" } else { "messages" };
        json!({"model": "m", key: messages})
    }

    fn response(&self, response: usize, number: usize) -> Json {
        let text = self.session.drops_text.then_some("I look.");
        let call = (self.id(response, number), self.arguments(response));
        let (message, tokens) = (reply(self.session.api, call, text), 1000 + response);
        match self.session.api {
            Api::Chat => {
                json!({"choices": [{"message": message}], "usage": {"prompt_tokens": tokens, "completion_tokens": 1}})
            }
            Api::Anthropic => {
                let mut message = message;
                message["type"] = "message".into();
                message["usage"] = json!({"input_tokens": tokens, "output_tokens": 1});
                message
            }
            Api::Converse => {
                json!({"output": {"message": message}, "usage": {"inputTokens": tokens, "outputTokens": 1}})
            }
            Api::Gemini => json!({"candidates": [{"content": message}],
                "usageMetadata": {"promptTokenCount": tokens, "candidatesTokenCount": 1}}),
        }
    }
}

/// The message of the model with a call, and with a text if there is one.
fn reply(api: Api, (id, arguments): (String, Json), text: Option<&str>) -> Json {
    match api {
        Api::Chat => {
            // A client may write arguments in another way.
            let written = if text.is_some() { format!("{arguments:#}") } else { arguments.to_string() };
            let function = json!({"name": "read", "arguments": written});
            json!({"role": "assistant", "content": text, "tool_calls": [{"id": id, "type": "function", "function": function}]})
        }
        Api::Anthropic => {
            let call = json!({"type": "tool_use", "id": id, "name": "read", "input": arguments});
            let text = text.map(|text| json!({"type": "text", "text": text}));
            json!({"role": "assistant", "content": text.into_iter().chain([call]).collect::<Vec<_>>()})
        }
        Api::Converse => {
            let call = json!({"toolUse": {"toolUseId": id, "name": "read", "input": arguments}});
            let text = text.map(|text| json!({"text": text}));
            json!({"role": "assistant", "content": text.into_iter().chain([call]).collect::<Vec<_>>()})
        }
        Api::Gemini => {
            let mut call = json!({"name": "read", "args": arguments});
            if !id.is_empty() {
                call["id"] = id.into();
            }
            let text = text.map(|text| json!({"text": text}));
            json!({"role": "model", "parts": text.into_iter().chain([json!({"functionCall": call})]).collect::<Vec<_>>()})
        }
    }
}

/// The log of sessions whose requests alternate.
fn record(sessions: &[Session]) -> Log {
    let mut log = Log::default();
    let client =
        |(at, session)| Client { session, task: format!("task {at}"), first: 0, summary: None, rounds: Vec::new() };
    let mut clients: Vec<_> = sessions.iter().enumerate().map(client).collect();
    let most = sessions.iter().map(|session| session.steps.len()).max().unwrap_or(0);
    for at in 0..most {
        for client in &mut clients {
            if let Some(step) = client.session.steps.get(at) {
                client.step(*step, &mut log);
            }
        }
    }
    log
}

fn session() -> impl Strategy<Value = Session> {
    let step = prop_oneof![
        6 => Just(Step::Send),
        2 => (1..3_usize).prop_map(Step::Window),
        1 => (0..2_usize).prop_map(Step::Summarise),
        1 => (0..3_usize).prop_map(Step::Clear),
        1 => Just(Step::Retry),
        1 => Just(Step::Fail),
    ];
    let api = prop::sample::select(vec![Api::Chat, Api::Anthropic, Api::Converse, Api::Gemini]);
    let ids = prop::sample::select(vec![Ids::Distinct, Ids::OfSession, Ids::Missing, Ids::Same, Ids::Numbered]);
    let placeholder = prop::sample::select(vec!["-", "[old tool result cleared]"]);
    let flags = any::<[bool; 4]>();
    let steps = prop::collection::vec(step, 1..10);
    (api, ids, placeholder, flags, steps).prop_map(|(api, ids, placeholder, flags, steps)| {
        let [repeats, drops_text, has_blocks, cuts] = flags;
        let has_own_ids = matches!(ids, Ids::Distinct | Ids::OfSession);
        let cuts_arguments = cuts && matches!(ids, Ids::Distinct);
        // Without ids, only its length tells the placeholder of an old call from the result of a new one that is like it.
        let placeholder = if repeats && !has_own_ids { "-" } else { placeholder };
        Session { api, ids, repeats, drops_text, has_blocks, placeholder, cuts_arguments, steps }
    })
}

/// The sizes of the requests of all calls, in order, and how many of the calls are on another branch.
fn calls(transcripts: &[Transcript]) -> (Vec<u64>, usize) {
    let replies = transcripts.iter().flat_map(|one| &one.messages).filter(|message| message.is_reply());
    let own = transcripts.iter().flat_map(|one| &one.harness_calls);
    let branches = own.clone().filter(|call| call.kind == HarnessCallKind::Branch).count();
    let usages = replies.filter_map(|reply| reply.usage).chain(own.map(|call| call.usage));
    let mut sizes: Vec<u64> = usages.map(trimtab::conversation::Usage::context).collect();
    sizes.sort_unstable();
    (sizes, branches)
}

/// The texts of the results, but for those in copies of messages.
fn results(transcripts: &[Transcript]) -> Vec<String> {
    let messages = transcripts.iter().flat_map(|one| &one.messages).filter(|message| !message.kept);
    let texts = messages.flat_map(|message| message.results()).map(|result| result.text.to_string());
    let mut texts: Vec<_> = texts.filter(|text| text.starts_with("result")).collect();
    texts.sort_unstable();
    texts
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn each_call_of_a_log_is_read_once(sessions in prop::collection::vec(session(), 1..3)) {
        let log = record(&sessions);
        prop_assume!(log.responses > 0);
        let text: String = log.records.iter().map(|record| format!("{record}\n")).collect();
        let read = transcript::read(text.as_bytes(), None).map_err(|error| TestCaseError::fail(error.message))?;
        let (sizes, branches) = calls(&read.transcripts);
        prop_assert_eq!(&sizes, &(1000..1000 + log.responses as u64).collect::<Vec<_>>(), "{}", text);
        prop_assert!(branches <= log.retries, "{} branches: {}", branches, text);
        if branches == 0 && sessions.len() == read.transcripts.len() {
            let mut expected: Vec<_> = log.results.into_iter().collect();
            expected.sort_unstable();
            prop_assert_eq!(results(&read.transcripts), expected, "{}", text);
        }
    }
}
