//! The simulation of one policy, as human-readable text and as JSON.

mod cost;
mod counter;
mod events;
mod harness;
mod json;
mod many;
mod money;
mod notes;
mod one;
mod per_call;
mod pricing;
mod regret;
mod rule_interval;
mod rules;
mod text;
mod tools;
mod total;
mod unknown;
mod verdict;
mod wording;

pub(super) use json::fraction;
pub use json::{context_json, event_json, transcript_json};
#[cfg(feature = "cli")]
pub(super) use many::verdict as verdict_of_many;
pub(super) use money::{
    Total, dollars, exact_dollars, is_shown_as_more_than_zero, number as dollars_number, signed_dollars, with_sign,
};
#[cfg(feature = "cli")]
pub(super) use one::verdict;
#[cfg(feature = "cli")]
pub(super) use per_call::json as per_call_json;
pub(super) use pricing::notes as price_notes;
pub(super) use text::{ResultText, SimulationText};
pub(super) use total::Summand;
#[cfg(feature = "cli")]
pub(super) use total::Total as TranscriptTotal;
pub(super) use wording::OPEN_LOOP_NOTICE;

use super::replay_result::ReplayResult;
use super::style::TerminalStyle;
use super::wrap::fold_lines;
use crate::plan::Plan;

/// The human-readable report: a verdict, before and after, the rules, sparklines, and notes on how the numbers were obtained.
/// `top` is how many transcripts are listed, if that is limited.
pub fn simulation(plan: &Plan, replays: &[ReplayResult], top: Option<usize>, style: TerminalStyle) -> String {
    let text = match replays {
        [replay] => one::report(plan, replay, style),
        several => many::report(plan, several, top, style),
    };
    fold_lines(&text, style.width)
}
