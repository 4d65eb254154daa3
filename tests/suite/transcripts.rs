//! Each recording format has a fixture in `tests/transcript`, a snapshot of the transcript, and a row in the
//! docs.
//!
//! A new format needs a fixture `tests/transcript/NAME.EXTENSION`; `INSTA_UPDATE=always cargo test --test suite
//! transcripts` writes its snapshot.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use trimtab::transcript::{self, FORMATS, Format, Transcript, UNSUPPORTED_FORMATS};

use crate::golden::snapshot;

const FOLDER: &str = "tests/transcript";

/// The fixtures in the folder, without the snapshots.
fn fixtures() -> Vec<PathBuf> {
    let entries = fs::read_dir(FOLDER).unwrap().map(|entry| entry.unwrap().path());
    let mut fixtures: Vec<PathBuf> = entries.filter(|path| !is_snapshot(path)).collect();
    fixtures.sort();
    fixtures
}

fn is_snapshot(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "snap" || extension == "new")
}

fn stem(path: &Path) -> &str {
    path.file_stem().unwrap().to_str().unwrap()
}

pub(crate) fn fixture(format: &Format) -> PathBuf {
    let found = fixtures().into_iter().find(|path| stem(path) == format.name);
    found.unwrap_or_else(|| panic!("the format `{0}` has no fixture {FOLDER}/{0}.*", format.name))
}

/// The text of a page with all white space as single spaces.
fn page(path: &str) -> String {
    fs::read_to_string(path).unwrap().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A transcript as Trimtab JSONL, after a line with what the format leaves out.
fn render(transcript: &Transcript) -> String {
    let agent = transcript.agent.as_deref().unwrap_or("-");
    let skipped = serde_json::to_string(&transcript.skipped).unwrap();
    format!("id: {}, agent: {agent}, skipped: {skipped}\n{}", transcript.id, transcript::write(transcript))
}

#[test]
fn each_format_has_a_fixture_that_is_read_as_its_snapshot() {
    for format in FORMATS {
        let bytes = fs::read(fixture(format)).unwrap();
        let file = transcript::read(&bytes, None).unwrap();
        assert_eq!(file.format, format.name, "the fixture is detected as another format");
        let transcripts: Vec<String> = file.transcripts.iter().map(render).collect();
        snapshot("transcript", format.name, &transcripts.join("\n"));
    }
}

/// The formats that record no usage of single calls.
const WITHOUT_USAGE: [&str; 4] = ["agentdojo", "droid", "hermes", "swe_agent"];
/// The formats that record no tool calls.
const WITHOUT_CALLS: [&str; 1] = ["aider"];

/// A format that cannot record several calls in one reply, or usage, needs an exception here.
#[test]
fn each_fixture_has_parallel_calls_with_results_and_usage() {
    for format in FORMATS {
        let file = transcript::read(&fs::read(fixture(format)).unwrap(), None).unwrap();
        let messages = || file.transcripts.iter().flat_map(|transcript| &transcript.messages);
        let results: BTreeSet<&str> =
            messages().flat_map(|message| message.results()).map(|result| result.id.as_str()).collect();
        let has_parallel_calls = messages().any(|message| {
            let calls: Vec<&str> = message.calls().map(|(id, ..)| id.as_str()).collect();
            calls.len() > 1 && calls.iter().all(|id| results.contains(id))
        });
        let has_parallel_calls = has_parallel_calls || WITHOUT_CALLS.contains(&format.name);
        assert!(has_parallel_calls, "the fixture of `{}` needs a reply with several answered calls", format.name);
        let has_usage = messages().any(|message| message.usage.is_some()) || WITHOUT_USAGE.contains(&format.name);
        assert!(has_usage, "the fixture of `{}` needs usage", format.name);
    }
}

#[test]
fn each_fixture_belongs_to_a_format() {
    for path in fixtures() {
        assert!(transcript::find(stem(&path)).is_some(), "{} belongs to no format", path.display());
    }
}

#[test]
fn each_format_has_a_row_and_its_title_in_the_docs() {
    let docs = page("docs/recordings.md");
    for Format { name, title, .. } in FORMATS {
        assert!(docs.contains(&format!("| `{name}` |")), "docs/recordings.md has no row for the format `{name}`");
        assert!(
            docs.contains(title),
            "docs/recordings.md does not mention the format `{name}` by its title, \"{title}\""
        );
    }
    assert!(page("README.md").contains("docs/recordings.md"), "README.md links the list of formats");
}

#[test]
fn each_unsupported_format_is_listed_in_the_docs() {
    let docs = page("docs/recordings.md");
    let is_boundary = |text: Option<char>| text.is_none_or(|char| !char.is_alphanumeric());
    for tool in UNSUPPORTED_FORMATS.iter().map(|format| format.tool) {
        let mut found = docs.match_indices(tool);
        let is_listed = found.any(|(at, _)| {
            is_boundary(docs[..at].chars().next_back()) && is_boundary(docs[at + tool.len()..].chars().next())
        });
        assert!(is_listed, "docs/recordings.md does not list `{tool}` among the unsupported formats");
    }
}
