//! Lints find problems in policies that pass the checker.
//!
//! In: a checked file with its tree and comments, settings, and for some lints what replays showed. Out: findings
//! with fixes, and those that a comment suppresses. It draws nothing, reads no file and knows no clock.
//! A lint is one file and two adjacent lines in the file of its category: `mod` and the entry in `LINTS`.

mod analysis;
mod descriptor;
mod fix;
mod rule;
mod settings;
mod subject;
mod suppression;

pub use analysis::threshold::Threshold;
pub use descriptor::{CATEGORIES, Category, Certainty, Check, FixAvailability, Lint};
pub use fix::{AppliedFix, FixResult, RejectedFix, apply_fixes};
pub use rule::LINTS;
pub use settings::{LintOption, SettingError, Settings};
pub use subject::{Quote, Subject};
pub use suppression::{MalformedSuppression, Suppression, Suppressions};

use self::fix::{comment_guard, fix_guard::FixGuard, once_then_until};
use crate::diagnostic::Diagnostic;
use crate::simulate::Trace;
use crate::source::Span;

/// The lint of this name.
pub fn find(name: &str) -> Option<&'static Lint> {
    LINTS.iter().find(|lint| lint.name() == name).copied()
}

/// What the lints have to say of a file.
#[derive(Debug, Default)]
pub struct LintOutcome {
    /// Findings, by place.
    pub findings: Vec<Diagnostic>,
    /// Findings that a comment allows, with its reason.
    pub suppressed: Vec<(Diagnostic, String)>,
}

/// A day as year, month and day.
pub type Day = (u16, u8, u8);

/// Looks at a file with all lints that the settings want. Lints on evidence stay silent without traces.
/// Suppressions that expired before `today` do not count; none expires when nobody tells the day.
pub fn run_lints(subject: &Subject<'_>, traces: Option<&[Trace]>, today: Option<Day>) -> LintOutcome {
    let wanted: Vec<&'static Lint> = LINTS.iter().copied().filter(|lint| subject.settings.is_enabled(lint)).collect();
    let mut found = Vec::new();
    // All lints on one rule, then on the next, since a large policy does not fit the cache of a processor.
    for (_, rule) in subject.rules() {
        for lint in &wanted {
            if let Check::Rule(check) = lint.check {
                check(subject, rule, &mut found);
            }
        }
    }
    for lint in &wanted {
        match (lint.check, traces) {
            (Check::File(check) | Check::Text(check), _) => check(subject, &mut found),
            (Check::Evidence(check), Some(traces)) => check(subject, traces, &mut found),
            (Check::Evidence(_), None) | (Check::Rule(_) | Check::Suppressions(_), _) => {}
        }
    }
    drop_superseded(&mut found);
    found.retain(|one| one.primary.span.source == subject.source.id());
    let guard = FixGuard::of(subject);
    let pairs = once_then_until::Pairs::of(subject);
    for one in &mut found {
        one.fixes.retain_mut(|fix| pairs.keep_separate(subject, fix));
        one.fixes.retain(|fix| comment_guard::keeps_comments(subject, fix));
        guard.restrict(&mut one.fixes);
    }
    let mut suppressions = Suppressions::read(subject, today, traces.is_some());
    let (mut findings, suppressed) = suppressions.split(found);
    let mut about = Vec::new();
    for lint in &wanted {
        if let Check::Suppressions(check) = lint.check {
            check(&suppressions, &mut about);
        }
    }
    findings.extend(about);
    for one in &mut findings {
        one.severity = subject.settings.severity(one);
    }
    crate::diagnostic::sort(&mut findings);
    LintOutcome { findings, suppressed }
}

/// Drops findings of which a more exact lint has spoken at the same place.
fn drop_superseded(found: &mut Vec<Diagnostic>) {
    let mut exact: Vec<(Span, &'static [&'static str])> = found
        .iter()
        .filter_map(|one| find(one.code.id).map(|lint| (one.primary.span, lint.supersedes)))
        .filter(|(_, over)| !over.is_empty())
        .collect();
    exact.sort_by_key(|(span, _)| (span.source, span.start));
    let longest = exact.iter().map(|(span, _)| span.end.saturating_sub(span.start)).max().unwrap_or(0);
    found.retain(|one| {
        let span = one.primary.span;
        // Only those that begin before its end, and not too far before its start, can overlap it.
        let last = exact.partition_point(|(other, _)| (other.source, other.start) < (span.source, span.end));
        let near = |other: Span| other.source == span.source && other.start.saturating_add(longest) > span.start;
        let mut overlapping = exact[..last].iter().rev().take_while(|(other, _)| near(*other));
        !overlapping.any(|(other, over)| other.end > span.start && over.contains(&one.code.id))
    });
}

#[cfg(test)]
mod tests;
