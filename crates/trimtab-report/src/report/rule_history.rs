//! One rule over all calls of a transcript.

mod rows;

use trimtab_base::source::sanitize::one_line;
use trimtab_run::run::{ConditionTrace, Explanation, RuleResult};
use trimtab_simulate::simulate::Trace;

use self::rows::Row;
use super::figure::number;
use super::idle;
use super::number::{count, plural};
use super::result::ExplainedRule;
use super::style::TerminalStyle;
use super::table::display_width;
use super::wrap::fold;

/// The most parts of a condition that are named as the reason why it does not hold.
const NAMED: usize = 2;

/// A line for each call: its number, its run and iteration, what came of the rule, and why. Consecutive calls that differ at
/// most in numbers are one line, with the least and the greatest.
pub fn rule_history(rule: &str, trace: &Trace, style: TerminalStyle) -> String {
    let mut folded: Vec<Row> = Vec::new();
    for explained in &trace.all_explained {
        let tried = explained.phases.iter().flat_map(|(_, rules)| rules).find(|tried| tried.rule == rule);
        let call = &trace.calls[explained.call];
        let at = [u64::try_from(explained.call).unwrap_or(u64::MAX), call.run, call.iteration];
        let row = Row::new(at, tried.map(|tried| tried.result), &tried.map(why).unwrap_or_default().join("; "));
        let row = match folded.last_mut() {
            Some(last) => last.extend(row),
            None => Some(row),
        };
        folded.extend(row);
    }
    let head = ["call", "run", "iteration", "result", "reason"].map(str::to_owned);
    let rows: Vec<[String; 5]> = std::iter::once(head).chain(folded.into_iter().map(Row::cells)).collect();
    let width = |column: usize| rows.iter().map(|row| display_width(&row[column])).max().unwrap_or(0);
    let widths = [width(0), width(1), width(2), width(3)];
    let taken = widths.iter().sum::<usize>() + 2 * widths.len() + 2;
    let mut out = format!("rule {} at each of {}\n", style.emphasis(rule), plural(trace.all_explained.len(), "call"));
    for (at, [call, run, iteration, result, why]) in rows.iter().enumerate() {
        let [first, second, third, fourth] = widths;
        let head = format!("  {call:>first$}  {run:>second$}  {iteration:>third$}  {result:<fourth$}");
        let mut lines = fold(why, style.width.saturating_sub(taken).max(20)).into_iter();
        let first = lines.next().unwrap_or_default();
        let line = format!("{head}  {first}").trim_end().to_owned();
        out += &format!("{}\n", if at == 0 { style.dim(&line) } else { line });
        out += &lines.map(|line| format!("{}{line}\n", " ".repeat(taken))).collect::<String>();
    }
    out
}

/// Every rule at every call that was explained.
pub(super) fn results(trace: &Trace) -> Vec<ExplainedRule> {
    let calls = trace.explained.iter().chain(&trace.all_explained);
    let rules = calls.flat_map(|call| {
        call.phases.iter().flat_map(move |(phase, rules)| rules.iter().map(move |rule| (call.call, phase, rule)))
    });
    let result = |(at, phase, rule): (usize, &&str, &Explanation)| {
        let (run, iteration) = trace.calls.get(at).map_or((0, 0), |call| (call.run, call.iteration));
        ExplainedRule {
            call: number(at),
            run,
            iteration,
            phase: (*phase).to_owned(),
            rule: rule.rule.to_string(),
            result: rule.result.word().replace(' ', "_"),
            why: why(rule),
        }
    };
    rules.map(result).collect()
}

/// Why a rule came out as it did.
fn why(rule: &Explanation) -> Vec<String> {
    match rule.result {
        RuleResult::NotDue => failing(&rule.when),
        RuleResult::Blocked => rule.blocked_by.clone(),
        RuleResult::Idle => rule.idle.iter().map(|idle| idle::reason(&idle.action, &idle.reason)).collect(),
        RuleResult::Fired => done(rule.edits).into_iter().collect(),
        RuleResult::Declined => vec!["nobody confirmed it".to_owned()],
        RuleResult::Failed => rule.failure.iter().map(|reason| format!("the summary failed: {reason}")).collect(),
    }
}

/// What a firing did to the context; nothing for a signal.
fn done((edits, saved): (usize, i128)) -> Option<String> {
    let tokens = count(u64::try_from(saved.unsigned_abs()).unwrap_or(u64::MAX));
    let change = if saved < 0 { "more" } else { "fewer" };
    (edits > 0).then(|| format!("{}, {tokens} {change} tokens", plural(edits, "edit")))
}

/// The tests that keep a condition from holding.
fn failing(condition: &ConditionTrace) -> Vec<String> {
    let mut all = Vec::new();
    collect(condition, true, &mut all);
    let rest = all.len().saturating_sub(NAMED);
    all.truncate(NAMED);
    all.extend((rest > 0).then(|| format!("and {rest} more")));
    all
}

/// The tests that would need another result for a condition to be `wanted`.
fn collect(trace: &ConditionTrace, wanted: bool, all: &mut Vec<String>) {
    if trace.truth == Some(wanted) {
        return;
    }
    match (trace.text.as_str(), trace.parts.as_slice()) {
        ("not", [inner]) => collect(inner, !wanted, all),
        (_, []) => {
            let value = trace.value.as_ref().map(|value| format!(" ({})", one_line(value))).unwrap_or_default();
            all.push(format!("{}{}{value}", if wanted { "" } else { "not " }, trace.text));
        }
        (_, parts) => parts.iter().for_each(|part| collect(part, wanted, all)),
    }
}
