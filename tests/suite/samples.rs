//! Real recordings, where a folder of them is named: nothing panics, no invariant breaks, under any policy of `policies/`.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use trimtab::plan::Plan;
use trimtab::quantity::Decimal;
use trimtab::simulate::{Extract, Options, replay};
use trimtab::transcript;

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
    messages: usize,
    calls: usize,
    skipped: u64,
    errors: Vec<Decimal>,
    uncounted: usize,
}

impl Row {
    /// Notes how far the counter is off on a conversation.
    fn count(&mut self, error: Option<Decimal>) {
        match error {
            Some(error) => self.errors.push(error),
            None => self.uncounted += 1,
        }
    }

    /// Median and ninth decile of the counter's error.
    fn error(&mut self) -> Option<(Decimal, Decimal)> {
        self.errors.sort_unstable();
        let at = |share: usize| self.errors.get(self.errors.len() * share / 10).copied();
        at(5).zip(at(9))
    }
}

#[test]
fn real_recordings_replay_under_every_policy() {
    let Ok(folder) = std::env::var("TRIMTAB_SAMPLES") else {
        // Not through the macro, whose output a passing test keeps to itself.
        let notice = "\n*** SKIPPED: set TRIMTAB_SAMPLES to a folder of recordings to replay them all ***\n\n";
        std::io::stderr().write_all(notice.as_bytes()).unwrap();
        return;
    };
    let policies = policies();
    assert!(!policies.is_empty());
    let (mut paths, mut table, mut unread) = (Vec::new(), BTreeMap::<&str, Row>::new(), Vec::new());
    files(Path::new(&folder), &mut paths);
    for path in &paths {
        let bytes = fs::read(path).unwrap();
        let reading = match transcript::read(&bytes, None) {
            Ok(reading) => reading,
            Err(error) => {
                let kind = error.message.split(", which").next().unwrap_or_default();
                unread.push(format!("{}: {kind}", path.display()));
                continue;
            }
        };
        let row = table.entry(reading.format).or_default();
        row.files += 1;
        for one in &reading.transcripts {
            row.conversations += 1;
            row.messages += one.messages.len();
            row.skipped += one.skipped.values().sum::<u64>();
            for (at, (name, plan)) in policies.iter().enumerate() {
                let trace = replay(plan, one, &Options::default(), &mut Extract, &mut |_| {});
                if at == 0 {
                    row.count(trace.counter.error);
                }
                assert!(
                    trace.invariants.broken.is_empty(),
                    "{} under {name}: {:?}",
                    path.display(),
                    trace.invariants.broken
                );
                row.calls += trace.calls.len();
            }
        }
    }
    println!(
        "{:<20} {:>6} {:>13} {:>9} {:>15} {:>8}",
        "format", "files", "conversations", "messages", "calls replayed", "skipped"
    );
    for (format, row) in &table {
        println!(
            "{format:<20} {:>6} {:>13} {:>9} {:>15} {:>8}",
            row.files, row.conversations, row.messages, row.calls, row.skipped
        );
    }
    for (format, row) in &mut table {
        if let Some((median, decile)) = row.error() {
            let (known, unknown) = (row.errors.len(), row.uncounted);
            println!("{format}: counter error {median} median, {decile} p90 of {known}; unknown for {unknown}");
        }
    }
    println!("not read: {}", unread.len());
    for line in &unread {
        println!("  {line}");
    }
    assert!(!table.is_empty(), "no recording in {folder} could be read");
}
