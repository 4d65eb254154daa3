//! A comparison for a terminal, and as Markdown.

use super::replays;
use super::{Told, Versus, told};
use crate::report::findings::escape;
use crate::report::look::{Look, fold_lines};
use crate::report::simulation::count;

/// A line a rule, what the host is, and what recordings show.
pub fn difference(versus: &Versus<'_>, look: Look) -> String {
    let mut out = String::new();
    if versus.difference.is_none() {
        out += &look.wrap(&versus.sameness(), 0);
    }
    for one in told(versus) {
        out += &rule(&one, look);
    }
    for (word, before, after) in &versus.difference.host {
        let (before, after) = (sized(before), sized(after));
        out += &look.wrap(&format!("{}: {word} {after}, before {before}", look.strong("host")), 0);
    }
    fold_lines(&(out + &replays::people(versus, look)), look.width)
}

/// What is said of the host, a number of tokens with its digits in groups.
fn sized(said: &str) -> String {
    let tokens = said.strip_suffix(" tokens").and_then(|number| number.parse().ok());
    tokens.map_or_else(|| said.to_owned(), |number| format!("{} tokens", count(number)))
}

fn rule(one: &Told, look: Look) -> String {
    let mut out = look.wrap(&format!("{}: {}", look.strong(&one.rule), one.changes.join("; ")), 0);
    for (word, text, paint) in
        [("before", &one.before, Look::bad as fn(Look, &str) -> String), ("after ", &one.after, Look::good)]
    {
        if let Some(text) = text {
            let lines = look.wrap(text, 10);
            let lines = lines.lines().map(|line| format!("{}\n", paint(look, line)));
            out += &lines.collect::<String>().replacen(&" ".repeat(10), &format!("  {word}  "), 1);
        }
    }
    out
}

/// The same as Markdown.
pub fn difference_markdown(versus: &Versus<'_>) -> String {
    let name = |file: &str| format!("`{}`", file.replace('`', "'"));
    let mut out = format!("### {} against {}\n\n", name(versus.after.file), name(versus.before.file));
    if versus.difference.is_none() {
        out += &format!("{}\n", escape(&versus.sameness()));
    } else {
        out += "| | what changed | before | after |\n|---|---|---|---|\n";
    }
    for one in told(versus) {
        let cell = |text: &Option<String>| text.as_deref().map(escape).unwrap_or_default();
        let changes: Vec<String> = one.changes.iter().map(|change| escape(change)).collect();
        let (before, after) = (cell(&one.before), cell(&one.after));
        out += &format!("| {} | {} | {before} | {after} |\n", escape(&one.rule), changes.join("<br>"));
    }
    for (word, before, after) in &versus.difference.host {
        out += &format!("| host | {word} | {} | {} |\n", escape(&sized(before)), escape(&sized(after)));
    }
    out + &replays::markdown(versus)
}
