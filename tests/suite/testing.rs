//! Reports of `trimtab test`: policies in `tests/test`, with the report in every output format beside them.

use trimtab::report::TEST_FORMATS;

use crate::cli::Run;
use crate::golden::snapshot;

fn report(file: &str, format: &str) -> String {
    let done =
        Run::line("test --coverage --width 80 --format").arg(format).arg(format!("tests/test/{file}.trim")).done();
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
fn each_format_gives_the_report_beside_it() {
    for format in TEST_FORMATS.iter().map(|format| format.name).filter(|name| *name != "human") {
        snapshot("test", &format!("failing_{format}"), &report("failing", format));
    }
}
