//! `never-fires`

use crate::check::Rule;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::effect::EffectKind;
use crate::lint::analysis::replays::{CALLS, Replays, counted};
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};
use crate::quantity::{Decimal, percent};
use crate::simulate::Trace;

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "never-fires",
        severity: Severity::Info,
        title: "a rule that fired in no recording",
        why: "The rule was tried at every call of the recordings and did nothing. Its bound may be one that these \
              sessions never reach, or a guard or the effect may leave nothing to do. A rule for emergencies is \
              meant to be like this; one that was to work every day is not. Rules that stop the run are passed \
              over.",
        wrong: "edition 2026\nagent { window 200k tokens }\npolicy p {\n  rule hide { when context.ratio >= 60% do mask results keep 2 results }\n}\n",
        right: "edition 2026\nagent { window 200k tokens }\npolicy p {\n  rule hide { when context.tokens >= 300 tokens do mask results keep 2 results }\n}\n",
    },
    category: Category::Evidence,
    certainty: Certainty::Heuristic,
    fix: FixAvailability::None,
    options: &[CALLS],
    check: Check::Evidence(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, traces: &[Trace], found: &mut Vec<Diagnostic>) {
    let Some(played) = Replays::of(subject, traces) else { return };
    if Decimal::from(played.calls) < subject.settings.option(&LINT, CALLS.name) {
        return;
    }
    for (at, rule) in played.rules(subject) {
        // One that stops the run is there for what should not happen.
        let stops = rule.does(EffectKind::Stop);
        if !stops && played.sum(at, |rule| rule.fired) == 0 {
            found.push(finding(subject, &played, at, rule));
        }
    }
}

fn finding(subject: &Subject<'_>, played: &Replays<'_>, at: usize, rule: &Rule) -> Diagnostic {
    let due = played.sum(at, |rule| rule.due);
    let failed = played.traces.iter().flat_map(|trace| &trace.failures).filter(|(_, name, _)| *name == rule.name);
    let failed = failed.count();
    let message = format!("rule `{}` did nothing in {}", rule.name, counted(played.calls, "call"));
    let here = match (due, failed) {
        (0, _) => "never due".to_owned(),
        (due, failed) if failed >= due => format!("due {}, and its summary failed each time", times(due)),
        (due, _) => format!("due {}, with nothing to do", times(due)),
    };
    let mut finding = LINT.finding(rule.head, message, here).note(played.sample());
    // The bound that was not reached, where the fill is one.
    if due == 0
        && let Some(threshold) = subject.threshold(rule)
    {
        let asked = match (threshold.share, threshold.tokens) {
            (Some(share), _) => percent(share),
            (None, tokens) => counted(usize::try_from(tokens.unwrap_or(0)).unwrap_or(usize::MAX), "token"),
        };
        finding = finding
            .label(threshold.test.span, format!("{asked} is asked for; {}", played.fullest(threshold.share.is_some())));
    }
    let help = match due {
        0 => "lower what it waits for, or leave it if it is for emergencies",
        _ => "look at what it keeps and spares, or take it out",
    };
    finding.help(help)
}

fn times(count: usize) -> String {
    if count == 1 { "once".to_owned() } else { format!("{count} times") }
}
