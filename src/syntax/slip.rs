//! Mistakes of which it is plain what was meant: misspelt words, numbers as they are written elsewhere.
//!
//! In: tokens where the grammar has given up. Out: what was meant. It knows the words that start things, and no other.

use super::build::Builder;
use super::error;
use super::expected::{CLAUSES, RULES, STATEMENTS, is_reserved};
use super::lexeme::{self, Lexeme, Shape};
use super::literal;
use super::tree::{Term, TermKind};
use crate::diagnostic::{Diagnostic, TextEdit, nearest};
use crate::quantity::{Decimal, abbreviated};
use crate::source::{Span, line_start, slice, starting_at, up_to};

/// A mistake that can mean only one thing, which its first fix says.
pub(super) struct Slip {
    pub(super) finding: Diagnostic,
}

impl Slip {
    /// What sets it right.
    pub(super) fn edits(&self) -> &[TextEdit] {
        self.finding.fixes.first().map_or(&[], |fix| &fix.edits)
    }
}

impl Builder<'_> {
    /// A word that begins a line of a statement and was meant to begin the next.
    pub(super) fn misspelt_statement(&mut self, term: &Term) {
        let TermKind::Word(word) = &term.kind else { return };
        let (start, end) = (term.span.start as usize, term.span.end as usize);
        let line = line_start(self.text, start);
        if self.base.is_none()
            && slice(self.text, line..start).trim().is_empty()
            && let Some(meant) = meant(word, &STATEMENTS)
            && fits(meant, lexeme::next(self.text, end))
        {
            self.slip(Slip { finding: error::misspelt(term.span, word, meant, "`given` or `expect`") });
        }
    }
}

