//! Rules that never fire are as good as absent, wherever they stand.

use proptest::prelude::*;
use trimtab::simulate::Trace;

use crate::{generated, laws};

/// The text of a policy with these rules, one a line.
fn policy(rules: &[String]) -> String {
    let head = format!("edition 2026\n{}\nprompt handover \"Write it down.\"\n", generated::AGENT);
    format!("{head}policy made {{\n{}\n}}\n", rules.join("\n"))
}

/// The rules of a generated policy, one a line, each with another name.
fn rules(text: &str, prefix: &str) -> Vec<String> {
    let lines = text.lines().filter_map(|line| line.trim_start().strip_prefix("rule r"));
    lines.map(|rule| format!("  rule {prefix}{rule}")).collect()
}

/// A rule with another condition, which never holds.
fn never(rule: &str) -> String {
    let (head, acts) = rule.split_once(" do ").expect("a rule acts");
    let head: Vec<&str> = head.split_whitespace().take(5).collect();
    format!("  {} when iteration >= 1000 do {acts}", head.join(" "))
}

/// Whether a policy has more than its rules with this rule in it: a playbook that learns, or the declaration of the tool
/// `recall`, for which the first rule that offloads is charged.
fn brings_more(rule: &str, others: &[String]) -> bool {
    let learns = |rule: &str| rule.contains(" playbook ");
    rule.contains(" offload ") || learns(rule) && !others.iter().any(|other| learns(other))
}

fn has_fired(trace: &Trace, name: &str) -> bool {
    let rule = trace.rules.iter().find(|rule| rule.name == name).expect("a rule");
    rule.fired > 0 || trace.failures.iter().any(|(_, rule, _)| rule == name)
}

/// Everything that two replays must have in common: what was sent, and what each rule did except those of this name.
fn summary((trace, contexts): &(Trace, Vec<String>), without: &[&str]) -> (Vec<String>, Vec<String>) {
    let rules = trace.rules.iter().filter(|rule| !without.contains(&rule.name.as_str()));
    let mut told: Vec<String> = rules.map(|rule| format!("{rule:?}")).collect();
    told.sort();
    told.push(format!("{:?} {:?}", trace.signals, trace.failures.len()));
    (contexts.clone(), told)
}

proptest! {
    #![proptest_config(generated::cases(100))]

    #[test]
    fn a_rule_that_never_fires_changes_nothing_wherever_it_is_added(
        events in generated::events(), base in generated::policy(), other in generated::policy(),
        place in any::<prop::sample::Index>(), is_due in any::<bool>(), fails in any::<bool>()
    ) {
        let (transcript, base) = (generated::transcript(&events), rules(&base, "r"));
        // A rule that is due may still find nothing to do.
        let other = rules(&other, "x").swap_remove(0);
        let added = if is_due { other } else { never(&other) };
        prop_assume!(!brings_more(&added, &base));
        let mut more = base.clone();
        more.insert(place.index(base.len() + 1), added);
        let with = laws::contexts(&laws::plan(&policy(&more)), &transcript, fails);
        prop_assume!(!has_fired(&with.0, "x0"));
        let without = laws::contexts(&laws::plan(&policy(&base)), &transcript, fails);
        prop_assert_eq!(summary(&with, &["x0"]), summary(&without, &[]), "{}", policy(&more));
    }

    #[test]
    fn swapping_two_rules_that_never_fire_changes_nothing(
        events in generated::events(), first in generated::policy(), second in generated::policy(), fails in any::<bool>()
    ) {
        let transcript = generated::transcript(&events);
        let all = [rules(&first, "r"), rules(&second, "x")].concat();
        let before = laws::contexts(&laws::plan(&policy(&all)), &transcript, fails);
        // The first rule that offloads is charged for the declaration of `recall`.
        let idle = (0..all.len()).filter(|at| !has_fired(&before.0, &before.0.rules[*at].name));
        let idle: Vec<usize> = idle.filter(|at| !all[*at].contains(" offload ")).collect();
        let (Some(one), Some(two)) = (idle.first(), idle.last()) else { return Err(TestCaseError::reject("all fire")) };
        prop_assume!(one != two);
        let mut swapped = all.clone();
        swapped.swap(*one, *two);
        let after = laws::contexts(&laws::plan(&policy(&swapped)), &transcript, fails);
        // Behind a rule that fires, a rule that was idle may find something to do.
        let both = [*one, *two].map(|at| before.0.rules[at].name.as_str());
        prop_assume!(!both.iter().any(|name| has_fired(&after.0, name)));
        prop_assert_eq!(summary(&before, &both), summary(&after, &both), "{}\n{}", policy(&all), policy(&swapped));
    }
}
