//! Pest's nodes into the items of a file.
//!
//! In: the nodes of one parse. Out: tree and diagnostics. It knows nothing of meaning; rules, expressions, terms
//! and texts are built in the files beside it.

use smol_str::SmolStr;

use super::cursor::Cursor;
use super::error;
use super::mend::Mended;
use super::parse::{Pair, Pairs, Rule};
use super::slip::Slip;
use super::tree::{Agent, Broken, Edition, Item, Let, Name, Number, Prompt, Statement, Term, Test, Use};
use crate::diagnostic::Diagnostic;
use crate::quantity::whole;
use crate::source::{Source, SourceId, Span, Spanned, line_start, slice, starting_at, up_to};

/// Makes trees of pest's nodes and collects what is wrong.
pub(super) struct Builder<'s> {
    /// The text, for what nodes alone do not tell.
    pub(super) text: &'s str,
    /// The text that pest reads.
    pub(super) mended: &'s Mended<'s>,
    id: SourceId,
    /// Where a part of the text that is parsed alone starts.
    pub(super) base: Option<usize>,
    /// What is wrong, in the order found.
    pub(super) diagnostics: Vec<Diagnostic>,
    /// What is wrong and can be read as it was meant.
    pub(super) slips: Vec<Slip>,
    /// Whether a literal of the clause or item at hand has no value; what holds it is then broken.
    pub(super) spoiled: bool,
    /// Whether texts are filled: `{name}` is a hole.
    pub(super) filling: bool,
    /// Braces that open texts and broken stretches have swallowed, so that their absence is no second mistake.
    pub(super) swallowed: usize,
    /// Where texts begin that are not closed.
    pub(super) open_texts: Vec<usize>,
}

impl<'s> Builder<'s> {
    /// A builder for one text.
    pub(super) fn new(source: &'s Source, mended: &'s Mended<'s>) -> Self {
        Self {
            text: source.text(),
            mended,
            id: source.id(),
            base: None,
            diagnostics: Vec::new(),
            slips: Vec::new(),
            spoiled: false,
            filling: false,
            swallowed: 0,
            open_texts: Vec::new(),
        }
    }

    /// A span of the whole text.
    pub(super) fn at(&self, start: usize, end: usize) -> Span {
        Span::new(self.id, start, end)
    }

    /// Where a node stands.
    pub(super) fn span(&self, pair: &Pair<'_>) -> Span {
        let span = pair.as_span();
        self.place(span.start(), span.end())
    }

    /// Where something of what pest reads stands.
    pub(super) fn place(&self, start: usize, end: usize) -> Span {
        let (start, end) = match self.base {
            Some(base) => (base + start, base + end),
            None => (self.mended.start(start), self.mended.end(end)),
        };
        Span::new(self.id, start, end.max(start))
    }

    /// A node that is a name.
    pub(super) fn name(&self, pair: &Pair<'_>) -> Name {
        Spanned::new(SmolStr::new(pair.as_str()), self.span(pair))
    }

    /// The items of a file.
    pub(super) fn file(&mut self, pairs: Pairs<'_>) -> Vec<Item> {
        let mut items: Vec<Item> = Vec::new();
        for pair in pairs.flat_map(Pair::into_inner) {
            self.swallowed = 0;
            match pair.as_rule() {
                Rule::EOI => {}
                Rule::broken_item => self.broken_item(&pair, &mut items),
                Rule::policy => self.policy(pair, &mut items),
                _ => {
                    let item = self.plain_item(pair);
                    items.push(item);
                }
            }
        }
        items
    }

    /// An item that is no policy.
    pub(super) fn plain_item(&mut self, pair: Pair<'_>) -> Item {
        let span = self.trim(self.span(&pair));
        let rule = pair.as_rule();
        let mut inner = Cursor::inside(pair);
        self.spoiled = false;
        let item = match rule {
            Rule::edition => self.edition(&mut inner, span),
            Rule::use_item => inner.bump().map(|path| Item::Use(Use { path: self.text(&path), span })),
            Rule::let_item => self.let_item(&mut inner, span),
            Rule::prompt => self.prompt(&mut inner, span),
            Rule::agent => Some(self.agent(inner, span)),
            Rule::test => self.test(inner, span),
            _ => None,
        };
        let name = item.as_ref().and_then(defined);
        item.filter(|_| !self.spoiled).unwrap_or(Item::Broken(Broken { name, span }))
    }

    fn edition(&mut self, inner: &mut Cursor<'_>, span: Span) -> Option<Item> {
        let pair = inner.bump()?;
        let place = self.span(&pair);
        let year = match self.number(&pair)? {
            Number::Plain(year) if year.scale() == 0 => u32::try_from(whole(year)).ok(),
            _ => None,
        };
        if year.is_none() {
            self.diagnostics.push(error::bad_edition(place, pair.as_str()));
        }
        Some(Item::Edition(Edition { year: Spanned::new(year?, place), span }))
    }

