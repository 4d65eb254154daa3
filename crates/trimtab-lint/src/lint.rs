//! Lints find problems in policies that pass the checker.
//!
//! In: a checked file with its tree and comments, settings, and for some lints what replays showed. Out: findings
//! with fixes, and those that a comment suppresses. It draws nothing, reads no file and knows no clock.
//! A lint is one file and two lines in the file of its category: `mod` and the entry in `LINTS`.

mod analysis;
mod descriptor;
mod fix;
mod option;
mod rule;
mod settings;
mod subject;
mod suppression;

use trimtab_base::diagnostic::{Diagnostic, Label};
use trimtab_base::source::Span;
use trimtab_language::check::Rule;
use trimtab_simulate::simulate::Trace;

use self::analysis::overridden::overridden_rules;
use self::fix::{comment_guard, fix_guard::FixGuard, once_then_until};
pub use analysis::threshold::Threshold;
pub use descriptor::{CATEGORIES, Category, Certainty, Check, FixAvailability, Lint};
pub use fix::{AppliedFix, FixResult, RejectedFix, apply_edits, apply_fixes};
pub use option::{LintOption, OptionValues};
pub use rule::{LINTS, find};
pub use settings::{SettingError, Settings};
pub use subject::{Quote, Subject};
pub use suppression::{Day, MalformedSuppression, Suppression, Suppressions};

/// The findings of the lints on a file.
#[derive(Debug, Default)]
pub struct LintOutcome {
    /// Findings, by place.
    pub findings: Vec<Diagnostic>,
    /// Findings that a comment suppresses, with its reason.
    pub suppressed: Vec<(Diagnostic, String)>,
}

/// Runs the enabled lints on a file. Lints that need evidence run only with `traces`. Suppressions that expired before
/// `today` do not apply; without `today` none expires.
pub fn run_lints(
    subject: &Subject<'_>,
    settings: &Settings,
    traces: Option<&[Trace]>,
    today: Option<Day>,
) -> LintOutcome {
    let can_run = |lint: &Lint| traces.is_some() || !matches!(lint.check, Check::Evidence(_));
    let lints = LINTS.iter().copied().filter(|lint| settings.is_enabled(lint) && can_run(lint));
    let lints: Vec<&'static Lint> = lints.collect();
    let mut findings = check(subject, &lints, traces.unwrap_or_default());
    drop_superseded(&mut findings);
    findings.retain(|finding| finding.primary.span.source == subject.source.id());
    restrict_fixes(subject, &mut findings);

    let names: Vec<&'static str> = lints.iter().map(|lint| lint.name()).collect();
    let mut suppressions = if settings.honors_suppressions {
        Suppressions::read(subject, &names, today)
    } else {
        Suppressions::none(subject, &names)
    };
    let (mut findings, suppressed) = suppressions.split(findings);
    for lint in &lints {
        if let Check::Suppressions(check) = lint.check {
            check(&suppressions, &mut findings);
        }
    }
    for finding in &mut findings {
        finding.severity = settings.severity(finding);
    }
    trimtab_base::diagnostic::sort(&mut findings);
    LintOutcome { findings, suppressed }
}

/// The findings of all lints except those about suppressions.
fn check(subject: &Subject<'_>, lints: &[&'static Lint], traces: &[Trace]) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    // All lints on one rule, then on the next, since a large policy does not fit the cache of a processor.
    for (_, rule) in subject.rules() {
        for lint in lints {
            if let Check::Rule(check) = lint.check {
                let before = findings.len();
                check(subject, rule, &mut findings);
                place_in_override(subject, rule, check, &mut findings, before);
            }
        }
    }
    for lint in lints {
        match lint.check {
            Check::File(check) | Check::Text(check) => check(subject, &mut findings),
            Check::Evidence(check) | Check::Sessions(check) => check(subject, traces, &mut findings),
            Check::Rule(_) | Check::Suppressions(_) => {}
        }
    }
    findings
}

/// Moves findings in clauses that a rule inherits from another file to its override, without their fixes. Findings that the
/// rule of the base has too are dropped: they are reported in its file.
fn place_in_override<'a>(
    subject: &Subject<'a>,
    rule: &'a Rule,
    check: for<'s> fn(&Subject<'s>, &'s Rule, &mut Vec<Diagnostic>),
    findings: &mut Vec<Diagnostic>,
    first: usize,
) {
    let own = subject.source.id();
    let is_foreign = |finding: &Diagnostic| finding.primary.span.source != own;
    if !findings.iter().skip(first).any(is_foreign) {
        return;
    }
    let mut inherited = Vec::new();
    if let Some(overridden) =
        overridden_rules(subject).into_iter().find(|overridden| std::ptr::eq(overridden.new, rule))
    {
        check(subject, overridden.old, &mut inherited);
    }
    let key = |finding: &Diagnostic| (finding.code.id, finding.primary.span);
    let inherited: Vec<_> = inherited.iter().map(key).collect();
    let new = findings.split_off(first);
    findings.extend(new.into_iter().filter(|finding| !(is_foreign(finding) && inherited.contains(&key(finding)))));
    for finding in findings.iter_mut().skip(first).filter(|finding| is_foreign(finding)) {
        let here = Label { span: subject.head(rule), message: "inherits this and changes another clause".to_owned() };
        let there = std::mem::replace(&mut finding.primary, here);
        finding.labels.insert(0, there);
        finding.fixes.clear();
    }
}

/// Drops fixes that would lose a comment or break another clause, and marks fixes as unsafe that are not certainly
/// safe.
fn restrict_fixes(subject: &Subject<'_>, findings: &mut [Diagnostic]) {
    let guard = FixGuard::of(subject);
    let pairs = once_then_until::Pairs::of(subject);
    for finding in findings {
        finding.fixes.retain_mut(|fix| pairs.keep_separate(subject, fix));
        finding.fixes.retain(|fix| comment_guard::keeps_comments(subject, fix));
        guard.restrict(&mut finding.fixes);
    }
}

/// Drops findings that overlap a finding of a more specific lint.
fn drop_superseded(findings: &mut Vec<Diagnostic>) {
    let mut superseding: Vec<(Span, &'static [&'static str])> = findings
        .iter()
        .filter_map(|finding| find(finding.code.id).map(|lint| (finding.primary.span, lint.supersedes)))
        .filter(|(_, supersedes)| !supersedes.is_empty())
        .collect();
    superseding.sort_by_key(|(span, _)| (span.source, span.start));
    let longest = superseding.iter().map(|(span, _)| span.end.saturating_sub(span.start)).max().unwrap_or(0);
    findings.retain(|finding| {
        let span = finding.primary.span;
        // Only findings that begin before its end, and not too far before its start, can overlap it.
        let end = superseding.partition_point(|(other, _)| (other.source, other.start) < (span.source, span.end));
        let may_overlap = |other: Span| other.source == span.source && other.start.saturating_add(longest) > span.start;
        let mut candidates = superseding[..end].iter().rev().take_while(|(other, _)| may_overlap(*other));
        !candidates.any(|(other, supersedes)| other.end > span.start && supersedes.contains(&finding.code.id))
    });
}

#[cfg(test)]
mod tests;
