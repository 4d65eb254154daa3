//! What the recorded agent used again after rules had taken it from the context.

use serde_json::{Map, Value as Json, json};
use trimtab_base::conversation::shorten;
use trimtab_simulate::simulate::{Quote, Regret, RepeatedCall, Trace};

use super::rules::letter;
use crate::report::number::{count, plural, whole};
use crate::report::replay_result::{ReplayResult, rule_totals};
use crate::report::style::TerminalStyle;

/// How many calls of a rule are listed.
const MAX_LISTED: usize = 3;
/// The most characters of a quoted string.
const MAX_QUOTED: usize = 60;

/// The regret of one rule.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OfRule {
    repeated: usize,
    quotes: usize,
}

impl OfRule {
    fn of(replays: &[ReplayResult], rule: usize) -> Self {
        let all = || replays.iter().map(|replay| &replay.trace.regret);
        let repeated = all().map(|regret| regret.repeated.iter().filter(|one| one.rule == rule).count());
        let quotes = all().map(|regret| regret.quotes.iter().filter(|one| one.rule == rule).count());
        Self { repeated: repeated.sum(), quotes: quotes.sum() }
    }

    /// The counts, in words; none if there are none.
    fn words(self) -> Option<String> {
        let repeated = (self.repeated > 0).then(|| plural(self.repeated, "repeated call"));
        let quotes = (self.quotes > 0).then(|| plural(self.quotes, "quoting call"));
        let parts: Vec<String> = repeated.into_iter().chain(quotes).collect();
        (!parts.is_empty()).then(|| parts.join(" and "))
    }
}

/// A paragraph on the rules whose content was used again. One replay lists the first calls of each rule.
pub(super) fn by_rule(replays: &[ReplayResult], style: TerminalStyle) -> String {
    let mut out = String::new();
    for (at, rule) in rule_totals(replays).enumerate() {
        let Some(words) = OfRule::of(replays, at).words() else { continue };
        out += &style.wrap(&format!("{} {}: regret of {words}", letter(at), rule.name), 2);
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
    format!("call {call}: `{tool}` quotes {strings} taken at call {reduced}")
}

/// A string on one line of a terminal.
fn printable(text: &str) -> String {
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    shorten(&text, MAX_QUOTED)
}

/// The keys about regret of a rule.
pub(super) fn rule_json(replays: &[ReplayResult], rule: usize) -> Map<String, Json> {
    let OfRule { repeated, quotes } = OfRule::of(replays, rule);
    let keys = [("repeated_calls", repeated), ("quotes", quotes)];
    keys.into_iter().map(|(key, value)| (key.to_owned(), value.into())).collect()
}

/// The JSON form of the regret of a replay.
pub(super) fn json(trace: &Trace) -> Json {
    let rule_name = |rule: usize| trace.rules.get(rule).map(|rule| rule.name.as_str());
    let repeated =
        trace.regret.repeated.iter().map(
            |one| json!({ "call": one.call, "reduced": one.reduced, "rule": rule_name(one.rule), "tool": one.tool }),
        );
    let quote = |quote: &Quote| {
        let mut json = json!({
            "call": quote.call,
            "reduced": quote.reduced,
            "rule": rule_name(quote.rule),
            "tool": quote.tool,
            "strings": quote.strings,
            "chars": quote.chars,
        });
        if let Some(text) = &quote.text {
            json["text"] = text.as_str().into();
        }
        json
    };
    json!({
        "repeated_calls": repeated.collect::<Vec<_>>(),
        "quotes": trace.regret.quotes.iter().map(quote).collect::<Vec<_>>(),
    })
}
