//! Condition trees with their values, for people.

use super::idle;
use super::look::{Look, fold_lines};
use crate::run::{ConditionTrace, Explanation, RuleResult};
use crate::simulate::Explained;

/// Every rule at one call, phase by phase.
pub fn explanation(explained: &Explained, look: Look) -> String {
    let mut out = format!("{}\n", look.strong(&format!("call {}", explained.call)));
    if explained.phases.is_empty() {
        out += "  no rule was tried at this call\n";
    }
    for (phase, rules) in &explained.phases {
        out += &format!("\non {phase}\n");
        for rule in rules {
            out += &one(rule, look);
        }
    }
    fold_lines(&out, look.width)
}

/// One rule: how it came out, its condition as a tree, and what held it.
pub(super) fn one(rule: &Explanation, look: Look) -> String {
    let word = rule.result.word();
    let word = match rule.result {
        RuleResult::Fired => look.good(word),
        RuleResult::Failed => look.bad(word),
        _ => look.faint(word),
    };
    let mut out = format!("  {}: {word}\n", look.strong(&rule.rule));
    tree(&rule.condition, 4, look, &mut out);
    for end in &rule.ends {
        out += "    until\n";
        tree(end, 6, look, &mut out);
    }
    for held in &rule.held_by {
        out += &look.wrap(&format!("held by {held}"), 4);
    }
    for one in &rule.idle {
        out += &look.wrap(&idle::reason(&one.action, &one.reason), 4);
    }
    if let Some(reason) = &rule.failure {
        out += &look.wrap(&format!("the summary failed: {reason}"), 4);
    }
    out
}

fn tree(trace: &ConditionTrace, indent: usize, look: Look, out: &mut String) {
    let mark = match (trace.truth, look.unicode) {
        (Some(true), true) => look.good("✓"),
        (Some(false), true) => look.bad("✗"),
        (Some(true), false) => "yes".to_owned(),
        (Some(false), false) => "no ".to_owned(),
        (None, _) => "?".to_owned(),
    };
    let value = trace.value.as_ref().map(|value| look.faint(&format!("  ({value})"))).unwrap_or_default();
    *out += &format!("{}{mark} {}{value}\n", " ".repeat(indent), trace.text);
    for part in &trace.parts {
        tree(part, indent + 2, look, out);
    }
}
