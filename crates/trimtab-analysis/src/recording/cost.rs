//! What recordings cost, by day, project, model or task.

mod tasks;

use std::collections::BTreeMap;

use jiff::{Timestamp, tz::TimeZone};
use smol_str::{SmolStr, ToSmolStr};
use trimtab_base::quantity::Decimal;
use trimtab_model::model::Models;
use trimtab_recordings::transcript::Transcript;

use self::tasks::Tasks;
use super::cost_sum::{CallCosts, CostSum};

/// What costs are grouped by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CostGrouping {
    /// The day of each call in UTC.
    Day,
    /// The working directory of each transcript.
    Project,
    /// The model of each call.
    Model,
    /// The tasks of each transcript: a task is what the agent does for one request of a person.
    Task,
}

/// All groupings, in the order of the help.
pub static COST_GROUPINGS: [&CostGrouping; 4] =
    [&CostGrouping::Day, &CostGrouping::Project, &CostGrouping::Model, &CostGrouping::Task];

/// The group of calls whose group is not recorded.
const UNKNOWN: SmolStr = SmolStr::new_static("unknown");

impl CostGrouping {
    /// Its name on the command line and in output.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Project => "project",
            Self::Model => "model",
            Self::Task => "task",
        }
    }

    /// What it groups by.
    pub const fn summary(self) -> &'static str {
        match self {
            Self::Day => "The day of each call, in UTC",
            Self::Project => "The recorded working directory, or else the directory of the file",
            Self::Model => "The model of each call",
            Self::Task => {
                "A row for each transcript, with the median over its tasks: what the agent does for one request"
            }
        }
    }

    /// What the median and the ninth decile are over.
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Task => "task",
            Self::Day | Self::Project | Self::Model => "transcript",
        }
    }
}

/// The costs of a transcript, split by day, model and task.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TranscriptCosts {
    project: Option<SmolStr>,
    has_replies: bool,
    parts: BTreeMap<Part, CallCosts>,
}

/// Calls of one day, model and task.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Part {
    day: Option<SmolStr>,
    model: Option<SmolStr>,
    task: usize,
}

/// The costs of several transcripts, by group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CostTable {
    /// What they are grouped by.
    pub grouping: CostGrouping,
    groups: BTreeMap<SmolStr, CostGroup>,
    /// All of them.
    pub total: CostGroup,
    /// The transcripts with replies of which none has usage, which belong to no group.
    pub without_usage: usize,
}

/// The costs of a group.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CostGroup {
    /// The transcripts with calls in it.
    pub transcripts: usize,
    /// The tasks with calls in it.
    pub tasks: usize,
    /// The calls, and what they cost at list prices.
    pub costs: CostSum,
    /// Tokens of input and output.
    pub tokens: u64,
    /// The number of transcripts, or of tasks if costs are grouped by task.
    pub units: usize,
    /// The cost of each of these whose calls all have a known price.
    priced_units: Vec<Decimal>,
}

impl TranscriptCosts {
    /// The costs of a transcript.
    pub fn of(transcript: &Transcript, models: &Models) -> Self {
        let mut all = Self { project: transcript.directory.clone(), ..Self::default() };
        let mut tasks = Tasks::default();
        let mut day = transcript.started.as_deref().and_then(utc_day);
        for message in &transcript.messages {
            tasks.follow(message);
            day = message.at.as_deref().and_then(utc_day).or(day);
            all.has_replies |= message.is_reply();
            let Some(usage) = message.usage else { continue };
            let model = message.model.as_ref().or(transcript.model.as_ref());
            let costs = CallCosts::of(usage, model, message.at.as_deref(), models);
            let part = Part { day: day.clone(), model: model.cloned(), task: tasks.number() };
            let sum = all.parts.entry(part).or_default();
            *sum = sum.with(costs);
        }
        all
    }

