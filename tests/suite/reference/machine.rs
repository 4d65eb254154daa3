//! The second interpreter: the order of a session, and what each message, request and reply changes.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use serde_json::Value as Json;
use trimtab::quantity::Decimal;

use super::clock::Clock;
use super::count::Counter;
use super::fact::{Fact, Value};
use super::message::{Message, Origin, Role};
use super::participation::Participation;
use super::playbook::Playbook;
use super::rule::{Effect, Phase, Policy};
use super::size::{Recorded, Sizes};
use super::summary::Request;
use super::views::Views;

/// What is known about an agent, its model and its tools.
#[derive(Debug)]
pub(super) struct Agent {
    pub(super) window: Option<u64>,
    pub(super) reserve: u64,
    pub(super) tools: BTreeSet<String>,
    /// The tokens of the schemas of the tools that have one.
    pub(super) schemas: BTreeMap<String, u64>,
    /// Dollars for a million tokens: uncached input, cache reads, cache writes, output.
    pub(super) prices: Option<[Decimal; 4]>,
    /// The tokens besides messages at each call.
    pub(super) overheads: Vec<u64>,
    /// Whether the recording has usage.
    pub(super) has_usage: bool,
    /// The instructions of summaries without a prompt.
    pub(super) default_prompt: &'static str,
}

/// What the rules did, in the form in which it is compared.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Outcome {
    /// For each rule: how often it was due, the calls at which it fired, how many edits it made, and how often it missed
    /// its goal with the tokens by which it missed it at most.
    pub(super) rules: Vec<(usize, Vec<usize>, usize, (usize, u64))>,
    pub(super) notices: Vec<(usize, String)>,
    pub(super) stops: Vec<(usize, String)>,
    pub(super) events: Vec<(usize, String, BTreeMap<String, Field>)>,
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

/// The value of a field of an event.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Field {
    Number(f64),
    Text(String),
    Truth(bool),
    Unknown,
}

/// What a rule remembers in a run.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    pub(super) fired: u64,
    /// Firings and failed summaries.
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
}

/// What has been used.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spent {
    pub(super) tokens: u64,
    pub(super) cost: Decimal,
    pub(super) calls: u64,
}

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
    reply: Option<Message>,
    results: Vec<Message>,
    pub(super) memory: Vec<Memory>,
    /// The rule that is tried.
    pub(super) current: usize,
    pub(super) run: u64,
    pub(super) iteration: u64,
    /// The tools of the error results of this run.
    pub(super) errors: Vec<Option<String>>,
    /// The calls of this run: iteration, tool and arguments.
    pub(super) called: Vec<(u64, String, Json)>,
    pub(super) spent_run: Spent,
    pub(super) spent_session: Spent,
    pub(super) clock: Clock,
    /// The request of the run.
    pub(super) request: Option<Message>,
    pub(super) stopped: bool,
    /// Results of the calls of the session as last seen: message, tool, arguments.
    pub(super) known: Vec<Known>,
    /// Restored results, each with the last iteration in which it stays; none for the whole run.
    pub(super) pinned: HashMap<u64, Option<u64>>,
    pub(super) boosts: HashMap<String, u64>,
    pub(super) misses: u64,
    pub(super) missed_tool: Option<String>,
    pub(super) miss: Option<Miss>,
    pub(super) sizes: Sizes,
    recorded: Recorded,
    pub(super) summaries: u64,
    iteration_is_open: bool,
    pub(super) outcome: Outcome,
    pub(super) took_part: Participation,
}

/// A result with the call that it answers.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) id: u64,
    pub(super) tool: String,
    pub(super) arguments: Json,
}

