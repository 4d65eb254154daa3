//! Human-readable differences of two policies on recordings.

use super::Comparison;
use crate::diff::ReplayDifference;
use crate::report::markdown::{Align, Table, code, escape, lines};
use crate::report::number::{count, list, plural, sum};

/// The maximum number of listed transcripts.
const MAX_LISTED: usize = 20;

/// The maximum number of listed calls.
const CALLS: usize = 6;

pub(super) fn human(comparison: &Comparison<'_>) -> String {
    let style = comparison.style;
    let Some(all) = comparison.replays else { return String::new() };
    let mut out = format!("\n{}\n", style.emphasis(&summary(all)));
    for replay in changed(all).take(MAX_LISTED) {
        out += &style.wrap(&format!("{}: {}", replay.id, tokens(replay)), 0);
        out += &details(replay).iter().map(|line| style.wrap(line, 2)).collect::<String>();
    }
    match changed(all).count().saturating_sub(MAX_LISTED) {
        0 => out,
        more => out + &format!("and {more} more; --format json lists them all\n"),
    }
}

pub(super) fn markdown(comparison: &Comparison<'_>) -> String {
    let Some(all) = comparison.replays else { return String::new() };
    let mut out = format!("\n{}\n", summary(all));
    let mut table = Table::new(["transcript", "tokens", "changes"].map(|name| (name, Align::Left)));
    for replay in changed(all).take(MAX_LISTED) {
        table.row([escape(&replay.id), escape(&tokens(replay)), lines(details(replay))]);
    }
    out.extend(table.unless_empty().map(|table| format!("\n{table}")));
    if let more @ 1.. = changed(all).count().saturating_sub(MAX_LISTED) {
        out += &format!("\nand {more} more; `--format json` lists them all\n");
    }
    let files = [comparison.before.file, comparison.after.file].map(code);
    match comparison.charts.markdown(&files).as_str() {
        "" => out,
        charts => format!("{out}\n{charts}"),
    }
}

fn changed(all: &[ReplayDifference]) -> impl Iterator<Item = &ReplayDifference> {
    all.iter().filter(|replay| !replay.is_same())
}

fn summary(all: &[ReplayDifference]) -> String {
    let fired = all.iter().filter(|replay| !replay.firings.is_empty()).count();
    let sizes = changed(all).count() - fired;
    let alone = if sizes > 0 { format!(", only context sizes in {sizes}") } else { String::new() };
    let all = match all.len() {
        1 => "the transcript".to_owned(),
        number if fired == number => format!("all {number} transcripts"),
        number => format!("{fired} of {number} transcripts"),
    };
    match fired {
        0 => format!("firings changed in no transcript{alone}"),
        _ => format!("firings changed in {all}{alone}"),
    }
}

fn tokens(replay: &ReplayDifference) -> String {
    let (before, after) = replay.tokens;
    let more = match replay.additional_tokens() {
        0 => "the same number of".to_owned(),
        more if more > 0 => format!("{} more", sum(more.unsigned_abs())),
        fewer => format!("{} fewer", sum(fewer.unsigned_abs())),
    };
    format!("{more} tokens sent ({}, was {})", sum(after), sum(before))
}

/// Other differences, one line each.
fn details(replay: &ReplayDifference) -> Vec<String> {
    let mut lines = Vec::new();
    for (rule, lost, won) in &replay.firings {
        let part = |word: &str, calls: &[usize]| (!calls.is_empty()).then(|| format!("{word} at {}", listed(calls)));
        let parts: Vec<String> = [part("fires", won), part("no longer fires", lost)].into_iter().flatten().collect();
        lines.push(format!("{rule} {}", parts.join(", ")));
    }
    if !replay.contexts.is_empty() {
        lines.push(format!("{} of {} differ", plural(replay.contexts.len(), "context"), replay.calls));
    }
    if replay.peak.0 != replay.peak.1 {
        lines.push(format!("peak {}, was {}", count(replay.peak.1), count(replay.peak.0)));
    }
    if replay.stop.0 != replay.stop.1 {
        let at = |stop: Option<usize>| stop.map_or_else(|| "at no call".to_owned(), |call| format!("at call {call}"));
        lines.push(format!("stops {}, was {}", at(replay.stop.1), at(replay.stop.0)));
    }
    lines
}

fn listed(calls: &[usize]) -> String {
    format!("{} {}", if calls.len() == 1 { "call" } else { "calls" }, list(calls, CALLS))
}
