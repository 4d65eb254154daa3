//! What recordings cost, by day, project, model or task: a row for each group.

use trimtab_analysis::recording::{CostGroup, CostGrouping, CostTable};
use trimtab_base::quantity::Decimal;

use super::amount::dollars;
use super::listing::{Column, Listing, Section};
use super::number::{count, plural, whole};
use super::partial_sum::PartialSum;
use super::replay_result::ReplayError;
use super::result::CostsResult;

/// A row for each group and one for all, and the errors of files that could not be read.
pub fn costs(table: &CostTable, errors: &[ReplayError]) -> Listing {
    let groups = table.groups();
    let by_task = table.grouping == CostGrouping::Task;
    let columns = columns(table.grouping);
    let named = groups.iter().map(|(name, group)| row(name, group, by_task));
    let rows: Vec<_> = named
        .chain((table.total.units > 0 || table.without_usage == 0).then(|| row("all", &table.total, by_task)))
        .collect();
    let result = CostsResult::of(table, errors);
    Listing::new(vec![Section { columns, rows, notes: notes(table), ..Section::default() }], &result, &result.groups)
}

/// The columns. A group of tasks is one transcript.
fn columns(grouping: CostGrouping) -> Vec<Column> {
    let (first, transcripts) = match grouping {
        CostGrouping::Task => (Column::file("transcript"), None),
        CostGrouping::Project => (Column::file(grouping.name()), Some("transcripts")),
        _ => (Column::name(grouping.name()), Some("transcripts")),
    };
    let numbers = ["tasks", "calls", "tokens", "cost", "median", "p90"];
    let numbers = transcripts.into_iter().chain(numbers).map(Column::number);
    std::iter::once(first).chain(numbers).collect()
}

fn notes(table: &CostTable) -> Vec<String> {
    let unit = table.grouping.unit();
    let mut notes = Vec::new();
    if table.total.units > 0 {
        notes.push(format!("Costs are at list prices; median and p90 are of the cost of a {unit}"));
    }
    if let Some(priced) = PartialSum::from(table.total.costs).priced("call") {
        notes.push(format!("{priced}; the others are in no cost, and a {unit} with such a call in no median or p90"));
    }
    if table.without_usage > 0 {
        notes.push(format!("Without usage: {}", plural(table.without_usage, "transcript")));
    }
    notes
}

fn row(name: &str, group: &CostGroup, by_task: bool) -> Vec<String> {
    let money = |amount: Option<Decimal>| amount.map_or_else(|| "-".to_owned(), dollars);
    let transcripts = (!by_task).then(|| whole(group.transcripts));
    let numbers = [whole(group.tasks), whole(group.costs.number), count(group.tokens)];
    let numbers = transcripts.into_iter().chain(numbers);
    let costs = [PartialSum::from(group.costs).cell(), money(group.median()), money(group.p90())];
    std::iter::once(name.to_owned()).chain(numbers).chain(costs).collect()
}
