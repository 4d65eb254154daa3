//! The checks as one JSON object.

use serde_json::{Value as Json, json};

use super::{CiCheck, CiFormat, CiProblem, CiReport};

pub(super) static FORMAT: CiFormat = CiFormat { name: "json", summary: "One JSON object", render };

fn render(all: &CiReport) -> String {
    let json = json!({
        "schema_version": 1,
        "exit_code": all.code(),
        "parts": all.checks.iter().map(check).collect::<Vec<_>>(),
    });
    format!("{json:#}\n")
}

fn check(one: &CiCheck) -> Json {
    let result = ["fine", "findings", "failed"][usize::from(one.code())];
    let problems: Vec<Json> = one.problems.iter().map(problem).collect();
    json!({ "name": one.name, "result": result, "summary": one.summary, "troubles": problems })
}

fn problem(one: &CiProblem) -> Json {
    let (file, at) = one.place.as_ref().map_or((None, None), |(file, at)| (Some(file), *at));
    json!({
        "file": file,
        "line": at.map(|at| at.line),
        "column": at.map(|at| at.column),
        "severity": one.severity.word(),
        "message": one.text,
    })
}
