//! Assertions over replays, for people and for machines.

use serde_json::{Value as Json, json};

use super::read_count::ReadCount;
use super::simulation::ReplayResult;
use super::style::{TerminalStyle, fold_lines};
use crate::test::Verdict;

/// What came of one assertion on one transcript.
#[derive(Clone, Debug)]
pub struct AssertionResult {
    /// The assertion as given.
    pub text: String,
    /// What came of it.
    pub verdict: Verdict,
}

impl AssertionResult {
    /// The machine form.
    pub(super) fn json(&self) -> Json {
        json!({
            "expression": self.text,
            "held": self.verdict.is_met,
            "seen": self.verdict.actual,
            "call": self.verdict.at,
        })
    }
}

/// Each assertion with what was seen: all of one transcript; of several, those that do not hold, and a count, which says
/// so when some recordings could not be read.
pub fn assertions(replays: &[ReplayResult], reach: ReadCount, style: TerminalStyle) -> String {
    let all: Vec<(&ReplayResult, &AssertionResult)> =
        replays.iter().flat_map(|one| one.assertions.iter().map(move |asserted| (one, asserted))).collect();
    if all.is_empty() {
        return String::new();
    }
    let mut out = String::from("\n");
    for (one, asserted) in &all {
        if asserted.verdict.is_met && replays.len() > 1 {
            continue;
        }
        let mark = match (asserted.verdict.is_met, style.unicode) {
            (true, true) => style.good("✓"),
            (false, true) => style.bad("✗"),
            (true, false) => "holds".to_owned(),
            (false, false) => "does not hold".to_owned(),
        };
        let place = if replays.len() > 1 { format!("{}: ", one.id) } else { String::new() };
        let (first, rest) = asserted.verdict.actual.split_once('\n').unwrap_or((&asserted.verdict.actual, ""));
        out += &format!("{mark} {place}{}\n{}", asserted.text, style.wrap(first, 4));
        out += &rest.lines().map(|line| format!("      {line}\n")).collect::<String>();
    }
    let failed = all.iter().filter(|(_, asserted)| !asserted.verdict.is_met).count();
    let partly = reach.partly().map(|partly| format!(" on the {partly} that were read")).unwrap_or_default();
    fold_lines(&(out + &format!("{} of {} assertions hold{partly}\n", all.len() - failed, all.len())), style.width)
}
