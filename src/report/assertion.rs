//! Human-readable results of assertions.

use super::read_count::ReadCount;
use super::replay_result::{AssertionResult, ReplayResult};
use super::style::TerminalStyle;
use super::wrap::fold_lines;
use crate::source::sanitize::one_line;

/// For one transcript every assertion with its result, for several transcripts the failed ones; then a count.
pub fn assertions(replays: &[ReplayResult], read: ReadCount, style: TerminalStyle) -> String {
    let all: Vec<(&ReplayResult, &AssertionResult)> =
        replays.iter().flat_map(|replay| replay.assertions.iter().map(move |asserted| (replay, asserted))).collect();
    if all.is_empty() {
        return String::new();
    }
    let mut out = String::from("\n");
    for (replay, asserted) in &all {
        if asserted.verdict.is_met && replays.len() > 1 {
            continue;
        }
        let mark = match (asserted.verdict.is_met, style.unicode) {
            (true, true) => style.success("✓"),
            (false, true) => style.failure("✗"),
            (true, false) => "holds".to_owned(),
            (false, false) => "does not hold".to_owned(),
        };
        let place = if replays.len() > 1 { format!("{}: ", one_line(&replay.id)) } else { String::new() };
        let (first, rest) = asserted.verdict.actual.split_once('\n').unwrap_or((&asserted.verdict.actual, ""));
        out += &format!("{mark} {place}{}\n{}", one_line(&asserted.text), style.wrap(first, 4));
        out += &rest.lines().map(|line| format!("      {line}\n")).collect::<String>();
    }
    let failed = all.iter().filter(|(_, asserted)| !asserted.verdict.is_met).count();
    let partly = read.partial().map(|partial| format!(" on the {partial} that were read")).unwrap_or_default();
    fold_lines(&(out + &format!("{} of {} assertions hold{partly}\n", all.len() - failed, all.len())), style.width)
}
