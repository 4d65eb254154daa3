//! Human-readable differences of two policies on recordings.

use trimtab_analysis::diff::ReplayDifference;
use trimtab_base::quantity::{Decimal, signed_percent};
use trimtab_simulate::simulate::PricedShare;

use super::Comparison;
use crate::report::markdown::{Align, Table, code, escape, folded, lines};
use crate::report::number::{capitalised, count, list, plural, sum, whole};
use crate::report::partial_sum::PartialSum;
use crate::report::table::Table as PlainTable;

/// The maximum number of listed transcripts.
const MAX_LISTED: usize = 20;

/// The maximum number of listed calls.
const CALLS: usize = 6;

/// The figures over all transcripts, before and after.
struct Totals {
    cost: Option<(Decimal, Decimal)>,
    /// How much of the recorded calls has a known price.
    priced: PricedShare,
    tokens: (u128, u128),
    peak: (u64, u64),
    not_made: (usize, usize),
    stopped: (usize, usize),
}

impl Totals {
    fn of(all: &[ReplayDifference]) -> Self {
        let add = |one: (Decimal, Decimal), other: (Decimal, Decimal)| {
            let sum = |a: Decimal, b| a.checked_add(b).unwrap_or(Decimal::MAX);
            (sum(one.0, other.0), sum(one.1, other.1))
        };
        let stopped = |of: fn(&ReplayDifference) -> bool| all.iter().filter(|one| of(one)).count();
        Self {
            cost: all.iter().filter_map(|one| one.cost).reduce(add),
            priced: all.iter().map(|one| one.priced).fold(PricedShare::default(), PricedShare::with),
            tokens: all.iter().fold((0, 0), |sum, one| (sum.0 + one.tokens.0, sum.1 + one.tokens.1)),
            peak: all.iter().fold((0, 0), |most, one| (most.0.max(one.peak.0), most.1.max(one.peak.1))),
            not_made: all.iter().fold((0, 0), |sum, one| (sum.0 + one.not_made.0, sum.1 + one.not_made.1)),
            stopped: (stopped(|one| one.stop.0.is_some()), stopped(|one| one.stop.1.is_some())),
        }
    }

    /// The rows of a table: figure, before, after, change.
    fn rows(&self) -> Vec<[String; 4]> {
        let share = |before: Decimal, after: Decimal| {
            let share = (after - before).checked_div(before).filter(|_| before != after);
            share.map(signed_percent).unwrap_or_default()
        };
        let number = |tokens: u128| i128::try_from(tokens).map_or(Decimal::MAX, Decimal::from);
        let mut rows = Vec::new();
        if self.stopped != (0, 0) {
            for (title, (before, after)) in [("transcripts stopped", self.stopped), ("calls not made", self.not_made)] {
                rows.push([title.to_owned(), whole(before), whole(after), String::new()]);
            }
        }
        if let Some((before, after)) = self.cost {
            let cell = |cost: Decimal| PartialSum::of_calls(cost, self.priced).cell();
            rows.push(["cost".to_owned(), cell(before), cell(after), share(before, after)]);
        }
        let (before, after) = self.tokens;
        rows.push(["tokens sent".to_owned(), sum(before), sum(after), share(number(before), number(after))]);
        let (before, after) = self.peak;
        rows.push(["largest context".to_owned(), count(before), count(after), share(before.into(), after.into())]);
        rows
    }

    /// What the figures are about, if that is not all calls.
    fn scope(&self) -> Option<&'static str> {
        (self.stopped != (0, 0)).then_some("The figures are those of the calls that are made with both policies.")
    }
}

const TOTALS: [&str; 4] = ["", "before", "after", "change"];

pub(super) fn human(comparison: &Comparison<'_>) -> String {
    let style = comparison.style;
    let Some(all) = comparison.replays else { return String::new() };
    let mut out = format!("\n{}\n", style.emphasis(&summary(all)));
    let mut table = PlainTable::new(&TOTALS);
    let totals = Totals::of(all);
    totals.rows().into_iter().for_each(|row| table.row(row));
    out += &table.fitted(2, style.width).iter().map(|line| format!("{line}\n")).collect::<String>();
    out += &totals.scope().map(|scope| style.wrap(scope, 2)).unwrap_or_default();
    for replay in changed(all).take(MAX_LISTED) {
        out += &style.wrap(&format!("{}: {}", replay.id, tokens(replay)), 0);
        out += &details(replay).iter().map(|line| style.wrap(line, 2)).collect::<String>();
    }
    match changed(all).count().saturating_sub(MAX_LISTED) {
        0 => out,
        more => out + &format!("and {more} more; --format json lists them all\n"),
    }
}

/// The totals, which a reader sees first.
pub(super) fn markdown_totals(all: &[ReplayDifference]) -> String {
    let mut table = Table::new(
        TOTALS.iter().enumerate().map(|(at, name)| (*name, if at == 0 { Align::Left } else { Align::Right })),
    );
    let totals = Totals::of(all);
    totals.rows().iter().for_each(|row| table.row(row.iter().map(|cell| escape(cell))));
    let scope = totals.scope().map(|scope| format!("\n{scope}\n")).unwrap_or_default();
    format!("{}.\n\n{}{scope}", capitalised(&summary(all)), table.text())
}

/// The transcripts and the charts, folded.
pub(super) fn markdown_details(comparison: &Comparison<'_>, all: &[ReplayDifference]) -> String {
    let mut table = Table::new(["transcript", "tokens", "changes"].map(|name| (name, Align::Left)));
    for replay in changed(all).take(MAX_LISTED) {
        table.row([escape(&replay.id), escape(&tokens(replay)), lines(details(replay))]);
    }
    let mut out = String::new();
    if let Some(mut table) = table.unless_empty() {
        if let more @ 1.. = changed(all).count().saturating_sub(MAX_LISTED) {
            table += &format!("\nand {more} more; `--format json` lists them all\n");
        }
        out += &folded("Changed transcripts", &table);
    }
    let files = [comparison.before.file, comparison.after.file].map(code);
    match comparison.charts.markdown(&files).as_str() {
        "" => out,
        charts => out + &folded("Charts", charts),
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
        lines.push(format!("{} of {} differ", plural(replay.contexts.len(), "context"), replay.compared));
    }
    if replay.peak.0 != replay.peak.1 {
        lines.push(format!("peak {}, was {}", count(replay.peak.1), count(replay.peak.0)));
    }
    if replay.stop.0 != replay.stop.1 {
        let at = |stop: Option<usize>| stop.map_or_else(|| "at no call".to_owned(), |call| format!("at call {call}"));
        lines.push(format!("stops {}, was {}", at(replay.stop.1), at(replay.stop.0)));
    }
    if replay.not_made.0 != replay.not_made.1 {
        lines.push(format!("{} not made, was {}", plural(replay.not_made.1, "call"), whole(replay.not_made.0)));
    }
    lines
}

fn listed(calls: &[usize]) -> String {
    format!("{} {}", if calls.len() == 1 { "call" } else { "calls" }, list(calls, CALLS))
}
