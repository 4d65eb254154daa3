//! What a person sees of tests: policies in `tests/test`, each with its report in every form beside it.

use crate::cli::Run;
use crate::golden::snapshot;

fn report(file: &str, form: &str) -> String {
    let done = Run::line("test --coverage --width 80 --format").arg(form).arg(format!("tests/test/{file}.trim")).done();
    assert!(done.code < 2, "{}", done.err);
    done.out
}

#[test]
fn each_file_gives_the_report_beside_it() {
    for file in ["passing", "failing", "several"] {
        snapshot("test", file, &report(file, "human"));
    }
}

#[test]
fn each_form_gives_the_report_beside_it() {
    for form in ["plain", "concise", "json", "junit", "github", "markdown"] {
        snapshot("test", &format!("failing_{form}"), &report("failing", form));
    }
}
