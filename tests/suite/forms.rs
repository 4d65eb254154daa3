//! Every form of a report writes the same figure as the same string.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;
use trimtab::conversation::{Message, Usage};
use trimtab::plan::Plan;
use trimtab::report::{PolicyReplays, REPLAY_FORMATS, ReplayHead, ReplayResult, Replays, TerminalStyle};
use trimtab::simulate::{ConstantSummariser, Options, replay};
use trimtab::transcript::Transcript;

use crate::generated::{self, irregular};
use crate::laws;

/// No line is wrapped.
const WIDE: TerminalStyle = TerminalStyle { width: 4_000, color: false, unicode: true };

/// The rows of a table by their first cells.
type Rows = BTreeMap<String, Vec<String>>;

fn replayed(plan: &Plan, transcripts: &[Transcript]) -> Vec<ReplayResult> {
    let result = |(at, transcript): (usize, &Transcript)| {
        let mut summariser = ConstantSummariser("short {n}".to_owned());
        let trace = replay(plan, transcript, &Options::default(), &mut summariser, &mut |_| {});
        ReplayResult { file: "f".to_owned(), id: format!("f#{at}"), trace, assertions: Vec::new() }
    };
    transcripts.iter().enumerate().map(result).collect()
}

/// The replays in a format.
fn rendered(format: &str, plan: &Plan, replays: &[ReplayResult]) -> String {
    let policy = PolicyReplays { file: "p.trim", plan, replays, summed: &[] };
    let head = ReplayHead { policies: 1, version: "0.0.0", options: serde_json::Map::new() };
    let all = Replays { policies: &[policy], head: &head, errors: &[], top: None, is_verbose: false, style: WIDE };
    let format = REPLAY_FORMATS.iter().find(|known| known.name == format).unwrap();
    format.render(&all).for_terminal().into_owned()
}

/// The lines of the verdict by their labels.
fn verdict(text: &str) -> BTreeMap<String, String> {
    let lines = text.lines().filter_map(|line| line.strip_prefix("- **")?.split_once("**: "));
    lines.map(|(label, figures)| (label.to_owned(), figures.replace(['\\', '`'], ""))).collect()
}

/// The rows of all tables in Markdown.
fn markdown_rows(text: &str) -> Vec<Vec<String>> {
    let cells =
        |line: &str| line.split(" | ").map(|cell| cell.trim_matches(['|', ' ', '`']).replace('\\', "")).collect();
    text.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| ---")).map(cells).collect()
}

/// The rows of all tables in a text, by their first cells.
fn text_rows(text: &str) -> Rows {
    let cells = |line: &str| -> Vec<String> {
        line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).map(str::to_owned).collect()
    };
    text.lines().map(cells).filter(|row| row.len() > 1).map(|mut row| (row.remove(0), row)).collect()
}

/// A figure without the share after it.
fn figure(cell: &str) -> &str {
    cell.split(" (").next().unwrap_or(cell)
}

/// Fails if the text and the Markdown of a simulation write a figure differently.
fn check(policy: &str, transcripts: &[Transcript]) -> Result<usize, TestCaseError> {
    let plan = laws::plan(policy);
    let replays = replayed(&plan, transcripts);
    let text = rendered("human", &plan, &replays);
    let markdown = rendered("markdown", &plan, &replays);
    let rows = text_rows(&text);
    let mut compared = 0;
    for (label, figures) in verdict(&markdown) {
        prop_assert_eq!(Some(&vec![figures]), rows.get(&label), "{}\n{}\n{}", label, text, markdown);
        compared += 1;
    }
    // After a stop, the tables compare different calls, and different contexts of one. The tables of transcripts differ.
    let is_stopped = replays.iter().any(|replay| replay.trace.stops().next().is_some());
    for row in markdown_rows(&markdown) {
        let shown = rows.get(&row[0]).filter(|shown| !is_stopped && shown.len() > 1 && !row[0].starts_with("f#"));
        if let (Some(shown), [label, recorded, policy]) = (shown, row.as_slice()) {
            let pair = [figure(&shown[0]), figure(&shown[1])];
            prop_assert_eq!(pair, [recorded.as_str(), policy.as_str()], "{}\n{}\n{}", label, text, markdown);
            compared += 1;
        }
        // A rule has a letter before its name in the text, and its costs in a sentence.
        if row.len() == 10 && row[0] != "rule" {
            compared += check_rule(&row, &rows, &text)?;
        }
    }
    Ok(compared)
}

/// A rule as Markdown has it: name, due, fired, edits, tokens saved, cost saved, cost caused and more.
fn check_rule(row: &[String], rows: &Rows, text: &str) -> Result<usize, TestCaseError> {
    let named =
        |label: &&String| label.split_once(' ').is_some_and(|(letter, name)| letter.len() == 1 && name == row[0]);
    let Some(shown) = rows.keys().find(named).map(|label| &rows[label]) else { return Ok(0) };
    prop_assert_eq!(&shown[..4], &row[1..5], "{}\n{}", row[0], text);
    let start = format!(" {}: ", row[0]);
    let sentence = text.lines().find_map(|line| line.split_once(&start)).map_or("", |(_, sentence)| sentence);
    let saved = match row[5].strip_prefix('-') {
        Some(added) => format!("added {added}"),
        None => format!("saved {}", row[5]),
    };
    let is_known = |cell: &str| !matches!(cell, "" | "$0.000");
    prop_assert!(!is_known(&row[5]) || sentence.contains(&saved), "{:?}\n{}", row, text);
    prop_assert!(!is_known(&row[6]) || sentence.contains(&format!("cost {}", row[6])), "{:?}\n{}", row, text);
    Ok(6)
}

/// The conversation with a priced model, and usage as large as that of real calls.
fn priced(mut transcript: Transcript, tokens: u64) -> Transcript {
    for (at, message) in transcript.messages.iter_mut().enumerate() {
        let sent = tokens + 977 * at as u64;
        let usage =
            message.is_reply().then_some(Usage { input: 7, cache_read: sent, cache_write: 977, ..Usage::default() });
        *message = Arc::new(Message { usage, model: None, ..message.as_ref().clone() });
    }
    Transcript { model: Some("claude-sonnet-4-5".into()), ..transcript }
}

proptest! {
    #![proptest_config(generated::cases(60))]

    #[test]
    fn text_and_markdown_write_the_same_figures(
        policy in generated::policy(),
        transcripts in prop::collection::vec(irregular::varied(), 1..4),
        tokens in 100..900_000_u64,
    ) {
        let transcripts: Vec<Transcript> =
            transcripts.into_iter().map(|transcript| priced(transcript, tokens)).collect();
        check(&policy, &transcripts)?;
    }
}

#[test]
fn a_rule_that_adds_cost_is_written_below_zero() {
    let text = std::fs::read_to_string("policies/coding_agent.trim").unwrap();
    let recording = std::fs::read("policies/coding_agent.jsonl").unwrap();
    let transcripts = trimtab::transcript::read(&recording, None).unwrap().transcripts;
    let plan = laws::plan(&text);
    let markdown = rendered("markdown", &plan, &replayed(&plan, &transcripts));
    assert!(markdown.contains("| `remind_notes` | 3 | 3 | 3 | -1,716 | -$0.001 |"), "{markdown}");
    assert!(check(&text, &transcripts).unwrap() > 20);
}
