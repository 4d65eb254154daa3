//! Everything that a project promises, checked at once: a line a part, and the first few troubles of each.
//!
//! In: parts with their counts and troubles. Out: text or JSON. It does not know how the parts were checked.

use serde_json::{Value as Json, json};

use super::findings::{data, escape, property};
use super::look::{Look, fold_lines};
use super::tame;
use crate::diagnostic::Severity;

/// How many troubles of a part are shown to people.
const SHOWN: usize = 5;

/// Something that is not as promised.
#[derive(Clone, Debug)]
pub struct Trouble {
    /// The file, with line and column where they are known.
    pub place: Option<(String, Option<(usize, usize)>)>,
    /// How bad it is.
    pub severity: Severity,
    /// What it is.
    pub text: String,
}

/// One part of the whole.
#[derive(Clone, Debug)]
pub struct Part {
    /// Its name.
    pub name: &'static str,
    /// What was looked at and what came of it, with counts.
    pub said: String,
    /// What is not as promised.
    pub troubles: Vec<Trouble>,
    /// Whether it could not be checked in full.
    pub failed: bool,
}

/// All parts.
#[derive(Clone, Debug, Default)]
pub struct Checkup {
    /// The parts in order.
    pub parts: Vec<Part>,
}

/// A form of the summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckForm {
    /// A line a part, and the first troubles.
    Human,
    /// Annotations of a GitHub workflow, all troubles, and a line a part.
    Github,
    /// A table, and the first troubles.
    Markdown,
    /// One JSON object with all troubles.
    Json,
}

/// The summary in a form.
pub fn checkup(all: &Checkup, form: CheckForm, look: Look) -> String {
    match form {
        CheckForm::Human => human(all, look),
        CheckForm::Github => github(all),
        CheckForm::Markdown => markdown(all),
        CheckForm::Json => format!("{:#}\n", json(all)),
    }
}

impl Part {
    /// The exit code of this part alone: 0 fine, 1 findings, 2 not checked in full.
    pub fn code(&self) -> u8 {
        if self.failed { 2 } else { u8::from(!self.troubles.is_empty()) }
    }

    fn word(&self) -> &'static str {
        ["fine", "findings", "failed"][usize::from(self.code())]
    }
}

impl Checkup {
    /// The worst exit code of a part.
    pub fn code(&self) -> u8 {
        self.parts.iter().map(Part::code).max().unwrap_or(0)
    }

    fn verdict(&self) -> String {
        let bad: Vec<&str> = self.parts.iter().filter(|part| part.code() > 0).map(|part| part.name).collect();
        if bad.is_empty() {
            "everything is as promised".to_owned()
        } else {
            format!("not as promised: {}", bad.join(", "))
        }
    }
}

impl Trouble {
    fn at(&self) -> String {
        match &self.place {
            None => String::new(),
            Some((file, None)) => format!("{}: ", tame::text(file)),
            Some((file, Some((line, column)))) => format!("{}:{line}:{column}: ", tame::text(file)),
        }
    }
}

fn human(all: &Checkup, look: Look) -> String {
    let width = all.parts.iter().map(|part| part.name.len()).max().unwrap_or(0);
    let mut out = String::new();
    for part in &all.parts {
        let mark = match (part.code(), look.unicode) {
            (0, true) => look.good("✓"),
            (_, true) => look.bad("✗"),
            (0, false) => "ok ".to_owned(),
            (_, false) => "BAD".to_owned(),
        };
        out += &format!("{mark} {:width$}  {}\n", part.name, part.said);
        for one in part.troubles.iter().take(SHOWN) {
            out += &look.wrap(&format!("{}{}", one.at(), tame::text(&one.text)), 4);
        }
        if let more @ 1.. = part.troubles.len().saturating_sub(SHOWN) {
            out += &format!("    and {more} more\n");
        }
    }
    fold_lines(&(out + &format!("{}\n", all.verdict())), look.width)
}

fn github(all: &Checkup) -> String {
    let mut out = String::new();
    for part in &all.parts {
        for one in &part.troubles {
            let kind = match one.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Info => "notice",
            };
            let place = match &one.place {
                None => String::new(),
                Some((file, None)) => format!(",file={}", property(file)),
                Some((file, Some((line, column)))) => format!(",file={},line={line},col={column}", property(file)),
            };
            out += &format!("::{kind} title={}{place}::{}\n", property(part.name), data(&tame::text(&one.text)));
        }
    }
    let lines = all.parts.iter().map(|part| format!("{}: {}: {}\n", part.name, part.word(), part.said));
    out + &lines.collect::<String>() + &format!("{}\n", all.verdict())
}

fn markdown(all: &Checkup) -> String {
    let mut out = format!("### Trimtab: {}\n\n| part | result | |\n|---|---|---|\n", all.verdict());
    for part in &all.parts {
        out += &format!("| {} | {} | {} |\n", part.name, part.word(), escape(&part.said));
    }
    for part in all.parts.iter().filter(|part| !part.troubles.is_empty()) {
        out += &format!("\n**{}**\n\n", part.name);
        for one in part.troubles.iter().take(SHOWN) {
            out += &format!("- {}{}\n", escape(&one.at()), escape(&one.text));
        }
        if let more @ 1.. = part.troubles.len().saturating_sub(SHOWN) {
            out += &format!("- and {more} more\n");
        }
    }
    out
}

fn json(all: &Checkup) -> Json {
    let trouble = |one: &Trouble| {
        let (file, place) = one.place.as_ref().map_or((None, None), |(file, place)| (Some(file), *place));
        json!({
            "file": file,
            "line": place.map(|(line, _)| line),
            "column": place.map(|(_, column)| column),
            "severity": one.severity.word(),
            "message": one.text,
        })
    };
    let part = |part: &Part| {
        let troubles: Vec<Json> = part.troubles.iter().map(trouble).collect();
        json!({ "name": part.name, "result": part.word(), "summary": part.said, "troubles": troubles })
    };
    json!({
        "schema_version": 1,
        "exit_code": all.code(),
        "parts": all.parts.iter().map(part).collect::<Vec<_>>(),
    })
}
