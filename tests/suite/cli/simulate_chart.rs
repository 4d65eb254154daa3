//! `simulate --svg`.

use std::fs;
use std::path::Path;

use roxmltree::{Document, Node};

use super::{Run, folder};
use crate::golden::snapshot;

/// The chart of the page on simulation.
const PICTURE: &str = "docs/simulation/coding_agent.svg";

fn chart(arguments: &str) -> String {
    Run::line(&format!("simulate --svg - {arguments}")).output().exits_with(0).out
}

fn texts(svg: &str) -> Vec<String> {
    let document = Document::parse(svg).unwrap();
    let texts = document.descendants().filter(|node| node.has_tag_name("text"));
    texts.map(|node| node.children().filter(Node::is_text).filter_map(|text| text.text()).collect()).collect()
}

#[test]
fn the_picture_on_the_page_is_what_the_command_draws() {
    let svg = chart("policies/coding_agent.trim policies/coding_agent.jsonl");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(PICTURE);
    if std::env::var_os("TRIMTAB_UPDATE_CONSOLE").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, &svg).unwrap();
    }
    assert!(fs::read_to_string(&path).unwrap() == svg, "TRIMTAB_UPDATE_CONSOLE=1 renews {PICTURE}");
}

#[test]
fn a_chart_shows_lines_limits_and_firings_and_says_so_in_words() {
    let svg = chart("policies/coding_agent.trim policies/coding_agent.jsonl");
    let shown = texts(&svg);
    for wanted in
        ["recorded", "coding_agent", "window", "window without reserve", "60% mask_old_results", "remind_notes"]
    {
        assert!(shown.iter().any(|text| text == wanted), "{wanted} is not in {shown:?}");
    }
    let document = Document::parse(&svg).unwrap();
    let words = document.descendants().find(|node| node.has_tag_name("desc")).and_then(|node| node.text()).unwrap();
    assert!(words.contains("mask_old_results fired at 1 call."), "{words}");
    let lines =
        document.descendants().filter(|node| node.attribute("class").is_some_and(|class| class.starts_with("line")));
    assert_eq!(lines.count(), 4, "a sample and a path for each line");
}

#[test]
fn a_chart_of_several_policies_has_a_line_for_each() {
    let shown =
        texts(&chart("--policies policies/coding_agent.trim policies/stuck_agent.trim -- policies/coding_agent.jsonl"));
    assert!(
        ["recorded", "coding_agent", "stuck_agent"].iter().all(|name| shown.iter().any(|text| text == name)),
        "{shown:?}"
    );
    assert!(shown.contains(&"2 policies compared".to_owned()), "{shown:?}");
}

#[test]
fn several_transcripts_are_shown_by_their_largest_context() {
    let svg = chart("policies/coding_agent.trim policies --jobs 2");
    snapshot("simulate", "several_chart", &svg);
    assert_eq!(svg, chart("policies/coding_agent.trim policies --jobs 1"));
}

#[test]
fn a_chart_of_several_transcripts_shows_in_which_of_them_rules_fired() {
    let json = Run::line("simulate --format json policies/coding_agent.trim policies").output().exits_with(0).json();
    let transcripts = json["transcripts"].as_array().unwrap();
    let svg = chart("policies/coding_agent.trim policies");
    let document = Document::parse(&svg).unwrap();
    let words = document.descendants().find(|node| node.has_tag_name("desc")).and_then(|node| node.text()).unwrap();
    let marks = document.descendants().filter(|node| node.attribute("class") == Some("marks look1"));
    let counts: Vec<usize> = marks.map(|row| row.attribute("d").unwrap().matches('M').count()).collect();
    let fired = |name: &str| {
        let rules = |one: &serde_json::Value| one["rules"].as_array().unwrap().clone();
        let is_fired = |rule: &serde_json::Value| rule["name"] == name && rule["fired"].as_u64() > Some(0);
        transcripts.iter().filter(|one| rules(one).iter().any(is_fired)).count()
    };
    let more = transcripts.iter().filter(|one| one["tokens_saved"].as_i64() < Some(0)).count();
    let masked = fired("mask_old_results");
    assert!(more > 0 && masked > 1, "{more} {masked}");
    assert_eq!(counts.first(), Some(&more));
    assert!(counts.contains(&masked), "{masked} is not in {counts:?}");
    assert!(words.contains(&format!("mask_old_results fired in {masked} transcripts.")), "{words}");
    // All recordings of this folder have the same window, which is drawn or named; those of two folders do not.
    let limits = |svg: &str| texts(svg).iter().any(|text| text == "window" || text.contains("is above the chart"));
    assert!(limits(&chart("docs/tuning/tidy.trim docs/tuning/sessions")));
    assert!(!limits(&chart("docs/tuning/tidy.trim docs/tuning/sessions policies")));
}

#[test]
fn names_with_markup_are_text() {
    let dir = folder(&[
        ("p.trim", "edition 2026\npolicy p { rule r { when context.tokens > 1 tokens do mask results } }\n"),
        (
            "<script>&\"'.jsonl",
            "{\"role\":\"user\",\"content\":\"go\"}\n{\"role\":\"assistant\",\"content\":\"done\"}\n",
        ),
    ]);
    let arguments = ["simulate", "p.trim", "<script>&\"'.jsonl", "--svg", "-"];
    let svg = Run::new(arguments).current_dir(dir.path()).output().exits_with(0).out;
    assert!(!svg.contains("<script"), "{svg}");
    assert!(texts(&svg).contains(&"<script>&\"'.jsonl".to_owned()), "{svg}");
}

#[test]
fn a_chart_is_written_beside_the_report_in_every_format() {
    let dir = tempfile::tempdir().unwrap();
    let line = "simulate policies/coding_agent.trim policies/coding_agent.jsonl";
    let expected = Run::line(&format!("{line} --svg -")).output().exits_with(0).out;
    for format in ["human", "json", "jsonl", "csv", "markdown"] {
        let file = dir.path().join(format!("{format}.svg"));
        let report =
            Run::line(&format!("{line} --format {format} --svg {}", file.display())).output().exits_with(0).out;
        assert_eq!(report, Run::line(&format!("{line} --format {format}")).output().exits_with(0).out);
        assert_eq!(fs::read_to_string(file).unwrap(), expected, "{format}");
    }
}

#[test]
fn a_transcript_without_a_call_has_no_chart() {
    let dir = folder(&[
        ("p.trim", "edition 2026\npolicy p { rule r { when context.tokens > 1 tokens do mask results } }\n"),
        ("t.jsonl", "{\"role\":\"user\",\"content\":\"go\"}\n"),
    ]);
    let output = Run::new(["simulate", "p.trim", "t.jsonl", "--svg", "t.svg"]).current_dir(dir.path()).output();
    let error = output.exits_with(2).err;
    assert!(error.contains("--svg: there is no model call to draw"), "{error}");
    assert!(!dir.path().join("t.svg").exists());
}
