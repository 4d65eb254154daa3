//! What an author probably meant: keywords that are misspelt, numbers in the notation of other languages.

use trimtab_base::diagnostic::{Diagnostic, nearest};
use trimtab_base::quantity::{Decimal, abbreviated};
use trimtab_base::source::{Span, slice, starting_at, up_to};

use super::error;
use super::keyword::{Keyword, Position};
use super::literal;
use super::token::{self, Token, TokenKind};

/// The keyword among these that an author probably meant by a word that is none of them.
pub(super) fn keyword(word: &str, keywords: impl Iterator<Item = Keyword> + Clone) -> Option<Keyword> {
    const ALIASES: [(&str, Keyword); 10] = [
        ("ask", Keyword::Confirm),
        ("if", Keyword::When),
        ("where", Keyword::When),
        ("then", Keyword::Do),
        ("else", Keyword::OnFailure),
        ("import", Keyword::Use),
        ("include", Keyword::Use),
        ("const", Keyword::Let),
        ("version", Keyword::Edition),
        ("assert", Keyword::Expect),
    ];
    if keywords.clone().any(|keyword| keyword.text() == word) {
        return None;
    }
    let alias = ALIASES.iter().find(|(alias, _)| *alias == word).map(|(_, keyword)| *keyword);
    alias
        .filter(|alias| keywords.clone().any(|keyword| keyword == *alias))
        .or_else(|| Keyword::from_text(nearest(word, keywords.map(Keyword::text))?))
}

/// Whether the token after a misspelt keyword could follow the keyword.
pub(super) fn can_precede(keyword: Keyword, next: Option<Token<'_>>) -> bool {
    let Some(next) = next else { return false };
    let is_name = next.kind == TokenKind::Word && !Keyword::is_reserved(next.text);
    match keyword {
        Keyword::Agent => next.text == "{",
        Keyword::Test | Keyword::Use | Keyword::Confirm => next.kind == TokenKind::Text,
        Keyword::Edition => next.kind == TokenKind::Number,
        Keyword::Sealed | Keyword::Override | Keyword::Disable => {
            next.text != keyword.text() && Keyword::begins(next.text, Position::PolicyItem)
        }
        Keyword::When | Keyword::Unless | Keyword::Until => is_name || matches!(next.text, "not" | "("),
        Keyword::Every | Keyword::Cooldown | Keyword::Limit => is_name || next.kind == TokenKind::Number,
        Keyword::Once => matches!(next.text, "per" | "until" | "}") || Keyword::begins(next.text, Position::Clause),
        _ => is_name,
    }
}

/// A number in a notation of other languages: `80 %`, `5$`, `200,000`, `.8`.
pub(super) fn number(text: &str, region: Span, token: Token<'_>) -> Option<Diagnostic> {
    if token.text == "." {
        let after = token::next(text, token.end())
            .filter(|digits| digits.start == token.end() && digits.kind == TokenKind::Number)?;
        let span = Span::new(region.source, token.start, after.end());
        let replacement = format!("0.{}", after.text);
        let is_number = literal::number(&replacement).is_ok();
        return is_number.then(|| {
            error::foreign_number(span, slice(text, span.range()), "no digit before the decimal point", &replacement)
        });
    }
    let from = region.start as usize;
    let before = token::all(slice(text, from..token.start)).last().filter(|token| token.kind == TokenKind::Number)?;
    let digits = before.text;
    let is_plain = literal::number(digits).is_ok_and(|_| digits.ends_with(|char: char| char.is_ascii_digit()));
    let span_to = |end: usize| Span::new(region.source, from + before.start, end);
    let (span, label, replacement) = match token.text {
        "%" if is_plain => (span_to(token.end()), "a space before `%`", format!("{digits}%")),
        "$" if is_plain && !digits.starts_with('$') => {
            (span_to(token.end()), "`$` after the number", format!("${digits}"))
        }
        "," => {
            let (length, amount) = thousands(digits, starting_at(text, token.start))?;
            (span_to(token.start + length), "commas between digits", abbreviated(amount))
        }
        _ => return None,
    };
    Some(error::foreign_number(span, slice(text, span.range()), label, &replacement))
}

