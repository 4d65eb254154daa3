//! Definitions of tools that were never called, as a share of what was sent.

use trimtab_analysis::recording::ToolDefinitions;
use trimtab_base::quantity::percent;

use super::listing::{Column, Section};
use super::number::{count, plural, whole};

/// How many tools are named.
const NAMED: usize = 5;

/// Returns the unused tools that took the most, or `None` if no recording holds definitions.
pub(super) fn section(all: &ToolDefinitions) -> Option<Section> {
    if all.transcripts == 0 {
        return None;
    }
    let columns = vec![
        Column::name("tool never called"),
        Column::number("transcripts"),
        Column::number("tokens"),
        Column::number("tokens sent"),
    ];
    let unused = all.by_tokens();
    let rows = unused
        .iter()
        .take(NAMED)
        .map(|(name, tool)| vec![name.to_string(), whole(tool.transcripts), count(tool.tokens), count(tool.sent)]);
    let rows = rows.collect();
    let more = unused.len().saturating_sub(NAMED);
    let notes = (more > 0).then(|| format!("And {} more", whole(more))).into_iter().collect();
    Some(Section { title: title(all), columns, rows, notes, ..Section::default() })
}

fn title(all: &ToolDefinitions) -> String {
    let of = plural(all.transcripts, "transcript");
    let Some(share) = all.unused_share() else {
        return format!("Tool definitions, in {of} without usage");
    };
    let definitions = count(all.definitions);
    format!(
        "Tool definitions: {} of {} tokens sent ({}) are of tools that were never called, in {of}; all definitions are {definitions}",
        count(all.unused_tokens()),
        count(all.sent),
        percent(share),
    )
}
