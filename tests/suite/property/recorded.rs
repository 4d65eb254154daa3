//! Recordings in any format: what is read is written, converted, redacted, checked and replayed.
//!
//! Bytes are either a recording, or changes of the fixture of a format. Changes keep a recording valid JSON, so that they
//! reach what a reader does with values that it does not expect.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use serde_json::{Value as Json, json};
use trimtab::conversation::Role;
use trimtab::pipeline;
use trimtab::plan::{Plan, lower};
use trimtab::recording::{CONVERSIONS, History, HistoryOptions, RedactedText, convert, problems, redact};
use trimtab::simulate::{Extract, Options, replay};
use trimtab::transcript::{self, FORMATS, Transcript};

/// A policy with an effect of each kind.
const POLICY: &str = "edition 2026
policy p {
  rule arrivals { do trim arrivals to 40 chars including errors }
  rule mask { when failures >= 1 or iteration >= 2 do mask results keep 1 message }
  rule remind { when (idle ?? 0s) > 1m or (reported.tokens ?? 0 tokens) > 100 tokens do inject \"{iteration}\" as user for step }
  rule older { when context.ratio > 30% or iteration > 3 do summarise older keep 2 messages at_most 50 tokens }
  rule window { when iteration > 5 do retain last 2 interactions }
}
";

/// The most changes of a fixture.
const MOST_CHANGES: usize = 48;

/// Reads any bytes as a recording, in the format that they are recognised as and in every other.
pub(crate) fn any_bytes(bytes: &[u8]) {
    for format in FORMATS.iter().map(|format| Some(format.name)).chain([None]) {
        check(bytes, format);
    }
}

/// Changes the fixture of a format with a record on each line.
pub(crate) fn changed_lines(bytes: &[u8]) {
    changed_fixture(bytes, "jsonl");
}

/// Changes the fixture of a format that is one JSON document.
pub(crate) fn changed_documents(bytes: &[u8]) {
    changed_fixture(bytes, "json");
}

/// A fixture as the list of its records.
struct Fixture {
    format: String,
    records: Json,
}

/// The fixtures with an extension, in the order of their names.
fn fixtures(extension: &'static str) -> Vec<Fixture> {
    // The fuzzer runs in its own folder.
    let folder = ["tests/transcript", "../tests/transcript"].into_iter().map(Path::new).find(|path| path.exists());
    let entries = fs::read_dir(folder.expect("the folder of fixtures")).expect("readable");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|end| end == extension));
    paths.sort();
    let fixture = |path: PathBuf| {
        let text = fs::read_to_string(&path).expect("readable").replace("NaN", "null");
        let parts = if extension == "jsonl" { text.lines().collect() } else { vec![text.as_str()] };
        let records = parts.into_iter().filter_map(|part| serde_json::from_str::<Json>(part).ok()).collect();
        Fixture { format: path.file_stem().expect("a name").to_string_lossy().into_owned(), records }
    };
    paths.into_iter().map(fixture).collect()
}

/// The first byte chooses a fixture, each four bytes after it are a change.
fn changed_fixture(bytes: &[u8], extension: &'static str) {
    static LINES: OnceLock<Vec<Fixture>> = OnceLock::new();
    static DOCUMENTS: OnceLock<Vec<Fixture>> = OnceLock::new();
    let known = if extension == "jsonl" { &LINES } else { &DOCUMENTS };
    let known = known.get_or_init(|| fixtures(extension));
    let Some((first, changes)) = bytes.split_first() else { return };
    let fixture = &known[usize::from(*first) % known.len()];
    let mut records = fixture.records.clone();
    for change in changes.chunks_exact(4).take(MOST_CHANGES) {
        let at = usize::from(u16::from_be_bytes([change[0], change[1]]));
        apply(&mut records, at, change[2], usize::from(change[3]));
    }
    let lines: String = records.as_array().into_iter().flatten().map(|record| format!("{record}\n")).collect();
    check(lines.as_bytes(), Some(&fixture.format));
    check(lines.as_bytes(), None);
}

/// The values that take the place of others.
fn values() -> &'static [Json] {
    static VALUES: OnceLock<Vec<Json>> = OnceLock::new();
    VALUES.get_or_init(|| {
        let texts = [
            "",
            "a",
            "tool",
            "assistant",
            "user",
            "system",
            "0",
            "{}",
            "[{\"a\":1}]",
            "2026-01-01T00:00:00Z",
            "\0é\u{202e}",
        ];
        let numbers =
            [json!(0), json!(-1), json!(u64::MAX), json!(i64::MIN), json!(1e300), json!(0.5), json!(1_700_000_000)];
        let other =
            [json!(null), json!(true), json!(false), json!([]), json!({}), json!([null]), json!([[]]), json!({"": 0})];
        let texts = texts.into_iter().map(Json::from);
        texts.chain(numbers).chain(other).collect()
    })
}