    fn let_item(&mut self, inner: &mut Cursor<'_>, span: Span) -> Option<Item> {
        let name = self.name(&inner.bump()?);
        inner.bump(); // the equals sign
        self.filling = true;
        let value = self.chain(inner);
        self.filling = false;
        Some(match value {
            Some(value) => Item::Let(Let { name, value, span }),
            None => Item::Broken(Broken { name: Some(name), span }),
        })
    }

    fn prompt(&mut self, inner: &mut Cursor<'_>, span: Span) -> Option<Item> {
        let name = self.name(&inner.bump()?);
        let text = self.text(&inner.bump()?);
        Some(Item::Prompt(Prompt { name, text, span }))
    }

    fn agent(&mut self, mut inner: Cursor<'_>, span: Span) -> Item {
        inner.bump(); // the opening brace
        let terms = self.terms(&mut inner);
        let end = inner.bump();
        self.closed(end.as_ref(), span, "agent block");
        Item::Agent(Agent { terms, span })
    }

    fn test(&mut self, mut inner: Cursor<'_>, span: Span) -> Option<Item> {
        let name = self.text(&inner.bump()?);
        inner.bump(); // the opening brace
        let (mut statements, mut last, mut broken) = (Vec::new(), None::<Span>, false);
        while let Some(pair) = inner.bump() {
            match pair.as_rule() {
                Rule::given | Rule::expect => {
                    let place = self.span(&pair);
                    last = self.statement(pair).map(|statement| statements.push(statement)).map(|()| place);
                    broken |= last.is_none();
                }
                Rule::broken_statement => {
                    broken = true;
                    let place = self.trimmed(&pair);
                    let joined = last.take().filter(|before| self.continues(*before, place));
                    if joined.is_some() {
                        statements.pop();
                    }
                    self.broken_statement(joined, place);
                }
                _ => self.closed(Some(&pair), span, "test"),
            }
        }
        self.spoiled = false;
        Some(Item::Test(Test { name, statements, broken, span }))
    }

    pub(super) fn statement(&mut self, pair: Pair<'_>) -> Option<Statement> {
        let (span, given) = (self.span(&pair), pair.as_rule() == Rule::given);
        self.spoiled = false;
        let terms: Vec<Term> = self.terms(&mut Cursor::inside(pair));
        for term in &terms {
            self.misspelt_statement(term);
        }
        let commas = (1..terms.len()).filter(|&at| self.has_comma(terms[at - 1].span, terms[at].span)).collect();
        (!self.spoiled).then_some(Statement { given, terms, commas, span })
    }

    /// Whether a comma stands between two places, comments apart.
    fn has_comma(&self, before: Span, behind: Span) -> bool {
        let between = self.text.get(before.end as usize..behind.start as usize).unwrap_or_default();
        between.lines().any(|line| line.split('#').next().is_some_and(|line| line.contains(',')))
    }

    /// Reports a missing closing brace, unless a mistake before it has swallowed one.
    pub(super) fn closed(&mut self, pair: Option<&Pair<'_>>, whole: Span, what: &str) {
        if pair.is_some_and(|pair| pair.as_rule() == Rule::closing) {
            return;
        }
        if self.swallowed > 0 {
            self.swallowed -= 1;
            return;
        }
        self.unclosed(whole, what);
    }

    /// Reports that something which stands here is not closed, unless a text in it may hold the brace that was meant.
    pub(super) fn unclosed(&mut self, whole: Span, what: &str) {
        if what != "policy" && self.open_texts.iter().any(|at| whole.range().contains(at)) {
            return;
        }
        let start = whole.start as usize;
        let line = line_start(self.text, start);
        let indent = slice(self.text, line..start).trim_end_matches(|sign: char| !sign.is_whitespace());
        let indent = if indent.trim().is_empty() { indent } else { "" };
        self.diagnostics.push(error::unclosed(self.head(start), whole.after(), what, indent));
    }

    /// A span without the spaces at its end.
    pub(super) fn trim(&self, span: Span) -> Span {
        let end = slice(self.text, span.range()).trim_end().len();
        self.at(span.start as usize, span.start as usize + end)
    }

    /// The line on which something starts, from its start to its last sign that is no space or comment.
    pub(super) fn head(&self, start: usize) -> Span {
        let line = starting_at(self.text, start).lines().next().unwrap_or_default();
        let end = line.find('{').map_or(line.len(), |brace| brace + 1);
        self.at(start, start + up_to(line, end).trim_end().len())
    }
}

/// Where an item stands.
pub(super) const fn span_of(item: &Item) -> Span {
    match item {
        Item::Edition(item) => item.span,
        Item::Use(item) => item.span,
        Item::Agent(item) => item.span,
        Item::Let(item) => item.span,
        Item::Prompt(item) => item.span,
        Item::Policy(item) => item.span,
        Item::Test(item) => item.span,
        Item::Broken(item) => item.span,
    }
}

/// The name that an item defines.
fn defined(item: &Item) -> Option<Name> {
    match item {
        Item::Let(item) => Some(item.name.clone()),
        Item::Prompt(item) => Some(item.name.clone()),
        Item::Policy(item) => Some(item.name.clone()),
        Item::Broken(item) => item.name.clone(),
        _ => None,
    }
}
