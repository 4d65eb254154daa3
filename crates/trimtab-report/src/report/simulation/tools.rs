//! Notes on the tools that are declared: those that facts read, and `recall`.

use trimtab_language::fact::Topic;
use trimtab_language::plan::Plan;
use trimtab_simulate::simulate::{ToolsSource, Trace};

use crate::report::number::plural;

/// Returns a note on declared tools, for a policy that reads them, or `None` if every recording declares its own.
pub(super) fn tools_note<'t>(plan: &Plan, traces: impl IntoIterator<Item = &'t Trace>) -> Option<String> {
    let mut readings = plan.rules.iter().flat_map(trimtab_language::check::Rule::readings);
    let fact = readings.find(|reading| reading.fact.topic == Topic::DeclaredTools)?.name();
    let sources: Vec<Option<ToolsSource>> = traces.into_iter().map(|trace| trace.tools_source).collect();
    let of = |source: Option<ToolsSource>| sources.iter().filter(|known| **known == source).count();
    let (policy, profile, none) = (of(Some(ToolsSource::Policy)), of(Some(ToolsSource::Profile)), of(None));
    let whose = if profile > 0 { "the project's profile" } else { "the policy's `agent` block" };
    let mut lines = Vec::new();
    match (policy + profile, sources.len()) {
        (0, _) => {}
        (_, 1) => lines.push(format!("The recording declares no tools; those of {whose} are used.")),
        (count, all) if count == all => {
            lines.push(format!("The recordings declare no tools; those of {whose} are used."));
        }
        (count, all) => {
            lines
                .push(format!("{count} of {} declare no tools; those of {whose} are used.", plural(all, "transcript")));
        }
    }
    match (none, sources.len()) {
        (0, _) => {}
        (count, all) if count == all => {
            lines.push(format!("No tools are declared, so `{fact}` finds none."));
        }
        (count, all) => lines.push(format!(
            "No tools are declared for {count} of {}, so `{fact}` finds none there.",
            plural(all, "transcript")
        )),
    }
    (!lines.is_empty()).then(|| lines.join(" "))
}

/// A note on the declaration of the tool `recall`, where it is all that the policy changes.
pub(super) fn declared_recall<'t>(plan: &Plan, traces: impl IntoIterator<Item = &'t Trace>) -> Option<String> {
    let is_alone = |trace: &Trace| trace.saved() < 0 && trace.rules.iter().all(|rule| rule.fired == 0);
    let is_told = plan.offloads() && traces.into_iter().any(is_alone);
    is_told.then(|| "Each request declares the tool `recall`, also where no rule fires.".to_owned())
}
