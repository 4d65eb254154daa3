//! Diagnoses a region of text that could not be parsed: one diagnostic at the place where parsing failed.

use trimtab_base::diagnostic::{Diagnostic, nearest};
use trimtab_base::source::{Span, line_start, slice, starting_at};

use super::error;
use super::expected::{self, Context};
use super::grammar::Rule;
use super::keyword::{Keyword, Position};
use super::suggestion;
use super::token::{self, Token, TokenKind};

/// A region of text that could not be parsed, and where parsing failed.
pub(super) struct Failure<'t> {
    /// The whole text.
    pub(super) text: &'t str,
    /// The region.
    pub(super) span: Span,
    /// The offset at which parsing failed.
    pub(super) at: usize,
    /// The rules of the grammar that were tried there.
    pub(super) rules: Vec<Rule>,
    /// Whether the region could have ended there.
    pub(super) can_end: bool,
    /// What the region is part of.
    pub(super) context: Context,
}

/// A diagnostic for a failure.
pub(super) struct Diagnosis {
    pub(super) diagnostic: Diagnostic,
    /// Whether the first fix is certainly what the author meant, so that parsing can continue with the fixed text.
    pub(super) is_recoverable: bool,
}

impl Diagnosis {
    const fn recoverable(diagnostic: Diagnostic) -> Self {
        Self { diagnostic, is_recoverable: true }
    }

    const fn fatal(diagnostic: Diagnostic) -> Self {
        Self { diagnostic, is_recoverable: false }
    }
}

