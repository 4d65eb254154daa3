//! Rows of a history, in which consecutive calls with the same result for the same reason are one.

use std::ops::RangeInclusive;

use trimtab_run::run::RuleResult;

/// Some consecutive calls at which the same came of a rule.
#[derive(Debug)]
pub(super) struct Row {
    calls: RangeInclusive<u64>,
    runs: RangeInclusive<u64>,
    iterations: RangeInclusive<u64>,
    /// None if the rule was not tried.
    result: Option<RuleResult>,
    reason: Vec<Word>,
}

impl Row {
    /// What came of a rule at one call, in a run at an iteration.
    pub(super) fn new([call, run, iteration]: [u64; 3], result: Option<RuleResult>, reason: &str) -> Self {
        let reason = reason.split(' ').map(Word::new).collect();
        Self { calls: call..=call, runs: run..=run, iterations: iteration..=iteration, result, reason }
    }

    /// Merges the row of the next call if it differs at most in the numbers of its reason, or else returns it. What a firing did
    /// is worth a row of its own.
    pub(super) fn extend(&mut self, next: Self) -> Option<Self> {
        let alike = |at: usize| {
            let before = at.checked_sub(1).map(|at| &self.reason[at]);
            self.reason[at].is_like(&next.reason[at], before.is_some_and(Word::is_number))
        };
        let is_same = self.result == next.result
            && (self.result != Some(RuleResult::Fired) || self.reason == next.reason)
            && self.reason.len() == next.reason.len()
            && (0..self.reason.len()).all(alike);
        if !is_same {
            return Some(next);
        }
        for (range, next) in
            [(&mut self.calls, next.calls), (&mut self.runs, next.runs), (&mut self.iterations, next.iterations)]
        {
            *range = *range.start().min(next.start())..=*range.end().max(next.end());
        }
        self.reason.iter_mut().zip(next.reason).for_each(|(word, next)| word.extend(next));
        None
    }

    /// Its cells: calls, runs, iterations, result, reason.
    pub(super) fn cells(self) -> [String; 5] {
        let Self { calls, runs, iterations, result, reason } = self;
        let reason: Vec<String> = reason.into_iter().map(Word::text).collect();
        let [calls, runs, iterations] = [calls, runs, iterations].map(|range| range_text(&range));
        [calls, runs, iterations, result.map_or("not tried", RuleResult::word).to_owned(), reason.join(" ")]
    }
}

fn range_text(range: &RangeInclusive<u64>) -> String {
    if range.start() == range.end() {
        range.start().to_string()
    } else {
        format!("{}–{}", range.start(), range.end())
    }
}

/// A word of a reason: a text, or the least and the greatest of some numbers.
#[derive(Clone, Debug, PartialEq)]
struct Word {
    /// The word with the least number.
    least: String,
    /// The word with the greatest number.
    greatest: String,
}

/// A word as what stands around a number, and the number. A name with a digit in it, such as `file1`, is no number.
struct Split<'a> {
    before: &'a str,
    digits: &'a str,
    after: &'a str,
}

impl<'a> Split<'a> {
    /// Splits a word at its only number.
    fn new(word: &'a str) -> Option<Self> {
        let first = word.find(|c: char| c.is_ascii_digit())?;
        let start = word.get(..first)?.strip_suffix('-').map_or(first, str::len);
        let end = word.rfind(|c: char| c.is_ascii_digit())? + 1;
        let (before, digits, after) = (word.get(..start)?, word.get(start..end)?, word.get(end..)?);
        let is_number =
            digits.trim_start_matches('-').bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b','));
        let is_part_of_name = |text: &str| text.contains(|c: char| c.is_alphanumeric() || matches!(c, '_' | '/' | '.'));
        let has_unit = after.trim_end_matches([')', ',', ';', ':']).chars().all(|c| c.is_alphabetic() || c == '%');
        (is_number && has_unit && !is_part_of_name(before)).then_some(Self { before, digits, after })
    }

    fn value(&self) -> f64 {
        self.digits.replace(',', "").parse().unwrap_or(f64::NAN)
    }
}

/// A word without the ending of a plural and without punctuation after it.
fn singular(word: &str) -> &str {
    let word = word.trim_end_matches([')', ',', ';', ':']);
    word.strip_suffix('s').unwrap_or(word)
}

impl Word {
    fn new(text: &str) -> Self {
        Self { least: text.to_owned(), greatest: text.to_owned() }
    }

    fn is_number(&self) -> bool {
        Split::new(&self.least).is_some()
    }