/// Runs a policy over the lines of a recording.
pub(super) fn run<'a>(policy: &'a Policy, lines: &[Json], agent: Agent, counter: Counter<'a>) -> (Outcome, Participation) {
    let count = policy.rules.len();
    let outcome = Outcome { rules: vec![Default::default(); count], ..Outcome::default() };
    let sizes = Sizes::new(agent.overheads.first().copied().unwrap_or(0));
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
        memory: vec![Memory::default(); count],
        current: 0,
        run: 0,
        iteration: 0,
        errors: Vec::new(),
        called: Vec::new(),
        spent_run: Spent::default(),
        spent_session: Spent::default(),
        clock: Clock::default(),
        request: None,
        stopped: false,
        known: Vec::new(),
        pinned: HashMap::new(),
        boosts: HashMap::new(),
        misses: 0,
        missed_tool: None,
        miss: None,
        sizes,
        recorded: Recorded::default(),
        summaries: 0,
        iteration_is_open: false,
        outcome,
        took_part: Participation::default(),
    };
    machine.replay(lines);
    machine.outcome.spent = machine.spent_session.tokens;
    (machine.outcome, machine.took_part)
}

impl Machine<'_> {
    fn replay(&mut self, lines: &[Json]) {
        // Whether a person's message begins a run.
        let mut free = true;
        let is_event = |line: &Json| line.get("event").is_some();
        for (at, line) in lines.iter().enumerate() {
            if is_event(line) {
                // Events during a call come when its request is prepared, if a reply follows.
                let next = lines[at..].iter().find(|line| !is_event(line));
                let is_during = |line: &Json| line["moment"] == "during_call";
                let waits = lines[..at].iter().rev().take_while(|line| is_event(line)).any(is_during) || is_during(line);
                if !(waits && next.is_some_and(|line| line["role"] == "assistant")) {
                    self.host_event(line);
                }
                continue;
            }
            let before = lines[..at].iter().rposition(|line| !is_event(line)).map_or(0, |before| before + 1);
            let events = lines[before..at].iter().skip_while(|line| line["moment"] != "during_call");
            for message in Message::read(line) {
                self.message(&message, &mut free, events.clone());
            }
        }
        self.end_iteration();
    }

    fn message<'l>(&mut self, message: &Message, free: &mut bool, during: impl Iterator<Item = &'l Json>) {
        if message.role != Role::Tool || message.resets {
            self.end_iteration();
        }
        if message.resets {
            self.kept.truncate(self.prompt);
            self.waiting.clear();
            self.open.clear();
            self.forget_results();
            self.recorded.reset();
            let overhead = self.overhead();
            self.sizes.restart(overhead);
        }
        if message.role == Role::Assistant {
            self.call(message, during);
            *free = message.calls().next().is_none();
            return;
        }
        let person = message.is_person();
        if message.run.unwrap_or(person && *free) && !self.outcome.calls.is_empty() {
            self.begin_run();
        }
        self.clock.input(message.at.as_deref());
        if self.request.is_none() && message.role == Role::User && (person || message.run == Some(true)) {
            self.request = Some(message.clone());
        }
        *free &= !(person || message.role == Role::Tool);
        self.arrive(message);
    }

    fn begin_run(&mut self) {
        (self.run, self.iteration, self.stopped, self.misses) = (self.run + 1, 0, false, 0);
        self.errors.clear();
        self.called.clear();
        self.spent_run = Spent::default();
        self.clock.begin_run();
        self.pinned.clear();
        self.boosts.clear();
        (self.missed_tool, self.request) = (None, None);
        self.memory.fill(Memory::default());
        self.views = Views::default();
    }

    fn host_event(&mut self, line: &Json) {
        let name = line["event"].as_str().unwrap_or_default();
        let is_after = line["moment"] == "after_iteration";
        if name == "reflection" || is_after {
            self.end_iteration();
        }
        if let Some(phase) = Phase::ALL.into_iter().find(|phase| phase.name() == name) {
            self.phase(phase);
        }
    }

    fn end_iteration(&mut self) {
        if !std::mem::take(&mut self.iteration_is_open) || self.stopped {
            return;
        }
        self.phase(Phase::IterationEnd);
        let shows = |effect: &Effect| matches!(effect, Effect::Playbook(_));
        let learns = self.policy.rules.iter().any(|rule| {
            let other = if let super::rule::OnFailure::Then(other) = &rule.on_failure { Some(&**other) } else { None };
            let fails = rule.effects.iter().any(Effect::needs_summary);
            rule.effects.iter().chain(other.filter(|_| fails)).any(shows)
        });
        if let Some(reply) = self.reply.take().filter(|_| learns) {
            self.playbook.learn(&reply, &self.results);
        }
        self.iteration += 1;
        let iteration = self.iteration;
        self.pinned.retain(|_, last| last.is_none_or(|last| iteration <= last));
    }

    /// The overhead of the next call.
    fn overhead(&self) -> u64 {
        let overheads = &self.agent.overheads;
        overheads.get(self.outcome.calls.len()).or(overheads.last()).copied().unwrap_or(0)
    }

    pub(super) fn entry(&mut self, message: Message) -> Entry {
        let id = self.next_id;
        self.next_id += 1;
        let tokens = self.counter.message(&message);
        Entry { id, arrived: message.clone(), message, tokens }
    }

    fn add_waiting(&mut self) {
        for message in std::mem::take(&mut self.waiting) {
            self.keep(message);
        }
    }

    /// Adds a message to the end of the kept conversation.
    pub(super) fn keep(&mut self, message: Message) {
        let entry = self.entry(message);
        self.kept.push(entry);
    }

    fn arrive(&mut self, message: &Message) {
        let tokens = self.counter.message(message);
        self.recorded.add(message, tokens);
        let is_expected = message.answer().is_some_and(|answer| self.open.contains(&answer.id));
        if message.role == Role::Tool && self.reply.is_some() {
            self.results.push(message.clone());
        }
        if self.stopped && !message.resets && !is_expected {
            return;
        }
        if message.role != Role::Tool {
            self.add_waiting();
        }
        let is_prompt = message.role == Role::System && self.kept.len() == self.prompt && self.waiting.is_empty();
        self.prompt += usize::from(is_prompt && !self.begun());
        self.keep(message.clone());
        if let Some(answer) = message.answer() {
            let at = self.kept.len() - 1;
            self.open.remove(&answer.id);
            let tool = self.tool(at).map(ToOwned::to_owned);
            if answer.is_error && !self.stopped {
                self.errors.push(tool);
            }
            if let Some((tool, arguments)) = self.call_of(at) {
                let known = Known { id: self.kept[at].id, tool, arguments };
                self.known.push(known);
            }
        }
        if self.open.is_empty() {
            self.add_waiting();
        }
    }

    /// Whether a message other than the system prompt has arrived in this context.
    const fn begun(&self) -> bool {
        self.recorded.begun
    }

    fn call<'l>(&mut self, reply: &Message, during: impl Iterator<Item = &'l Json>) {
        let call = self.outcome.calls.len();
        let overhead = self.overhead();
        self.outcome.calls.push((self.run, self.iteration, 0, false));
        self.add_waiting();
        self.open.clear();
        self.clock.begin_call();
        for phase in [Phase::IterationStart, Phase::Request, Phase::ContextBudget] {
            self.phase(phase);
        }
        during.for_each(|event| self.host_event(event));
        let size = self.request_size();
        let usage = reply.usage.map(super::message::Usage::context).filter(|context| *context > 0);
        let tokens = self.recorded.call(self.agent.has_usage, overhead, usage, size.net());
        self.sizes.overhead = overhead;
        if self.stopped {
            self.outcome.after_stop += 1;
            self.recorded.add(reply, self.counter.message(reply));
            return;
        }
        self.sizes.send(tokens, size);
        self.outcome.calls[call] = (self.run, self.iteration, tokens, true);
        let messages = self.request_messages().iter().map(|message| message.json().to_string()).collect();
        self.outcome.sent.push((call, messages));
        let hidden = self.agent.tools.iter().filter(|tool| !self.views.tools.shows(tool));
        self.outcome.hidden.push(hidden.cloned().collect());
        self.receive(reply, tokens);
    }

    fn receive(&mut self, reply: &Message, tokens: u64) {
        self.sizes.reported = Some(tokens);
        self.clock.reply(reply.at.as_deref());
        let missed = self.missed(reply);
        self.recorded.add(reply, self.counter.message(reply));
        self.keep(reply.clone());
        self.open = reply.calls().map(|(id, ..)| id.to_owned()).collect();
        (self.reply, self.results) = (Some(reply.clone()), Vec::new());
        self.views.end_request();
        self.spend(reply, tokens);
        let calls = reply.calls().map(|(_, tool, arguments)| (self.iteration, tool.to_owned(), arguments.clone()));
        self.called.extend(calls.collect::<Vec<_>>());
        self.phase(Phase::Reply);
        for miss in missed {
            if !self.stopped {
                self.misses += 1;
                self.missed_tool = Some(miss.tool.clone());
                self.miss = Some(miss);
                self.phase(Phase::CompactionMiss);
                self.miss = None;
            }
        }
        self.iteration_is_open = !self.stopped;
    }

    /// What a call used. The recorded classes of input shrink or grow with the context.
    fn spend(&mut self, reply: &Message, tokens: u64) {
        let usage = reply.usage.unwrap_or_default();
        let output = if usage.output > 0 { usage.output } else { self.counter.message(reply) };
        let number = |number: u64| Decimal::from(number);
        let cost = self.agent.prices.map_or(Decimal::ZERO, |[input, cache_read, cache_write, out]| {
            let of_input = if usage.context() == 0 {
                number(tokens) * input
            } else {
                let classes = number(usage.input) * input
                    + number(usage.cache_read) * cache_read
                    + number(usage.cache_write) * cache_write;
                classes * number(tokens) / number(usage.context())
            };
            (of_input + number(output) * out) / number(1_000_000)
        });
        self.add_spent(Spent { tokens: tokens + output, cost, calls: 1 });
    }

    pub(super) fn add_spent(&mut self, spent: Spent) {
        for total in [&mut self.spent_run, &mut self.spent_session] {
            total.tokens += spent.tokens;
            total.cost += spent.cost;
            total.calls += spent.calls;
        }
    }

    fn phase(&mut self, phase: Phase) {
        for at in 0..self.policy.rules.len() {
            if self.policy.rules[at].phase == phase && !self.stopped {
                self.took_part.phase(phase.name());
                self.attempt(at);
            }
        }
    }

    /// The call that a message belongs to: itself if it has no result.
    pub(super) fn group(&self, at: usize) -> usize {
        let Some(answer) = self.kept[at].message.answer() else { return at };
        let calls = |&before: &usize| self.kept[before].message.calls().any(|(id, ..)| id == answer.id);
        (0..at).rev().find(calls).unwrap_or(at)
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

    /// Whether a call of the newest reply waits for a result, so that its group stays.
    pub(super) fn is_pending(&self, at: usize) -> bool {
        let first = self.group(at);
        self.kept[first].message.calls().any(|(id, ..)| self.open.contains(id))
    }

    /// The first message of the open tool loop; the number of messages if none is open. What a rule injects does not end it.
    pub(super) fn loop_start(&self) -> usize {
        let newest = self.kept.iter().rposition(|entry| entry.message.is_reply());
        if newest.is_none_or(|at| self.kept[at].message.calls().next().is_none()) {
            return self.kept.len();
        }
        let is_user = |message: &Message| message.role == Role::User && message.origin != Origin::Injected;
        self.kept.iter().rposition(|entry| is_user(&entry.message)).map_or(0, |at| at + 1)
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

