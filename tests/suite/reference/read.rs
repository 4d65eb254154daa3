//! The values of facts.

use std::collections::HashSet;

use serde_json::Value as Json;
use trimtab::quantity::Decimal;

use super::fact::{Fact, Scope, Value};
use super::machine::{Machine, Spent};
use super::message::{Answer, Message, Role, arguments_text, arguments_value};
use super::views::fits;

/// Whether a tool is one of these; every one if there are none.
pub(super) fn is_of(of: &[&str], tool: Option<&str>) -> bool {
    of.is_empty() || tool.is_some_and(|tool| of.iter().any(|pattern| fits(pattern, tool)))
}

fn number(number: usize) -> Option<Value> {
    Some(Value::whole(number as u64))
}

fn share(part: u64, whole: u64) -> Value {
    let share = Decimal::from(part).checked_div(Decimal::from(whole));
    Value::Number(share.unwrap_or(Decimal::ZERO))
}

impl Machine<'_> {
    pub(super) fn read(&mut self, fact: &Fact) -> Option<Value> {
        self.took_part.fact(fact.name(), fact.scope());
        if let Fact::Edits(.., after) | Fact::EditsPath(.., after) = fact
            && self.past.has_called(after)
        {
            self.took_part.argument(fact.name(), "after");
        }
        self.value(fact)
    }

    #[expect(clippy::too_many_lines, reason = "one line for each fact")]
    fn value(&self, fact: &Fact) -> Option<Value> {
        let memory = |rule: &usize, scope: &Scope| &self.memory.of(*scope)[*rule];
        match fact {
            Fact::ContextTokens => Some(Value::whole(self.tokens())),
            Fact::ContextRatio => self.agent.window.map(|window| share(self.tokens(), window)),
            Fact::ContextFree => {
                let [window, reserve, tokens] =
                    [self.agent.window?, self.agent.reserve, self.tokens()].map(Decimal::from);
                Some(Value::Number(window - reserve - tokens))
            }
            Fact::ContextMessages => number(self.kept.len()),
            Fact::ContextResults => number(self.kept.iter().filter(|entry| entry.message.answer().is_some()).count()),
            Fact::ContextInteractions => number(self.kept.iter().filter(|entry| entry.message.is_person()).count()),
            Fact::ContextLargest => {
                let largest = self.kept.iter().skip(self.prompt).map(|entry| entry.tokens).max();
                Some(Value::whole(largest.unwrap_or(0).min(self.tokens())))
            }
            Fact::SharePersona | Fact::ShareTools | Fact::ShareHistory => {
                let (persona, tools, history) = self.split();
                let part = match fact {
                    Fact::SharePersona => persona,
                    Fact::ShareTools => tools,
                    _ => history,
                };
                Some(share(part, persona + tools + history))
            }
            Fact::ReportedTokens => self.sizes.reported.map(Value::whole),
            Fact::ReportedRatio => Some(share(self.sizes.reported?, self.agent.window?)),
            Fact::BudgetTokens => Some(Value::whole(self.spent_run.tokens)),
            Fact::SessionTokens => Some(Value::whole(self.spent_session.tokens)),
            Fact::Model => self.agent.model.id().map(Value::Text),
            Fact::Window => self.agent.window.filter(|window| *window > 0).map(Value::whole),
            Fact::AgentName => self.agent.name.clone().map(Value::Text),
            Fact::AgentDepth => Some(Value::whole(self.agent.depth)),
            Fact::BudgetCost => self.cost(self.spent_run),
            Fact::SessionCost => self.cost(self.spent_session),
            Fact::BudgetTime => self.clock.run().map(Value::Number),
            Fact::SessionTime => self.clock.session().map(Value::Number),
            Fact::BudgetCalls => Some(Value::whole(self.spent_run.calls)),
            Fact::SessionCalls => Some(Value::whole(self.spent_session.calls)),
            Fact::Idle => self.clock.idle().map(Value::Number),
            Fact::Iteration => Some(Value::whole(self.iteration)),
            Fact::Run => Some(Value::whole(self.run)),
            Fact::Failures(of) => number(self.failed(of).len()),
            Fact::FailuresTools(of) => {
                let tools: HashSet<&str> = self.failed(of).into_iter().filter_map(|at| self.tool(at)).collect();
                number(tools.len())
            }
            Fact::FailuresSame(of) => {
                let kind = |at: usize| (self.tool(at), self.kept[at].arrived.answer().map(|answer| &answer.text));
                let failed: Vec<_> = self.failed(of).into_iter().map(kind).collect();
                number(failed.iter().take_while(|one| Some(*one) == failed.first()).count())
            }
            Fact::FailuresSteps(of) => number(self.failed_turns(of)),
            Fact::FailuresTotal(of, scope) => {
                number(self.errors(*scope).filter(|tool| is_of(of, tool.as_deref())).count())
            }
            Fact::Repeats(within, in_run) => {
                let calls = self.newest_calls(*within, *in_run);
                number(calls.iter().take_while(|call| Some(*call) == calls.first()).count())
            }
            Fact::Occurrences(within, in_run) => {
                let calls = self.newest_calls(*within, *in_run);
                number(calls.iter().filter(|call| Some(*call) == calls.first()).count())
            }
            Fact::Misses(Scope::Run) => Some(Value::whole(self.misses)),
            Fact::Misses(Scope::Session) => Some(Value::whole(self.earlier_misses + self.misses)),
            Fact::MissedTool => self.missed_tool.clone().map(Value::Text),
            Fact::Cycles(period, within) => number(self.cycles(*period, *within)),
            Fact::Stall(last) => Some(self.stall(*last)),
            Fact::CallName => self.newest_call().map(|(tool, _)| Value::Text(tool)),
            Fact::CallArguments => self.newest_call().map(|(_, arguments)| Value::Text(arguments_text(&arguments))),
            Fact::ResultTokens => {
                let at = self.newest_result()?;
                let answer = &self.kept[at].message.parts[0].body;
                Some(Value::whole(self.counter.body(answer)))
            }
            Fact::ResultText => {
                let at = self.newest_result()?;
                self.kept[at].message.answer().map(|answer| Value::Text(answer.text.clone()))
            }
            Fact::ResultError => {
                let at = self.newest_result()?;
                self.kept[at].message.answer().map(|answer| Value::Truth(answer.is_error))
            }
            Fact::RequestWords => {
                let texts = self.request.iter().flat_map(Message::texts);
                number(texts.map(|text| text.split_whitespace().count()).sum())
            }
            Fact::RequestMentions(texts) => {
                let request: Vec<String> =
                    self.request.iter().flat_map(Message::texts).map(str::to_lowercase).collect();
                let is_in = |text: &&str| request.iter().any(|request| request.contains(&text.to_lowercase()));
                Some(Value::Truth(texts.iter().any(is_in)))
            }
            Fact::HasTool(tool) => Some(Value::Truth(self.agent.tools.contains(*tool) && self.views.offers(tool))),
            Fact::UsedTool(tool, within, scope) => {
                let newest = self.newest_iteration(*scope);
                let is_near = |iteration: u64| within.is_none_or(|within| iteration + within > newest);
                Some(Value::Truth(self.called(*scope).any(|(iteration, used)| used == *tool && is_near(iteration))))
            }
            Fact::Host(name) => self.host.get(name).cloned(),
            Fact::Var(name) => self.views.variable(name).cloned().map(Value::Text),
            Fact::ToolsUsed(scope) => number(self.called(*scope).map(|(_, tool)| tool).collect::<HashSet<_>>().len()),
            Fact::ToolsCalls(of, scope) => {
                number(self.called(*scope).filter(|(_, tool)| is_of(of, Some(tool))).count())
            }
            Fact::Calls(of, scope, recent) => number(self.recent_calls(of, *scope, *recent)),
            Fact::Cost(seconds) => self.recent_cost(*seconds).map(Value::Number),
            Fact::Tokens(seconds) => Some(Value::whole(self.recent_tokens(*seconds))),
            Fact::Edits(within, scope, after) => {
                number(self.edits(*within, *scope, after).map_or(0, |(count, _)| count))
            }
            Fact::EditsPath(within, scope, after) => {
                self.edits(*within, *scope, after).map(|(_, path)| Value::Text(path))
            }
            Fact::FilesChanged(scope) => number(self.files_changed(*scope).len()),
            Fact::Compactions => number(self.past.compacted.len()),
            Fact::SinceCompaction => self.since_compaction().map(Value::whole),
            Fact::SinceUserMessage => Some(Value::whole(self.since_user_message())),
            Fact::CacheWarm => self.is_warm(),
            Fact::PlaybookSize => Some(Value::whole(self.playbook.size())),
            Fact::Fired(rule, scope) => Some(Value::whole(memory(rule, scope).fired)),
            Fact::Since(rule, scope) => {
                memory(rule, scope).last_fired.map(|last| Value::whole(self.iteration_in(*scope) - last))
            }
            Fact::Failed(rule, scope) => Some(Value::whole(memory(rule, scope).failed)),
        }
    }

    /// The iteration, counted in the run or over the session.
    pub(super) const fn iteration_in(&self, scope: Scope) -> u64 {
        match scope {
            Scope::Run => self.iteration,
            Scope::Session => self.calls_before_run + self.iteration,
        }
    }

    /// The iteration of the newest call of the model.
    fn newest_iteration(&self, scope: Scope) -> u64 {
        let spent = if scope == Scope::Run { self.spent_run } else { self.spent_session };
        spent.calls.saturating_sub(1)
    }

    /// The calls of the run or the session: iteration and tool.
    fn called(&self, scope: Scope) -> impl Iterator<Item = (u64, &str)> {
        let offset = if scope == Scope::Run { 0 } else { self.calls_before_run };
        let earlier = self.called_earlier.iter().filter(move |_| scope == Scope::Session);
        let earlier = earlier.map(|(iteration, tool)| (*iteration, tool.as_str()));
        earlier.chain(self.called.iter().map(move |(iteration, tool, _)| (offset + iteration, tool.as_str())))
    }

    /// The tools of the error results of the run or the session.
    fn errors(&self, scope: Scope) -> impl Iterator<Item = &Option<String>> {
        let earlier = self.earlier_errors.iter().filter(move |_| scope == Scope::Session);
        earlier.chain(&self.errors)
    }

    fn cost(&self, spent: Spent) -> Option<Value> {
        let is_known = if spent.tokens == 0 { self.agent.prices.is_some() } else { !spent.is_unpriced };
        is_known.then_some(Value::Number(spent.cost))
    }

    /// Error results in a row at the end, the newest first. Replies are skipped; anything else ends the row.
    fn failed(&self, of: &[&str]) -> Vec<usize> {
        let mut failed = Vec::new();
        for at in (0..self.kept.len()).rev() {
            let message = &self.kept[at].message;
            match message.answer() {
                _ if message.role == Role::Assistant => {}
                Some(_) if !is_of(of, self.tool(at)) => {}
                Some(answer) if answer.is_error => failed.push(at),
                _ => break,
            }
        }
        failed
    }

    /// Turns in a row at the end, all of whose results are errors. A turn is a reply with its results; a result without a
    /// call is a turn of its own.
    fn failed_turns(&self, of: &[&str]) -> usize {
        let (mut turns, mut previous, mut successful) = (0, None, HashSet::new());
        for at in 0..self.kept.len() {
            let message = &self.kept[at].message;
            let turn = Some(self.group(at));
            match message.answer() {
                _ if message.role == Role::Assistant => continue,
                Some(_) if !is_of(of, self.tool(at)) => continue,
                Some(answer) if !answer.is_error => {
                    successful.insert(turn);
                    turns = 0;
                }
                Some(_) if successful.contains(&turn) => turns = 0,
                Some(_) => turns += usize::from(previous != turn),
                None => turns = 0,
            }
            previous = message.answer().and(turn);
        }
        turns
    }

    /// The tool and the value of the arguments of the newest calls, the newest first.
    fn newest_calls(&self, within: usize, in_run: bool) -> Vec<(String, Json)> {
        let calls: Vec<(&str, &Json)> = if in_run {
            self.called.iter().rev().map(|(_, tool, arguments)| (tool.as_str(), arguments)).collect()
        } else {
            let calls = self.kept.iter().rev().flat_map(|entry| entry.arrived.calls().rev());
            calls.map(|(_, tool, arguments)| (tool, arguments)).collect()
        };
        let calls = calls.into_iter().take(within);
        calls.map(|(tool, arguments)| (tool.to_owned(), arguments_value(arguments))).collect()
    }

    /// The newest call; in a compaction miss, the call that is made again.
    fn newest_call(&self) -> Option<(String, Json)> {
        if let Some(miss) = &self.miss {
            return Some((miss.tool.clone(), miss.arguments.clone()));
        }
        let (_, tool, arguments) = self.kept.iter().rev().find_map(|entry| entry.arrived.calls().next_back())?;
        Some((tool.to_owned(), arguments.clone()))
    }

    /// The newest result; in a compaction miss, the earlier result of the call.
    fn newest_result(&self) -> Option<usize> {
        if let Some(miss) = &self.miss {
            return self.kept.iter().position(|entry| Some(entry.id) == miss.earlier);
        }
        self.kept.iter().rposition(|entry| entry.message.answer().is_some())
    }

    /// The answered calls in the order in which the model made them, with the place of the result.
    fn answered(&self) -> Vec<(String, Json, usize)> {
        let mut all = Vec::new();
        for (at, entry) in self.kept.iter().enumerate() {
            for (id, tool, arguments) in entry.arrived.calls() {
                let answers = |&after: &usize| {
                    self.kept[after].message.answer().is_some_and(|answer| answer.id == id) && self.group(after) == at
                };
                let found = (at + 1..self.kept.len()).find(answers);
                all.extend(found.map(|after| (tool.to_owned(), arguments_value(arguments), after)));
            }
        }
        all
    }

    fn cycles(&self, period: usize, within: usize) -> usize {
        let arrived = |at: usize| {
            let answer = self.kept[at].arrived.answer().cloned().expect("a result");
            Answer { id: String::new(), ..answer }
        };
        let mut calls: Vec<_> =
            self.answered().into_iter().map(|(tool, arguments, at)| (tool, arguments, arrived(at))).collect();
        calls.drain(..calls.len().saturating_sub(within));
        let times = |period: usize| {
            let chunks: Vec<_> = calls.rchunks_exact(period).collect();
            chunks.iter().take_while(|chunk| Some(*chunk) == chunks.first()).count()
        };
        (1..=period).map(times).max().unwrap_or(0)
    }

    fn stall(&self, last: usize) -> Value {
        let mut results = self.answered();
        results.sort_by_key(|(.., at)| *at);
        if results.len() < last {
            return Value::Number(Decimal::ZERO);
        }
        let newest = &results[results.len() - last..];
        let mut different: Vec<(String, Answer)> = Vec::new();
        for (tool, _, at) in newest {
            let answer = self.kept[*at].arrived.answer().cloned().expect("a result");
            let text = answer.text.chars().take(200).collect();
            let one = (tool.clone(), Answer { id: String::new(), text, ..answer });
            if !different.contains(&one) {
                different.push(one);
            }
        }
        share((last - different.len()) as u64, last as u64)
    }
}
