//! The second interpreter.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use trimtab::conversation::{Arguments, Body, Message, Origin, Role};

use super::format;
use super::playbook::Playbook;
use super::scenario::{Condition, Effect, Fact, Failing, Guard, Phase, Rule, name};

/// The result of running a transcript.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    pub(super) due: Vec<usize>,
    pub(super) fired: Vec<Vec<usize>>,
    pub(super) notices: Vec<(usize, String)>,
    /// The call, the name and the value of each event of a rule.
    pub(super) events: Vec<(usize, String, u64)>,
    /// The call, the tool and the factor of each boost.
    pub(super) boosts: Vec<(usize, String, u64)>,
    pub(super) failures: usize,
    /// Run and iteration of each recorded call.
    pub(super) calls: Vec<(u64, u64)>,
    /// The messages that were sent with each call.
    pub(super) sent: Vec<(usize, Vec<String>)>,
}

/// The state of a rule in a run.
#[derive(Clone, Debug, Default)]
struct Memory {
    fired: u64,
    tries: u64,
    failed: u64,
    last_try: Option<u64>,
    value: Option<u64>,
    /// The values of the facts in `changed` at the last firing.
    seen: Option<HashMap<String, u64>>,
    going: bool,
    silent: bool,
}

pub(super) struct Machine<'a> {
    /// How many system messages arrived before any other message. They are never removed.
    prompt: usize,
    rules: &'a [Rule],
    pub(super) kept: Vec<Message>,
    waiting: Vec<Message>,
    views: Vec<Message>,
    /// Names of variables that the next request reminds of, in the order in which rules named them.
    reminders: Vec<String>,
    /// Variables of the next request, and those of the run.
    variables: BTreeMap<String, String>,
    run_variables: BTreeMap<String, String>,
    playbook: Playbook,
    /// The text of the playbook in the next request.
    strategies: Option<String>,
    /// The newest reply and the results that arrived for it.
    reply: Message,
    results: Vec<Message>,
    memory: Vec<Memory>,
    /// The rule that is tried.
    current: usize,
    run: u64,
    pub(super) iteration: u64,
    errors: u64,
    calls: u64,
    tools: HashSet<String>,
    /// The words of the request of the run, if it has one.
    request: Option<u64>,
    stopped: bool,
    /// The results as they arrived, by the ids of their calls.
    pub(super) arrived: HashMap<String, Message>,
    /// The restored results, each with the last iteration in which it stays; none for the whole run.
    pub(super) pinned: HashMap<String, Option<u64>>,
    pub(super) boosts: HashMap<String, u64>,
    misses: u64,
    /// The tool and the earlier result of the call that is made again.
    pub(super) missed: Option<(String, String)>,
    /// Calls of the newest reply that may still get a result.
    open: HashSet<String>,
    pub(super) outcome: Outcome,
}

/// Runs the rules over the messages of a recording.
pub(super) fn run(rules: &[Rule], messages: &[Arc<Message>]) -> Outcome {
    let memory = vec![Memory::default(); rules.len()];
    let outcome = Outcome { due: vec![0; rules.len()], fired: vec![Vec::new(); rules.len()], ..Outcome::default() };
    let (kept, waiting, views, open) = (Vec::new(), Vec::new(), Vec::new(), HashSet::new());
    let mut machine = Machine {
        rules,
        kept,
        prompt: 0,
        waiting,
        views,
        reminders: Vec::new(),
        variables: BTreeMap::new(),
        run_variables: BTreeMap::new(),
        playbook: Playbook::default(),
        strategies: None,
        reply: Message::text(Role::Assistant, ""),
        results: Vec::new(),
        memory,
        current: 0,
        run: 0,
        iteration: 0,
        errors: 0,
        calls: 0,
        tools: HashSet::new(),
        request: None,
        stopped: false,
        arrived: HashMap::new(),
        pinned: HashMap::new(),
        boosts: HashMap::new(),
        misses: 0,
        missed: None,
        open,
        outcome,
    };
    let (mut replied, mut free) = (false, true);
    for message in messages {
        let ends = message.role != Role::Tool || message.resets;
        if ends && replied {
            machine.end_iteration();
            replied = false;
        }
        if message.resets {
            machine.kept.truncate(machine.prompt);
            machine.waiting.clear();
            machine.open.clear();
        }
        if message.role == Role::Assistant {
            machine.call(message);
            replied = true;
            free = message.calls().next().is_none();
            continue;
        }
        let person =
            message.role == Role::User && !message.harness && !message.resets && message.origin == Origin::Recorded;
        if message.run.unwrap_or(person && free) && !machine.outcome.calls.is_empty() {
            machine.begin_run();
        }
        if machine.request.is_none() && message.role == Role::User && (person || message.run == Some(true)) {
            machine.request = Some(words(message));
        }
        free &= !(person || message.role == Role::Tool);
        machine.arrive(message);
    }
    if replied {
        machine.end_iteration();
    }
    machine.outcome
}