    /// Whether two words differ at most in a number, or as nouns after a number in the ending of a plural.
    fn is_like(&self, next: &Self, follows_number: bool) -> bool {
        match (Split::new(&self.least), Split::new(&next.least)) {
            (Some(this), Some(next)) => (this.before, this.after) == (next.before, next.after),
            (None, None) if follows_number => singular(&self.least) == singular(&next.least),
            (None, None) => self.least == next.least,
            _ => false,
        }
    }

    /// Merges a word that differs only in its numbers.
    fn extend(&mut self, next: Self) {
        // A plural, if one of them is.
        if next.least.len() > self.least.len() && Split::new(&next.least).is_none() {
            *self = next;
            return;
        }
        let value = |word: &str| Split::new(word).map_or(f64::NAN, |split| split.value());
        if value(&next.least) < value(&self.least) {
            self.least = next.least;
        }
        if value(&next.greatest) > value(&self.greatest) {
            self.greatest = next.greatest;
        }
    }

    fn text(self) -> String {
        match (Split::new(&self.least), Split::new(&self.greatest)) {
            (Some(least), Some(greatest)) if self.least != self.greatest => {
                format!(
                    "{}{}{} … {}{}",
                    least.before,
                    least.digits,
                    least.after.trim_end_matches([')', ',', ';', ':']),
                    greatest.digits,
                    greatest.after
                )
            }
            _ => self.least,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::RuleResult::{Blocked, Fired, Idle, NotDue};
    use super::*;

    fn folded(rows: &[(RuleResult, &str)]) -> Vec<String> {
        let mut folded: Vec<Row> = Vec::new();
        for (call, (result, reason)) in (0..).zip(rows) {
            let row = Row::new([call, 0, call], Some(*result), reason);
            let row = match folded.last_mut() {
                Some(last) => last.extend(row),
                None => Some(row),
            };
            folded.extend(row);
        }
        folded.into_iter().map(|row| row.cells().join(" | ")).collect()
    }

    #[test]
    fn equal_results_are_one_row_with_the_least_and_the_greatest_number() {
        let rows = [
            (NotDue, "context.ratio >= 60% (9.9%)"),
            (NotDue, "context.ratio >= 60% (59.1%)"),
            (NotDue, "context.ratio >= 60% (6.6%)"),
            (Fired, "2 edits, 1,200 fewer tokens"),
            (Fired, "2 edits, 12,000 fewer tokens"),
            (Idle, "`at_least` is 5,000 tokens, but only 980 can be saved"),
            (Idle, "`at_least` is 5,000 tokens, but only 1,200 can be saved"),
        ];
        let expected = [
            "0–2 | 0 | 0–2 | not due | context.ratio >= 60% (6.6% … 59.1%)",
            "3 | 0 | 3 | fired | 2 edits, 1,200 fewer tokens",
            "4 | 0 | 4 | fired | 2 edits, 12,000 fewer tokens",
            "5–6 | 0 | 5–6 | idle | `at_least` is 5,000 tokens, but only 980 … 1,200 can be saved",
        ];
        assert_eq!(folded(&rows), expected);
    }

    #[test]
    fn other_words_results_and_units_are_rows_of_their_own() {
        let rows =
            [(NotDue, "iteration > 9 iterations (0 iterations)"), (NotDue, "iteration > 9 iterations (1 iteration)")];
        assert_eq!(folded(&rows), ["0–1 | 0 | 0–1 | not due | iteration > 9 iterations (0 … 1 iterations)"]);
        let rows =
            [(NotDue, "idle > 5 min (3 s)"), (NotDue, "idle > 5 min (3 min)"), (Blocked, "idle > 5 min (3 min)")];
        assert_eq!(folded(&rows).len(), 3);
        let rows = [
            (NotDue, "x == a (file1)"),
            (NotDue, "x == a (file2)"),
            (NotDue, "x == a (read)"),
            (NotDue, "x == a (reads)"),
        ];
        assert_eq!(folded(&rows).len(), 4);
        let rows = [(NotDue, "x > 0 (-5)"), (NotDue, "x > 0 (-7)"), (NotDue, "x > 0 (-6)")];
        assert_eq!(folded(&rows), ["0–2 | 0 | 0–2 | not due | x > 0 (-7 … -5)"]);
        let rows = [(NotDue, "tool.name == a-1 (b)"), (NotDue, "tool.name == a-1 (c)"), (NotDue, "")];
        assert_eq!(folded(&rows).len(), 3);
    }
}
