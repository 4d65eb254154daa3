//! The engine on one side, the second interpreter on the other. Only this file calls the engine.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value as Json;
use trimtab::conversation::{RECALL_DESCRIPTION, RECALL_SCHEMA, RECALL_TOOL};
use trimtab::effect::{DEFAULT_PROMPT, RESULT_PROMPT, Signal, SummaryRequest};
use trimtab::hook::{Event, FieldValue};
use trimtab::model::TokenCounter;
use trimtab::plan::Plan;
use trimtab::quantity::Decimal;
use trimtab::simulate::{Confirmations, Options, ReplayInputs, Summariser, Tokens, replay};
use trimtab::transcript::{Transcript, message_json};

use super::bound::BINDING_MODEL;
use super::count::Counter;
use super::machine::{Agent, Field, Outcome, RuleOutcome, run};
use super::model::Model;
use super::participation::Participation;
use super::print;
use super::recording::Recording;
use super::rule::{Effect, OnFailure, Policy};
use super::summary::{Request, answer};
use crate::laws;

/// A policy and a recording.
#[derive(Clone, Debug)]
pub(super) struct Case {
    pub(super) policy: Policy,
    pub(super) recording: Recording,
}

/// What both sides did, and what took part.
pub(super) struct Compared {
    pub(super) engine: Outcome,
    pub(super) reference: Outcome,
    pub(super) took_part: Participation,
    pub(super) broken: Vec<String>,
}

/// The summariser of the engine: the answers of the reference to the same requests.
#[derive(Default)]
struct Scripted(Vec<Request>);

impl Summariser for Scripted {
    fn summarise(&mut self, request: &SummaryRequest, number: u64) -> Result<String, String> {
        let request = Request {
            instructions: request.instructions.clone(),
            previous: request.previous.clone(),
            transcript: request.transcript.clone(),
            at_most: request.at_most,
        };
        self.0.push(request.clone());
        answer(&request, number)
    }
}

impl Case {
    /// Runs both sides; none if the recording has drops of its input that nothing explains, which are no part of the
    /// language.
    pub(super) fn compare(&self) -> Option<Compared> {
        let plan = laws::plan(&print::policy(&self.policy));
        let text = self.recording.text();
        let transcript = read(&text);
        // The interpreter knows no tokenizer.
        let has_usage = transcript.messages.iter().any(|message| message.usage.is_some());
        let tokens = if has_usage { Tokens::Best } else { Tokens::Estimate };
        let confirm = Confirmations { declined: self.policy.rules.len() as u64 % 3 };
        let options = Options { tokens, events: true, confirm, ..Options::default() };
        let inputs = ReplayInputs::of(&plan, &transcript, &options);
        if !inputs.drops.is_empty() {
            return None;
        }
        let count = |text: &str| trimtab::conversation::Counter::text(&inputs.counter, text);
        let author = transcript.main_model().map(AsRef::as_ref).or(inputs.agent.model.as_deref());
        let is_openai = author.and_then(trimtab::model::find).is_some_and(|model| model.family == "gpt");
        let counter = || Counter::new(&count, milli(inputs.counter), is_openai);
        let agent = agent(self, &inputs, &counter());
        let tools = agent.tools.clone();
        let (engine, bills, broken) = engine(&plan, &transcript, &options, &tools);
        let agent = Agent { bills, ..agent };
        let (reference, took_part) = run(&self.policy, &self.recording.lines, agent, counter());
        Some(Compared { engine, reference, took_part, broken })
    }
}

fn read(text: &str) -> Transcript {
    let mut file = trimtab::transcript::read(text.as_bytes(), Some("trimtab")).expect("a recording");
    file.transcripts.remove(0)
}

fn milli(counter: TokenCounter) -> u64 {
    (counter.factor() * Decimal::from(1000)).normalize().to_string().parse().expect("a whole number")
}

/// The agent as policy and recording describe it. How many tokens are sent besides messages is fitted to the usage of the
/// recording, which is not part of the language.
fn agent(case: &Case, inputs: &ReplayInputs, counter: &Counter<'_>) -> Agent {
    let (policy, header) = (&case.policy, &case.recording.header);
    let model = Model::of(policy, header, &case.recording.lines);
    let declared = header["tools"].as_array().cloned().unwrap_or_default();
    let name = |tool: &Json| tool["name"].as_str().or(tool.as_str()).unwrap_or_default().to_owned();
    let mut tools: BTreeSet<String> = declared.iter().map(name).collect();
    if tools.is_empty() {
        tools.extend(policy.tools.iter().map(|tool| (*tool).to_owned()));
    }
    let offloads = |effect: &Effect| matches!(effect, Effect::Offload { .. });
    let other = |on_failure: &OnFailure| matches!(on_failure, OnFailure::Then(other) if offloads(other));
    let gives_recall = policy.rules.iter().any(|rule| {
        let fails = rule.effects.iter().any(Effect::needs_summary);
        rule.effects.iter().any(offloads) || fails && other(&rule.on_failure)
    });
    let adds_recall = gives_recall && !declared.iter().any(|tool| name(tool) == RECALL_TOOL);
    if gives_recall {
        tools.insert(RECALL_TOOL.to_owned());
    }
    let schema = |tool: &Json| {
        let text = |key: &str| tool.get(key).map(|value| value.as_str().map_or_else(|| value.to_string(), Into::into));
        let (description, schema) = (text("description"), text("schema"));
        (description.is_some() || schema.is_some()).then(|| {
            (name(tool), counter.tool(&name(tool), &description.unwrap_or_default(), &schema.unwrap_or_default()))
        })
    };
    let mut schemas: BTreeMap<String, u64> = declared.iter().filter_map(schema).collect();
    let added = if adds_recall { counter.tool(RECALL_TOOL, RECALL_DESCRIPTION, RECALL_SCHEMA) } else { 0 };
    if adds_recall {
        schemas.insert(RECALL_TOOL.to_owned(), added);
    }
    let sub_agent = header["agent"].as_str().map(ToOwned::to_owned);
    Agent {
        depth: header["agent_depth"].as_u64().unwrap_or(sub_agent.is_some().into()),
        name: sub_agent,
        window: model.window(),
        reserve: policy.reserve.unwrap_or(0),
        tools,
        schemas,
        added,
        prices: model.prices(),
        binds_reasoning: model.first() == Some(BINDING_MODEL),
        model,
        bills: Vec::new(),
        overheads: inputs.overheads.clone(),
        unrecorded: inputs.unrecorded.clone(),
        has_usage: inputs.usage_points > 0,
        default_prompt: DEFAULT_PROMPT,
        result_prompt: RESULT_PROMPT,
        declines: policy.rules.len() as u64 % 3,
    }
}

