//! Test results as JSON.

use serde_json::{Value as Json, json};
use trimtab_analysis::test::{Coverage, Failure, Outcome, TestResult};
use trimtab_base::quantity::Decimal;
use trimtab_base::source::Span;
use trimtab_run::run::ConditionTrace;

use super::{TestFormat, TestReport, TestedFile, gaps, place, source_line};
use crate::report::Encoding;

pub(super) static FORMAT: TestFormat =
    TestFormat { name: "json", summary: "One JSON object", encoding: Encoding::Json, render };

fn render(testing: &TestReport<'_>) -> String {
    let (passed, failed, broken) = testing.counts();
    let tests = testing.files.iter().flat_map(|file| file.outcomes.iter().map(move |outcome| test(file, outcome)));
    let mut json = json!({
        "schema_version": 1,
        "tests": tests.collect::<Vec<_>>(),
        "summary": { "files": testing.files.len(), "tests": passed + failed + broken, "passed": passed,
                     "failed": failed, "broken": broken },
        "seed": testing.seed,
    });
    if testing.shows_coverage {
        let all =
            testing.files.iter().flat_map(|file| file.coverage.iter().map(move |coverage| covered(file, coverage)));
        json["coverage"] = all.collect();
    }
    format!("{json:#}\n")
}

fn at(file: &TestedFile<'_>, span: Span) -> Json {
    let (name, line, column) = place(file, span);
    json!({ "file": name, "line": line, "column": column, "start": span.start, "end": span.end })
}

fn test(file: &TestedFile<'_>, outcome: &Outcome<'_>) -> Json {
    let (status, failures, reason) = match &outcome.result {
        TestResult::Passed => ("passed", Vec::new(), None),
        TestResult::Failed(failures) => ("failed", failures.iter().map(|each| failure(file, each)).collect(), None),
        TestResult::Broken(_, reason) => ("broken", Vec::new(), Some(reason)),
    };
    json!({
        "file": file.file,
        "policy": outcome.case.policy,
        "name": outcome.case.name,
        "span": at(file, outcome.case.head),
        "status": status,
        "failures": failures,
        "reason": reason,
    })
}

fn failure(file: &TestedFile<'_>, failure: &Failure) -> Json {
    let explained = failure.explained.iter().map(|(phase, explanation)| {
        json!({
            "phase": phase,
            "rule": explanation.rule,
            "result": explanation.result.word(),
            "condition": finding(&explanation.when),
            "unless": explanation.unless.as_ref().map(finding),
            "held": explanation.held_by,
        })
    });
    json!({
        "span": at(file, failure.span),
        "expected": source_line(file.sources, failure.span),
        "seen": failure.actual,
        "call": failure.at,
        "explanation": explained.collect::<Vec<_>>(),
    })
}

fn finding(trace: &ConditionTrace) -> Json {
    json!({
        "text": trace.text,
        "value": trace.value,
        "truth": trace.truth,
        "parts": trace.parts.iter().map(finding).collect::<Vec<_>>(),
    })
}

fn covered(file: &TestedFile<'_>, coverage: &Coverage) -> Json {
    let (covered, all) = coverage.counts();
    let missing = gaps(coverage).into_iter().map(|gap| {
        json!({ "span": at(file, gap.span), "rule": gap.rule, "text": source_line(file.sources, gap.span), "missing": gap.missing })
    });
    let percent = (coverage.share() * Decimal::ONE_HUNDRED).trunc_with_scale(1).normalize();
    json!({
        "file": file.file,
        "policy": coverage.policy,
        "covered": covered,
        "all": all,
        "percent": serde_json::from_str::<Json>(&percent.to_string()).unwrap_or(Json::Null),
        "missing": missing.collect::<Vec<_>>(),
    })
}