impl Failure<'_> {
    /// Finds the most helpful diagnostic.
    pub(super) fn diagnosis(&self) -> Diagnosis {
        let first = token::next(self.text, self.span.start as usize);
        // If the region fails at a keyword that is right here, the error is what follows it.
        let keyword = first.filter(|first| first.start >= self.at && self.context.begins(first.text));
        let Some(token) = token::next(self.text, keyword.map_or(self.at, |keyword| keyword.end())) else {
            let end = self.text.trim_end().len();
            let span = Span::new(self.span.source, end, end);
            let here = "the file ends here";
            return Diagnosis::fatal(error::expected(span, &self.words(), "the end of the file", here, self.help()));
        };
        let span = self.span_of(token);
        self.misplaced(first, token)
            .map(Diagnosis::fatal)
            .or_else(|| self.quote(token, span).map(Diagnosis::recoverable))
            .or_else(|| suggestion::number(self.text, self.span, token).map(Diagnosis::recoverable))
            .or_else(|| self.hyphen(token).map(Diagnosis::recoverable))
            .or_else(|| self.late_purpose(token, span).map(Diagnosis::recoverable))
            .or_else(|| self.pattern(token).map(Diagnosis::recoverable))
            .or_else(|| self.foreign_operator(token, span))
            .or_else(|| self.reserved_name(token, span).map(Diagnosis::fatal))
            .or_else(|| self.misspelt(token))
            .unwrap_or_else(|| self.unexpected(token, span))
    }

    fn span_of(&self, token: Token<'_>) -> Span {
        Span::new(self.span.source, token.start, token.end())
    }

    /// The region begins with a closing bracket or with a keyword of another context.
    fn misplaced(&self, first: Option<Token<'_>>, token: Token<'_>) -> Option<Diagnostic> {
        let first = first.filter(|first| first.start == token.start)?;
        let span = self.span_of(first);
        if matches!(first.text, "}" | ")" | "]") {
            return Some(error::unmatched(span, first.text));
        }
        let keyword = Keyword::from_text(first.text).filter(|_| !self.context.begins(first.text))?;
        let begins = matches!(keyword.position(), Position::Item | Position::PolicyItem | Position::Clause);
        begins.then(|| error::misplaced(span, keyword))
    }

    /// A text without a closing quote, or in quotes of another kind.
    fn quote(&self, token: Token<'_>, span: Span) -> Option<Diagnostic> {
        match token.kind {
            TokenKind::OpenText => return Some(error::open_text(span)),
            TokenKind::OpenBlock => return Some(error::open_block(span)),
            _ => {}
        }
        let opening = token.text.chars().next()?;
        let closing = match opening {
            '\'' => '\'',
            '`' => '`',
            '‘' | '’' => '’',
            '“' | '”' => '”',
            _ => return None,
        };
        let line = starting_at(self.text, token.start).lines().next()?;
        let start = token.start + opening.len_utf8();
        let inside = starting_at(line, opening.len_utf8()).split_once(closing).map(|(inside, _)| inside);
        let end = inside.map_or(start, |inside| start + inside.len() + closing.len_utf8());
        let inside = inside.map(|inside| (Span::new(span.source, start, start + inside.len()), inside));
        Some(error::quotes(Span::new(span.source, token.start, end), inside))
    }

    /// A pattern of names without quotes: at the failure, or around an asterisk just before it.
    fn pattern(&self, token: Token<'_>) -> Option<Diagnostic> {
        let is_part = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-' | '.' | '/' | '*');
        let (before, after) = (slice(self.text, 0..token.start), starting_at(self.text, token.start));
        let start = before.trim_end_matches(is_part).len();
        let end = token.start + (after.len() - after.trim_start_matches(is_part).len());
        let whole = slice(self.text, start..end);
        // A number is a factor, and `/*` begins a comment.
        let is_number = |part: &str| part.starts_with(|char: char| char.is_ascii_digit());
        let is_pattern = whole.contains('*') && !whole.contains("/*") && !whole.split('*').any(is_number);
        let has_name = whole.contains(char::is_alphabetic);
        let (before, after) = (slice(self.text, 0..start), starting_at(self.text, end).trim_start());
        let is_alone = after.starts_with([')', ',', ']']);
        let is_value = match before.trim_end() {
            compared if compared.ends_with("==") || compared.ends_with("!=") => has_name,
            list if list.ends_with(['[', ',', ':']) => is_alone,
            call if call.ends_with('(') => is_alone && call.trim_end_matches('(').ends_with(char::is_alphanumeric),
            // An effect has no expressions.
            label => {
                has_name
                    && self.first() == Keyword::Do.text()
                    && label.ends_with(|char: char| char.is_alphabetic() || char == '_')
            }
        };
        (is_pattern && is_value).then(|| error::unquoted_pattern(Span::new(self.span.source, start, end), whole))
    }

    /// An operator of another language. A single `=` counts only where a comparison could be.
    fn foreign_operator(&self, token: Token<'_>, span: Span) -> Option<Diagnosis> {
        let compares = self.rules.contains(&Rule::tight) || self.rules.contains(&Rule::group);
        if token.text == "=" && !compares {
            return None;
        }
        let next = token::next(self.text, token.end());
        let goes_on = next.is_some_and(|next| !Keyword::is_reserved(next.text) && next.text != "}");
        match token.text {
            ";" if goes_on && self.first() == Keyword::Do.text() => {
                Some(Diagnosis::recoverable(error::semicolon(span)))
            }
            ";" | "," if goes_on && self.context == Context::Rule => {
                Some(Diagnosis::fatal(error::separator(token.text, span)))
            }
            symbol => Some(Diagnosis::recoverable(error::foreign(symbol, span, self.text)?)),
        }
    }

    /// A name with a hyphen, where something is defined.
    fn hyphen(&self, token: Token<'_>) -> Option<Diagnostic> {
        let from = self.span.start as usize;
        let mut words = token::all(starting_at(self.text, from)).take_while(|word| from + word.start < token.start);
        let word = words.find(|word| word.kind == TokenKind::Word && from + word.end() > token.start)?;
        let is_name = token.text.starts_with('-')
            && matches!(self.context, Context::RuleHead | Context::PolicyHead | Context::File);
        let span = self.span_of(Token { start: from + word.start, ..word });
        is_name.then(|| error::hyphen(span, word.text))
    }

    /// The purpose of a policy after its base.
    fn late_purpose(&self, token: Token<'_>, span: Span) -> Option<Diagnostic> {
        if self.context != Context::PolicyHead || token.kind != TokenKind::Text {
            return None;
        }
        let from = self.span.start as usize;
        let head = slice(self.text, from..token.start);
        let extends = token::all(head).find(|token| token.text == Keyword::Extends.text())?;
        let gap = Span { start: u32::try_from(from + head.trim_end().len()).ok()?, ..span };
        let place = Span::new(span.source, from + extends.start, from + extends.start);
        Some(error::late_purpose(span, place, gap, token.text))
    }

    /// A reserved word where only a name is allowed.
    fn reserved_name(&self, token: Token<'_>, span: Span) -> Option<Diagnostic> {
        let expects_name = !self.rules.is_empty() && self.rules.iter().all(|tried| matches!(tried, Rule::name));
        let is_inside = token.start < self.span.end as usize && self.context != Context::Rule;
        (expects_name && is_inside && Keyword::is_reserved(token.text)).then(|| error::reserved(span, token.text))
    }

    /// A misspelt keyword: the word at the failure, the first on its line, or the one before it.
    fn misspelt(&self, token: Token<'_>) -> Option<Diagnosis> {
        let line = line_start(self.text, token.start).max(self.span.start as usize);
        let leading = token::next(self.text, line)?;
        // If the clause cannot end here, no word can begin the next one.
        let can_begin = self.can_end || token.start == self.span.start as usize || self.context.position().is_none();
        // A misspelt keyword is parsed as a unit after a number, and as a word of an effect.
        let from = self.span.start as usize;
        let before = token::all(slice(self.text, from..token.start)).last();
        let before =
            before.map(|token| Token { start: from + token.start, ..token }).filter(|_| self.context == Context::Rule);
        let mut words = [Some(leading), Some(token).filter(|_| can_begin), before].into_iter().flatten();
        words.find_map(|word| self.misspelt_word(word, word == token))
    }

    fn misspelt_word(&self, token: Token<'_>, is_found: bool) -> Option<Diagnosis> {
        let span = self.span_of(token);
        let in_capitals =
            |keyword: &&Keyword| keyword.text().eq_ignore_ascii_case(token.text) && keyword.text() != token.text;
        let logic = [Keyword::And, Keyword::Or, Keyword::Not];
        if let Some(keyword) = logic.iter().find(in_capitals) {
            let noun = format!("`{}`", keyword.text());
            return Some(Diagnosis::recoverable(error::misspelt(span, token.text, *keyword, &noun)));
        }
        if is_found && self.rules.contains(&Rule::once_per) && nearest(token.text, [Keyword::Per.text()]).is_some() {
            return Some(Diagnosis::recoverable(error::misspelt(span, token.text, Keyword::Per, "`per`")));
        }
        let is_first = token.start <= self.span.start as usize;
        let keyword = suggestion::keyword(token.text, self.context.keywords(is_first))?;
        let diagnostic = error::misspelt(span, token.text, keyword, self.context.noun());
        let is_recoverable = suggestion::can_precede(keyword, token::next(self.text, token.end()));
        (token.kind == TokenKind::Word).then_some(Diagnosis { diagnostic, is_recoverable })
    }

    /// Anything else that the grammar does not expect.
    fn unexpected(&self, token: Token<'_>, span: Span) -> Diagnosis {
        let is_unmatched = matches!(token.text, ")" | "]") && !self.expects_value() && self.can_end;
        if is_unmatched {
            return Diagnosis::recoverable(error::unmatched(span, token.text));
        }
        let names_block = self.context == Context::Policy
            && token.start == self.span.start as usize
            && token.kind == TokenKind::Word
            && token::next(self.text, token.end()).is_some_and(|next| next.text == "{");
        if names_block {
            return Diagnosis::recoverable(error::no_rule_keyword(span, token.text));
        }
        let help = match token.text {
            "{" if self.context == Context::Rule => "remove it: clauses have no braces",
            _ => self.help(),
        };
        let quoted = format!("`{}`", token.text.lines().next().unwrap_or_default());
        Diagnosis::fatal(error::expected(span, &self.words(), &quoted, expected::label(token), help))
    }

    /// The word that the region begins with.
    fn first(&self) -> &str {
        token::next(self.text, self.span.start as usize).map_or("", |first| first.text)
    }

    fn help(&self) -> &'static str {
        let has = |rule| self.rules.contains(&rule);
        if has(Rule::closing_bracket) {
            "close the list with `]`, and write a comma between its entries"
        } else if has(Rule::closing_parenthesis) {
            "close with `)`, and write a comma between arguments"
        } else if self.expects_value() {
            "write a fact, a number with its unit, or a text"
        } else if has(Rule::removed) {
            "write the keyword of the clause to remove, such as `no once`"
        } else {
            self.context.syntax_of(self.first()).unwrap_or(self.context.help())
        }
    }

    /// Whether an expression could begin at the failure.
    fn expects_value(&self) -> bool {
        self.rules.iter().copied().any(expected::begins_value)
    }

    /// What was expected, in words.
    fn words(&self) -> Vec<&'static str> {
        let expects_value = self.expects_value();
        let mut words: Vec<&'static str> = Vec::new();
        if expects_value {
            words.push("a value");
        }
        if self.can_end {
            words.push(self.context.noun());
        }
        for tried in &self.rules {
            for word in expected::words(*tried, expects_value, self.first()) {
                if !words.contains(word) {
                    words.push(word);
                }
            }
        }
        if words.is_empty() {
            let begins_rule = Keyword::begins(self.first(), Position::PolicyItem);
            words.push(if begins_rule { "`rule`" } else { self.context.noun() });
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse::tests::{messages, parsed};

    #[test]
    fn fixes_produce_valid_policies() {
        let cases = [
            ("policy p { rule a { when a && b do x } }", "policy p { rule a { when a and b do x } }"),
            ("policy p { rule a { when a&&b do x } }", "policy p { rule a { when a and b do x } }"),
            ("policy p { rule a { do x 'y' } }", "policy p { rule a { do x \"y\" } }"),
            ("policy p { rule a { whn a do x } }", "policy p { rule a { when a do x } }"),
            ("policy p { a { do x } }", "policy p { rule a { do x } }"),
            ("let x = 5 // five", "let x = 5 # five"),
        ];
        for (wrong, right) in cases {
            let (_, _, found) = parsed(wrong);
            let edits = found.first().and_then(|diagnostic| diagnostic.fixes.first()).map(|fix| fix.edits.clone());
            let mut text = wrong.to_owned();
            for edit in edits.expect("a fix").iter().rev() {
                text.replace_range(edit.span.range(), &edit.text);
            }
            assert_eq!(text, right);
            assert_eq!(messages(&text), Vec::<String>::new());
        }
    }
}
