//! What two policies did on recordings, for people.

use super::Comparison;
use crate::diff::ReplayDifference;
use crate::quantity::{Decimal, grouped};
use crate::report::findings::escape;
use crate::report::simulation::{count, plural};
use crate::report::style::TerminalStyle;

/// How many transcripts are listed.
const LISTED: usize = 20;

/// How many calls are listed.
const CALLS: usize = 6;

pub(super) fn people(versus: &Comparison<'_>, style: TerminalStyle) -> String {
    let Some(all) = versus.replays else { return String::new() };
    let mut out = format!("\n{}\n", style.strong(&head(all)));
    for one in changed(all).take(LISTED) {
        out += &style.wrap(&format!("{}: {}", one.id, tokens(one)), 0);
        out += &details(one).iter().map(|line| style.wrap(line, 2)).collect::<String>();
    }
    match changed(all).count().saturating_sub(LISTED) {
        0 => out,
        more => out + &format!("and {more} more; --format json lists them all\n"),
    }
}

pub(super) fn markdown(versus: &Comparison<'_>) -> String {
    let Some(all) = versus.replays else { return String::new() };
    let mut out = format!("\n{}\n", head(all));
    if changed(all).next().is_some() {
        out += "\n| transcript | tokens | what changed |\n|---|---|---|\n";
    }
    for one in changed(all).take(LISTED) {
        let lines: Vec<String> = details(one).iter().map(|line| escape(line)).collect();
        out += &format!("| {} | {} | {} |\n", escape(&one.id), escape(&tokens(one)), lines.join("<br>"));
    }
    match changed(all).count().saturating_sub(LISTED) {
        0 => out,
        more => out + &format!("\nand {more} more; `--format json` lists them all\n"),
    }
}

fn changed(all: &[ReplayDifference]) -> impl Iterator<Item = &ReplayDifference> {
    all.iter().filter(|one| !one.is_same())
}

fn head(all: &[ReplayDifference]) -> String {
    let fired = all.iter().filter(|one| !one.firings.is_empty()).count();
    let sizes = changed(all).count() - fired;
    let alone = if sizes > 0 { format!(", contexts alone in {sizes}") } else { String::new() };
    format!("firings changed in {fired} of {}{alone}", plural(all.len(), "transcript"))
}

fn tokens(one: &ReplayDifference) -> String {
    let sum = |number: u128| {
        let decimal = i128::try_from(number).ok().and_then(|one| Decimal::try_from_i128_with_scale(one, 0).ok());
        decimal.map_or_else(|| number.to_string(), grouped)
    };
    let (before, after) = one.tokens;
    let more = match one.additional_tokens() {
        0 => "as many".to_owned(),
        more if more > 0 => format!("{} more", sum(more.unsigned_abs())),
        fewer => format!("{} fewer", sum(fewer.unsigned_abs())),
    };
    format!("{more} tokens sent ({}, before {})", sum(after), sum(before))
}

/// What differs beside the tokens, a line each.
fn details(one: &ReplayDifference) -> Vec<String> {
    let mut lines = Vec::new();
    for (rule, lost, won) in &one.firings {
        let part = |word: &str, calls: &[usize]| (!calls.is_empty()).then(|| format!("{word} at {}", listed(calls)));
        let parts: Vec<String> = [part("fires", won), part("no longer", lost)].into_iter().flatten().collect();
        lines.push(format!("{rule} {}", parts.join(", ")));
    }
    if !one.contexts.is_empty() {
        lines.push(format!("{} of {} differ", plural(one.contexts.len(), "context"), one.calls));
    }
    if one.peak.0 != one.peak.1 {
        lines.push(format!("peak {}, before {}", count(one.peak.1), count(one.peak.0)));
    }
    if one.stop.0 != one.stop.1 {
        let at = |stop: Option<usize>| stop.map_or_else(|| "at no call".to_owned(), |call| format!("at call {call}"));
        lines.push(format!("stops {}, before {}", at(one.stop.1), at(one.stop.0)));
    }
    lines
}

fn listed(calls: &[usize]) -> String {
    let first: Vec<String> = calls.iter().take(CALLS).map(ToString::to_string).collect();
    let word = if calls.len() == 1 { "call" } else { "calls" };
    match calls.len().saturating_sub(CALLS) {
        0 => format!("{word} {}", first.join(", ")),
        more => format!("{word} {} and {more} more", first.join(", ")),
    }
}
