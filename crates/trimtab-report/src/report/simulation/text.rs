//! The JSON form of simulations, written transcript by transcript.

use serde_json::{Value as Json, json};

use super::total::{Summand, Total};
use crate::report::replay_result::SummedAssertion;

/// Writes the simulation of one policy, or a list of simulations of several. The pieces together are the JSON text.
#[derive(Debug)]
pub(in super::super) struct ResultText {
    is_list: bool,
    is_empty: bool,
}

/// Writes a simulation piece by piece.
#[derive(Debug)]
pub(in super::super) struct SimulationText {
    indent: &'static str,
    total: Total,
    is_empty: bool,
}

/// The indentation of a simulation in a list.
const IN_LIST: &str = "    ";

impl ResultText {
    pub(in super::super) const fn new(is_list: bool) -> Self {
        Self { is_list, is_empty: true }
    }

    /// Begins the simulation of a policy, with its keys before the transcripts.
    pub(in super::super) fn simulation(
        &mut self,
        version: &str,
        policy: &Json,
        options: &Json,
    ) -> (SimulationText, String) {
        let head = json!({ "schema_version": 1, "version": version, "policy": policy, "options": options });
        let indent = if self.is_list { IN_LIST } else { "" };
        let open = match (self.is_list, self.is_empty) {
            (false, _) => String::new(),
            (true, true) => format!("{{\n  \"schema_version\": 1,\n  \"policies\": [\n{indent}"),
            (true, false) => format!(",\n{indent}"),
        };
        self.is_empty = false;
        let head = indented(&head, indent);
        let head = head.strip_suffix('}').unwrap_or(&head).trim_end();
        let text = format!("{open}{head},\n{indent}  \"transcripts\": [");
        (SimulationText { indent, total: Total::default(), is_empty: true }, text)
    }

    /// The text after the last simulation.
    pub(in super::super) const fn end(&self) -> &'static str {
        if self.is_list { "\n  ]\n}\n" } else { "\n" }
    }
}

impl SimulationText {
    /// Adds a transcript to the totals.
    pub(in super::super) fn count(&mut self, transcript: Summand) {
        self.total.add(transcript);
    }

    /// The text of a transcript.
    pub(in super::super) fn transcript(&mut self, json: &Json) -> String {
        let comma = if self.is_empty { "" } else { "," };
        self.is_empty = false;
        let inner = format!("{}    ", self.indent);
        format!("{comma}\n{inner}{}", indented(json, &inner))
    }

    /// The keys after the transcripts.
    pub(in super::super) fn end(&self, errors: &[Json], summed: &[SummedAssertion]) -> String {
        let indent = self.indent;
        let close = if self.is_empty { "]".to_owned() } else { format!("\n{indent}  ]") };
        let mut total = self.total.json();
        total["assertions"] = summed.iter().map(SummedAssertion::json).collect();
        let rest = indented(&json!({ "total": total, "errors": errors }), indent);
        format!("{close},{}", rest.strip_prefix('{').unwrap_or(&rest))
    }
}

/// The text of a value whose first line stands behind other text. Strings contain no line break.
fn indented(json: &Json, indent: &str) -> String {
    format!("{json:#}").replace('\n', &format!("\n{indent}"))
}
