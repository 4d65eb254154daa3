//! Real recordings from the folder in `TRIMTAB_SAMPLES`: no policy in `policies/` panics or breaks an invariant on them, and
//! without rules they cost what was recorded.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use trimtab::plan::Plan;
use trimtab::quantity::Decimal;
use trimtab::simulate::{Extract, Options, Trace, replay};
use trimtab::transcript::{self, Transcript, Unsupported};

use crate::laws;

fn files(folder: &Path, out: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() { files(&path, out) } else { out.push(path) }
    }
}

fn policies() -> Vec<(String, Plan)> {
    let mut all = Vec::new();
    files(Path::new("policies"), &mut all);
    let trims = all.into_iter().filter(|path| path.extension().is_some_and(|end| end == "trim"));
    trims.map(|path| (path.display().to_string(), laws::plan(&fs::read_to_string(&path).unwrap()))).collect()
}

#[derive(Default)]
struct Row {
    files: usize,
    conversations: usize,
    calls: usize,
    skipped: BTreeMap<String, u64>,
    /// Results that harnesses cleared, as recorded and as inferred, and reset contexts.
    cleared: [usize; 2],
    resets: usize,
    windows: BTreeMap<&'static str, usize>,
    errors: Vec<Decimal>,
}

impl Row {
    /// Median and ninth decile of the counter's error.
    fn error(&mut self) -> Option<(Decimal, Decimal)> {
        self.errors.sort_unstable();
        let at = |share: usize| self.errors.get(self.errors.len() * share / 10).copied();
        at(5).zip(at(9))
    }

    fn add(&mut self, transcript: &Transcript, trace: &Trace) {
        self.conversations += 1;
        self.calls += trace.calls.len();
        self.resets += trace.resets.len();
        self.errors.extend(trace.counter.error);
        for (kind, number) in &transcript.skipped {
            *self.skipped.entry(kind.clone()).or_default() += number;
        }
        for clearing in &trace.clearings {
            self.cleared[usize::from(clearing.inferred)] += clearing.results;
        }
        *self.windows.entry(trace.window.map_or("unknown", |(_, source)| source.word())).or_default() += 1;
    }

    fn print(&self, format: &str) {
        let list = |counts: Vec<String>| if counts.is_empty() { "-".to_owned() } else { counts.join(", ") };
        let skipped = list(self.skipped.iter().map(|(kind, number)| format!("{kind} {number}")).collect());
        let windows = list(self.windows.iter().map(|(source, number)| format!("{source} {number}")).collect());
        let [recorded, inferred] = self.cleared;
        println!(
            "| {format} | {} | {} | {} | {skipped} | {recorded} cleared, {inferred} inferred, {} resets | {windows} |",
            self.files, self.conversations, self.calls, self.resets
        );
    }
}

/// Asserts that no invariant breaks and that no context is smaller than the estimated overhead.
fn check(name: &str, trace: &Trace) {
    assert!(trace.invariants.broken.is_empty(), "{name}: {:?}", trace.invariants.broken);
    for (at, call) in trace.calls.iter().enumerate() {
        assert!(call.before >= call.overhead, "{name}, call {at}: recorded below the overhead: {call:?}");
        assert!(!call.made || call.after >= call.overhead, "{name}, call {at}: sent below the overhead: {call:?}");
    }
}

#[test]
fn real_recordings_replay_under_every_policy() {
    let Ok(folder) = std::env::var("TRIMTAB_SAMPLES") else {
        // Without the macro, whose output is captured in a passing test.
        let notice = "\n*** SKIPPED: set TRIMTAB_SAMPLES to a directory of recordings to replay them all ***\n\n";
        std::io::stderr().write_all(notice.as_bytes()).unwrap();
        return;
    };
    let policies = policies();
    assert!(!policies.is_empty());
    let (mut paths, mut table, mut unread) =
        (Vec::new(), BTreeMap::<&str, Row>::new(), BTreeMap::<String, usize>::new());
    files(Path::new(&folder), &mut paths);
    for path in &paths {
        let bytes = fs::read(path).unwrap();
        let reading = match transcript::read(&bytes, None) {
            Ok(reading) => reading,
            Err(error) => {
                let kind = match error.unsupported {
                    Some(Unsupported::Tool(tool)) => tool.to_owned(),
                    Some(Unsupported::Unknown) => "unknown".to_owned(),
                    None => error.message,
                };
                *unread.entry(kind).or_default() += 1;
                continue;
            }
        };
        let row = table.entry(reading.format).or_default();
        row.files += 1;
        for transcript in &reading.transcripts {
            let trace = replay(&Plan::without_rules(), transcript, &Options::default(), &mut Extract, &mut |_| {});
            let money = trace.money;
            assert_eq!(money.before, money.after, "{}: without rules it costs what was recorded", path.display());
            for (at, (name, plan)) in policies.iter().enumerate() {
                let trace = replay(plan, transcript, &Options::default(), &mut Extract, &mut |_| {});
                check(&format!("{} under {name}", path.display()), &trace);
                if at == 0 {
                    row.add(transcript, &trace);
                }
            }
        }
    }
    println!(
        "| format | files | conversations | calls | skipped by kind | harness edits taken in | windows by source |"
    );
    println!("|---|---|---|---|---|---|---|");
    for (format, row) in &table {
        row.print(format);
    }
    for (format, row) in &mut table {
        if let Some((median, decile)) = row.error() {
            let (known, all) = (row.errors.len(), row.conversations);
            println!("{format}: counter error {median} median, {decile} p90 of {known}; unknown for {}", all - known);
        }
    }
    let unread: Vec<String> = unread.iter().map(|(kind, number)| format!("{kind} {number}")).collect();
    println!("not read: {}", unread.join(", "));
    assert!(!table.is_empty(), "no recording in {folder} could be read");
}
