//! Builds the tree of a file from pest's nodes: items here; rules, expressions, terms and texts in their own files.

use smol_str::SmolStr;
use trimtab_base::diagnostic::Diagnostic;
use trimtab_base::quantity::whole;
use trimtab_base::source::{Source, SourceId, Span, Spanned, line_start, slice, starting_at, up_to};

use super::cursor::Cursor;
use super::error;
use super::grammar::{Pair, Pairs, Rule};
use super::patched::PatchedSource;
use super::tree::{Agent, Broken, Edition, Item, Let, Name, Number, Prompt, Statement, Term, Test, Use};

/// Builds a tree and collects diagnostics.
pub(super) struct Builder<'s> {
    /// The author's text.
    pub(super) text: &'s str,
    /// The text that pest parsed.
    pub(super) patched: &'s PatchedSource<'s>,
    id: SourceId,
    /// The offset in the author's text of a part that is parsed on its own, such as an interpolation.
    pub(super) base: Option<usize>,
    /// Errors in the order in which they were found.
    pub(super) diagnostics: Vec<Diagnostic>,
    /// Errors after which the text is parsed again with their first fix applied.
    pub(super) recoverable: Vec<Diagnostic>,
    /// Whether a literal of the current clause or item has no value, which makes the clause or item broken.
    pub(super) has_bad_literal: bool,
    /// Whether `{name}` in a text is an interpolation.
    pub(super) interpolates: bool,
    /// How many closing braces are missing because of errors that are already reported.
    pub(super) unclosed_braces: usize,
    /// The offsets of unclosed texts.
    pub(super) open_texts: Vec<usize>,
}

impl<'s> Builder<'s> {
    /// Creates a builder for one parse.
    pub(super) fn new(source: &'s Source, patched: &'s PatchedSource<'s>) -> Self {
        Self {
            text: source.text(),
            patched,
            id: source.id(),
            base: None,
            diagnostics: Vec::new(),
            recoverable: Vec::new(),
            has_bad_literal: false,
            interpolates: false,
            unclosed_braces: 0,
            open_texts: Vec::new(),
        }
    }

    /// A span of the author's text.
    pub(super) fn at(&self, start: usize, end: usize) -> Span {
        Span::new(self.id, start, end)
    }

    /// The span of a node in the author's text.
    pub(super) fn span(&self, pair: &Pair<'_>) -> Span {
        let span = pair.as_span();
        self.place(span.start(), span.end())
    }

    /// The span in the author's text of a range of the parsed text.
    pub(super) fn place(&self, start: usize, end: usize) -> Span {
        let (start, end) = match self.base {
            Some(base) => (base + start, base + end),
            None => (self.patched.original_start(start), self.patched.original_end(end)),
        };
        Span::new(self.id, start, end.max(start))
    }

    /// A name node.
    pub(super) fn name(&self, pair: &Pair<'_>) -> Name {
        Spanned::new(SmolStr::new(pair.as_str()), self.span(pair))
    }

    /// The items of a file.
    pub(super) fn file(&mut self, pairs: Pairs<'_>) -> Vec<Item> {
        let mut items: Vec<Item> = Vec::new();
        for pair in pairs.flat_map(Pair::into_inner) {
            self.unclosed_braces = 0;
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

    /// An item other than a policy.
    pub(super) fn plain_item(&mut self, pair: Pair<'_>) -> Item {
        let span = self.trim(self.span(&pair));
        let rule = pair.as_rule();
        let mut inner = Cursor::inside(pair);
        self.has_bad_literal = false;
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
        item.filter(|_| !self.has_bad_literal).unwrap_or(Item::Broken(Broken { name, span }))
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
        self.interpolates = true;
        let value = self.chain(inner);
        self.interpolates = false;
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
        self.check_closed(end.as_ref(), span, "agent block");
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
                _ => self.check_closed(Some(&pair), span, "test"),
            }
        }
        self.has_bad_literal = false;
        Some(Item::Test(Test { name, statements, broken, span }))
    }

    pub(super) fn statement(&mut self, pair: Pair<'_>) -> Option<Statement> {
        let (span, given) = (self.span(&pair), pair.as_rule() == Rule::given);
        self.has_bad_literal = false;
        let terms: Vec<Term> = self.terms(&mut Cursor::inside(pair));
        for term in &terms {
            self.check_statement_word(term);
        }
        let commas = (1..terms.len()).filter(|&at| self.has_comma(terms[at - 1].span, terms[at].span)).collect();
        (!self.has_bad_literal).then_some(Statement { given, terms, commas, span })
    }

    /// Whether there is a comma between two spans, outside comments.
    fn has_comma(&self, before: Span, after: Span) -> bool {
        let between = self.text.get(before.end as usize..after.start as usize).unwrap_or_default();
        between.lines().any(|line| line.split('#').next().is_some_and(|line| line.contains(',')))
    }

    /// Reports a missing closing brace, unless an earlier error explains it.
    pub(super) fn check_closed(&mut self, pair: Option<&Pair<'_>>, whole: Span, what: &str) {
        if pair.is_some_and(|pair| pair.as_rule() == Rule::closing) {
            return;
        }
        if self.unclosed_braces > 0 {
            self.unclosed_braces -= 1;
            return;
        }
        self.report_unclosed(whole, what);
    }

    /// Reports a block that is not closed, unless an unclosed text in it may contain the brace.
    pub(super) fn report_unclosed(&mut self, whole: Span, what: &str) {
        if what != "policy" && self.open_texts.iter().any(|at| whole.range().contains(at)) {
            return;
        }
        let start = whole.start as usize;
        let line = line_start(self.text, start);
        let indent = slice(self.text, line..start).trim_end_matches(|char: char| !char.is_whitespace());
        let indent = if indent.trim().is_empty() { indent } else { "" };
        self.diagnostics.push(error::unclosed(self.head(start), whole.after(), what, indent));
    }

    /// A span without trailing white space.
    pub(super) fn trim(&self, span: Span) -> Span {
        let end = slice(self.text, span.range()).trim_end().len();
        self.at(span.start as usize, span.start as usize + end)
    }

    /// The first line of something up to its brace, without trailing white space.
    pub(super) fn head(&self, start: usize) -> Span {
        let line = starting_at(self.text, start).lines().next().unwrap_or_default();
        let end = line.find('{').map_or(line.len(), |brace| brace + 1);
        self.at(start, start + up_to(line, end).trim_end().len())
    }
}

/// The span of an item.
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