/// What the engine did, how it billed each call, and the broken invariants.
fn engine(
    plan: &Plan,
    transcript: &Transcript,
    options: &Options,
    tools: &BTreeSet<String>,
) -> (Outcome, Vec<[u64; 5]>, Vec<String>) {
    let mut outcome = Outcome::default();
    let mut summariser = Scripted::default();
    let trace = replay(plan, transcript, options, &mut summariser, &mut |sent| {
        let messages = sent.messages();
        outcome.sent.push((sent.call, messages.iter().map(|one| message_json(one).to_string()).collect()));
        outcome.hidden.push(tools.iter().filter(|tool| !sent.views.offers_tool(tool)).cloned().collect());
    });
    let rules = trace.rules.iter().map(|rule| RuleOutcome {
        due: rule.due,
        declined: rule.declined,
        calls: rule.calls.clone(),
        edits: rule.edits,
        short: rule.short,
    });
    outcome.rules = rules.collect();
    outcome.notices = trace.notices().map(|(call, _, text)| (call, text.to_owned())).collect();
    outcome.stops = trace.stops().map(|(call, _, reason)| (call, reason.to_owned())).collect();
    let boosts = trace.signals.iter().filter_map(|(call, given)| match &given.signal {
        Signal::Boost { tool, factor } => Some((*call, tool.clone(), *factor)),
        _ => None,
    });
    outcome.boosts = boosts.collect();
    outcome.failures = trace.failures.iter().map(|(call, rule, why)| (*call, rule.to_string(), why.clone())).collect();
    outcome.calls = trace.calls.iter().map(|call| (call.run, call.iteration, call.after, call.made)).collect();
    let emitted = trace.events.iter().filter_map(|traced| match &traced.event {
        Event::Emit(event) => {
            let fields: BTreeMap<String, Field> =
                event.fields.iter().map(|(name, value)| (name.clone(), field(value))).collect();
            Some((traced.call.unwrap_or(0), event.name.clone(), fields))
        }
        _ => None,
    });
    outcome.events = emitted.collect();
    let others = trace.events.iter().filter(|traced| !matches!(traced.event, Event::Emit(_)));
    let json = |event: &Event| serde_json::to_value(event).expect("an event").to_string();
    outcome.lifecycle = others.map(|one| (one.call, one.run, one.iteration, json(&one.event))).collect();
    outcome.summaries = summariser.0;
    outcome.after_stop = trace.after_stop;
    outcome.spent = trace.spent.tokens;
    let broken = trace.invariants.broken.iter().map(|broken| format!("{broken:?}")).collect();
    let billed = trace.money.calls.iter().map(|(_, with_policy)| with_policy.unwrap_or_default());
    let bills = billed.map(|usage| {
        let written = usage.cache_write - usage.hour_write;
        [usage.input, usage.cache_read, written, usage.output, usage.hour_write]
    });
    (outcome, bills.collect(), broken)
}

fn field(value: &FieldValue) -> Field {
    match value {
        FieldValue::Integer(number) => Field::Number(number.to_string().parse().expect("a number")),
        FieldValue::Number(number) => Field::Number(*number),
        FieldValue::Text(text) => Field::Text(text.clone()),
        FieldValue::Bool(truth) => Field::Truth(*truth),
        FieldValue::Unknown => Field::Unknown,
    }
}

/// The first difference in words.
pub(super) fn difference(compared: &Compared) -> Option<String> {
    let (engine, reference) = (&compared.engine, &compared.reference);
    macro_rules! same {
        ($($field:ident),*) => {
            $(if engine.$field != reference.$field {
                return Some(list(stringify!($field), &engine.$field, &reference.$field));
            })*
        };
    }
    if !compared.broken.is_empty() {
        return Some(format!("invariants: {:?}", compared.broken));
    }
    same!(summaries, failures, sent, rules, stops, notices, boosts, hidden, calls, events, lifecycle);
    let [one, other] = [engine, reference].map(|outcome| (outcome.after_stop, outcome.spent));
    (one != other).then(|| format!("calls after a stop and tokens\n  engine:    {one:?}\n  reference: {other:?}"))
}

/// The first elements that differ.
fn list<T: std::fmt::Debug + PartialEq>(name: &str, engine: &[T], reference: &[T]) -> String {
    let at = engine.iter().zip(reference).take_while(|(a, b)| a == b).count();
    let [one, other] = [engine, reference].map(|all| format!("{:?}", all.get(at)).replace(DEFAULT_PROMPT, "DEFAULT"));
    let [one, other] = [one, other].map(|text| text.replace(&DEFAULT_PROMPT.replace('\n', "\\n"), "DEFAULT"));
    format!("{name} {at}\n  engine:    {one}\n  reference: {other}")
}
