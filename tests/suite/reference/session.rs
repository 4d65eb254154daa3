//! The order of a session, and what each message, request and reply changes.

use serde_json::Value as Json;
use trimtab::quantity::Decimal;

use super::fact::{HOST_FACTS, host_value};
use super::machine::{Entry, Machine, Memory, SeenResult, Spent};
use super::message::{Message, Role, Usage};
use super::rule::{Effect, OnFailure, Phase};

impl Machine<'_> {
    /// Records a value of the host. One of another type, and none, are the default.
    fn supply(&mut self, name: &str, value: &Json) {
        let Some((name, _, default)) = HOST_FACTS.into_iter().find(|(known, ..)| *known == name) else { return };
        let text = value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned);
        let value = host_value(name, &text).filter(|_| !value.is_null());
        match value.or_else(|| host_value(name, default?)) {
            Some(value) => drop(self.host.insert(name, value)),
            None => drop(self.host.remove(name)),
        }
    }

    pub(super) fn replay(&mut self, lines: &[Json]) {
        // Whether a person's message begins a run.
        let mut free = true;
        let is_event = |line: &Json| line.get("role").is_none();
        let is_reply = |line: &Json| line["role"] == "assistant" && line["harness"] != true;
        for (at, line) in lines.iter().enumerate() {
            if is_event(line) {
                // Events during a call come when its request is prepared, if a reply follows.
                let next = lines[at..].iter().find(|line| !is_event(line));
                let is_during = |line: &Json| line["moment"] == "during_call";
                let waits =
                    lines[..at].iter().rev().take_while(|line| is_event(line)).any(is_during) || is_during(line);
                if !(waits && next.is_some_and(is_reply)) {
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
            self.note_compaction();
            self.kept.truncate(self.prompt);
            self.waiting.clear();
            self.open.clear();
            self.forget_results();
            self.recorded.reset();
            let overhead = self.overhead();
            self.sizes.restart(overhead);
        }
        if message.role == Role::Assistant && !message.harness {
            self.call(message, during);
            *free = message.calls().next().is_none();
            return;
        }
        if message.kept {
            let is_kept = self.arrive(message);
            let is_request = |request: &Message| request.role == message.role && request.parts == message.parts;
            if is_kept && self.request.as_ref().is_some_and(is_request) {
                self.request_id = self.kept.last().map(|entry| entry.id);
            }
            return;
        }
        let person = message.is_person();
        if message.run.unwrap_or(person && *free) && !self.outcome.calls.is_empty() {
            self.begin_run();
        }
        self.clock.input(message.at.as_deref());
        let is_request = self.request.is_none() && message.role == Role::User && (person || message.run == Some(true));
        *free &= !(person || message.role == Role::Tool);
        let is_kept = self.arrive(message);
        if person && is_kept {
            self.note_person();
        }
        if is_request {
            self.request = Some(message.clone());
            self.request_id = self.kept.last().filter(|_| is_kept).map(|entry| entry.id);
        }
    }

    fn begin_run(&mut self) {
        let before = self.calls_before_run;
        self.called_earlier.extend(self.called.drain(..).map(|(iteration, tool, _)| (before + iteration, tool)));
        self.earlier_errors.append(&mut self.errors);
        self.earlier_misses += self.misses;
        self.calls_before_run = self.spent_session.calls;
        (self.run, self.iteration, self.stopped, self.misses) = (self.run + 1, 0, false, 0);
        self.spent_run = Spent::default();
        self.clock.begin_run();
        self.pinned.clear();
        self.boosts.clear();
        (self.missed_tool, self.request, self.request_id) = (None, None, None);
        self.memory.run.fill(Memory::default());
        self.views.begin_run();
        self.forget_lifecycle();
    }

    fn host_event(&mut self, line: &Json) {
        let name = line["event"].as_str().unwrap_or_default();
        let is_after = line["moment"] == "after_iteration";
        if name == "reflection" || is_after {
            self.end_iteration();
        }
        if let Some(name) = line["fact"].as_str() {
            self.supply(name, &line["value"]);
        }
        if name == "overflow" {
            if self.overflow(true) {
                self.after_compaction();
            }
            return;
        }
        if let Some(phase) = Phase::ALL.into_iter().find(|phase| phase.name() == name).filter(|_| !self.stopped) {
            self.announce_host_event(phase, line);
            self.phase(phase);
        }
    }

    /// Tries the rules on `overflow`, once for each call; returns whether it does.
    fn overflow(&mut self, rejected: bool) -> bool {
        let overflows = !self.stopped && std::mem::take(&mut self.may_overflow);
        if overflows {
            self.announce_overflow(rejected);
            self.phase(Phase::Overflow);
        }
        overflows
    }

    fn after_compaction(&mut self) {
        if !self.stopped && std::mem::take(&mut self.compacted) {
            self.phase(Phase::Compaction);
        }
    }

    fn end_iteration(&mut self) {
        if !std::mem::take(&mut self.iteration_is_open) || self.stopped {
            return;
        }
        self.announce_end();
        self.phase(Phase::IterationEnd);
        let shows = |effect: &Effect| matches!(effect, Effect::Playbook(_));
        let learns = self.policy.rules.iter().any(|rule| {
            let other = if let OnFailure::Then(other) = &rule.on_failure { Some(&**other) } else { None };
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

    /// Records a message that is not a reply; returns whether it is kept.
    fn arrive(&mut self, message: &Message) -> bool {
        let tokens = self.counter.message(message);
        let is_expected = message.answer().is_some_and(|answer| self.open.contains(&answer.id));
        let is_kept = !self.stopped || message.resets || is_expected;
        if is_kept {
            self.recorded.add(message, tokens);
        } else {
            self.recorded.prevent(message, tokens);
        }
        if message.role == Role::Tool && self.reply.is_some() && !message.kept {
            self.results.push(message.clone());
        }
        if !is_kept {
            return false;
        }
        if message.role == Role::Assistant {
            self.add_waiting();
        }
        let is_prompt = message.role == Role::System && self.kept.len() == self.prompt && self.waiting.is_empty();
        self.prompt += usize::from(is_prompt && !self.begun());
        self.keep(message.clone());
        if let Some(answer) = message.answer() {
            let at = self.kept.len() - 1;
            self.open.remove(&answer.id);
            let tool = self.tool(at).map(ToOwned::to_owned);
            if answer.is_error && !self.stopped && !message.kept {
                self.errors.push(tool);
            }
            if let Some((tool, arguments)) = self.call_of(at) {
                let seen = SeenResult { id: self.kept[at].id, chars: message.parts[0].body.chars(), tool, arguments };
                self.seen_results.push(seen);
            }
        }
        true
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
        self.clock.begin_call(reply.at.as_deref());
        self.agent.choose_model(reply.model.as_deref());
        if !self.stopped {
            self.announce_start();
        }
        self.phase(Phase::IterationStart);
        self.phase(Phase::Request);
        self.may_overflow = true;
        let limit = self.agent.window.map(|window| window.saturating_sub(self.agent.reserve));
        if limit.is_some_and(|limit| self.tokens() > limit) {
            self.overflow(false);
        }
        self.after_compaction();
        if !self.stopped {
            self.announce_budget();
        }
        self.phase(Phase::ContextBudget);
        during.for_each(|event| self.host_event(event));
        self.may_overflow = false;
        let size = self.request_size();
        let usage = reply.usage.map(Usage::context).filter(|context| *context > 0);
        // The recorded requests do not have a tool that the policy adds.
        let added = self.agent.added;
        let tokens = self.recorded.call(self.agent.has_usage, overhead - added, usage, (size, added));
        self.sizes.overhead = overhead;
        self.sizes.unrecorded = self.agent.unrecorded.get(call).copied().unwrap_or(0).min(overhead - added);
        if self.stopped {
            self.outcome.after_stop += 1;
            self.recorded.prevent(reply, self.counter.message(reply));
            return;
        }
        self.sizes.send(tokens, size);
        self.note_request();
        self.outcome.calls[call] = (self.run, self.iteration, tokens, true);
        let messages = self.request_messages().iter().map(|message| message.json().to_string()).collect();
        self.outcome.sent.push((call, messages));
        let hidden = self.agent.tools.iter().filter(|tool| !self.views.offers(tool));
        self.outcome.hidden.push(hidden.cloned().collect());
        self.receive(reply, tokens);
    }

    fn receive(&mut self, reply: &Message, tokens: u64) {
        let has_usage = reply.usage.is_some_and(|usage| usage.context() > 0);
        self.sizes.reported = Some(tokens).filter(|_| has_usage || self.sizes.reported.is_some());
        self.clock.reply(reply.at.as_deref());
        let missed = self.missed(reply);
        let counted = self.counter.message(reply);
        self.recorded.add(reply, counted);
        self.keep(reply.clone());
        self.note_reasoning();
        let reasons = reply.parts.iter().any(|part| part.body.is_thinking());
        self.sizes.correct(counted, reply.usage.map_or(0, |usage| usage.output), reasons);
        self.open = reply.calls().map(|(id, ..)| id.to_owned()).collect();
        (self.reply, self.results) = (Some(reply.clone()), Vec::new());
        self.views.end_request();
        self.spend(reply, tokens);
        self.remember(reply);
        let calls = reply.calls().map(|(_, tool, arguments)| (self.iteration, tool.to_owned(), arguments.clone()));
        self.called.extend(calls.collect::<Vec<_>>());
        self.note_reply(reply);
        self.phase(Phase::Reply);
        for miss in missed {
            if !self.stopped {
                self.misses += 1;
                self.missed_tool = Some(miss.tool.clone());
                self.announce_miss(&miss);
                self.miss = Some(miss);
                self.phase(Phase::CompactionMiss);
                self.miss = None;
            }
        }
        self.iteration_is_open = !self.stopped;
    }

    /// What a call used. Which part of its input was cached, is not part of the language.
    fn spend(&mut self, reply: &Message, tokens: u64) {
        let usage = reply.usage.unwrap_or_default();
        let output = if usage.output > 0 { usage.output } else { self.counter.message(reply) };
        let billed = self.agent.bills.get(self.outcome.calls.len().saturating_sub(1)).copied().unwrap_or_default();
        let cost = self.agent.prices.map_or(Decimal::ZERO, |prices| {
            // What is written for an hour costs twice the input, where writing costs more.
            let [input, _, write, _] = prices;
            let hour = if write > input { input * Decimal::TWO } else { write };
            let classes =
                prices.into_iter().chain([hour]).zip(billed).map(|(price, tokens)| price * Decimal::from(tokens));
            classes.sum::<Decimal>() / Decimal::from(1_000_000)
        });
        let is_unpriced = self.agent.prices.is_none();
        self.add_spent(Spent { tokens: tokens + output, cost, is_unpriced, calls: 1 });
    }

    pub(super) fn add_spent(&mut self, spent: Spent) {
        self.remember_spent(spent);
        for total in [&mut self.spent_run, &mut self.spent_session] {
            total.tokens += spent.tokens;
            total.cost += spent.cost;
            total.is_unpriced |= spent.is_unpriced;
            total.calls += spent.calls;
        }
    }

    fn phase(&mut self, phase: Phase) {
        let was_stopped = self.stopped;
        for at in 0..self.policy.rules.len() {
            if self.policy.rules[at].phase == phase && !self.stopped {
                self.took_part.phase(phase.name());
                self.attempt(at);
            }
        }
        if self.stopped && !was_stopped {
            self.announce_failure();
        }
    }
}