fn is_prompt(message: &Message) -> bool {
    message.role == Role::System && message.origin == Origin::Recorded
}

impl Machine<'_> {
    fn begin_run(&mut self) {
        (self.run, self.iteration, self.errors, self.calls, self.stopped) = (self.run + 1, 0, 0, 0, false);
        self.tools.clear();
        self.pinned.clear();
        self.boosts.clear();
        self.misses = 0;
        self.request = None;
        self.memory.fill(Memory::default());
        self.run_variables.clear();
        self.end_views();
    }

    /// What was for one request ends; variables of the run stay.
    fn end_views(&mut self) {
        self.views.clear();
        self.reminders.clear();
        self.variables = self.run_variables.clone();
        self.strategies = None;
    }

    fn variables_block(&self) -> Option<Message> {
        if self.variables.is_empty() {
            return None;
        }
        let mut text = "<variables>\n".to_owned();
        for (name, value) in &self.variables {
            text += &format!("  <{name}>\n");
            for line in value.split('\n') {
                text += &format!("    {line}\n");
            }
            text += &format!("  </{name}>\n");
        }
        Some(injected(text + "</variables>", Role::System))
    }

    fn reminder(&self) -> Option<Message> {
        let lines: Vec<String> = self.reminders.iter().map(|name| format!("- {name} (variable)")).collect();
        let text = "\n\n[Reminder: Remember to use the following items in your response:\n";
        (!lines.is_empty()).then(|| injected(format!("{text}{}\n]", lines.join("\n")), Role::User))
    }

    /// Gives a variable a value; whether that is a new one.
    fn set(&mut self, name: String, value: String, for_run: bool) -> bool {
        let is_known = |variables: &BTreeMap<String, String>| variables.get(&name) == Some(&value);
        if is_known(&self.variables) && (!for_run || is_known(&self.run_variables)) {
            return false;
        }
        if for_run {
            self.run_variables.insert(name.clone(), value.clone());
        }
        self.variables.insert(name, value);
        true
    }

    /// Reminds of those variables that have a value; whether there is one.
    fn remind(&mut self, names: [String; 2]) -> bool {
        let known: Vec<String> = names.into_iter().filter(|name| self.variables.contains_key(name)).collect();
        for name in &known {
            if !self.reminders.contains(name) {
                self.reminders.push(name.clone());
            }
        }
        !known.is_empty()
    }

    fn end_iteration(&mut self) {
        if !self.stopped {
            self.phase(Phase::IterationEnd);
            let shows = |effect: &Effect| matches!(effect, Effect::Playbook(_));
            if self.rules.iter().flat_map(|rule| &rule.effects).any(shows) {
                self.playbook.learn(&self.reply, &self.results);
            }
            self.iteration += 1;
            self.pinned.retain(|_, last| last.is_none_or(|last| self.iteration <= last));
        }
    }

    fn arrive(&mut self, message: &Message) {
        let is_expected = message.results().any(|result| self.open.contains(result.id.as_str()));
        if self.stopped && !message.resets && !is_expected {
            return;
        }
        if message.role == Role::Tool {
            self.results.push(message.clone());
            if !self.stopped {
                self.errors += message.results().filter(|result| result.is_error).count() as u64;
            }
            for result in message.results() {
                self.open.remove(result.id.as_str());
                self.arrived.insert(result.id.to_string(), message.clone());
            }
        } else {
            self.kept.append(&mut self.waiting);
        }
        self.prompt += usize::from(self.kept.len() == self.prompt && is_prompt(message));
        self.kept.push(message.clone());
        if self.open.is_empty() {
            self.kept.append(&mut self.waiting);
        }
    }

    fn call(&mut self, reply: &Message) {
        let call = self.outcome.calls.len();
        self.outcome.calls.push((self.run, self.iteration));
        if self.stopped {
            return;
        }
        self.kept.append(&mut self.waiting);
        self.open.clear();
        self.phase(Phase::IterationStart);
        self.phase(Phase::Request);
        if self.stopped {
            return;
        }
        let prompt = self.prompt;
        let (prompt, others) = self.kept.split_at(prompt);
        let (variables, reminder) = (self.variables_block(), self.reminder());
        let strategies = self.strategies.clone().map(|text| injected(text, Role::System));
        let all = prompt.iter().chain(&variables).chain(&strategies).chain(others).chain(&self.views).chain(&reminder);
        self.outcome.sent.push((call, all.map(format).collect()));
        self.end_views();
        let missed = self.missed(reply);
        self.kept.push(reply.clone());
        (self.reply, self.results) = (reply.clone(), Vec::new());
        self.open = reply.calls().map(|(id, ..)| id.to_string()).collect();
        self.calls += 1;
        self.tools.extend(reply.calls().map(|(_, tool, _)| tool.to_string()));
        self.phase(Phase::Reply);
        for missed in missed {
            if !self.stopped {
                self.misses += 1;
                self.missed = Some(missed);
                self.phase(Phase::CompactionMiss);
            }
        }
        self.missed = None;
    }

    fn phase(&mut self, phase: Phase) {
        for at in 0..self.rules.len() {
            if self.rules[at].phase == phase && !self.stopped {
                self.attempt(at);
            }
        }
    }

    fn attempt(&mut self, at: usize) {
        self.current = at;
        let rule = &self.rules[at];
        for guard in &rule.guards {
            match guard {
                Guard::Until(end) if self.holds(end) => self.memory[at].going = false,
                Guard::OnceUntil(end) if self.holds(end) => self.memory[at].silent = false,
                _ => {}
            }
        }
        let barred = rule.unless.as_ref().is_some_and(|unless| self.holds(unless));
        let holds = rule.when.as_ref().is_none_or(|when| self.holds(when)) && !barred;
        let latches = rule.guards.iter().any(|guard| matches!(guard, Guard::Until(_)));
        self.memory[at].going |= latches && holds;
        if !holds {
            self.memory[at].value = None;
        }
        let wanted = holds || self.memory[at].going && !barred;
        if !wanted || !rule.guards.iter().all(|guard| self.opens(at, guard)) {
            return;
        }
        self.outcome.due[at] += 1;
        let per =
            rule.guards.iter().find_map(|guard| if let Guard::OncePer(fact) = guard { Some(*fact) } else { None });
        let value = per.map(|fact| self.read(fact));
        let seen = compared(rule).into_iter().map(|fact| (name(fact), self.read(fact))).collect();
        let (fired, failed) = self.act(at);
        let memory = &mut self.memory[at];
        if failed {
            memory.failed += 1;
        } else if fired {
            memory.failed = 0;
        }
        if fired || failed {
            memory.tries += 1;
            memory.last_try = Some(self.iteration);
        }
        if fired {
            memory.fired += 1;
            memory.silent = true;
            memory.seen = Some(seen);
            memory.value = value.or(memory.value);
            self.outcome.fired[at].push(self.outcome.calls.len() - 1);
        }
    }

    fn opens(&self, at: usize, guard: &Guard) -> bool {
        let memory = &self.memory[at];
        match guard {
            Guard::Once => memory.fired == 0,
            Guard::OncePer(fact) => memory.value.is_none_or(|value| self.read(*fact) > value),
            Guard::OnceUntil(_) => !memory.silent,
            Guard::Until(_) => true,
            Guard::Every(each) => self.iteration > 0 && self.iteration.is_multiple_of(*each),
            Guard::Cooldown(pause) => memory.last_try.is_none_or(|last| self.iteration >= last + pause),
            Guard::Limit(times) => memory.tries < *times,
        }
    }

    /// Applies the effects of a rule; returns whether it fired and whether its summary failed.
    fn act(&mut self, at: usize) -> (bool, bool) {
        let rule = &self.rules[at];
        let mut fired = false;
        for effect in &rule.effects {
            if *effect == Effect::Summarise {
                if !self.can_summarise() {
                    continue;
                }
                self.outcome.failures += 1;
                fired |= match rule.failing {
                    Failing::Keep | Failing::Ask | Failing::Retry => false,
                    Failing::Notify => self.notify("failed".to_owned()),
                    Failing::Inject => self.inject("failed".to_owned(), Role::User),
                    Failing::Stop => {
                        self.stopped = true;
                        false
                    }
                };
                return (fired, true);
            }
            fired |= match effect {
                Effect::Notify => self.notify(format!("n{at}")),
                Effect::Inject => self.inject(format!("i{at}"), Role::User),
                Effect::InjectAsAssistant => self.inject(format!("a{at}"), Role::Assistant),
                Effect::InjectForStep => {
                    self.views.push(injected(format!("v{at}"), Role::User));
                    true
                }
                Effect::Remind => self.remind(["step".to_owned(), format!("run{at}")]),
                Effect::Set => self.set("step".to_owned(), format!("{}\n{at}", self.iteration), false),
                Effect::SetForRun => self.set(format!("run{at}"), self.iteration.to_string(), true),
                Effect::Playbook(at_most) => {
                    let text = self.playbook.text(*at_most);
                    let is_new = text.is_some() && text != self.strategies;
                    self.strategies = text.or(self.strategies.take());
                    is_new
                }
                Effect::Stop => {
                    self.stopped = true;
                    true
                }
                Effect::Mask(keep) => self.mask(*keep),
                Effect::Restore(iterations) => self.restore(*iterations),
                Effect::Emit(fact) => self.emit(at, *fact),
                Effect::Boost(factor) => self.boost(*factor),
                Effect::Summarise => false,
            };
        }
        (fired, false)
    }

    fn emit(&mut self, rule: usize, fact: Fact) -> bool {
        let value = self.read(fact);
        self.outcome.events.push((self.outcome.calls.len() - 1, format!("e{rule}"), value));
        true
    }

    fn notify(&mut self, text: String) -> bool {
        self.outcome.notices.push((self.outcome.calls.len() - 1, text));
        true
    }

    fn inject(&mut self, text: String, role: Role) -> bool {
        let begins = self.kept.iter().all(|message| message.role == Role::System);
        if begins && role == Role::Assistant {
            return false;
        }
        let list = if self.open.is_empty() { &mut self.kept } else { &mut self.waiting };
        list.push(injected(text, role));
        true
    }

    /// Whether there is a message to summarise: neither a system message nor part of an open call.
    fn can_summarise(&self) -> bool {
        let prompt = self.prompt;
        let is_reply = |message: &Message| message.role == Role::Assistant && message.origin != Origin::Injected;
        let newest = self.kept.iter().rposition(is_reply);
        let open = newest.filter(|_| !self.open.is_empty());
        let answers = |message: &Message| {
            let Some(open) = open else { return false };
            message.results().any(|result| self.kept[open].calls().any(|(id, ..)| *id == result.id))
        };
        let may_go = |(at, one): (usize, &Message)| one.role != Role::System && Some(at) != open && !answers(one);
        self.kept.iter().enumerate().skip(prompt).any(may_go)
    }

    /// The answered calls in the order in which the model made them.
    fn answered(&self) -> Vec<Answered<'_>> {
        let mut all = Vec::new();
        for (at, reply) in self.kept.iter().enumerate() {
            for (id, tool, arguments) in reply.calls() {
                let answers = |message: &&Message| message.results().any(|result| result.id == *id);
                all.extend(self.kept[at..].iter().find(answers).map(|answer| (tool.as_str(), arguments, answer)));
            }
        }
        all
    }

    fn holds(&self, condition: &Condition) -> bool {
        match condition {
            Condition::AtLeast(fact, number) => self.read(*fact) >= scaled(*fact, *number),
            Condition::Below(fact, number) => self.read(*fact) < scaled(*fact, *number),
            Condition::Is(fact, number) => self.read(*fact) == scaled(*fact, *number),
            Condition::Changed(facts) => match &self.memory[self.current].seen {
                None => true,
                Some(seen) => facts.iter().any(|fact| seen[&name(*fact)] != self.read(*fact)),
            },
            Condition::All(parts) => parts.iter().all(|part| self.holds(part)),
            Condition::Any(parts) => parts.iter().any(|part| self.holds(part)),
            Condition::Not(inner) => !self.holds(inner),
        }
    }

    fn read(&self, fact: Fact) -> u64 {
        match fact {
            Fact::Iteration => self.iteration,
            Fact::Run => self.run,
            Fact::Messages => self.kept.len() as u64,
            Fact::Failures => {
                let heard = self.kept.iter().rev().filter(|message| message.role != Role::Assistant);
                heard.take_while(|message| message.results().any(|result| result.is_error)).count() as u64
            }
            Fact::FailuresTotal => self.errors,
            Fact::Calls => self.calls,
            Fact::Repeats(within) => {
                let calls = self.kept.iter().rev().flat_map(|message| message.calls().rev());
                let calls: Vec<_> = calls.take(within).map(|(_, tool, arguments)| (tool, arguments)).collect();
                let Some((tool, arguments)) = calls.first() else { return 0 };
                calls.iter().take_while(|(name, other)| name == tool && arguments.same(other)).count() as u64
            }
            Fact::Occurrences(within) => {
                let calls = self.kept.iter().rev().flat_map(|message| message.calls().rev());
                let calls: Vec<_> = calls.take(within).map(|(_, tool, arguments)| (tool, arguments)).collect();
                let Some((tool, arguments)) = calls.first() else { return 0 };
                calls.iter().filter(|(name, other)| name == tool && arguments.same(other)).count() as u64
            }
            Fact::Cycles(period, within) => {
                let mut calls = self.answered();
                calls.drain(..calls.len().saturating_sub(within));
                let is_same = |a: &Answered<'_>, b: &Answered<'_>| {
                    let (first, second) = (a.2.results().next(), b.2.results().next());
                    let bodies = first.zip(second).is_some_and(|(a, b)| {
                        (&a.text, a.is_error, &a.attachments) == (&b.text, b.is_error, &b.attachments)
                    });
                    a.0 == b.0 && a.1.same(b.1) && bodies
                };
                let times = |period: usize| {
                    let chunks: Vec<&[Answered<'_>]> = calls.rchunks_exact(period).collect();
                    let first = chunks.first()?;
                    let is_like_first = |chunk: &&&[Answered<'_>]| chunk.iter().zip(*first).all(|(a, b)| is_same(a, b));
                    Some(chunks.iter().take_while(is_like_first).count() as u64)
                };
                (1..=period).filter_map(times).max().unwrap_or(0)
            }
            Fact::Stall(last) => {
                let mut results = self.answered();
                results.sort_by_key(|(_, _, message)| self.kept.iter().position(|one| std::ptr::eq(one, *message)));
                if results.len() < last {
                    return 0;
                }
                let newest = &results[results.len() - last..];
                let beginnings = newest.iter().flat_map(|(tool, _, message)| {
                    message.results().map(move |result| {
                        let text: String = result.text.chars().take(200).collect();
                        format!("{tool} {} {text} {:?}", result.is_error, result.attachments)
                    })
                });
                let different: HashSet<String> = beginnings.collect();
                (last - different.len()) as u64 * SIXTIETHS / last as u64
            }
            Fact::RequestWords => self.request.unwrap_or(0),
            Fact::ToolsUsed => self.tools.len() as u64,
            Fact::Fired(rule) => self.memory[rule].fired,
            Fact::Failed(rule) => self.memory[rule].failed,
            Fact::PlaybookSize => self.playbook.size(),
            Fact::Misses => self.misses,
        }
    }
}

/// A result with its tool and arguments.
type Answered<'a> = (&'a str, &'a Arguments, &'a Message);

