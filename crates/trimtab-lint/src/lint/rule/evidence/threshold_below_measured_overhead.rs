//! `threshold-below-measured-overhead`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_base::quantity::{Decimal, grouped, percent, share_of};
use trimtab_simulate::simulate::Trace;

use crate::lint::analysis::edit::replace_constant;
use crate::lint::analysis::reduction::{ReductionStep, reduction_steps};
use crate::lint::analysis::replays::{Replays, counted};
use crate::lint::analysis::threshold::Threshold;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new(
        "threshold-below-measured-overhead",
        Severity::Warning,
        include_str!("threshold_below_measured_overhead.md"),
    ),
    category: Category::Evidence,
    certainty: Certainty::Heuristic,
    fix: FixAvailability::Unsafe,
    evidence: &[
        "https://github.com/MoonshotAI/kimi-code/issues/2325",
        "https://github.com/anomalyco/opencode/issues/27924",
    ],
    supersedes: &["threshold-below-overhead", "early-reduction"],
    check: Check::Evidence(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, traces: &[Trace], findings: &mut Vec<Diagnostic>) {
    let Some(replays) = Replays::of(subject, traces) else { return };
    let own = subject.source.id();
    let measured = traces.iter().filter(|trace| is_measured(trace)).count();
    for (policy, _, steps) in reduction_steps(subject) {
        if policy.name != replays.policy.name {
            continue;
        }
        for step in steps.iter().filter(|step| step.by_size_only && step.rule.span.source == own) {
            let Some(threshold) = step.threshold else { continue };
            let below: Vec<(u64, &Trace)> =
                traces.iter().filter_map(|trace| Some((below(&threshold, trace)?, trace))).collect();
            let most = below.iter().max_by_key(|(_, trace)| trace.observed.overhead);
            // A single recording may start in the middle of a session.
            if let Some((tokens, trace)) = most.filter(|_| below.len() * 2 >= measured) {
                findings.push(finding(subject, &replays, step, &threshold, (*tokens, trace, below.len())));
            }
        }
    }
}

/// The threshold in tokens, if the measured overhead of a recording reaches it.
fn below(threshold: &Threshold<'_>, trace: &Trace) -> Option<u64> {
    let of_window = || Some(share_of(trace.window?.0, threshold.share?));
    let tokens = threshold.tokens.or_else(of_window)?;
    (is_measured(trace) && tokens > 0 && trace.observed.overhead >= tokens).then_some(tokens)
}

/// Whether the overhead of a recording was measured; a value above the window includes more than the overhead.
fn is_measured(trace: &Trace) -> bool {
    trace.observed.is_measured && trace.window.is_none_or(|(window, _)| trace.observed.overhead < window)
}

fn finding(
    subject: &Subject<'_>,
    replays: &Replays<'_>,
    step: &ReductionStep<'_>,
    threshold: &Threshold<'_>,
    (tokens, trace, count): (u64, &Trace, usize),
) -> Diagnostic {
    let (tokens, overhead) = (grouped(tokens.into()), grouped(trace.observed.overhead.into()));
    let message = format!("system prompt and tools alone reach the threshold of `{}`", step.rule.name);
    let often = format!("in {count} of {}", counted(replays.traces.len(), "recording"));
    let here = match (trace.window, threshold.share) {
        (Some((window, _)), Some(share)) => format!(
            "{} of {} is {tokens} tokens; the measured overhead is {overhead}",
            percent(share),
            grouped(window.into())
        ),
        _ => format!("the measured overhead is {overhead} tokens"),
    };
    let mut finding = LINT
        .finding(threshold.test.span, message, here)
        .note(often)
        .note(replays.sample())
        .help("set the threshold above the size of system prompt and tools, with room for the work");
    let roomy = trace.ratio(trace.observed.overhead).is_some_and(|share| share < Decimal::new(5, 1));
    finding.fixes.extend(replace_constant(subject, step.rule, threshold.test, "80%").filter(|_| roomy));
    finding
}
