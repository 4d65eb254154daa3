//! Test results for a terminal.

use trimtab_analysis::test::{CaseOutcome, Coverage, Failure, TestResult};
use trimtab_base::source::sanitize::one_line;

use super::{TestFormat, TestReport, TestedFile, gaps, location, percent, source_line};
use crate::report::Encoding;
use crate::report::explanation;
use crate::report::style::TerminalStyle;
use crate::report::wrap::fold_lines;

pub(super) static FORMAT: TestFormat = TestFormat {
    name: "human",
    summary: "Every test, with conditions and values for those that fail",
    encoding: Encoding::Text,
    render: |all| report(all, all.style),
};

pub(super) static PLAIN: TestFormat = TestFormat {
    name: "plain",
    summary: "Words instead of symbols, for screen readers",
    encoding: Encoding::Text,
    render: |all| report(all, TerminalStyle { color: false, unicode: false, ..all.style }),
};

fn report(testing: &TestReport<'_>, style: TerminalStyle) -> String {
    let quiet = testing.quiet;
    let mut out = String::new();
    for file in testing.files.iter().filter(|file| !file.outcomes.is_empty()) {
        let failed = file.outcomes.iter().any(|outcome| !matches!(outcome.result, TestResult::Passed));
        if quiet && !failed {
            continue;
        }
        out += &format!("{}\n", style.emphasis(&one_line(file.file)));
        for outcome in &file.outcomes {
            if !quiet || !matches!(outcome.result, TestResult::Passed) {
                out += &draw_outcome(file, outcome, style);
            }
        }
        out += "\n";
    }
    if testing.shows_coverage && testing.files.iter().any(|file| !file.coverage.is_empty()) {
        out += &coverages(testing, style);
    }
    if !quiet {
        out += &format!("{}\n", testing.summary());
    }
    for (_, coverage) in testing.uncovered() {
        let least = percent(testing.least.unwrap_or_default());
        let share = percent(coverage.share());
        out += &format!("the coverage of `{}` is {share}, below the required {least}\n", coverage.policy);
    }
    fold_lines(&out, style.width)
}

fn draw_outcome(file: &TestedFile<'_>, outcome: &CaseOutcome<'_>, style: TerminalStyle) -> String {
    let name = super::name(outcome);
    let mark = |good: bool| match (good, style.unicode) {
        (true, true) => style.success("✓"),
        (false, true) => style.failure("✗"),
        (true, false) => "passed:".to_owned(),
        (false, false) => "failed:".to_owned(),
    };
    match &outcome.result {
        TestResult::Passed => format!("  {} {name}\n", mark(true)),
        TestResult::Broken(span, reason) => {
            let mut out = format!("  {} {name}\n", mark(false));
            out += &format!("    {}: {}\n", location(file, *span), source_line(file.sources, *span));
            out + &style.wrap(reason, 6)
        }
        TestResult::Failed(failures) => {
            let mut out = format!("  {} {name}\n", mark(false));
            for failure in failures {
                let expected = style.emphasis(&source_line(file.sources, failure.span));
                out += &format!("    {}: {expected}\n", location(file, failure.span));
                let narrower = TerminalStyle { width: style.width.saturating_sub(6).max(20), ..style };
                out += &indent(&format_actual(failure, narrower), 6);
            }
            out
        }
    }
}

/// What happened instead, and the condition of the rule at that call.
pub(super) fn format_actual(failure: &Failure, style: TerminalStyle) -> String {
    let (first, rest) = failure.actual.split_once('\n').unwrap_or((&failure.actual, ""));
    let mut out = style.wrap(first, 0);
    out += &indent(rest, 2);
    for (phase, explanation) in &failure.explained {
        let call = failure.at.map(|at| format!("at {at}, ")).unwrap_or_default();
        out += &format!("{call}on {phase}\n{}", explanation::rule_explanation(explanation, style));
    }
    out
}

fn indent(text: &str, by: usize) -> String {
    text.lines().map(|line| format!("{}{line}\n", " ".repeat(by))).collect()
}

fn coverages(testing: &TestReport<'_>, style: TerminalStyle) -> String {
    let mut out = format!("{}\n", style.emphasis("coverage"));
    for file in &testing.files {
        for coverage in &file.coverage {
            out += &covered(file, coverage, style);
        }
    }
    out + "\n"
}

fn covered(file: &TestedFile<'_>, coverage: &Coverage, style: TerminalStyle) -> String {
    let fired = coverage.rules.iter().filter(|rule| rule.fired).count();
    let both = coverage.comparisons.iter().filter(|comparison| comparison.was_true && comparison.was_false).count();
    let mut out = format!(
        "  {}: {}, {fired} of {} rules fired, {both} of {} comparisons seen true and false\n",
        coverage.policy,
        style.emphasis(&percent(coverage.share())),
        coverage.rules.len(),
        coverage.comparisons.len(),
    );
    for gap in gaps(coverage) {
        let what = source_line(file.sources, gap.span);
        let of = if gap.missing == "never fires" { String::new() } else { format!(" of {}", gap.rule) };
        out += &format!("    {}: `{what}`{of} {}\n", location(file, gap.span), gap.missing);
    }
    out
}
