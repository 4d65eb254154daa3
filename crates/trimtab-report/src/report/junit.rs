//! JUnit XML: the one place that writes it. Text that XML cannot represent is dropped by the writer.

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

/// The test cases of a group, such as a file.
pub(super) struct Suite {
    pub(super) name: String,
    pub(super) cases: Vec<Case>,
}

/// A test case.
pub(super) struct Case {
    pub(super) name: String,
    pub(super) classname: String,
    /// File and line, where they are known.
    pub(super) place: Option<(String, usize)>,
    pub(super) result: CaseResult,
    /// What the case reports beside its result.
    pub(super) output: String,
}

/// How a test case ended.
pub(super) enum CaseResult {
    Passed,
    /// It ran and did not pass.
    Failed(Problem),
    /// It could not run.
    Error(Problem),
}

/// Why a test case did not pass.
pub(super) struct Problem {
    /// The kind of problem, such as codes of findings; empty for none.
    pub(super) kind: String,
    /// One line.
    pub(super) message: String,
    /// Everything there is to know; may be empty.
    pub(super) details: String,
}

/// The report of all suites.
pub(super) fn render(suites: Vec<Suite>) -> String {
    let mut report = Report::new("trimtab");
    report.add_test_suites(suites.into_iter().map(suite));
    // Only a failing writer is an error, and memory does not fail.
    report.to_string().unwrap_or_else(|error| format!("<!-- {error} -->\n"))
}

fn suite(data: Suite) -> TestSuite {
    let mut suite = TestSuite::new(data.name);
    suite.add_test_cases(data.cases.into_iter().map(case));
    suite
}

fn case(data: Case) -> TestCase {
    let status = match data.result {
        CaseResult::Passed => TestCaseStatus::success(),
        CaseResult::Failed(problem) => status(NonSuccessKind::Failure, problem),
        CaseResult::Error(problem) => status(NonSuccessKind::Error, problem),
    };
    let mut case = TestCase::new(data.name, status);
    case.set_classname(data.classname);
    if let Some((file, line)) = data.place {
        case.extra.insert("file".into(), file.into());
        case.extra.insert("line".into(), line.to_string().into());
    }
    if !data.output.is_empty() {
        case.set_system_out(data.output);
    }
    case
}

fn status(kind: NonSuccessKind, problem: Problem) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(kind);
    status.set_message(problem.message);
    if !problem.kind.is_empty() {
        status.set_type(problem.kind);
    }
    if !problem.details.is_empty() {
        status.set_description(problem.details);
    }
    status
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped_and_what_xml_cannot_hold_is_dropped() {
        let problem =
            Problem { kind: String::new(), message: "a<b & \"c\"".into(), details: "\u{1b}[1md\u{0}\n".into() };
        let result = CaseResult::Failed(problem);
        let case = Case { name: "x".into(), classname: "p".into(), place: None, result, output: String::new() };
        let text = render(vec![Suite { name: "s".into(), cases: vec![case] }]);
        assert!(text.contains("message=\"a&lt;b &amp; &quot;c&quot;\""), "{text}");
        assert!(!text.contains(['\u{1b}', '\u{0}']) && text.contains(">d\n</failure>"), "{text}");
    }
}
