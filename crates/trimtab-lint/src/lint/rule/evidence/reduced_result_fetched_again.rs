//! `reduced-result-fetched-again`

use std::collections::BTreeMap;

use trimtab_base::diagnostic::{Code, Diagnostic, Fix, Severity};
use trimtab_base::quantity::{Counted, Decimal, Unit, whole};
use trimtab_language::check::{Action, Rule};
use trimtab_language::effect::LabelRole;
use trimtab_simulate::simulate::{RepeatedCall, Trace};

use crate::lint::analysis::edit::{fix, set_label};
use crate::lint::analysis::effect_scope;
use crate::lint::analysis::replays::{Replays, counted};
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, LintOption, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("reduced-result-fetched-again", Severity::Warning, include_str!("reduced_result_fetched_again.md")),
    category: Category::Evidence,
    certainty: Certainty::Heuristic,
    fix: FixAvailability::Unsafe,
    options: &[&TIMES, &WITHIN],
    check: Check::Evidence(check),
    ..Lint::DEFAULT
};

static TIMES: LintOption = LintOption {
    name: "times",
    unit: Unit::Counted(Counted::Count),
    default: Decimal::from_parts(3, 0, 0, false, 0),
    summary: "How many times a rule must be affected before it is reported.",
};

static WITHIN: LintOption = LintOption {
    name: "within",
    unit: Unit::Counted(Counted::Calls),
    default: Decimal::from_parts(10, 0, 0, false, 0),
    summary: "How many calls after the reduction a repeated call counts.",
};

fn check(subject: &Subject<'_>, traces: &[Trace], findings: &mut Vec<Diagnostic>) {
    let Some(replays) = Replays::of(subject, traces) else { return };
    let within = subject.option(&WITHIN);
    let soon = |again: &RepeatedCall| Decimal::from(again.call - again.reduced) <= within;
    let mut of_rules: BTreeMap<usize, Vec<(&Trace, &RepeatedCall)>> = BTreeMap::new();
    for trace in traces {
        for again in trace.regret.repeated.iter().filter(|again| soon(again)) {
            of_rules.entry(again.rule).or_default().push((trace, again));
        }
    }
    for (at, rule) in replays.rules(subject) {
        let Some(all) = of_rules.get(&at) else { continue };
        if Decimal::from(all.len()) >= subject.option(&TIMES) {
            findings.extend(finding(&replays, rule, all, whole(within)));
        }
    }
}

fn finding(replays: &Replays<'_>, rule: &Rule, all: &[(&Trace, &RepeatedCall)], within: u64) -> Option<Diagnostic> {
    let action = rule.all_actions().find(|action| action.effect.kind.edits_content())?;
    let mut tools: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, again) in all {
        *tools.entry(&again.tool).or_default() += 1;
    }
    let (tool, most) = tools.iter().max_by_key(|(_, count)| **count)?;
    let results = counted(all.len(), "result");
    let message = format!("{results} that `{}` reduced were requested again within {within} calls", rule.name);
    let (trace, example) = all.iter().find(|(_, again)| again.tool == *tool)?;
    let of = if trace.id.is_empty() { String::new() } else { format!(" of `{}`", trace.id) };
    let example = format!(
        "for example call {}{of}: the result of `{tool}` was reduced at call {}, and the same call was repeated",
        example.call, example.reduced
    );
    let help = format!("keep more, reduce later, or exclude `{tool}`, the source of {most} of them");
    let mut finding = LINT
        .finding(action.span, message, "these results were still needed")
        .note(example)
        .note(replays.sample())
        .help(help);
    finding.fixes.extend(exclude(action, tool));
    Some(finding)
}

/// Returns the fix that excludes the results of a tool, or `None` if the effect selects its tools with `only`.
fn exclude(action: &Action, tool: &str) -> Option<Fix> {
    let plain = |name: &str| name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    if !effect_scope::on_results(action, action.effect.kind)
        || action.argument(LabelRole::OnlyTools).is_some()
        || !plain(tool)
    {
        return None;
    }
    let mut names: Vec<&str> =
        action.names(LabelRole::ExceptTools).unwrap_or_default().iter().map(AsRef::as_ref).collect();
    if !names.iter().all(|name| plain(name.trim_end_matches('*'))) {
        return None;
    }
    names.push(tool);
    let edit = set_label(action, LabelRole::ExceptTools, &format!("[{}]", names.join(", ")))?;
    Some(fix(format!("exclude `{tool}`"), false, edit))
}