/// A word that starts something here and that the author may have meant.
pub(super) fn meant(word: &str, words: &[&'static str]) -> Option<&'static str> {
    const ALIASES: [(&str, &str); 9] = [
        ("if", "when"),
        ("where", "when"),
        ("then", "do"),
        ("else", "on_failure"),
        ("import", "use"),
        ("include", "use"),
        ("const", "let"),
        ("version", "edition"),
        ("assert", "expect"),
    ];
    let alias = ALIASES.iter().find(|(alias, _)| *alias == word).map(|(_, meant)| *meant);
    if words.contains(&word) {
        return None;
    }
    alias
        .filter(|alias| words.contains(alias))
        .or_else(|| nearest(word, words.iter().copied()))
        .and_then(|near| words.iter().find(|one| **one == near).copied())
}

/// Whether what stands behind a misspelt word could stand behind the one that was meant.
pub(super) fn fits(meant: &str, next: Option<Lexeme<'_>>) -> bool {
    let Some(next) = next else { return false };
    let is_name = next.shape == Shape::Word && !is_reserved(next.text);
    match meant {
        "agent" => next.text == "{",
        "test" | "use" => next.shape == Shape::Text,
        "edition" => next.shape == Shape::Number,
        "sealed" | "override" | "disable" => next.text != meant && RULES.contains(&next.text),
        "when" | "unless" | "until" => is_name || matches!(next.text, "not" | "("),
        "every" | "cooldown" | "limit" => is_name || next.shape == Shape::Number,
        "once" => matches!(next.text, "per" | "until" | "}") || CLAUSES.contains(&next.text),
        _ => is_name,
    }
}

/// A number as it is written elsewhere: `80 %`, `5$`, `200,000`, `.8`.
pub(super) fn number(text: &str, stretch: Span, found: Lexeme<'_>) -> Option<Diagnostic> {
    if found.text == "." {
        let behind =
            lexeme::next(text, found.end()).filter(|one| one.start == found.end() && one.shape == Shape::Number)?;
        let span = Span::new(stretch.source, found.start, behind.end());
        let instead = format!("0.{}", behind.text);
        let fits = literal::number(&instead).is_ok();
        return fits
            .then(|| error::number_here(span, slice(text, span.range()), "no digit before the point", &instead));
    }
    let from = stretch.start as usize;
    let before = lexeme::all(slice(text, from..found.start)).last().filter(|one| one.shape == Shape::Number)?;
    let digits = before.text;
    let plain = literal::number(digits).is_ok_and(|_| digits.ends_with(|sign: char| sign.is_ascii_digit()));
    let whole = |end: usize| Span::new(stretch.source, from + before.start, end);
    let (span, here, instead) = match found.text {
        "%" if plain => (whole(found.end()), "a space before the `%`", format!("{digits}%")),
        "$" if plain && !digits.starts_with('$') => {
            (whole(found.end()), "the `$` stands behind it", format!("${digits}"))
        }
        "," => {
            let (groups, amount) = grouped(digits, starting_at(text, found.start))?;
            (whole(found.start + groups), "commas between its digits", abbreviated(amount))
        }
        _ => return None,
    };
    Some(error::number_here(span, slice(text, span.range()), here, &instead))
}

/// The number that digits and groups of three digits behind commas stand for, and how long the groups are.
fn grouped(digits: &str, rest: &str) -> Option<(usize, Decimal)> {
    let is_digit = |sign: char| sign.is_ascii_digit();
    let end = rest.find(|sign| !(is_digit(sign) || sign == ',')).unwrap_or(rest.len());
    let groups = up_to(rest, end).trim_end_matches(',');
    let fit = groups.split(',').skip(1).all(|group| group.len() == 3);
    let glued = starting_at(rest, groups.len())
        .starts_with(|sign: char| sign.is_alphanumeric() || matches!(sign, '.' | '_' | '%'));
    let starts = (1..=3).contains(&digits.len()) && digits.chars().all(is_digit);
    let amount = format!("{digits}{}", groups.replace(',', "")).parse().ok()?;
    (fit && !glued && starts && !groups.is_empty()).then_some((groups.len(), amount))
}

#[cfg(test)]
mod tests {
    use super::super::parse::tests::{parsed, said};

    /// The lines of what is said of a text.
    fn lines(text: &str) -> Vec<String> {
        said(text).iter().map(|one| one.chars().take(6).collect()).collect()
    }

    #[test]
    fn each_misspelt_word_is_said_and_what_stands_behind_it_is_read() {
        let text = "edtion 2026\nagnt { windw 200k tokens }\nlte x = 5\npolcy p {\n  rul a {\n    whn x > 3\n    od y }\n  \
            disabel rule b\n  c { do x }\n}\ntets \"t\" {\n  expct a fires\n}\n";
        let expected: Vec<String> = [1, 2, 3, 4, 5, 6, 8, 9].map(|line| format!("{line} E101")).into_iter().collect();
        let found = said(text);
        for one in &expected {
            assert!(found.iter().any(|found| found.starts_with(one)), "{one}: {found:#?}");
        }
        let (_, file, _) = parsed(text);
        let printed = format!("{file:?}");
        assert_eq!(file.items.len(), 5, "{printed}");
    }

    #[test]
    fn every_foreign_sign_of_a_clause_is_said() {
        let text = "policy p {\n  rule a {\n    when a = 3 && !b ||\n      c ≥ 4;\n    do x 'y {z}' // no\n  }\n}\n";
        assert_eq!(lines(text), ["3 E112", "3 E112", "3 E112", "3 E112", "4 E112", "4 E112", "5 E112", "5 E112"]);
    }

    #[test]
    fn numbers_as_they_are_written_elsewhere_are_read() {
        let cases = [
            ("80 %", "80%"),
            ("5$", "$5"),
            ("1.50 $", "$1.50"),
            ("200,000 tokens", "200k"),
            ("1,234,567", "1234567"),
            ("200K tokens", "200k"),
            ("80percent", "80%"),
            ("5min", "5m"),
            ("2hours", "2h"),
            ("5usd", "$5"),
            ("500characters", "500 chars"),
            ("10ktokens", "10k tokens"),
        ];
        for (written, instead) in cases {
            let text = format!("policy p {{\n  rule a {{ when b >= {written} and c = 3 do x }}\n}}\n");
            let (_, _, found) = parsed(&text);
            assert_eq!(found.len(), 2, "{written}: {found:#?}");
            assert_eq!((found[0].code.id, found[1].code.id), ("E106", "E112"), "{written}");
            let edit = &found[0].fixes[0].edits[0];
            assert!(found[0].fixes[0].safe);
            assert_eq!(edit.text, instead, "{written}");
            let mut text = text;
            text.replace_range(edit.span.range(), &edit.text);
            assert_eq!(lines(&text), ["2 E112"], "{text}");
        }
    }

    #[test]
    fn commas_of_other_kinds_are_no_part_of_a_number() {
        for written in ["5,000.5", "5,00", "5000,000", "x, 100", "5, 000"] {
            let (_, _, found) = parsed(&format!("policy p {{ rule a {{ when b >= {written} do x }} }}"));
            assert!(found.iter().all(|one| one.code.id != "E106"), "{written}: {found:#?}");
            assert!(!found.is_empty(), "{written}");
        }
    }
}
