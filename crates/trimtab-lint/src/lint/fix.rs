//! Applies fixes to a text.
//!
//! Each round applies the fixes that do not touch each other and analyses the text again. A round is kept only if it adds
//! no error and removes at least one finding for each of its fixes. Otherwise a smaller round is tried; a fix that fails
//! alone is rejected. The loop ends because each round that is kept has fewer errors or fewer findings than the last.

mod candidate;
pub(super) mod comment_guard;
mod compare;
pub(super) mod fix_guard;
pub(super) mod once_then_until;
mod region;
mod rejection;

use std::collections::{HashMap, HashSet};

use trimtab_base::diagnostic::{Diagnostic, TextEdit};
use trimtab_base::source::{Source, SourceId, Span};
use trimtab_syntax::format;

use self::candidate::{Candidate, Key, candidates, next_round};
use self::compare::compare;
use self::rejection::Rejection;

/// How many times a text is analysed before the remaining fixes are rejected untried.
const MAX_ANALYSES: usize = 200;

/// How many rounds of follow-up fixes are tried before a round is rejected.
const MAX_FOLLOW_UPS: usize = 8;

/// A fix that was applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppliedFix {
    /// The code of its finding.
    pub code: &'static str,
    /// Its title.
    pub title: String,
}

/// A fix that was offered and not applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RejectedFix {
    /// The code of its finding.
    pub code: &'static str,
    /// Its title.
    pub title: String,
    /// The place of its finding in the fixed text.
    pub span: Span,
    /// Why it was rejected, as a predicate of the fix, such as `would not remove the finding`.
    pub reason: String,
}

/// A text after fixing.
#[derive(Debug)]
pub struct FixResult {
    /// The fixed text.
    pub text: String,
    /// The applied fixes, in order.
    pub applied: Vec<AppliedFix>,
    /// The findings of the fixed text.
    pub remaining: Vec<Diagnostic>,
    /// The first allowed fix of each remaining finding, with the reason why it was not applied.
    pub rejected: Vec<RejectedFix>,
}

/// Applies the first allowed fix of each finding, safe ones only unless `allow_unsafe` is set, until no fix is left that
/// helps. `analyze` returns the findings of a text; fixes outside the source `own` are ignored.
///
/// A formatted text stays formatted.
pub fn apply_fixes(
    text: &str,
    own: SourceId,
    allow_unsafe: bool,
    analyze: &mut dyn FnMut(&str) -> Vec<Diagnostic>,
) -> FixResult {
    let mut fixer = Fixer { own, allow_unsafe, analyze, analyses_left: MAX_ANALYSES };
    let mut state = fixer.analyze(text.to_owned());
    let (mut applied, mut rejected) = (Vec::new(), HashMap::<Key, Rejection>::new());
    let (mut limit, mut is_changed) = (usize::MAX, false);
    loop {
        let all = fixer.candidates(&state);
        let round = next_round(all.iter().filter(|candidate| !rejected.contains_key(&candidate.key())), limit);
        if round.is_empty() || fixer.analyses_left == 0 {
            if std::mem::take(&mut is_changed) && fixer.analyses_left > 0 {
                // What failed before a change may help now.
                rejected.clear();
                limit = usize::MAX;
                continue;
            }
            let reason = |candidate: &Candidate| rejected.get(&candidate.key()).unwrap_or(&Rejection::NotTried);
            let rejected = all.iter().map(|candidate| candidate.rejected(reason(candidate))).collect();
            return FixResult { text: state.text, applied, remaining: state.findings, rejected };
        }
        match (fixer.try_round(&state, &all, &round), round.as_slice()) {
            (Ok((next, fixes)), _) => {
                (state, is_changed, limit) = (next, true, limit.saturating_mul(2));
                applied.extend(fixes);
            }
            (Err(rejection), [candidate]) => drop(rejected.insert(candidate.key(), rejection)),
            (Err(_), _) => limit = round.len() / 2,
        }
    }
}

/// A text with its findings.
#[derive(Debug)]
struct State {
    text: String,
    findings: Vec<Diagnostic>,
}

struct Fixer<'a> {
    own: SourceId,
    allow_unsafe: bool,
    analyze: &'a mut dyn FnMut(&str) -> Vec<Diagnostic>,
    analyses_left: usize,
}

impl Fixer<'_> {
    fn analyze(&mut self, text: String) -> State {
        self.analyses_left = self.analyses_left.saturating_sub(1);
        let findings = (self.analyze)(&text);
        State { text, findings }
    }

    fn candidates(&self, state: &State) -> Vec<Candidate> {
        candidates(&state.findings, self.own, self.allow_unsafe)
    }

    /// Applies a round of fixes, then the fixes that they make possible, until the text is better than at the start.
    /// Fixes that were already `possible` at the start are not tried as follow-ups.
    fn try_round(
        &mut self,
        start: &State,
        possible: &[Candidate],
        round: &[&Candidate],
    ) -> Result<(State, Vec<AppliedFix>), Rejection> {
        let mut possible: HashSet<[&str; 3]> = possible.iter().map(Candidate::identity).collect();
        // A fix may have to be repeated, such as the removal of doubled parentheses.
        for candidate in round {
            possible.remove(&candidate.identity());
        }
        let (mut state, mut applied) = self.apply_round(start, round).ok_or(Rejection::DoesNotFit)?;
        let rejection = match compare(start, &state, round) {
            Ok(()) => return Ok((state, applied)),
            Err(rejection) => rejection,
        };
        for _ in 1..MAX_FOLLOW_UPS {
            let mut follow_ups = self.candidates(&state);
            follow_ups.retain(|follow_up| !possible.contains(&follow_up.identity()));
            let follow_ups = next_round(follow_ups.iter(), usize::MAX);
            if follow_ups.is_empty() || self.analyses_left == 0 {
                break;
            }
            let Some((next, fixes)) = self.apply_round(&state, &follow_ups) else { break };
            applied.extend(fixes);
            if compare(start, &next, round).is_ok() {
                return Ok((next, applied));
            }
            state = next;
        }
        Err(rejection)
    }

    /// Applies a round of fixes; a formatted text is formatted again. Returns `None` if the edits do not fit the text.
    fn apply_round(&mut self, state: &State, round: &[&Candidate]) -> Option<(State, Vec<AppliedFix>)> {
        let text = apply_edits(&state.text, self.own, round.iter().flat_map(|candidate| &candidate.fix.edits))?;
        Some((self.analyze(text), round.iter().map(|candidate| candidate.applied()).collect()))
    }
}

/// A text with some edits; a formatted text is formatted again. Returns `None` if the edits overlap or do not fit the
/// text.
pub fn apply_edits<'e>(text: &str, own: SourceId, edits: impl IntoIterator<Item = &'e TextEdit>) -> Option<String> {
    let mut edits: Vec<&TextEdit> = edits.into_iter().collect();
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    let (mut out, mut end) = (String::with_capacity(text.len()), 0);
    for edit in edits {
        let range = edit.span.range();
        out += text.get(end..range.start)?;
        out += &edit.text;
        end = range.end;
    }
    out += text.get(end..)?;
    if formatted(text, own).is_some_and(|formatted| formatted == text) {
        out = formatted(&out, own).unwrap_or(out);
    }
    Some(out)
}

fn formatted(text: &str, own: SourceId) -> Option<String> {
    format::format_source(&Source::new(own, "fixed.trim", text)).ok()
}
