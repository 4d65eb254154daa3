//! `never-fires`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_base::quantity::{Decimal, percent};
use trimtab_language::check::Rule;
use trimtab_language::effect::EffectKind;
use trimtab_simulate::simulate::Trace;

use crate::lint::analysis::replays::{MIN_CALLS, Replays, counted};
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, LintOption, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("never-fires", Severity::Info, include_str!("never_fires.md")),
    category: Category::Evidence,
    certainty: Certainty::Heuristic,
    fix: FixAvailability::None,
    options: &[&CALLS],
    check: Check::Evidence(check),
    ..Lint::DEFAULT
};

static CALLS: LintOption = MIN_CALLS;

fn check(subject: &Subject<'_>, traces: &[Trace], findings: &mut Vec<Diagnostic>) {
    let Some(replays) = Replays::of(subject, traces) else { return };
    if Decimal::from(replays.calls) < subject.option(&CALLS) {
        return;
    }
    for (at, rule) in replays.rules(subject) {
        // A rule that stops the run is meant for emergencies.
        let stops = rule.does(EffectKind::Stop);
        // What only a host reports is rarely in a recording.
        let is_told = rule.phase.replayed() || replays.sum(at, |rule| rule.due) > 0;
        if !stops && is_told && replays.sum(at, |rule| rule.fired) == 0 {
            findings.push(finding(subject, &replays, at, rule));
        }
    }
}

fn finding(subject: &Subject<'_>, replays: &Replays<'_>, at: usize, rule: &Rule) -> Diagnostic {
    let due = replays.sum(at, |rule| rule.due);
    let failed = replays.traces.iter().flat_map(|trace| &trace.failures).filter(|(_, name, _)| *name == rule.name);
    let failed = failed.count();
    let outcome = if due == 0 { "was never due" } else { "was due but changed nothing" };
    let message = format!("rule `{}` {outcome} in {}", rule.name, counted(replays.calls, "call"));
    let here = match (due, failed) {
        (0, _) => "never due".to_owned(),
        (due, failed) if failed >= due => format!("due {}, and its summary failed each time", times(due)),
        (due, _) => format!("due {}, with nothing to do", times(due)),
    };
    let mut finding = LINT.finding(rule.head, message, here).note(replays.sample());
    if let Some(fact) = replays.never_known(at).filter(|_| due == 0) {
        let help = "give the fact a default with `??`, or use one that these recordings have";
        return finding.note(format!("`{fact}` was unknown at every call")).help(help);
    }
    // Show the threshold that was not reached, if the rule has one.
    if due == 0
        && let Some(threshold) = subject.threshold(rule)
    {
        let required = match (threshold.share, threshold.tokens) {
            (Some(share), _) => percent(share),
            (None, tokens) => counted(usize::try_from(tokens.unwrap_or(0)).unwrap_or(usize::MAX), "token"),
        };
        finding = finding
            .label(threshold.test.span, format!("requires {required}; {}", replays.largest(threshold.share.is_some())));
    }
    let help = match due {
        0 => "lower the threshold, or keep the rule if it is for emergencies",
        _ => "check what the rule keeps and excludes, or remove it",
    };
    finding.help(help)
}

fn times(count: usize) -> String {
    if count == 1 { "once".to_owned() } else { format!("{count} times") }
}
