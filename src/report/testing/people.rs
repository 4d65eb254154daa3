//! Tests for people.

use super::{Tested, Testing, gaps, percent, text, written};
use crate::report::explanation;
use crate::report::look::{Look, fold_lines};
use crate::test::{Coverage, End, Failure, Outcome};

pub(super) fn report(testing: &Testing<'_>, look: Look, plain: bool, quiet: bool) -> String {
    let look = if plain { Look { color: false, unicode: false, ..look } } else { look };
    let mut out = String::new();
    for file in testing.files.iter().filter(|file| !file.outcomes.is_empty()) {
        let failed = file.outcomes.iter().any(|one| !matches!(one.end, End::Passed));
        if quiet && !failed {
            continue;
        }
        out += &format!("{}\n", look.strong(file.file));
        for outcome in &file.outcomes {
            if !quiet || !matches!(outcome.end, End::Passed) {
                out += &one(file, outcome, look);
            }
        }
        out += "\n";
    }
    if testing.shows_coverage && testing.files.iter().any(|file| !file.coverage.is_empty()) {
        out += &coverages(testing, look);
    }
    if !quiet {
        out += &format!("{}\n", testing.summary());
    }
    for (_, coverage) in testing.uncovered() {
        let least = percent(testing.least.unwrap_or_default());
        let share = percent(coverage.share());
        out += &format!("`{}` is covered to {share}, and {least} is wanted\n", coverage.policy);
    }
    fold_lines(&out, look.width)
}

fn one(file: &Tested<'_>, outcome: &Outcome<'_>, look: Look) -> String {
    let name = &outcome.case.name;
    let mark = |good: bool| match (good, look.unicode) {
        (true, true) => look.good("✓"),
        (false, true) => look.bad("✗"),
        (true, false) => "passed:".to_owned(),
        (false, false) => "failed:".to_owned(),
    };
    match &outcome.end {
        End::Passed => format!("  {} {name}\n", mark(true)),
        End::Broken(span, reason) => {
            let mut out = format!("  {} {name}\n", mark(false));
            out += &format!("    {}: {}\n", written(file, *span), text(file.sources, *span));
            out + &look.wrap(reason, 6)
        }
        End::Failed(failures) => {
            let mut out = format!("  {} {name}\n", mark(false));
            for failure in failures {
                let expected = look.strong(&text(file.sources, failure.span));
                out += &format!("    {}: {expected}\n", written(file, failure.span));
                out += &indent(&seen(failure, look), 6);
            }
            out
        }
    }
}

/// What was seen instead, and the rule's condition there.
pub(super) fn seen(failure: &Failure, look: Look) -> String {
    let (first, rest) = failure.seen.split_once('\n').unwrap_or((&failure.seen, ""));
    let mut out = look.wrap(first, 0);
    out += &indent(rest, 2);
    for (phase, explanation) in &failure.explained {
        let call = failure.at.map(|at| format!("at {at}, ")).unwrap_or_default();
        out += &format!("{call}on {phase}\n{}", explanation::one(explanation, look));
    }
    out
}

fn indent(text: &str, by: usize) -> String {
    text.lines().map(|line| format!("{}{line}\n", " ".repeat(by))).collect()
}

fn coverages(testing: &Testing<'_>, look: Look) -> String {
    let mut out = format!("{}\n", look.strong("coverage"));
    for file in &testing.files {
        for coverage in &file.coverage {
            out += &covered(file, coverage, look);
        }
    }
    out + "\n"
}

fn covered(file: &Tested<'_>, coverage: &Coverage, look: Look) -> String {
    let fired = coverage.rules.iter().filter(|rule| rule.fired).count();
    let both = coverage.comparisons.iter().filter(|one| one.held && one.failed).count();
    let mut out = format!(
        "  {}: {}, {fired} of {} rules fired, {both} of {} comparisons seen true and false\n",
        coverage.policy,
        look.strong(&percent(coverage.share())),
        coverage.rules.len(),
        coverage.comparisons.len(),
    );
    for gap in gaps(coverage) {
        let what = text(file.sources, gap.span);
        let of = if gap.missing == "never fires" { String::new() } else { format!(" of {}", gap.rule) };
        out += &format!("    {}: `{what}`{of} {}\n", written(file, gap.span), gap.missing);
    }
    out
}
