//! The unfinished policy of an import.
//!
//! A value in the text of a rule is wrapped in marks that identify its option. At the end the marks are removed, and
//! each marked place of the text gets the span of its option.

use std::fmt::Display;
use std::ops::Range;

use trimtab_base::source::{Span, slice};
use trimtab_language::check::is_list_name;
use trimtab_syntax::syntax::quote;

use super::row::{Fidelity, Origin, Row};
use super::setting::Setting;
use super::values::Values;

/// Characters that no text contains, since Unicode gives them no meaning: before the number of an option, before the text, and
/// after it.
const MARKS: [char; 3] = ['\u{FDD0}', '\u{FDD1}', '\u{FDD2}'];

/// A policy and the rows of its table.
#[derive(Debug)]
pub(super) struct Draft<'v> {
    values: &'v Values<'v>,
    agent: Vec<String>,
    prompts: Vec<String>,
    rules: Vec<String>,
    rows: Vec<Row>,
    spans: Vec<Span>,
    /// The options with a name that the language cannot write.
    renamed: Vec<&'static str>,
}

/// A finished policy.
#[derive(Debug)]
pub(super) struct Drafted {
    /// Its text.
    pub(super) text: String,
    /// The places in the text that come from options.
    pub(super) origins: Vec<(Range<usize>, Span)>,
    /// A row for each option, in the order of the system's table, and then the rows for what is built in.
    pub(super) rows: Vec<Row>,
}

impl<'v> Draft<'v> {
    pub(super) const fn new(values: &'v Values<'v>) -> Self {
        Self {
            values,
            agent: Vec::new(),
            prompts: Vec::new(),
            rules: Vec::new(),
            rows: Vec::new(),
            spans: Vec::new(),
            renamed: Vec::new(),
        }
    }

    /// A text that comes from the value of an option.
    pub(super) fn option_value(&mut self, setting: &Setting, text: impl Display) -> String {
        let Origin::Written(span) = self.values.origin(setting) else { return text.to_string() };
        let number = self.spans.len();
        self.spans.push(span);
        let [before, between, after] = MARKS;
        format!("{before}{number}{between}{text}{after}")
    }

    /// A name from an option, in quotes. Names have no escape for braces, so each brace is replaced by `*`.
    pub(super) fn name(&mut self, setting: &Setting, name: &str) -> String {
        if name.contains(BRACES) {
            self.renamed.push(setting.key);
        }
        quote::quoted(&unmarked(name).replace(BRACES, "*"))
    }

    /// Returns the list of the tools that an option names, or `None` if it names none.
    pub(super) fn tool_list(&mut self, setting: &Setting) -> Option<String> {
        let names = self.values.names(setting).filter(|names| !names.is_empty())?;
        let names =
            names.iter().map(|name| if is_list_name(name) { name.to_string() } else { self.name(setting, name) });
        Some(format!("[{}]", names.collect::<Vec<_>>().join(", ")))
    }

    /// Adds a field of the `agent` block.
    pub(super) fn agent(&mut self, field: &str, value: impl Display) {
        self.agent.push(format!("  {field} {value}\n"));
    }

    /// Adds a prompt.
    pub(super) fn prompt(&mut self, setting: &Setting, name: &str, text: &str) {
        let text = self.option_value(setting, quote::literal(&unmarked(text)));
        self.prompts.push(format!("prompt {name} {text}\n\n"));
    }

    /// Adds a rule with this name, description and these clauses.
    pub(super) fn rule(&mut self, name: &str, about: &str, clauses: &[String]) {
        let clauses: String = clauses.iter().map(|clause| format!("    {clause}\n")).collect();
        self.rules.push(format!("  #: {about}\n  rule {name} {{\n{clauses}  }}\n"));
    }

    /// Adds the row of an option whose translation has the same meaning.
    pub(super) fn exact(&mut self, setting: &Setting, became: impl Into<String>) {
        self.row(setting, became, Fidelity::Exact, "");
    }

    /// Adds the row of an option whose translation has a similar meaning.
    pub(super) fn approximate(&mut self, setting: &Setting, became: impl Into<String>, reason: impl Into<String>) {
        self.row(setting, became, Fidelity::Approximate, reason);
    }

    /// Adds the row of an option that the language cannot express. If the option is not set, nothing is lost.
    pub(super) fn impossible(&mut self, setting: &Setting, reason: impl Into<String>) {
        let is_unset = self.values.origin(setting) == Origin::Unset;
        let fidelity = if is_unset { Fidelity::Exact } else { Fidelity::Impossible };
        self.row(setting, "", fidelity, if is_unset { String::new() } else { reason.into() });
    }

