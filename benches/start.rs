//! Cold start: `trimtab validate` on one policy, compared with a process that does nothing.

#![expect(clippy::disallowed_methods, reason = "the bench starts processes, itself among them")]

use std::process::{Command, Stdio};

use criterion::Criterion;

/// The argument with which this program does nothing.
const NOTHING: &str = "--do-nothing";

fn run(command: &mut Command) {
    let status = command.stdout(Stdio::null()).status().expect("the process starts");
    assert!(status.success(), "{command:?}");
}

fn main() {
    if std::env::args().any(|argument| argument == NOTHING) {
        return;
    }
    let own = std::env::current_exe().expect("this program has a path");
    let policy = concat!(env!("CARGO_MANIFEST_DIR"), "/policies/coding_agent.trim");
    let mut criterion = Criterion::default().sample_size(60).configure_from_args();
    let mut group = criterion.benchmark_group("start");
    group.bench_function("empty", |bencher| bencher.iter(|| run(Command::new(&own).arg(NOTHING))));
    group.bench_function("validate", |bencher| {
        bencher.iter(|| run(Command::new(env!("CARGO_BIN_EXE_trimtab")).args(["validate", policy])));
    });
    group.finish();
    criterion.final_summary();
}
