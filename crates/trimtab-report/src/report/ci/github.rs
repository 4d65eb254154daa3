//! The checks as annotations of a GitHub workflow, then one line per check.

use super::{CiCheck, CiFormat, CiProblem, CiReport};
use crate::report::Encoding;
use crate::report::github::{Annotation, Region};

pub(super) static FORMAT: CiFormat = CiFormat {
    name: "github",
    summary: "Annotations of a GitHub workflow, and one line per check",
    encoding: Encoding::Text,
    render,
};

fn render(all: &CiReport) -> String {
    let problems =
        all.checks.iter().flat_map(|check| check.problems.iter().map(move |problem| annotation(check, problem)));
    let lines = all.checks.iter().map(|check| format!("{}: {}: {}\n", check.name, check.result(), check.summary));
    problems.chain(lines).collect::<String>() + &format!("{}\n", all.verdict())
}

fn annotation(check: &CiCheck, problem: &CiProblem) -> String {
    let place = problem.place.as_ref();
    let annotation = Annotation {
        severity: problem.severity,
        title: check.name,
        file: place.map(|(file, _)| file.as_str()),
        region: place.and_then(|(_, at)| *at).map(|from| Region { from, to: None }),
        message: &problem.text,
    };
    annotation.to_string()
}
