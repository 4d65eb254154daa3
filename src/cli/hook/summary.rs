//! What the rules of a policy can do in a hook, as a person reads it.

use trimtab_language::plan::Plan;
use trimtab_live::hook_client::{Capability, capabilities};
use trimtab_report::report::plural;

/// A line for each rule, and for each action that a hook leaves out. The second value is the number of rules that run.
pub(super) fn of_plan(plan: &Plan, name: &str) -> (String, usize) {
    let rules = capabilities(plan);
    let running = rules.iter().filter(|rule| !rule.used.is_empty()).count();
    let width = rules.iter().map(|rule| rule.rule.chars().count()).max().unwrap_or(0);
    let mut text =
        format!("{name}, policy {}: {running} of {} run in the hook\n", plan.policy, plural(rules.len(), "rule"));
    for rule in &rules {
        for line in lines(rule) {
            text += &format!("  {:width$}  {line}\n", rule.rule);
        }
    }
    if rules.iter().any(|rule| !rule.unused.is_empty()) {
        text += "`trimtab simulate` shows what the rest would do\n";
    }
    (text, running)
}

fn lines(rule: &Capability) -> Vec<String> {
    let used = rule.used.iter().map(|title| format!("{title}: runs"));
    let unused = rule.unused.iter().map(|action| format!("{}: does not run; {}", action.title, action.reason));
    used.chain(unused).collect()
}
