//! The second interpreter: the order of a session, and what each message, request and reply changes.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use serde_json::Value as Json;
use trimtab::quantity::Decimal;

use super::bound::Bound;
use super::clock::Clock;
use super::count::Counter;
use super::fact::{Fact, HOST_FACTS, Scope, Value, host_value};
use super::lifecycle::{Lifecycle, LifecycleEvent};
use super::message::{Message, Origin, Role};
use super::model::Model;
use super::participation::Participation;
use super::playbook::Playbook;
use super::recent::Past;
use super::rule::Policy;
use super::size::{Recorded, Sizes};
use super::summary::Request;
use super::views::Views;

/// What is known about an agent, its model and its tools.
#[derive(Clone, Debug)]
pub(super) struct Agent {
    /// The name of a sub-agent.
    pub(super) name: Option<String>,
    /// The number of agents above it.
    pub(super) depth: u64,
    pub(super) window: Option<u64>,
    pub(super) reserve: u64,
    pub(super) tools: BTreeSet<String>,
    /// The tokens of the schemas of the tools that have one.
    pub(super) schemas: BTreeMap<String, u64>,
    /// The model, and what holds for another one.
    pub(super) model: Model,
    /// Dollars for a million tokens: uncached input, cache reads, cache writes, output.
    pub(super) prices: Option<[Decimal; 4]>,
    /// The uncached input, cache reads, cache writes, output and cache writes for an hour of each call, which the laws of `money` check.
    pub(super) bills: Vec<[u64; 5]>,
    /// The tokens besides messages at each call.
    pub(super) overheads: Vec<u64>,
    /// The tokens of each call's overhead that are messages which the recording lacks.
    pub(super) unrecorded: Vec<u64>,
    /// The tokens of the tool that the policy adds, which are also part of the overheads.
    pub(super) added: u64,
    /// Whether the model binds reasoning to everything before it.
    pub(super) binds_reasoning: bool,
    /// Whether the recording has usage.
    pub(super) has_usage: bool,
    /// The instructions of summaries without a prompt.
    pub(super) default_prompt: &'static str,
    /// The prompt for a summary of a single result.
    pub(super) result_prompt: &'static str,
    /// How many questions of rules a person declines before the others are confirmed.
    pub(super) declines: u64,
}

/// What the rules did, in the form in which it is compared.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Outcome {
    pub(super) rules: Vec<RuleOutcome>,
    pub(super) notices: Vec<(usize, String)>,
    pub(super) stops: Vec<(usize, String)>,
    pub(super) events: Vec<(usize, String, BTreeMap<String, Field>)>,
    pub(super) lifecycle: Vec<LifecycleEvent>,
    pub(super) boosts: Vec<(usize, String, u64)>,
    pub(super) failures: Vec<(usize, String, String)>,
    /// Run, iteration, tokens and whether it was made, for each call.
    pub(super) calls: Vec<(u64, u64, u64, bool)>,
    /// The messages of each request.
    pub(super) sent: Vec<(usize, Vec<String>)>,
    /// The tools that each request does not offer.
    pub(super) hidden: Vec<Vec<String>>,
    pub(super) summaries: Vec<Request>,
    pub(super) after_stop: usize,
    pub(super) spent: u64,
}

/// What a rule did.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct RuleOutcome {
    pub(super) due: usize,
    pub(super) declined: usize,
    /// The calls at which it fired.
    pub(super) calls: Vec<usize>,
    pub(super) edits: usize,
    /// How often it missed its goal, and by how many tokens at most.
    pub(super) short: (usize, u64),
}

/// The value of a field of an event.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Field {
    Number(f64),
    Text(String),
    Truth(bool),
    Unknown,
}

/// What the rules remember of the run, and of the session.
#[derive(Clone, Debug)]
pub(super) struct Memories {
    pub(super) run: Vec<Memory>,
    pub(super) session: Vec<Memory>,
}

impl Memories {
    pub(super) fn of(&self, scope: Scope) -> &[Memory] {
        match scope {
            Scope::Run => &self.run,
            Scope::Session => &self.session,
        }
    }

    pub(super) fn of_mut(&mut self, scope: Scope) -> &mut [Memory] {
        match scope {
            Scope::Run => &mut self.run,
            Scope::Session => &mut self.session,
        }
    }
}

/// What a rule remembers.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    pub(super) fired: u64,
    pub(super) declined: u64,
    /// Firings, declined ones, and failed summaries.
    pub(super) tries: u64,
    pub(super) failed: u64,
    pub(super) last_try: Option<u64>,
    pub(super) last_fired: Option<u64>,
    /// The value of `once per`.
    pub(super) value: Option<Value>,
    /// The values of the facts in `changed` at the last firing.
    pub(super) seen: Option<Vec<(Fact, Option<Value>)>>,
    pub(super) going: bool,
    pub(super) silent: bool,
}