    /// The sums over the parts that have the same key.
    fn by<K: Ord>(&self, key: impl Fn(&Part) -> K) -> BTreeMap<K, CallCosts> {
        let mut sums: BTreeMap<K, CallCosts> = BTreeMap::new();
        for (part, costs) in &self.parts {
            let sum = sums.entry(key(part)).or_default();
            *sum = sum.with(*costs);
        }
        sums
    }
}

impl CostTable {
    /// A table without transcripts.
    pub fn new(grouping: CostGrouping) -> Self {
        Self { grouping, groups: BTreeMap::new(), total: CostGroup::default(), without_usage: 0 }
    }

    /// Adds a transcript with its name in reports and the directory of its file.
    pub fn add(&mut self, name: &str, folder: &str, costs: &TranscriptCosts) {
        if costs.parts.is_empty() {
            self.without_usage += usize::from(costs.has_replies);
            return;
        }
        let known = |key: &Option<SmolStr>| key.clone().unwrap_or(UNKNOWN);
        let project = costs.project.clone().unwrap_or_else(|| folder.into());
        let key = |part: &Part| match self.grouping {
            CostGrouping::Day => known(&part.day),
            CostGrouping::Model => known(&part.model),
            CostGrouping::Project => project.clone(),
            CostGrouping::Task => name.into(),
        };
        let by_task = self.grouping == CostGrouping::Task;
        let mut units: BTreeMap<SmolStr, Vec<CallCosts>> = BTreeMap::new();
        for ((key, _), costs) in costs.by(|part| (key(part), if by_task { part.task } else { 0 })) {
            units.entry(key).or_default().push(costs);
        }
        let mut tasks: BTreeMap<SmolStr, usize> = BTreeMap::new();
        for (key, _) in costs.by(|part| (key(part), part.task)).into_keys() {
            *tasks.entry(key).or_default() += 1;
        }
        for (key, units) in units {
            let tasks = tasks.get(&key).copied().unwrap_or(0);
            self.groups.entry(key).or_default().add(tasks, &units);
        }
        let units: Vec<CallCosts> = costs.by(|part| if by_task { part.task } else { 0 }).into_values().collect();
        self.total.add(costs.by(|part| part.task).len(), &units);
    }

    /// The groups: days in order, others with the most expensive first.
    pub fn groups(&self) -> Vec<(&SmolStr, &CostGroup)> {
        let mut groups: Vec<_> = self.groups.iter().collect();
        if self.grouping != CostGrouping::Day {
            groups.sort_by_key(|(_, group)| std::cmp::Reverse((group.costs.known(), group.tokens)));
        }
        groups
    }
}

impl CostGroup {
    /// Adds the units of a transcript.
    fn add(&mut self, tasks: usize, units: &[CallCosts]) {
        let sum = units.iter().fold(CallCosts::default(), |sum, one| sum.with(*one));
        self.transcripts += 1;
        self.tasks += tasks;
        self.costs = self.costs.with(sum.costs);
        self.tokens = self.tokens.saturating_add(sum.tokens);
        self.units += units.len();
        self.priced_units.extend(units.iter().filter(|one| one.costs.is_complete()).map(|one| one.costs.cost));
    }

    /// How many of the transcripts or tasks have only calls with a known price.
    pub const fn priced_units(&self) -> usize {
        self.priced_units.len()
    }

    /// The cost that half of these do not exceed.
    pub fn median(&self) -> Option<Decimal> {
        self.at(1, 2)
    }

    /// The cost that nine of ten of them do not exceed.
    pub fn p90(&self) -> Option<Decimal> {
        self.at(9, 10)
    }

    /// The smallest cost that this part of them does not exceed.
    fn at(&self, part: usize, of: usize) -> Option<Decimal> {
        let mut costs = self.priced_units.clone();
        costs.sort_unstable();
        costs.get((costs.len() * part).div_ceil(of).saturating_sub(1)).copied()
    }
}

/// The day of a time, as RFC 3339, in UTC.
fn utc_day(at: &str) -> Option<SmolStr> {
    at.parse::<Timestamp>().ok().map(|at| at.to_zoned(TimeZone::UTC).date().to_smolstr())
}

#[cfg(test)]
mod tests;
