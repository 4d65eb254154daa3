//! What recordings cost, by day, project, model or task: a row for each group.

use serde_json::{Value as Json, json};
use trimtab_analysis::recording::{CostGroup, CostGrouping, CostTable};
use trimtab_base::quantity::Decimal;

use super::amount::{dollars, dollars_number};
use super::listing::{Column, Listing, Section};
use super::number::{count, plural, whole};
use super::partial_sum::PartialSum;
use super::replay_result::ReplayError;

/// A row for each group and one for all, and the errors of files that could not be read.
pub fn costs(table: &CostTable, errors: &[ReplayError]) -> Listing {
    let groups = table.groups();
    let by = table.grouping.name();
    let by_task = table.grouping == CostGrouping::Task;
    let columns = columns(table.grouping);
    let named = groups.iter().map(|(name, group)| row(name, group, by_task));
    let rows: Vec<_> = named
        .chain((table.total.units > 0 || table.without_usage == 0).then(|| row("all", &table.total, by_task)))
        .collect();
    let json = json!({
        "schema_version": 1, "by": by, "groups": groups.iter().map(|(name, group)| group_json(Some(name), group)).collect::<Vec<_>>(),
        "total": group_json(None, &table.total), "without_usage": table.without_usage, "errors": errors,
    });
    let lines = groups.iter().map(|(name, group)| group_json(Some(name), group)).collect();
    Listing { sections: vec![Section { columns, rows, notes: notes(table), ..Section::default() }], json, lines }
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

fn group_json(name: Option<&str>, group: &CostGroup) -> Json {
    let money = |amount: Option<Decimal>| amount.map(dollars_number);
    let mut json = json!({
        "transcripts": group.transcripts, "tasks": group.tasks, "calls": group.costs.number, "tokens": group.tokens,
        "priced": group.costs.priced, "cost": PartialSum::from(group.costs).json(),
        "units": group.units, "priced_units": group.priced_units(), "median": money(group.median()), "p90": money(group.p90()),
    });
    if let Some(name) = name {
        json["group"] = name.into();
    }
    json
}
