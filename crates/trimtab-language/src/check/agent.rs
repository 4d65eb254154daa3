//! Checks the `agent` block.

use smol_str::SmolStr;
use trimtab_base::quantity::{Quantity, Type, Unit, Value};
use trimtab_base::source::{Span, Spanned};
use trimtab_syntax::syntax;
use trimtab_syntax::syntax::tree::{self, Name, Term, TermKind};

use super::checker::{Checker, Reference};
use super::constant::Constant;
use super::error::{self, Wanted};
use super::host_fact::HostFact;
use super::list::unit_word;
use super::policy::{Agent, Reading};
use super::scope::Named;
use crate::fact::{Fact, host_type};

/// The fields of the block.
const FIELDS: [&str; 6] = ["model", "window", "reserve", "overhead", "tools", FACT];
/// The field that may be given several times.
const FACT: &str = "fact";
/// The word before the default of a fact.
const DEFAULT: &str = "default";

impl<'a> Checker<'_, 'a> {
    /// Checks an `agent` block; fields with errors are left out. Also gives the names of the facts that are left out.
    pub(super) fn agent(&mut self, block: &'a tree::Agent) -> (Agent, Vec<SmolStr>) {
        let (mut agent, mut broken) = (Agent::default(), Vec::new());
        let mut seen: Vec<(&str, Span)> = Vec::new();
        let mut rest = block.terms.as_slice();
        while let Some((term, after)) = rest.split_first() {
            let field = field(term);
            let end = if field == Some(FACT) { declared_words(after) } else { 0 };
            let length = after.iter().skip(end).position(|term| self::field(term).is_some());
            let (value, next) = after.split_at(length.map_or(after.len(), |at| (at + end).min(after.len())));
            rest = next;
            let Some(field) = field else {
                self.report(match &term.kind {
                    TermKind::Word(word) => error::file::unknown_field(term.span, word, &FIELDS),
                    _ => error::file::stray_value(term.span, &FIELDS),
                });
                continue;
            };
            match seen.iter().find(|(word, _)| *word == field && field != FACT) {
                Some((_, first)) => self.report(error::file::second_field(term.span, field, *first)),
                None => seen.push((field, term.span)),
            }
            let end = value.last().map_or(term.span, |last| last.span);
            if field == FACT {
                self.fact(term.span, value, &mut agent, &mut broken);
                continue;
            }
            self.field(field, term.span, value, &mut agent);
            agent.places.push((field, term.span.to(end)));
        }
        (agent, broken)
    }

    fn field(&mut self, field: &'static str, word: Span, value: &'a [Term], agent: &mut Agent) {
        match field {
            "model" => agent.model = self.model(word, value),
            "window" => agent.window = self.tokens(field, word, value),
            "reserve" => agent.reserve = self.tokens(field, word, value).map(|tokens| tokens.node),
            "overhead" => agent.overhead = self.tokens(field, word, value).map(|tokens| tokens.node),
            _ => agent.tools = self.tools(word, value),
        }
    }

    /// Checks `fact NAME TYPE default VALUE`.
    fn fact(&mut self, word: Span, value: &'a [Term], agent: &mut Agent, broken: &mut Vec<SmolStr>) {
        let Some(name) = self.fact_name(word, value.first()) else { return };
        let found = self.findings.len();
        if let Some(first) = agent.fact(&name.node) {
            self.report(error::host_fact::duplicate(&name, first.name.span));
            return;
        }
        let Some(ty) = self.fact_type(&name, value.get(1)) else { return broken.push(name.node) };
        let default = self.fact_default(&name, ty, value.get(2..).unwrap_or_default());
        let fact = Fact::of_host(ty, default.is_some()).filter(|_| self.findings.len() == found);
        let Some(fact) = fact else { return broken.push(name.node) };
        let span = word.to(value.last().map_or(word, |last| last.span));
        agent.facts.push(HostFact { name, fact, default, span });
    }

    fn fact_name(&mut self, word: Span, term: Option<&'a Term>) -> Option<Name> {
        let Some(term) = term else { return self.fail(error::host_fact::no_name(word)) };
        match &term.kind {
            TermKind::Word(name) if syntax::is_name(name) => Some(Spanned::new(name.clone(), term.span)),
            TermKind::Word(name) => self.fail(error::host_fact::not_a_name(term.span, Some(name))),
            _ => self.fail(error::host_fact::not_a_name(term.span, None)),
        }
    }

    fn fact_type(&mut self, name: &Name, term: Option<&'a Term>) -> Option<Type> {
        let Some(term) = term else { return self.fail(error::host_fact::no_type(name.span, &name.node)) };
        match &term.kind {
            TermKind::Word(word) if word == DEFAULT => {
                self.fail(error::host_fact::no_type(name.span.to(term.span), &name.node))
            }
            TermKind::Word(word) => match host_type(word) {
                Some(ty) => Some(ty),
                None => self.fail(error::host_fact::unknown_type(term.span, Some(word))),
            },
            _ => self.fail(error::host_fact::unknown_type(term.span, None)),
        }
    }

    fn fact_default(&mut self, name: &Name, ty: Type, terms: &'a [Term]) -> Option<Value> {
        let (word, value) = terms.split_first()?;
        if !matches!(&word.kind, TermKind::Word(word) if word == DEFAULT) {
            return self.fail(error::host_fact::not_a_default(word.span, &name.node));
        }
        let reading = Reading::of_host(Fact::of_host(ty, true)?, &name.node, name.span);
        let Some((term, rest)) = value.split_first() else {
            return self.fail(error::host_fact::no_default(word.span, sample(ty)));
        };
        let (mut span, mut place, mut rest) = (term.span, None, rest);
        let constant = match &term.kind {
            TermKind::Number(number) => {
                let unit = unit_word(*number, rest.first(), |_| true);
                rest = &rest[usize::from(unit.is_some())..];
                span = unit.as_ref().map_or(span, |unit| span.to(unit.span));
                self.number(*number, unit.as_ref(), span)?
            }
            TermKind::Text(text) => Constant::Text(text),
            TermKind::List(terms) => Constant::List(terms),
            TermKind::Word(word) if word == "true" || word == "false" => Constant::Bool(word == "true"),
            TermKind::Word(word) => match self.resolve(word, span)? {
                Reference::Let(value) => {
                    place = self.scope.value_span(word);
                    value
                }
                Reference::Fact(_) | Reference::Host(_) => {
                    return self.fail(error::value::not_constant(span, "a fact"));
                }
            },
            _ => return self.fail(error::host_fact::no_default(span, sample(ty))),
        };
        if let Some(term) = rest.first() {
            return self.fail(error::host_fact::not_a_default(term.span, &name.node));
        }
        self.value_at(&reading, constant, span, place)
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
                TermKind::Word(word) => error::file::unknown_field(term.span, word, &FIELDS),
                _ => error::file::stray_value(term.span, &FIELDS),
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

/// The number of terms after `fact` that cannot be fields. The name may be the word of a field if a type follows it.
fn declared_words(terms: &[Term]) -> usize {
    let is_type = |term: &Term| matches!(&term.kind, TermKind::Word(word) if host_type(word).is_some());
    let is_field = |at: usize| terms.get(at).is_some_and(|term| field(term).is_some());
    match (is_field(0), terms.get(1).is_some_and(is_type)) {
        (_, true) => 2,
        (true, false) => 0,
        (false, false) => {
            if is_field(1) {
                1
            } else {
                2
            }
        }
    }
}

/// A value of a type as an author writes it.
fn sample(ty: Type) -> &'static str {
    match ty {
        Type::Number(unit) => unit.sample(),
        Type::Bool => "true",
        Type::Text | Type::Name => "\"review\"",
    }
}
