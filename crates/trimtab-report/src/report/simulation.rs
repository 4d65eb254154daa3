//! The simulation of one policy, as human-readable text and as JSON.

mod compared;
mod context;
mod counter;
mod events;
mod harness;
mod json_writer;
mod many;
mod money;
mod note_list;
mod notes;
mod one;
mod pricing;
mod regret;
mod rules;
mod tools;
mod unknown;
mod wording;

use trimtab_language::plan::Plan;

use super::replay_result::ReplayResult;
use super::style::TerminalStyle;
use super::verdict::{Subject, VerdictBlock, VerdictFigures};
use super::wrap::fold_lines;
pub use context::{context_json, event_json};
pub(super) use json_writer::{JsonListWriter, JsonWriter};
pub(super) use money::cost_cells;
pub(super) use pricing::notes as price_notes;
pub(super) use unknown::unknown_facts;
pub(super) use wording::OPEN_LOOP_NOTICE;

/// The human-readable report: a verdict, before and after, the rules, sparklines, and notes on how the numbers were obtained.
/// `unread` is the number of files that could not be read, and `top` is how many transcripts are listed, if that is limited.
/// Without `is_verbose` the report has only notes that change how its figures are read.
pub fn simulation(
    plan: &Plan,
    replays: &[ReplayResult],
    unread: usize,
    top: Option<usize>,
    is_verbose: bool,
    style: TerminalStyle,
) -> String {
    let (mut text, notes) = match (replays, unread) {
        ([replay], 0) => one::report(plan, replay, style),
        _ => many::report(plan, replays, unread, top, style),
    };
    text += &notes.text(is_verbose, style);
    fold_lines(&text, style.width)
}

/// The verdict on a policy.
pub(super) fn verdict(plan: &Plan, replays: &[ReplayResult], unread: usize) -> VerdictBlock {
    let figures = VerdictFigures::of_all(replays.iter().map(|replay| (replay.id.as_str(), &replay.trace)));
    let recording = match replays {
        [replay] => Some(replay.id.as_str()),
        _ => None,
    };
    VerdictBlock::of(Subject { recording, unread, ..Subject::of(plan) }, &figures)
}
