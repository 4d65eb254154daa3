//! Everything that a project promises, checked at once: a line a part, and the first few troubles of each.
//!
//! In: parts with their counts and troubles. Out: text or JSON. It does not know how the parts were checked.

use serde_json::{Value as Json, json};

use super::findings::{data, escape, property};
use super::sanitize;
use super::style::{TerminalStyle, fold_lines};
use crate::diagnostic::Severity;

/// How many troubles of a part are shown to people.
const SHOWN: usize = 5;

/// Something that is not as promised.
#[derive(Clone, Debug)]
pub struct CiProblem {
    /// The file, with line and column where they are known.
    pub place: Option<(String, Option<(usize, usize)>)>,
    /// How bad it is.
    pub severity: Severity,
    /// What it is.
    pub text: String,
}

/// One part of the whole.
#[derive(Clone, Debug)]
pub struct CiPart {
    /// Its name.
    pub name: &'static str,
    /// What was looked at and what came of it, with counts.
    pub summary: String,
    /// What is not as promised.
    pub problems: Vec<CiProblem>,
    /// Whether it could not be checked in full.
    pub failed: bool,
}

/// All parts.
#[derive(Clone, Debug, Default)]
pub struct CiReport {
    /// The parts in order.
    pub parts: Vec<CiPart>,
}

/// A form of the summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CiFormat {
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
pub fn ci_report(all: &CiReport, form: CiFormat, style: TerminalStyle) -> String {
    match form {
        CiFormat::Human => human(all, style),
        CiFormat::Github => github(all),
        CiFormat::Markdown => markdown(all),
        CiFormat::Json => format!("{:#}\n", json(all)),
    }
}

impl CiPart {
    /// The exit code of this part alone: 0 fine, 1 findings, 2 not checked in full.
    pub fn code(&self) -> u8 {
        if self.failed { 2 } else { u8::from(!self.problems.is_empty()) }
    }

    fn word(&self) -> &'static str {
        ["fine", "findings", "failed"][usize::from(self.code())]
    }
}

impl CiReport {
    /// The worst exit code of a part.
    pub fn code(&self) -> u8 {
        self.parts.iter().map(CiPart::code).max().unwrap_or(0)
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

impl CiProblem {
    fn at(&self) -> String {
        match &self.place {
            None => String::new(),
            Some((file, None)) => format!("{}: ", sanitize::line(file)),
            Some((file, Some((line, column)))) => format!("{}:{line}:{column}: ", sanitize::line(file)),
        }
    }
}

fn human(all: &CiReport, style: TerminalStyle) -> String {
    let width = all.parts.iter().map(|part| part.name.len()).max().unwrap_or(0);
    let mut out = String::new();
    for part in &all.parts {
        let mark = match (part.code(), style.unicode) {
            (0, true) => style.good("✓"),
            (_, true) => style.bad("✗"),
            (0, false) => "ok ".to_owned(),
            (_, false) => "BAD".to_owned(),
        };
        out += &format!("{mark} {:width$}  {}\n", part.name, part.summary);
        for one in part.problems.iter().take(SHOWN) {
            out += &style.wrap(&format!("{}{}", one.at(), sanitize::line(&one.text)), 4);
        }
        if let more @ 1.. = part.problems.len().saturating_sub(SHOWN) {
            out += &format!("    and {more} more\n");
        }
    }
    fold_lines(&(out + &format!("{}\n", all.verdict())), style.width)
}

fn github(all: &CiReport) -> String {
    let mut out = String::new();
    for part in &all.parts {
        for one in &part.problems {
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
            out += &format!("::{kind} title={}{place}::{}\n", property(part.name), data(&sanitize::line(&one.text)));
        }
    }
    let lines = all.parts.iter().map(|part| format!("{}: {}: {}\n", part.name, part.word(), part.summary));
    out + &lines.collect::<String>() + &format!("{}\n", all.verdict())
}

fn markdown(all: &CiReport) -> String {
    let mut out = format!("### Trimtab: {}\n\n| part | result | |\n|---|---|---|\n", all.verdict());
    for part in &all.parts {
        out += &format!("| {} | {} | {} |\n", part.name, part.word(), escape(&part.summary));
    }
    for part in all.parts.iter().filter(|part| !part.problems.is_empty()) {
        out += &format!("\n**{}**\n\n", part.name);
        for one in part.problems.iter().take(SHOWN) {
            out += &format!("- {}{}\n", escape(&one.at()), escape(&one.text));
        }
        if let more @ 1.. = part.problems.len().saturating_sub(SHOWN) {
            out += &format!("- and {more} more\n");
        }
    }
    out
}

fn json(all: &CiReport) -> Json {
    let problem = |one: &CiProblem| {
        let (file, place) = one.place.as_ref().map_or((None, None), |(file, place)| (Some(file), *place));
        json!({
            "file": file,
            "line": place.map(|(line, _)| line),
            "column": place.map(|(_, column)| column),
            "severity": one.severity.word(),
            "message": one.text,
        })
    };
    let part = |part: &CiPart| {
        let problems: Vec<Json> = part.problems.iter().map(problem).collect();
        json!({ "name": part.name, "result": part.word(), "summary": part.summary, "troubles": problems })
    };
    json!({
        "schema_version": 1,
        "exit_code": all.code(),
        "parts": all.parts.iter().map(part).collect::<Vec<_>>(),
    })
}
