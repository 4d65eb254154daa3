//! Reports of `trimtab test`: policies in `tests/test`, with a snapshot of the report in every output format.

use trimtab::report::TEST_FORMATS;

use crate::cli::Run;
use crate::golden::snapshot;

fn report(file: &str, format: &str) -> String {
    let output =
        Run::line("test --coverage --width 80 --format").arg(format).arg(format!("tests/test/{file}.trim")).output();
    assert!(output.code < 2, "{}", output.err);
    output.out
}

#[test]
fn each_file_matches_its_report_snapshot() {
    for file in ["passing", "failing", "several"] {
        snapshot("test", file, &report(file, "human"));
    }
}

#[test]
fn each_output_format_matches_its_snapshot() {
    for format in TEST_FORMATS.iter().map(|format| format.name).filter(|name| *name != "human") {
        snapshot("test", &format!("failing_{format}"), &report("failing", format));
    }
}