    /// Adds the row of an option whose value needs no rule.
    pub(super) fn nothing(&mut self, setting: &Setting, reason: impl Into<String>) {
        self.row(setting, "", Fidelity::Exact, reason);
    }

    fn row(&mut self, setting: &Setting, became: impl Into<String>, fidelity: Fidelity, reason: impl Into<String>) {
        self.rows.push(Row {
            option: setting.key.into(),
            value: self.values.shown(setting),
            origin: self.values.origin(setting),
            became: became.into(),
            fidelity,
            reason: reason.into(),
        });
    }

    /// Something that the system always does.
    pub(super) fn built_in(&mut self, what: &str, became: &str, fidelity: Fidelity, reason: &str) {
        self.rows.push(Row {
            option: what.into(),
            value: String::new(),
            origin: Origin::BuiltIn,
            became: became.to_owned(),
            fidelity,
            reason: reason.to_owned(),
        });
    }

    pub(super) fn finish(mut self) -> Drafted {
        self.complete_rows();
        self.weaken_renamed();
        let system = self.values.options();
        let agent: String = self.agent.concat();
        let agent = if agent.is_empty() { agent } else { format!("agent {{\n{agent}}}\n\n") };
        let name = system.name.replace('-', "_");
        let text = format!(
            "edition 2026\n\n{agent}{}#: {} {} ({}) as a policy.\npolicy {name} \"Settings of {}.\" {{\n{}}}\n",
            self.prompts.concat(),
            system.title,
            system.version,
            system.date,
            system.title,
            self.rules.join("\n")
        );
        let (text, origins) = without_marks(&text, &self.spans);
        Drafted { text, origins, rows: self.rows }
    }

    /// Brings the rows into the order of the table. An option without a row is not set, or written and not understood.
    fn complete_rows(&mut self) {
        for setting in self.values.options().settings {
            if !self.rows.iter().any(|row| row.option == setting.key) {
                self.impossible(setting, "no rule is written for this value");
            }
        }
        let order = |row: &Row| {
            let at = self.values.options().settings.iter().position(|setting| setting.key == row.option);
            at.unwrap_or(usize::MAX)
        };
        self.rows.sort_by_key(order);
    }

    /// Says of options with a name that became another one that they are not exact.
    fn weaken_renamed(&mut self) {
        let is_written = |row: &&mut Row| row.fidelity != Fidelity::Impossible && !row.became.is_empty();
        for row in self.rows.iter_mut().filter(is_written) {
            if self.renamed.iter().any(|key| row.option == *key) {
                let before = if row.reason.is_empty() { String::new() } else { format!("{}; ", row.reason) };
                row.fidelity = Fidelity::Approximate;
                row.reason = format!("{before}names have no braces here, so that `*` stands for each");
            }
        }
    }
}

/// What no name can have.
const BRACES: [char; 2] = ['{', '}'];

/// A text without the characters that mark options.
fn unmarked(text: &str) -> String {
    text.replace(MARKS, "")
}

/// A text in quotes, without interpolation.
pub(super) fn quoted(text: &str) -> String {
    quote::quoted(&unmarked(text)).replace('{', "{{").replace('}', "}}")
}

/// A number of things: `1 result`, `3 results`.
pub(super) fn counted(count: u64, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// The text without marks, and the range and span of each option in it.
fn without_marks(text: &str, spans: &[Span]) -> (String, Vec<(Range<usize>, Span)>) {
    let (mut out, mut origins, mut open) = (String::with_capacity(text.len()), Vec::new(), Vec::new());
    let mut at = 0;
    for (place, mark) in text.match_indices(MARKS) {
        let piece = slice(text, at..place);
        at = place + mark.len();
        match MARKS.iter().position(|known| mark.starts_with(*known)) {
            Some(1) => open.push((out.len(), piece.parse().unwrap_or(usize::MAX))),
            Some(0) => out.push_str(piece),
            _ => {
                out.push_str(piece);
                let closed = open.pop().and_then(|(start, number)| Some((start, *spans.get::<usize>(number)?)));
                origins.extend(closed.map(|(start, span)| (start..out.len(), span)));
            }
        }
    }
    out.push_str(slice(text, at..text.len()));
    (out, origins)
}
