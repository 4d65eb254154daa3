//! What recordings cost, by day, project, model or task.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use trimtab_analysis::recording::{COST_GROUPINGS, CostGroup, CostTable};

use super::SCHEMA_VERSION;
use crate::report::figure::{Amount, number};
use crate::report::replay_result::ReplayError;

/// What recordings cost, by group.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CostsResult {
    /// The version of the form.
    #[schemars(extend("const" = SCHEMA_VERSION))]
    pub schema_version: u64,
    /// What the groups are of.
    #[schemars(extend("enum" = COST_GROUPINGS.map(|grouping| grouping.name())))]
    pub by: String,
    /// The groups.
    pub groups: Vec<NamedCosts>,
    /// All calls.
    pub total: GroupCosts,
    /// The transcripts with replies of which none has usage, which belong to no group.
    pub without_usage: u64,
    /// The recordings that could not be read.
    pub errors: Vec<ReplayError>,
}

/// The costs of a group with its name.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[non_exhaustive]
pub struct NamedCosts {
    /// The costs.
    #[serde(flatten)]
    pub costs: GroupCosts,
    /// The name of the group.
    pub group: String,
}

/// The costs of a group.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[non_exhaustive]
pub struct GroupCosts {
    /// The transcripts with calls in the group.
    pub transcripts: u64,
    /// The tasks with calls in the group.
    pub tasks: u64,
    /// The calls with usage.
    pub calls: u64,
    /// Their tokens of input and output.
    pub tokens: u64,
    /// The calls with a known price.
    pub priced: u64,
    /// What these cost at list prices, in US dollars; null if no price is known.
    pub cost: Amount,
    /// The transcripts, or the tasks with `--by task`.
    pub units: u64,
    /// Those of them whose calls all have a known price.
    pub priced_units: u64,
    /// The cost that half of these do not exceed.
    pub median: Amount,
    /// The cost that nine of ten of these do not exceed.
    pub p90: Amount,
}

impl CostsResult {
    /// The costs, and the errors of files that could not be read.
    pub(in super::super) fn of(table: &CostTable, errors: &[ReplayError]) -> Self {
        let named =
            |(name, group): (&_, &CostGroup)| NamedCosts { group: ToString::to_string(name), costs: group.into() };
        Self {
            schema_version: SCHEMA_VERSION,
            by: table.grouping.name().to_owned(),
            groups: table.groups().into_iter().map(named).collect(),
            total: (&table.total).into(),
            without_usage: number(table.without_usage),
            errors: errors.to_vec(),
        }
    }
}

impl From<&CostGroup> for GroupCosts {
    fn from(group: &CostGroup) -> Self {
        Self {
            transcripts: number(group.transcripts),
            tasks: number(group.tasks),
            calls: number(group.costs.number),
            tokens: group.tokens,
            priced: number(group.costs.priced),
            cost: group.costs.known().into(),
            units: number(group.units),
            priced_units: number(group.priced_units()),
            median: group.median().into(),
            p90: group.p90().into(),
        }
    }
}