/// In a share. Every share of up to six results is a whole number of sixtieths.
const SIXTIETHS: u64 = 60;

/// The number with which the value of a fact is compared: a share is written in tenths.
fn scaled(fact: Fact, number: u64) -> u64 {
    match fact {
        Fact::Stall(_) => number.min(10) * SIXTIETHS / 10,
        _ => number,
    }
}

fn words(message: &Message) -> u64 {
    let texts = message.parts.iter().map(|part| match &part.body {
        Body::Text(text) => text.split_whitespace().count() as u64,
        _ => 0,
    });
    texts.sum()
}

/// The facts in every `changed` of a rule.
fn compared(rule: &Rule) -> Vec<Fact> {
    fn inside(condition: &Condition) -> Vec<Fact> {
        match condition {
            Condition::Changed(facts) => facts.clone(),
            Condition::All(parts) | Condition::Any(parts) => parts.iter().flat_map(inside).collect(),
            Condition::Not(part) => inside(part),
            Condition::AtLeast(..) | Condition::Below(..) | Condition::Is(..) => Vec::new(),
        }
    }
    let ends = rule.guards.iter().filter_map(|guard| match guard {
        Guard::Until(end) | Guard::OnceUntil(end) => Some(end),
        _ => None,
    });
    rule.when.iter().chain(&rule.unless).chain(ends).flat_map(inside).collect()
}

fn injected(text: String, role: Role) -> Message {
    let mut message = Message::text(role, text);
    message.origin = Origin::Injected;
    message
}
