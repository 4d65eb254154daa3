//! The later calls that needed content that rules reduced.

use trimtab_base::conversation::shorten;
use trimtab_simulate::simulate::{Quote, Regret, RepeatedCall};

use super::rules::letter;
use crate::report::number::{count, plural, plural_count, whole};
use crate::report::replay_result::ReplayResult;
use crate::report::result::{RuleFigures, TotalResult};
use crate::report::style::TerminalStyle;

/// How many calls of a rule are listed.
const MAX_LISTED: usize = 3;
/// The most characters of a quoted string.
const MAX_QUOTED: usize = 60;

/// Returns the calls that needed content that a rule reduced, in words, or `None` if there are none.
fn words(rule: &RuleFigures) -> Option<String> {
    let counted = |number: u64, noun: &str| (number > 0).then(|| plural_count(number, noun));
    let parts = [counted(rule.repeated_calls, "repeated tool call"), counted(rule.quotes, "quoting tool call")];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(" and "))
}

/// A paragraph on the rules whose content was needed later. One replay lists the first calls of each rule.
pub(super) fn by_rule(total: &TotalResult, replays: &[ReplayResult], style: TerminalStyle) -> String {
    let mut out = String::new();
    for (at, rule) in total.rules.iter().enumerate() {
        let Some(words) = words(&rule.figures) else { continue };
        out += &style.wrap(&format!("{} {}: {words} needed content that it reduced", letter(at), rule.name), 2);
        if let [replay] = replays {
            out += &listing(&replay.trace.regret, at, style);
        }
    }
    if out.is_empty() { out } else { format!("{out}\n") }
}

/// The first calls of a rule, a line each, and how many more there are.
fn listing(regret: &Regret, rule: usize, style: TerminalStyle) -> String {
    let repeated = regret.repeated.iter().filter(|one| one.rule == rule).map(|one| (one.call, again(one)));
    let quotes = regret.quotes.iter().filter(|one| one.rule == rule).map(|one| (one.call, quoting(one)));
    let mut lines: Vec<(usize, String)> = repeated.chain(quotes).collect();
    lines.sort_by_key(|(call, _)| *call);
    let more = lines.len().saturating_sub(MAX_LISTED);
    let mut out: String = lines.iter().take(MAX_LISTED).map(|(_, line)| style.wrap(line, 4)).collect();
    if more > 0 {
        out += &style.wrap(&format!("and {} more; --format json lists them all", whole(more)), 4);
    }
    out
}

fn again(one: &RepeatedCall) -> String {
    format!("call {}: `{}` repeated, with its result reduced at call {}", one.call, one.tool, one.reduced)
}

fn quoting(quote: &Quote) -> String {
    let Quote { call, reduced, tool, strings, chars, text, .. } = quote;
    let longest = match text {
        Some(text) => format!("`{}`", printable(text)),
        None => format!("{} characters", count(u64::try_from(*chars).unwrap_or(u64::MAX))),
    };
    let strings = match strings {
        1 if text.is_some() => longest,
        1 => format!("a string of {longest}"),
        several => format!("{}, the longest {longest},", plural(*several, "string")),
    };
    format!("call {call}: `{tool}` quotes {strings} removed at call {reduced}")
}

/// A string on one line of a terminal.
fn printable(text: &str) -> String {
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    shorten(&text, MAX_QUOTED)
}