/// Returns the length of the comma-separated groups after `digits`, and the number they form together.
fn thousands(digits: &str, rest: &str) -> Option<(usize, Decimal)> {
    let is_digit = |char: char| char.is_ascii_digit();
    let end = rest.find(|char| !(is_digit(char) || char == ',')).unwrap_or(rest.len());
    let groups = up_to(rest, end).trim_end_matches(',');
    let are_groups = !groups.is_empty() && groups.split(',').skip(1).all(|group| group.len() == 3);
    let continues = starting_at(rest, groups.len())
        .starts_with(|char: char| char.is_alphanumeric() || matches!(char, '.' | '_' | '%'));
    let has_valid_first_group = (1..=3).contains(&digits.len()) && digits.chars().all(is_digit);
    let amount = format!("{digits}{}", groups.replace(',', "")).parse().ok()?;
    (are_groups && !continues && has_valid_first_group).then_some((groups.len(), amount))
}

#[cfg(test)]
mod tests {
    use super::super::parse::tests::{messages, parsed};

    /// The lines and codes of the errors in a text.
    fn lines(text: &str) -> Vec<String> {
        messages(text).iter().map(|message| message.chars().take(6).collect()).collect()
    }

    #[test]
    fn each_misspelt_keyword_is_reported_and_parsing_continues() {
        let text = "edtion 2026\nagnt { windw 200k tokens }\nlte x = 5\npolcy p {\n  rul a {\n    whn x > 3\n    od y }\n  \
            disabel rule b\n  c { do x }\n}\ntets \"t\" {\n  expct a fires\n}\n";
        let expected: Vec<String> = [1, 2, 3, 4, 5, 6, 8, 9].map(|line| format!("{line} E101")).into_iter().collect();
        let found = messages(text);
        for token in &expected {
            assert!(found.iter().any(|found| found.starts_with(token)), "{token}: {found:#?}");
        }
        let (_, file, _) = parsed(text);
        let printed = format!("{file:?}");
        assert_eq!(file.items.len(), 5, "{printed}");
    }

    #[test]
    fn each_foreign_operator_of_a_clause_is_reported() {
        let text = "policy p {\n  rule a {\n    when a = 3 && !b ||\n      c ≥ 4;\n    do x 'y {z}' // no\n  }\n}\n";
        assert_eq!(lines(text), ["3 E112", "3 E112", "3 E112", "3 E112", "4 E112", "4 E112", "5 E112", "5 E112"]);
    }

    #[test]
    fn numbers_in_foreign_notations_are_recognized() {
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
        for (written, replacement) in cases {
            let text = format!("policy p {{\n  rule a {{ when b >= {written} and c = 3 do x }}\n}}\n");
            let (_, _, found) = parsed(&text);
            assert_eq!(found.len(), 2, "{written}: {found:#?}");
            assert_eq!((found[0].code.id, found[1].code.id), ("E106", "E112"), "{written}");
            let edit = &found[0].fixes[0].edits[0];
            assert!(found[0].fixes[0].safe);
            assert_eq!(edit.text, replacement, "{written}");
            let mut text = text;
            text.replace_range(edit.span.range(), &edit.text);
            assert_eq!(lines(&text), ["2 E112"], "{text}");
        }
    }

    #[test]
    fn other_commas_are_not_part_of_a_number() {
        for written in ["5,000.5", "5,00", "5000,000", "x, 100", "5, 000"] {
            let (_, _, found) = parsed(&format!("policy p {{ rule a {{ when b >= {written} do x }} }}"));
            assert!(found.iter().all(|finding| finding.code.id != "E106"), "{written}: {found:#?}");
            assert!(!found.is_empty(), "{written}");
        }
    }
}
