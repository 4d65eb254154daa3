//! The JSON form of simulations, written transcript by transcript.

use serde::Serialize;
use serde_json::{Map, Value as Json, json};

use crate::report::replay_result::{ReplayError, SummedAssertion};
use crate::report::result::{PolicyName, SCHEMA_VERSION, SummedAssertionResult, TotalResult, TranscriptResult};

/// Writes the simulation of one policy, or a list of simulations of several. The pieces together are the JSON text.
#[derive(Debug)]
pub(in super::super) struct JsonListWriter {
    is_list: bool,
    is_empty: bool,
}

/// Writes a simulation piece by piece.
#[derive(Debug)]
pub(in super::super) struct JsonWriter {
    indent: &'static str,
    total: TotalResult,
    is_empty: bool,
}

/// The keys after the transcripts.
#[derive(Serialize)]
struct End<'a> {
    total: &'a TotalResult,
    errors: &'a [ReplayError],
}

/// The indentation of a simulation in a list.
const IN_LIST: &str = "    ";

impl JsonListWriter {
    pub(in super::super) const fn new(is_list: bool) -> Self {
        Self { is_list, is_empty: true }
    }

    /// Begins the simulation of a policy, with its keys before the transcripts.
    pub(in super::super) fn simulation(
        &mut self,
        version: &str,
        policy: &PolicyName,
        options: &Map<String, Json>,
    ) -> (JsonWriter, String) {
        let head =
            json!({ "schema_version": SCHEMA_VERSION, "version": version, "policy": policy, "options": options });
        let indent = if self.is_list { IN_LIST } else { "" };
        let open = match (self.is_list, self.is_empty) {
            (false, _) => String::new(),
            (true, true) => format!("{{\n  \"schema_version\": {SCHEMA_VERSION},\n  \"policies\": [\n{indent}"),
            (true, false) => format!(",\n{indent}"),
        };
        self.is_empty = false;
        let head = indented(&head, indent);
        let head = head.strip_suffix('}').unwrap_or(&head).trim_end();
        let text = format!("{open}{head},\n{indent}  \"transcripts\": [");
        (JsonWriter { indent, total: TotalResult::default(), is_empty: true }, text)
    }

    /// The text after the last simulation.
    pub(in super::super) const fn end(&self) -> &'static str {
        if self.is_list { "\n  ]\n}\n" } else { "\n" }
    }
}

impl JsonWriter {
    /// Adds a transcript to the totals.
    pub(in super::super) fn count(&mut self, transcript: &TranscriptResult) {
        self.total.add(transcript);
    }

    /// The text of a transcript.
    pub(in super::super) fn transcript(&mut self, transcript: &TranscriptResult) -> String {
        let comma = if self.is_empty { "" } else { "," };
        self.is_empty = false;
        let inner = format!("{}    ", self.indent);
        format!("{comma}\n{inner}{}", indented(transcript, &inner))
    }

    /// The keys after the transcripts.
    pub(in super::super) fn end(&mut self, errors: &[ReplayError], summed: &[SummedAssertion]) -> String {
        let indent = self.indent;
        let close = if self.is_empty { "]".to_owned() } else { format!("\n{indent}  ]") };
        self.total.assertions = summed.iter().map(SummedAssertionResult::of).collect();
        let rest = indented(&End { total: &self.total, errors }, indent);
        format!("{close},{}", rest.strip_prefix('{').unwrap_or(&rest))
    }
}

/// Serialises a value and indents all lines but the first. JSON escapes line breaks in strings, so each `\n` is one of the
/// layout.
fn indented(value: &impl Serialize, indent: &str) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default().replace('\n', &format!("\n{indent}"))
}
