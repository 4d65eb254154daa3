//! Facts that look back: what was called, used and changed, in the run or the session, by number or by time.

use serde_json::Value as Json;
use trimtab::quantity::Decimal;

use super::fact::{Scope, Value};
use super::machine::{Machine, Spent};
use super::message::{Message, Usage, arguments_value};
use super::read::is_of;

/// How far back a fact looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Recent {
    Calls(usize),
    Iterations(u64),
    Seconds(u64),
}

impl Recent {
    pub(super) fn text(self) -> String {
        match self {
            Self::Calls(calls) => format!("{calls} calls"),
            Self::Iterations(iterations) => format!("{iterations} iterations"),
            Self::Seconds(seconds) => format!("{seconds}s"),
        }
    }
}

/// A call of a tool.
#[derive(Clone, Debug)]
pub(super) struct Made {
    run: u64,
    /// The replies before.
    reply: u64,
    at: Option<u64>,
    tool: String,
    arguments: Json,
}

impl Made {
    /// Whether it is a call of one of some tools.
    fn is_of(&self, tools: &[&str]) -> bool {
        !tools.is_empty() && is_of(tools, Some(&self.tool))
    }
}

/// What has happened in the session.
#[derive(Clone, Debug, Default)]
pub(super) struct Past {
    made: Vec<Made>,
    replies: u64,
    /// What was used, and when.
    used: Vec<(Option<u64>, Spent)>,
    /// The compactions, with the number of model calls before each.
    pub(super) compacted: Vec<u64>,
    /// The model calls before the newest message of a person.
    heard: u64,
    cache: Cache,
}

impl Past {
    /// Whether one of some tools was called.
    pub(super) fn has_called(&self, tools: &[&str]) -> bool {
        self.made.iter().any(|call| call.is_of(tools))
    }
}

/// How long the last request stays in the provider's cache.
#[derive(Clone, Copy, Debug, Default)]
struct Cache {
    writes: bool,
    for_an_hour: bool,
    seconds: Option<u64>,
}

/// The file that a call changes: only `write_note` does, and its arguments are a path or have one.
fn changed(call: &Made) -> Option<String> {
    let arguments = arguments_value(&call.arguments);
    let path = arguments.as_str().or_else(|| arguments["path"].as_str())?;
    (call.tool == "write_note").then(|| path.strip_prefix("./").unwrap_or(path).to_owned())
}

/// The files of some calls, the one that was changed last at the end.
fn files(calls: &[&Made]) -> Vec<String> {
    let mut files: Vec<String> = Vec::new();
    for file in calls.iter().filter_map(|call| changed(call)) {
        files.retain(|known| *known != file);
        files.push(file);
    }
    files
}

