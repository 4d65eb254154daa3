//! Human-readable results of the expectations of `--assert`.

use trimtab_analysis::test::ExpectationResult;
use trimtab_base::source::sanitize::one_line;

use super::number::plural;
use super::read_count::ReadCount;
use super::replays::PolicyReplays;
use super::style::TerminalStyle;
use super::wrap::fold_lines;

/// For one transcript every expectation with its result, for several transcripts the failed ones; then those on totals, and a
/// count.
pub fn assertions(policy: &PolicyReplays<'_>, read: ReadCount, style: TerminalStyle) -> String {
    let PolicyReplays { replays, summed, .. } = policy;
    let (mut out, mut number, mut failed) = (String::from("\n"), summed.len(), 0);
    for (replay, asserted) in replays.iter().flat_map(|replay| replay.assertions.iter().map(move |one| (replay, one))) {
        number += 1;
        failed += usize::from(!asserted.verdict.is_met);
        if asserted.verdict.is_met && replays.len() > 1 {
            continue;
        }
        let place = if replays.len() > 1 { format!("{}: ", one_line(&replay.id)) } else { String::new() };
        out += &result(&format!("{place}{}", one_line(&asserted.text)), &asserted.verdict, style);
    }
    for asserted in *summed {
        let verdict = asserted.sum.verdict();
        failed += usize::from(!verdict.is_met);
        out += &result(&one_line(&asserted.text), &verdict, style);
    }
    if number == 0 {
        return String::new();
    }
    let partly = read.partial().map(|partial| format!(" on the {partial} that were read")).unwrap_or_default();
    let count = format!("{} of {} met{partly}\n", number - failed, plural(number, "expectation"));
    fold_lines(&(out + &count), style.width)
}

/// An expectation with its result.
fn result(text: &str, verdict: &ExpectationResult, style: TerminalStyle) -> String {
    let mark = match (verdict.is_met, style.unicode) {
        (true, true) => style.success("✓"),
        (false, true) => style.failure("✗"),
        (true, false) => "met".to_owned(),
        (false, false) => "not met".to_owned(),
    };
    let (first, rest) = verdict.actual.split_once('\n').unwrap_or((&verdict.actual, ""));
    let out = format!("{mark} {text}\n{}", style.wrap(first, 4));
    out + &rest.lines().map(|line| format!("      {line}\n")).collect::<String>()
}
