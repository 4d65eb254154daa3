//! The fixer: applies fixes until nothing more can be fixed.
//!
//! In: a text, and who says what is found in one. Out: the text after its fixes, what was done, and what was left out
//! and why. Of the stages it knows only the layout: a file that is laid out comes out laid out.

mod candidate;
pub(super) mod comment_guard;
pub(super) mod fix_guard;
mod judge;
mod once;
pub(super) mod once_then_until;
mod stretch;

use std::collections::{HashMap, HashSet};

use self::candidate::{Candidate, Key, candidates, compatible};
use self::judge::{Shift, State, Why, edited, judge};
use crate::diagnostic::Diagnostic;
use crate::format;
use crate::lint::rule::style::not_formatted;
use crate::source::{Source, SourceId, Span};

/// How many fixes, each made possible by the one before, are tried before the first is given up.
const DEEPEST: usize = 8;

/// How many fixes are followed to what they make possible, where none helps by itself.
const FOLLOWED: usize = 8;

/// How often a text is looked at before the fixes that are still open are left out. Where fixes help it takes a few looks;
/// this many are needed only where dozens are refused one by one.
const MOST: usize = 200;

/// A fix that was applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppliedFix {
    /// The finding's code.
    pub code: &'static str,
    /// What the fix does.
    pub title: String,
}

/// A fix that was offered and left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RejectedFix {
    /// The finding's code.
    pub code: &'static str,
    /// What the fix would do.
    pub title: String,
    /// Where the finding stands in the text that came out.
    pub span: Span,
    /// Why it was left out: what it would do, without a subject.
    pub why: String,
}

/// A text after fixing.
#[derive(Debug)]
pub struct FixResult {
    /// The text.
    pub text: String,
    /// What was done, in order.
    pub applied: Vec<AppliedFix>,
    /// What is left.
    pub left: Vec<Diagnostic>,
    /// Fixes of what is left that were wanted and would not help.
    pub refused: Vec<RejectedFix>,
}

/// Who says what is found in a text.
type Analyze<'l> = &'l mut dyn FnMut(&str) -> Vec<Diagnostic>;

/// Applies the first wanted fix of each finding, a safe one or, where they are wanted too, an unsafe one, round by round
/// until nothing changes.
///
/// A fix is made when its finding goes and nothing comes for it: no error of another kind or in another place, and fewer
/// errors than before, or as many and fewer findings; so fixing ends. One that does not help by itself is followed for a few steps to the
/// fixes that it makes possible. A text that is in the one layout, or should be, is laid out again.
pub fn apply_fixes(
    text: &str,
    own: SourceId,
    unsafe_too: bool,
    look: &mut dyn FnMut(&str) -> Vec<Diagnostic>,
) -> FixResult {
    let found = look(text);
    let layout = found.iter().find(|one| is_layout(one)).and_then(|one| one.fixes.first());
    let mut layout = layout.map(|fix| AppliedFix { code: not_formatted::LINT.name(), title: fix.title.clone() });
    let mut work = Work {
        state: State::new(text.to_owned(), found),
        own,
        unsafe_too,
        tidy: false,
        applied: Vec::new(),
        aside: HashMap::new(),
        left: MOST,
    };
    if work.candidates().is_empty() {
        return work.done(Vec::new());
    }
    work.tidy = layout.is_some() || laid_out(own, text).is_some_and(|laid| laid == text);
    work.state.found.retain(|one| !work.tidy || !is_layout(one));
    let mut refused = work.rounds(look);
    // What is laid out may be looked at in another way, so the rounds have the last word.
    while work.tidy && work.lay_out(look) {
        work.applied.extend(layout.take());
        work.aside.clear();
        refused = work.rounds(look);
    }
    if work.tidy {
        work.state.found = look(&work.state.text);
    }
    work.done(refused)
}

/// Whether a finding is about the layout of the whole file.
fn is_layout(one: &Diagnostic) -> bool {
    one.code.id == not_formatted::LINT.code.id
}

fn laid_out(own: SourceId, text: &str) -> Option<String> {
    format::format_source(&Source::new(own, "fixed.trim", text)).ok()
}

/// A text on its way.
struct Work {
    state: State,
    own: SourceId,
    unsafe_too: bool,
    /// Whether the text is laid out in the end.
    tidy: bool,
    applied: Vec<AppliedFix>,
    /// What was tried alone since the text changed last, and why it did not help.
    aside: HashMap<Key, Why>,
    /// How often the text may still be looked at.
    left: usize,
}