impl Machine<'_> {
    pub(super) fn remember(&mut self, reply: &Message) {
        let (run, at, number) = (self.run, self.clock.now(), self.past.replies);
        let made = reply.calls().map(|(_, tool, arguments)| {
            let (tool, arguments) = (tool.to_owned(), arguments.clone());
            Made { run, reply: number, at, tool, arguments }
        });
        self.past.made.extend(made.collect::<Vec<_>>());
        self.past.replies += 1;
        let usage = reply.usage.filter(|usage| usage.context() > 0);
        self.past.cache = self.past.cache.after(usage, self.agent.model.caching());
    }

    pub(super) fn remember_spent(&mut self, spent: Spent) {
        self.past.used.push((self.clock.now(), spent));
    }

    pub(super) fn note_compaction(&mut self) {
        self.compacted = true;
        self.past.compacted.push(self.iteration_in(Scope::Session));
    }

    pub(super) const fn note_person(&mut self) {
        self.past.heard = self.iteration_in(Scope::Session);
    }

    fn is_within(&self, at: Option<u64>, seconds: u64) -> bool {
        at.zip(self.clock.now()).is_some_and(|(at, now)| now - at < seconds)
    }

    /// The calls that are this recent, in order.
    fn made(&self, recent: Option<Recent>, scope: Scope) -> Vec<&Made> {
        let all: Vec<&Made> =
            self.past.made.iter().filter(|call| scope == Scope::Session || call.run == self.run).collect();
        match recent {
            None => all,
            Some(Recent::Calls(most)) => all[all.len().saturating_sub(most)..].to_vec(),
            Some(Recent::Iterations(most)) => {
                all.into_iter().filter(|call| self.past.replies - call.reply <= most).collect()
            }
            Some(Recent::Seconds(seconds)) => all.into_iter().filter(|call| self.is_within(call.at, seconds)).collect(),
        }
    }

    pub(super) fn recent_calls(&self, of: &[&str], scope: Scope, recent: Option<Recent>) -> usize {
        self.made(recent, scope).into_iter().filter(|call| is_of(of, Some(&call.tool))).count()
    }

    fn recently_spent(&self, seconds: u64) -> impl Iterator<Item = Spent> {
        self.past.used.iter().filter(move |(at, _)| self.is_within(*at, seconds)).map(|(_, spent)| *spent)
    }

    pub(super) fn recent_tokens(&self, seconds: u64) -> u64 {
        self.recently_spent(seconds).map(|spent| spent.tokens).sum()
    }

    pub(super) fn recent_cost(&self, seconds: u64) -> Option<Decimal> {
        let spent: Vec<Spent> = self.recently_spent(seconds).collect();
        let is_known =
            if spent.is_empty() { self.agent.prices.is_some() } else { spent.iter().all(|one| !one.is_unpriced) };
        is_known.then(|| spent.iter().map(|one| one.cost).sum::<Decimal>().normalize())
    }

    /// The file that most of the newest calls change, with their number; of those after the newest call of one of some tools.
    pub(super) fn edits(&self, within: usize, scope: Scope, after: &[&str]) -> Option<(usize, String)> {
        let mut calls = self.made(Some(Recent::Calls(within)), scope);
        if let Some(newest) = calls.iter().rposition(|call| call.is_of(after)) {
            calls.drain(..=newest);
        }
        let count = |file: &String| calls.iter().filter(|call| changed(call).as_ref() == Some(file)).count();
        let files = files(&calls).into_iter().map(|file| (count(&file), file));
        files.max_by_key(|(count, _)| *count)
    }

    pub(super) fn files_changed(&self, scope: Scope) -> Vec<String> {
        let mut files = files(&self.made(None, scope));
        files.reverse();
        files
    }

    /// `cache.warm`.
    pub(super) fn is_warm(&self) -> Option<Value> {
        let idle = self.clock.idle()?;
        Some(Value::Truth(self.past.cache.seconds.is_some_and(|seconds| idle < Decimal::from(seconds))))
    }

    pub(super) fn since_compaction(&self) -> Option<u64> {
        self.past.compacted.last().map(|at| self.iteration_in(Scope::Session) - at)
    }

    pub(super) const fn since_user_message(&self) -> u64 {
        self.iteration_in(Scope::Session) - self.past.heard
    }
}

impl Cache {
    /// After a call with this usage of a model whose prefixes are kept from so many tokens on; none if the model is not known. All
    /// providers here keep a prefix for five minutes, or for an hour if it was written for an hour.
    fn after(self, usage: Option<Usage>, model: Option<(u64, bool)>) -> Self {
        let written = usage.filter(|usage| usage.cache_write > 0);
        let writes = self.writes || written.is_some();
        let for_an_hour = written.map_or(self.for_an_hour, |usage| 2 * usage.hour_write > usage.cache_write);
        let (minimum, counts_writes) = model.unwrap_or((1024, writes));
        let is_kept = usage.is_none_or(|usage| {
            if counts_writes { usage.cache_read + usage.cache_write > 0 } else { usage.context() >= minimum }
        });
        let seconds = if for_an_hour && counts_writes { 3600 } else { 300 };
        Self { writes, for_an_hour, seconds: is_kept.then_some(seconds) }
    }
}
