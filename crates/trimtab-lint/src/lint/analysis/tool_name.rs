//! The names of tools in a file, with their places.

use std::collections::HashSet;

use trimtab_base::diagnostic::{self, Fix, TextEdit};
use trimtab_base::source::Span;
use trimtab_language::effect::{self, Shape};
use trimtab_language::fact::{self, Domain, ParameterKind, Topic};
use trimtab_syntax::syntax::tree::{EffectCall, Expr, ExprKind, Item, Operator, Term, TermKind};
use trimtab_syntax::syntax::walk::{self, Visitor};

use crate::lint::Subject;
use crate::lint::analysis::edit::fix;

/// The name of a tool in a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ToolName<'t> {
    /// The name; it may end in `*`.
    pub name: &'t str,
    /// Its place.
    pub span: Span,
    /// Whether it is in quotes.
    quoted: bool,
    /// Where the name is used.
    pub place: ToolNameUse,
}

/// Where the name of a tool is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ToolNameUse {
    /// After `only` or `except`.
    Selection,
    /// In `has_tool`.
    Had,
    /// In `used_tool`.
    Used,
    /// In `of`, which chooses the results that a fact counts.
    Counted,
    /// Compared with `call.name`.
    Called,
}

impl ToolName<'_> {
    /// The tool with the most similar name, and the fix that writes it.
    pub(crate) fn nearest<'n>(&self, tools: impl Iterator<Item = &'n str>) -> Option<(&'n str, Fix)> {
        let near = diagnostic::nearest(self.name.trim_end_matches('*'), tools)?;
        let text = if self.quoted { format!("\"{near}\"") } else { near.to_owned() };
        Some((near, fix(format!("write `{near}`"), false, TextEdit { span: self.span, text })))
    }
}

/// The names of tools in a file, in order.
pub(crate) fn tool_names<'t>(subject: &Subject<'t>) -> Vec<ToolName<'t>> {
    let lets = subject.file.items.iter().filter_map(|item| match item {
        Item::Let(one) => Some(one.name.node.as_str()),
        _ => None,
    });
    let mut search = Search { lets: lets.collect(), found: Vec::new() };
    walk::file(subject.file, &mut search);
    search.found
}

struct Search<'t> {
    lets: HashSet<&'t str>,
    found: Vec<ToolName<'t>>,
}

impl<'t> Search<'t> {
    fn name(&mut self, name: &'t str, span: Span, quoted: bool, place: ToolNameUse) {
        if quoted || !self.lets.contains(name) {
            self.found.push(ToolName { name, span, quoted, place });
        }
    }

    fn names(&mut self, terms: &'t [Term], place: ToolNameUse) {
        for term in terms {
            match &term.kind {
                TermKind::Word(word) => self.name(word, term.span, false, place),
                TermKind::Text(text) => self.name(&text.value, term.span, true, place),
                TermKind::List(terms) => self.names(terms, place),
                _ => {}
            }
        }
    }

    fn one(&mut self, expr: &'t Expr, place: ToolNameUse) {
        match &expr.kind {
            ExprKind::Name(word) if place != ToolNameUse::Called => self.name(word, expr.span, false, place),
            ExprKind::Text(text) => self.name(&text.value, expr.span, true, place),
            ExprKind::List(terms) => self.names(terms, place),
            _ => {}
        }
    }
}

impl<'t> Visitor<'t> for Search<'t> {
    fn expression(&mut self, expr: &'t Expr) {
        match &expr.kind {
            ExprKind::Call(name, arguments) => {
                let Some(fact) = fact::find(&name.node) else { return };
                for (at, argument) in arguments.iter().enumerate() {
                    let parameter = match &argument.name {
                        Some(name) => fact.parameters.iter().find(|parameter| parameter.name == name.node),
                        None => fact.parameters.get(at),
                    };
                    match (parameter.map(|parameter| parameter.kind), fact.topic) {
                        (Some(ParameterKind::Tool), Topic::DeclaredTools) => {
                            self.one(&argument.value, ToolNameUse::Had);
                        }
                        (Some(ParameterKind::Tool), _) => self.one(&argument.value, ToolNameUse::Used),
                        (Some(ParameterKind::Tools | ParameterKind::AfterTools), _) => {
                            self.one(&argument.value, ToolNameUse::Counted);
                        }
                        _ => {}
                    }
                }
            }
            ExprKind::Compare(left, rest) if is_tool_name(left) => {
                for (operator, right) in rest {
                    if !matches!(operator.node, Operator::Contains) {
                        self.one(right, ToolNameUse::Called);
                    }
                }
            }
            _ => {}
        }
    }

    fn effect(&mut self, call: &'t EffectCall) {
        let Some(effect) = effect::find(&call.name.node) else { return };
        let takes_tools = |word: &str| effect.label(word).is_some_and(|label| matches!(label.shape, Shape::Tools));
        for pair in call.terms.windows(2) {
            if matches!(&pair[0].kind, TermKind::Word(word) if takes_tools(word)) {
                self.names(&pair[1..], ToolNameUse::Selection);
            }
        }
    }
}

/// Whether the value of an expression is the name of a tool.
fn is_tool_name(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Name(name) => fact::find(name).is_some_and(|fact| matches!(fact.domain, Domain::ToolNames)),
        ExprKind::Default(left, _) => is_tool_name(left),
        _ => false,
    }
}
