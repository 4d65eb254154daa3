//! Broken stretches: what stays known of them, and where each goes wrong.
//!
//! In: a stretch that the grammar could only step over. Out: a broken node, and one diagnostic.
//! Each stretch is parsed again with its own rule, only to find the place of the mistake.

use pest::Parser;
use pest::error::{ErrorVariant, InputLocation};
use smol_str::SmolStr;

use super::build::{Builder, span_of};
use super::expected::{self, Place};
use super::lexeme::{self, Lexeme, Shape};
use super::parse::{Grammar, Pair, Rule};
use super::tree::{Broken, Clause, ClauseKind, Item, Name, PolicyItem};
use crate::source::{Span, Spanned};

impl Builder<'_> {
    /// Where a node stands without the spaces at its end.
    pub(super) fn trimmed(&self, pair: &Pair<'_>) -> Span {
        self.trim(self.span(pair))
    }

    /// Whether a broken stretch goes on with what stands before it: on the same line, or with a sign.
    pub(super) fn continues(&self, before: Span, stretch: Span) -> bool {
        let between = &self.text[before.end as usize..stretch.start as usize];
        let Some(first) = lexeme::next(self.text, stretch.start as usize) else {
            return false;
        };
        let starts = expected::CLAUSES.contains(&first.text) || expected::STATEMENTS.contains(&first.text);
        !starts && !is_separator(first.text) && (!between.contains('\n') || goes_on(first.text))
    }

    /// A stretch of a file that is no item.
    pub(super) fn broken_item(&mut self, pair: &Pair<'_>, items: &mut Vec<Item>) {
        let mut span = self.trimmed(pair);
        let open = |item: &Item| matches!(item, Item::Let(_) | Item::Prompt(_) | Item::Use(_) | Item::Edition(_));
        if let Some(before) = items.last().filter(|item| open(item)).map(span_of)
            && self.continues(before, span)
        {
            items.pop();
            span = before.to(span);
        }
        self.note_braces(span);
        self.explain(span, Rule::item_alone, Place::File);
        items.extend(self.broken(span).map(Item::Broken));
    }

    /// A stretch of a policy that is no rule.
    pub(super) fn broken_rule(&mut self, pair: &Pair<'_>, items: &mut Vec<PolicyItem>) {
        let span = self.trimmed(pair);
        self.note_braces(span);
        self.explain(span, Rule::rule_alone, Place::Policy);
        items.extend(self.broken(span).map(PolicyItem::Broken));
    }

    /// A stretch of a rule that is no clause, joined to the clause that it goes on with.
    pub(super) fn broken_clause(&mut self, before: Option<Span>, stretch: Span) -> Option<Clause> {
        let span = before.map_or(stretch, |before| before.to(stretch));
        self.note_braces(span);
        self.explain(span, Rule::clause_alone, Place::Rule);
        if is_separator(self.slice(stretch)) {
            return None;
        }
        let first = lexeme::next(self.text, span.start as usize);
        let word = first.map_or(span, |first| self.at(first.start, first.end()));
        Some(Clause { kind: ClauseKind::Broken(Broken { name: None, span }), word, span })
    }

    /// A stretch of a test that is no statement, joined to the statement that it goes on with.
    pub(super) fn broken_statement(&mut self, before: Option<Span>, stretch: Span) {
        let span = before.map_or(stretch, |before| before.to(stretch));
        self.note_braces(span);
        self.explain(span, Rule::statement_alone, Place::Test);
    }

    /// The head of a policy or rule that goes wrong before its brace; gives the name, if one can be seen.
    pub(super) fn broken_head(&mut self, span: Span, entry: Rule, place: Place) -> Option<Name> {
        self.explain(span, entry, place);
        self.names(span).next()
    }

    /// A broken node for each name that a stretch would have defined; at least one.
    fn broken(&self, span: Span) -> impl Iterator<Item = Broken> {
        let mut names = self.names(span);
        let first = Broken { name: names.next(), span };
        let rest: Vec<Broken> = names.map(|name| Broken { span: name.span, name: Some(name) }).collect();
        std::iter::once(first).chain(rest)
    }

    /// The names behind the defining words of a stretch.
    fn names(&self, span: Span) -> impl Iterator<Item = Name> {
        let mut word = "";
        lexeme::all(self.slice(span)).filter_map(move |one| {
            let defines = matches!(word, "policy" | "rule" | "let" | "prompt") && one.shape == Shape::Word;
            word = one.text;
            let name = || Spanned::new(SmolStr::new(one.text), at(span, one));
            defines.then(name)
        })
    }

    fn slice(&self, span: Span) -> &str {
        &self.text[span.range()]
    }

    /// Remembers braces that a broken stretch opens and does not close, and those that an open text hides.
    fn note_braces(&mut self, span: Span) {
        let mut open = 0_usize;
        for one in lexeme::all(self.slice(span)) {
            match (one.shape, one.text) {
                (Shape::Sign, "{") => open += 1,
                (Shape::Sign, "}") => open = open.saturating_sub(1),
                (Shape::OpenText, text) => {
                    let count = |brace| text.matches(brace).count();
                    open += count('}').saturating_sub(count('{'));
                }
                _ => {}
            }
        }
        self.swallowed += open;
    }

    /// Finds where a stretch goes wrong and says so.
    fn explain(&mut self, span: Span, entry: Rule, place: Place) {
        let (offset, mut rules) = match Grammar::parse(entry, self.slice(span)) {
            Err(pest::error::Error { variant: ErrorVariant::ParsingError { positives, .. }, location, .. }) => {
                let (InputLocation::Pos(at) | InputLocation::Span((at, _))) = location;
                (at, positives)
            }
            _ => (0, Vec::new()),
        };
        let complete = rules.contains(&Rule::EOI);
        rules.retain(|rule| *rule != Rule::EOI);
        let failure =
            expected::Failure { text: self.text, span, at: span.start as usize + offset, rules, complete, place };
        let diagnostic = failure.diagnostic();
        self.diagnostics.push(diagnostic);
    }
}

/// Whether a stretch only separates or comments, as in other languages, and takes nothing from what stands before it.
fn is_separator(text: &str) -> bool {
    matches!(text, ";" | ",") || text.starts_with("//")
}

/// Whether a sign at the start of a line can only go on with what stands before it.
fn goes_on(sign: &str) -> bool {
    sign.starts_with(['=', '&', '|', '<', '>', '?', '+', '*', '≥', '≤', '≠'])
}

/// Where a token of a stretch stands.
fn at(stretch: Span, one: Lexeme<'_>) -> Span {
    let start = stretch.start as usize + one.start;
    Span::new(stretch.source, start, start + one.text.len())
}