/// A message of the kept conversation.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// Its number in the order in which messages came up.
    pub(super) id: u64,
    pub(super) message: Message,
    /// The message as it arrived.
    pub(super) arrived: Message,
    pub(super) tokens: u64,
}

/// A call that is made again after its result was reduced.
#[derive(Clone, Debug)]
pub(super) struct Miss {
    pub(super) tool: String,
    pub(super) arguments: Json,
    /// The message with the earlier result, if it is still there.
    pub(super) earlier: Option<u64>,
    /// The characters of the earlier result as it arrived, and as it was when the call was made.
    pub(super) original_chars: u64,
    pub(super) reduced_chars: u64,
}

/// What has been used.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spent {
    pub(super) tokens: u64,
    pub(super) cost: Decimal,
    /// Whether the price of something is unknown.
    pub(super) is_unpriced: bool,
    pub(super) calls: u64,
}

#[derive(Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is independent of the others")]
pub(super) struct Machine<'a> {
    pub(super) policy: &'a Policy,
    pub(super) agent: Agent,
    pub(super) counter: Counter<'a>,
    pub(super) kept: Vec<Entry>,
    /// How many system messages arrived before any other message.
    pub(super) prompt: usize,
    /// Injected messages that wait for the results of open calls.
    pub(super) waiting: Vec<Message>,
    pub(super) next_id: u64,
    /// Calls of the newest reply that may still get a result.
    pub(super) open: HashSet<String>,
    pub(super) views: Views,
    pub(super) playbook: Playbook,
    /// The newest reply and the results that arrived for it.
    pub(super) reply: Option<Message>,
    pub(super) results: Vec<Message>,
    pub(super) memory: Memories,
    /// How often the summary of a result has failed for a rule.
    pub(super) failed_results: HashMap<(usize, u64), u64>,
    /// The rule that is tried.
    pub(super) current: usize,
    pub(super) run: u64,
    pub(super) iteration: u64,
    /// How many model calls were made before this run.
    pub(super) calls_before_run: u64,
    /// The tools of the error results of this run.
    pub(super) errors: Vec<Option<String>>,
    /// Those of earlier runs.
    pub(super) earlier_errors: Vec<Option<String>>,
    /// The calls of this run: iteration, tool and arguments.
    pub(super) called: Vec<(u64, String, Json)>,
    /// Those of earlier runs, with the number of model calls before them.
    pub(super) called_earlier: Vec<(u64, String)>,
    pub(super) spent_run: Spent,
    pub(super) spent_session: Spent,
    pub(super) clock: Clock,
    /// What has happened in the session.
    pub(super) past: Past,
    /// The facts that the host has supplied.
    pub(super) host: BTreeMap<&'static str, Value>,
    /// The request of the run.
    pub(super) request: Option<Message>,
    pub(super) request_id: Option<u64>,
    pub(super) stopped: bool,
    /// Whether a call has no reply yet and its rules on `overflow` have not been tried.
    pub(super) may_overflow: bool,
    /// Whether messages have left the context since the rules on `compaction` were tried.
    pub(super) compacted: bool,
    /// Results of the calls of the session as last seen: message, tool, arguments.
    pub(super) seen_results: Vec<SeenResult>,
    /// Restored results, each with the last iteration in which it stays; none for the whole run.
    pub(super) pinned: HashMap<u64, Option<u64>>,
    pub(super) boosts: HashMap<String, u64>,
    pub(super) misses: u64,
    /// Those of earlier runs.
    pub(super) earlier_misses: u64,
    pub(super) missed_tool: Option<String>,
    pub(super) miss: Option<Miss>,
    pub(super) bound: Bound,
    pub(super) sizes: Sizes,
    pub(super) recorded: Recorded,
    pub(super) summaries: u64,
    pub(super) iteration_is_open: bool,
    pub(super) lifecycle: Lifecycle,
    pub(super) outcome: Outcome,
    pub(super) took_part: Participation,
}

/// A result with the call that it answers.
#[derive(Clone, Debug)]
pub(super) struct SeenResult {
    pub(super) id: u64,
    pub(super) chars: u64,
    pub(super) tool: String,
    pub(super) arguments: Json,
}