impl Work {
    fn candidates(&self) -> Vec<Candidate> {
        candidates(&self.state.found, self.own, self.unsafe_too)
    }

    fn done(self, refused: Vec<RejectedFix>) -> FixResult {
        FixResult { text: self.state.text, applied: self.applied, left: self.state.found, refused }
    }

    /// What is found in a text that is not laid out yet.
    fn look(&mut self, text: String, look: Analyze<'_>) -> State {
        self.left = self.left.saturating_sub(1);
        let mut found = look(&text);
        found.retain(|one| !self.tidy || !is_layout(one));
        State::new(text, found)
    }

    /// Makes what helps; gives what does not.
    fn rounds(&mut self, look: Analyze<'_>) -> Vec<RejectedFix> {
        let mut is_changed = false;
        loop {
            let all = self.candidates();
            let open = || all.iter().filter(|one| !self.aside.contains_key(&one.key()));
            // Errors by themselves, since they hide findings: what comes to light with them is no fault of other fixes.
            let errors = open().any(|one| one.is_error);
            let next = compatible(open().filter(|one| one.is_error == errors));
            if self.left == 0 {
                let why = |one: &Candidate| self.aside.get(&one.key()).unwrap_or(&Why::Late);
                return all.iter().map(|one| one.refused(why(one))).collect();
            }
            if !next.is_empty() {
                is_changed |= self.take_part(&next, look);
            } else if std::mem::take(&mut is_changed) || self.follow(&all, look) {
                self.aside.clear();
            } else {
                return all.iter().filter_map(|one| Some(one.refused(self.aside.get(&one.key())?))).collect();
            }
        }
    }

    /// Applies fixes together if all of them help, else those of one half that do, down to one by one.
    fn take_part(&mut self, wanted: &[&Candidate], look: Analyze<'_>) -> bool {
        match (self.take(wanted, look), wanted) {
            (Ok(()), _) => true,
            (Err(_), []) => false,
            (Err(why), [one]) => {
                self.aside.insert(one.key(), why);
                false
            }
            (Err(_), _) => {
                let (first, rest) = wanted.split_at(wanted.len() / 2);
                self.take_part(first, look) || self.take_part(rest, look)
            }
        }
    }

    /// Applies fixes together if all of them help.
    fn take(&mut self, wanted: &[&Candidate], look: Analyze<'_>) -> Result<(), Why> {
        if self.left == 0 {
            return Err(Why::Late);
        }
        let (text, shift) = edited(&self.state.text, wanted).ok_or(Why::Unfit)?;
        let after = self.look(text, look);
        judge(&self.state, &after, wanted, &[shift])?;
        self.state = after;
        self.applied.extend(wanted.iter().map(|one| one.applied()));
        Ok(())
    }

    /// Applies a fix that does not help by itself together with what it makes possible, if that helps.
    fn follow(&mut self, all: &[Candidate], look: Analyze<'_>) -> bool {
        all.iter().take(FOLLOWED).any(|first| {
            let known = all.iter().map(Candidate::words).filter(|words| *words != first.words()).collect();
            self.follow_one(first, &known, look)
        })
    }

    fn follow_one(&mut self, first: &Candidate, known: &HashSet<[&str; 3]>, look: Analyze<'_>) -> bool {
        let mut shifts: Vec<Shift> = Vec::new();
        let mut done: Vec<AppliedFix> = Vec::new();
        let mut offered = vec![first.clone()];
        let mut ahead: Option<State> = None;
        for _ in 0..DEEPEST {
            let wanted = compatible(offered.iter());
            let text = ahead.as_ref().map_or(&self.state.text, |state| &state.text);
            let Some((text, shift)) = edited(text, &wanted).filter(|_| !wanted.is_empty()) else { return false };
            let state = self.look(text, look);
            shifts.push(shift);
            done.extend(wanted.iter().map(|one| one.applied()));
            if judge(&self.state, &state, &[first], &shifts).is_ok() {
                self.state = state;
                self.applied.append(&mut done);
                return true;
            }
            offered = candidates(&state.found, self.own, self.unsafe_too);
            offered.retain(|one| !known.contains(&one.words()));
            ahead = Some(state);
        }
        false
    }

    /// Lays the text out, unless that brings findings.
    fn lay_out(&mut self, look: Analyze<'_>) -> bool {
        let Some(text) = laid_out(self.own, &self.state.text).filter(|laid| *laid != self.state.text) else {
            return false;
        };
        let laid = self.look(text, look);
        let helps = laid.found.len() <= self.state.found.len();
        if helps {
            self.state = laid;
        }
        helps
    }
}
