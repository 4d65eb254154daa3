//! Checks the `agent` block.

use smol_str::SmolStr;

use super::checker::Checker;
use super::constant::Constant;
use super::error::{self, Wanted};
use super::list::unit_word;
use super::policy::Agent;
use super::scope::Named;
use crate::quantity::{Quantity, Unit};
use crate::source::{Span, Spanned};
use crate::syntax::tree::{self, Term, TermKind};

/// The fields of the block.
const FIELDS: [&str; 6] = ["model", "window", "reserve", "overhead", "tools", "fact"];

impl<'a> Checker<'_, 'a> {
    /// Checks an `agent` block; fields with errors are left out.
    pub(super) fn agent(&mut self, block: &'a tree::Agent) -> Agent {
        let mut agent = Agent::default();
        let mut seen: Vec<(&str, Span)> = Vec::new();
        let mut rest = block.terms.as_slice();
        while let Some((term, behind)) = rest.split_first() {
            let field = field(term);
            let end = if field == Some("fact") { 2 } else { 0 };
            let length = behind.iter().skip(end).position(|term| self::field(term).is_some());
            let (value, next) = behind.split_at(length.map_or(behind.len(), |at| (at + end).min(behind.len())));
            rest = next;
            let Some(field) = field else {
                self.report(match &term.kind {
                    TermKind::Word(word) => error::file::unknown_field(term.span, word, &FIELDS[..5]),
                    _ => error::file::stray_value(term.span, &FIELDS[..5]),
                });
                continue;
            };
            match seen.iter().find(|(word, _)| *word == field && field != "fact") {
                Some((_, first)) => self.report(error::file::second_field(term.span, field, *first)),
                None => seen.push((field, term.span)),
            }
            self.field(field, term.span, value, &mut agent);
            let end = value.last().map_or(term.span, |last| last.span);
            agent.places.push((field, term.span.to(end)));
        }
        agent
    }

    fn field(&mut self, field: &'static str, word: Span, value: &'a [Term], agent: &mut Agent) {
        match field {
            "model" => agent.model = self.model(word, value),
            "window" => agent.window = self.tokens(field, word, value),
            "reserve" => agent.reserve = self.tokens(field, word, value).map(|tokens| tokens.node),
            "overhead" => agent.overhead = self.tokens(field, word, value).map(|tokens| tokens.node),
            "tools" => agent.tools = self.tools(word, value),
            _ => self.report(error::file::not_run(word, "a `fact` of the host is")),
        }
    }

    fn model(&mut self, word: Span, value: &'a [Term]) -> Option<Spanned<SmolStr>> {
        const TAKES: &str = "a text, such as `\"claude-sonnet-4-5\"`";
        let (term, rest) = self.first("model", TAKES, word, value)?;
        self.nothing_left(rest);
        match &term.kind {
            TermKind::Text(text) => Some(Spanned::new(text.value.as_str().into(), term.span)),
            TermKind::Word(name) if self.may_be_let(name) => match self.scope.constant(name).defined()? {
                Constant::Text(text) => Some(Spanned::new(text.value.as_str().into(), term.span)),
                other => self.fail(error::file::field_takes(term.span, "model", TAKES, other.noun())),
            },
            _ => self.fail(error::file::field_takes(term.span, "model", TAKES, "no text in quotes")),
        }
    }

    fn tokens(&mut self, field: &str, word: Span, value: &'a [Term]) -> Option<Spanned<u64>> {
        const TAKES: &str = "a number of tokens, such as `200k tokens`";
        let (term, rest) = self.first(field, TAKES, word, value)?;
        let mut span = term.span;
        let mut place = None;
        let constant = match &term.kind {
            TermKind::Number(number) => {
                let unit = unit_word(*number, rest.first(), |_| true);
                self.nothing_left(&rest[usize::from(unit.is_some())..]);
                span = unit.as_ref().map_or(span, |unit| span.to(unit.span));
                self.number(*number, unit.as_ref(), span)?
            }
            TermKind::Word(name) if self.may_be_let(name) => {
                self.nothing_left(rest);
                place = self.scope.value_span(name);
                self.scope.constant(name).defined()?
            }
            _ => return self.fail(error::file::field_takes(term.span, field, TAKES, "no number")),
        };
        let who = format_args!("`{field}`");
        let tokens = self.fit(constant, &[Unit::Tokens], &Wanted::new(&who), span, place)?;
        Some(Spanned::new(Quantity::to_u64(tokens), span))
    }

    fn tools(&mut self, word: Span, value: &'a [Term]) -> Option<Vec<SmolStr>> {
        const TAKES: &str = "a list of tools, such as `[bash, read_file]`";
        let (term, rest) = self.first("tools", TAKES, word, value)?;
        self.nothing_left(rest);
        match &term.kind {
            TermKind::List(terms) => self.names(terms),
            TermKind::Word(name) if self.may_be_let(name) => match self.scope.constant(name).defined()? {
                Constant::List(terms) => self.names(terms),
                other => self.fail(error::file::field_takes(term.span, "tools", TAKES, other.noun())),
            },
            _ => self.fail(error::file::field_takes(term.span, "tools", TAKES, "no list")),
        }
    }

    /// Whether a word is a let, or one that may be missing.
    fn may_be_let(&self, word: &str) -> bool {
        !matches!(self.scope.constant(word), Named::Undefined)
    }

    /// The first term after a field, and the rest.
    fn first(&mut self, field: &str, takes: &str, word: Span, value: &'a [Term]) -> Option<(&'a Term, &'a [Term])> {
        match value.split_first() {
            Some(split) => Some(split),
            None => self.fail(error::file::field_takes(word, field, takes, "nothing after it")),
        }
    }

    fn nothing_left(&mut self, rest: &[Term]) {
        if let Some(term) = rest.first() {
            self.report(match &term.kind {
                TermKind::Word(word) => error::file::unknown_field(term.span, word, &FIELDS[..5]),
                _ => error::file::stray_value(term.span, &FIELDS[..5]),
            });
        }
    }
}

/// The field that a term names.
fn field(term: &Term) -> Option<&'static str> {
    match &term.kind {
        TermKind::Word(word) => FIELDS.iter().find(|field| *field == word).copied(),
        _ => None,
    }
}