/// Runs a policy over the lines of a recording.
pub(super) fn run<'a>(
    policy: &'a Policy,
    lines: &[Json],
    agent: Agent,
    counter: Counter<'a>,
) -> (Outcome, Participation) {
    let count = policy.rules.len();
    let outcome = Outcome { rules: vec![RuleOutcome::default(); count], ..Outcome::default() };
    let mut sizes = Sizes::new(agent.overheads.first().copied().unwrap_or(0));
    sizes.unrecorded = agent.unrecorded.first().copied().unwrap_or(0);
    let mut machine = Machine {
        policy,
        agent,
        counter,
        kept: Vec::new(),
        prompt: 0,
        waiting: Vec::new(),
        next_id: 0,
        open: HashSet::new(),
        views: Views::default(),
        playbook: Playbook::default(),
        reply: None,
        results: Vec::new(),
        memory: Memories { run: vec![Memory::default(); count], session: vec![Memory::default(); count] },
        failed_results: HashMap::new(),
        current: 0,
        run: 0,
        iteration: 0,
        calls_before_run: 0,
        errors: Vec::new(),
        earlier_errors: Vec::new(),
        called: Vec::new(),
        called_earlier: Vec::new(),
        spent_run: Spent::default(),
        spent_session: Spent::default(),
        clock: Clock::default(),
        past: Past::default(),
        host: HOST_FACTS
            .into_iter()
            .filter_map(|(name, _, default)| Some((name, host_value(name, default?)?)))
            .collect(),
        request: None,
        request_id: None,
        stopped: false,
        may_overflow: false,
        compacted: false,
        seen_results: Vec::new(),
        pinned: HashMap::new(),
        boosts: HashMap::new(),
        misses: 0,
        earlier_misses: 0,
        missed_tool: None,
        miss: None,
        bound: Bound::default(),
        sizes,
        recorded: Recorded::default(),
        summaries: 0,
        iteration_is_open: false,
        lifecycle: Lifecycle::default(),
        outcome,
        took_part: Participation::default(),
    };
    machine.replay(lines);
    machine.outcome.spent = machine.spent_session.tokens;
    (machine.outcome, machine.took_part)
}

impl Machine<'_> {
    /// The call that a message belongs to: the newest one without a result that has its id, or itself if it has no result.
    pub(super) fn group(&self, at: usize) -> usize {
        let Some(answer) = self.kept[at].message.answer() else { return at };
        let mut open = Vec::new();
        for before in 0..at {
            let message = &self.kept[before].message;
            open.extend(message.calls().filter(|(id, ..)| *id == answer.id).map(|_| before));
            if message.answer().is_some_and(|other| other.id == answer.id) {
                open.pop();
            }
        }
        open.pop().unwrap_or(at)
    }

    /// The tool and the arguments, as recorded, of the call that a result answers.
    pub(super) fn call_of(&self, at: usize) -> Option<(String, Json)> {
        let answer = self.kept[at].arrived.answer()?;
        let first = self.group(at);
        let mut calls = self.kept[first].arrived.calls();
        let (_, tool, arguments) = calls.find(|(id, ..)| *id == answer.id)?;
        Some((tool.to_owned(), arguments.clone()))
    }

    pub(super) fn tool(&self, at: usize) -> Option<&str> {
        let answer = self.kept[at].message.answer()?;
        let mut calls = self.kept[self.group(at)].message.calls();
        calls.find(|(id, ..)| *id == answer.id).map(|(_, tool, _)| tool)
    }

    /// Whether a call of a group has no result, which may still come, so that the group stays.
    pub(super) fn is_unanswered(&self, group: &[usize]) -> bool {
        let has_result = |id: &str| {
            group[1..].iter().any(|&at| self.kept[at].message.answer().is_some_and(|answer| answer.id == id))
        };
        self.kept[group[0]].message.calls().any(|(id, ..)| !has_result(id))
    }

    /// The first message of the open tool loop; the number of messages if none is open. Only a person ends it.
    pub(super) fn loop_start(&self) -> usize {
        let is_reply = |message: &Message| message.is_reply() || message.role == Role::Assistant && message.kept;
        let newest = self.kept.iter().rposition(|entry| is_reply(&entry.message));
        if newest.is_none_or(|at| self.kept[at].message.calls().next().is_none()) {
            return self.kept.len();
        }
        self.kept.iter().rposition(|entry| entry.message.is_person()).map_or(0, |at| at + 1)
    }

    pub(super) fn recount(&mut self, at: usize) {
        self.kept[at].tokens = self.counter.message(&self.kept[at].message);
    }

    pub(super) fn call_index(&self) -> usize {
        self.outcome.calls.len().saturating_sub(1)
    }
}

pub(super) fn injected(text: &str, role: Role) -> Message {
    Message::new(role, text, Origin::Injected)
}
