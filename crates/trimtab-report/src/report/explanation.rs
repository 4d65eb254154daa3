//! Human-readable condition trees with values.

use trimtab_base::source::sanitize::one_line;
use trimtab_run::run::{ConditionTrace, Explanation, RuleResult};
use trimtab_simulate::simulate::CallExplanation;

use super::idle;
use super::style::TerminalStyle;
use crate::report::wrap::fold_lines;

/// Every rule at one call, phase by phase.
pub fn explanation(explained: &CallExplanation, style: TerminalStyle) -> String {
    let mut out = format!("{}\n", style.emphasis(&format!("call {}", explained.call)));
    if explained.phases.is_empty() {
        out += "  no rule was tried at this call\n";
    }
    for (phase, rules) in &explained.phases {
        out += &format!("\non {phase}\n");
        for rule in rules {
            out += &rule_explanation(rule, style);
        }
    }
    fold_lines(&out, style.width)
}

/// One rule: how it came out, its condition as a tree, and what blocked it.
pub(super) fn rule_explanation(rule: &Explanation, style: TerminalStyle) -> String {
    let word = rule.result.word();
    let word = match rule.result {
        RuleResult::Fired => style.success(word),
        RuleResult::Failed => style.failure(word),
        _ => style.dim(word),
    };
    let mut out = format!("  {}: {word}\n", style.emphasis(&rule.rule));
    tree(&rule.when, 4, style, &mut out);
    if let Some(unless) = &rule.unless {
        out += "    unless\n";
        tree(unless, 6, style, &mut out);
    }
    for end in &rule.ends {
        out += "    until\n";
        tree(end, 6, style, &mut out);
    }
    for blocked in &rule.blocked_by {
        out += &style.wrap(&format!("blocked by {blocked}"), 4);
    }
    for reason in &rule.idle {
        out += &style.wrap(&idle::reason(&reason.action, &reason.reason), 4);
    }
    if let Some(reason) = &rule.failure {
        out += &style.wrap(&format!("the summary failed: {reason}"), 4);
    }
    out
}

fn tree(trace: &ConditionTrace, indent: usize, style: TerminalStyle, out: &mut String) {
    let mark = match (trace.truth, style.unicode) {
        (Some(true), true) => style.success("✓"),
        (Some(false), true) => style.failure("✗"),
        (Some(true), false) => "yes".to_owned(),
        (Some(false), false) => "no ".to_owned(),
        (None, _) => "?".to_owned(),
    };
    let value = trace.value.as_ref().map(|value| style.dim(&format!("  ({})", one_line(value)))).unwrap_or_default();
    *out += &format!("{}{mark} {}{value}\n", " ".repeat(indent), trace.text);
    for part in &trace.parts {
        tree(part, indent + 2, style, out);
    }
}
