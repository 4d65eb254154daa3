//! The checks as one JSON object.

use serde_json::{Value as Json, json};

use super::{CiCheck, CiFormat, CiProblem, CiReport, CiSimulation};
use crate::report::Encoding;

pub(super) static FORMAT: CiFormat =
    CiFormat { name: "json", summary: "One JSON object", encoding: Encoding::Json, render };

fn render(all: &CiReport) -> String {
    let json = json!({
        "schema_version": 1,
        "exit_code": all.code(),
        "parts": all.checks.iter().map(check).collect::<Vec<_>>(),
        "simulations": all.simulations.iter().map(simulation).collect::<Vec<_>>(),
    });
    format!("{json:#}\n")
}

fn simulation(simulation: &CiSimulation) -> Json {
    let CiSimulation { name, replays, met, expected, verdict, .. } = simulation;
    json!({ "name": name, "transcripts": replays, "met": met, "expected": expected, "verdict": verdict.json() })
}

fn check(check: &CiCheck) -> Json {
    let result = ["fine", "findings", "failed"][usize::from(check.code())];
    let problems: Vec<Json> = check.problems.iter().map(problem).collect();
    json!({ "name": check.name, "result": result, "summary": check.summary, "troubles": problems })
}

fn problem(problem: &CiProblem) -> Json {
    let (file, at) = problem.place.as_ref().map_or((None, None), |(file, at)| (Some(file), *at));
    json!({
        "file": file,
        "line": at.map(|at| at.line),
        "column": at.map(|at| at.column),
        "severity": problem.severity.word(),
        "message": problem.text,
    })
}