/// The paths of all values below the records themselves, and of the records.
fn paths(json: &Json, path: &str, found: &mut Vec<String>) {
    let mut add = |key: &str, item: &Json| {
        let path = format!("{path}/{}", key.replace('~', "~0").replace('/', "~1"));
        found.push(path.clone());
        paths(item, &path, found);
    };
    match json {
        Json::Array(items) => items.iter().enumerate().for_each(|(at, item)| add(&at.to_string(), item)),
        Json::Object(map) => map.iter().for_each(|(key, item)| add(key, item)),
        _ => {}
    }
}

/// Makes one change of the value at one of the paths.
fn apply(records: &mut Json, at: usize, kind: u8, argument: usize) {
    let mut known = Vec::new();
    paths(records, "", &mut known);
    let Some(path) = (!known.is_empty()).then(|| known[at % known.len()].clone()) else { return };
    let Some(value) = records.pointer(&path).cloned() else { return };
    let new = match kind % 8 {
        0 => values()[argument % values().len()].clone(),
        // Another value of the recording, near or far.
        1 => records.pointer(&known[(at + argument) % known.len()]).cloned().unwrap_or_default(),
        2 => records.pointer(&known[(at * 7 + argument * 31) % known.len()]).cloned().unwrap_or_default(),
        3 => json!([value]),
        4 => json!({ "content": value }),
        5 => value.as_str().map_or(json!(null), |text| text.chars().take(argument % 8).collect::<String>().into()),
        _ => return change_list(records, &path, kind % 8 == 6, argument),
    };
    if let Some(place) = records.pointer_mut(&path) {
        *place = new;
    }
}

/// Removes a value from its list or its object, or repeats it in its list.
fn change_list(records: &mut Json, path: &str, removes: bool, argument: usize) {
    let Some((parent, key)) = path.rsplit_once('/') else { return };
    match records.pointer_mut(parent) {
        Some(Json::Array(items)) => {
            let at: usize = key.parse().unwrap_or(0);
            let item = items[at].clone();
            let to = argument % (items.len() + 1);
            if removes { drop(items.remove(at)) } else { items.insert(to, item) }
        }
        Some(Json::Object(map)) if removes => drop(map.remove(&key.replace("~1", "/").replace("~0", "~"))),
        _ => {}
    }
}

/// Reads a recording and checks each of its conversations.
fn check(bytes: &[u8], format: Option<&str>) {
    let Ok(file) = transcript::read(bytes, format) else { return };
    for read in &file.transcripts {
        check_results(read);
        check_written(read);
        drop(problems(read, None));
        drop(History::of(read, &HistoryOptions { call: Some(0), largest: 3, ..HistoryOptions::default() }));
        check_replay(read);
    }
}

/// Tool results stand in messages of tools, one in each.
fn check_results(transcript: &Transcript) {
    for message in &transcript.messages {
        let expected = usize::from(message.role == Role::Tool);
        assert!(message.results().count() == expected, "{:?} in {}", message.parts, transcript::write(transcript));
    }
}

/// What is written is read back, in our form and in those of others, redacted or not.
fn check_written(transcript: &Transcript) {
    let written = transcript::write(transcript);
    let again = transcript::read(written.as_bytes(), Some("trimtab")).expect("what was written can be read");
    assert_eq!(again.transcripts.len(), 1, "{written}");
    let again = &again.transcripts[0];
    assert_eq!(again.messages.len(), transcript.messages.len(), "{written}");
    check_same(&written, &transcript::write(again));
    for what in [RedactedText::Secrets, RedactedText::All] {
        let redacted = redact(&written, what);
        let hidden = transcript::read(redacted.as_bytes(), Some("trimtab")).expect("what was redacted can be read");
        assert_eq!(hidden.transcripts[0].messages.len(), transcript.messages.len(), "{redacted}");
    }
    for format in CONVERSIONS {
        let (text, _) = convert(transcript, format);
        if !transcript.messages.is_empty() {
            drop(transcript::read(text.as_bytes(), Some(format.name)));
        }
    }
}

/// Shows where two texts differ.
fn check_same(expected: &str, text: &str) {
    let chars = || expected.chars().zip(text.chars());
    let same = chars().take_while(|(a, b)| a == b).count();
    let part = |text: &str| text.chars().skip(same.saturating_sub(150)).take(250).collect::<String>();
    assert!(expected == text, "written\n{}\nread and written again\n{}", part(expected), part(text));
}

fn plan() -> &'static Plan {
    static PLAN: OnceLock<Plan> = OnceLock::new();
    PLAN.get_or_init(|| {
        let compiled = pipeline::compile("any.trim", POLICY);
        let checked = compiled.checked.unwrap_or_else(|| panic!("{:#?}", compiled.diagnostics));
        lower(&checked, None).expect("one policy")
    })
}

/// A policy adds no broken invariant; each call is billed.
fn check_replay(transcript: &Transcript) {
    let trace = replay(plan(), transcript, &Options::default(), &mut Extract, &mut |sent| drop(sent.messages()));
    assert!(trace.invariants.broken.is_empty(), "{:?}", trace.invariants.broken);
    assert_eq!(trace.money.calls.len(), trace.calls.len());
}
