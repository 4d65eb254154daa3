//! Literals, facts and texts as expressions and terms.

use trimtab_base::quantity::{Decimal, Type, Unit};
use trimtab_syntax::syntax::tree::{Argument, Expr, ExprKind, Number, Term, TermKind, Text, TextPiece};

use super::{Node, PlanLoadError};
use crate::fact::{Fact, ParameterKind};

pub(super) fn expression(node: &Node<'_>, kind: ExprKind) -> Expr {
    Expr { kind, span: node.span() }
}

pub(super) fn term(node: &Node<'_>, kind: TermKind) -> Term {
    Term { kind, span: node.span() }
}

pub(super) fn word_term(node: &Node<'_>, word: &str) -> Term {
    term(node, TermKind::Word(word.into()))
}

pub(super) fn text_term(node: &Node<'_>, text: &str) -> Term {
    term(node, TermKind::Text(literal(node, text)))
}

/// A number and the word of its unit, if it has one.
pub(super) fn number_term(node: &Node<'_>, amount: Decimal, unit: Unit) -> Vec<Term> {
    let number = term(node, TermKind::Number(number(amount, unit)));
    std::iter::once(number).chain(unit.word().map(|word| word_term(node, word))).collect()
}

/// A number with its unit.
pub(super) fn number_expression(node: &Node<'_>, amount: Decimal, unit: Unit) -> Expr {
    expression(node, ExprKind::Number(number(amount, unit), unit.word().map(|word| node.word(word))))
}

const fn number(amount: Decimal, unit: Unit) -> Number {
    match unit {
        Unit::Share => Number::Percent(amount),
        Unit::Money => Number::Money(amount),
        Unit::Duration => Number::Duration(amount),
        Unit::Tokens | Unit::Chars | Unit::Counted(_) => Number::Plain(amount),
    }
}

fn literal(node: &Node<'_>, text: &str) -> Text {
    Text { value: text.to_owned(), pieces: Vec::new(), block: false, span: node.span() }
}

fn text_expression(node: &Node<'_>, text: &str) -> Expr {
    expression(node, ExprKind::Text(Box::new(literal(node, text))))
}

/// A value of a type.
pub(super) fn value(node: &Node<'_>, ty: Type) -> Result<Expr, PlanLoadError> {
    Ok(match ty {
        Type::Number(unit) => number_expression(node, node.decimal()?, unit),
        Type::Bool => expression(node, ExprKind::Bool(node.truth()?)),
        Type::Text | Type::Name => text_expression(node, node.text()?),
    })
}

/// A value of a type as an element of a list.
pub(super) fn element(node: &Node<'_>, ty: Type) -> Result<Vec<Term>, PlanLoadError> {
    match ty {
        Type::Number(unit) => Ok(number_term(node, node.decimal()?, unit)),
        Type::Text | Type::Name | Type::Bool => Ok(vec![text_term(node, node.text()?)]),
    }
}

/// The fact that an object reads.
pub(super) fn fact_of(node: &Node<'_>) -> Result<&'static Fact, PlanLoadError> {
    let name = node.need("fact")?;
    let text = name.text()?;
    node.fact(text).ok_or_else(|| name.error(format!("unknown fact `{text}`")))
}

/// A reading of a fact with its arguments and its default.
pub(super) fn reading(node: &Node<'_>) -> Result<Expr, PlanLoadError> {
    let fact = fact_of(node)?;
    let arguments = match node.get("arguments") {
        Some(given) if fact.compares_facts() => compared(fact, &given),
        Some(given) => given.entries()?.into_iter().map(|(name, value)| argument(fact, name, &value)).collect(),
        None => Ok(Vec::new()),
    };
    let name = node.need("fact")?;
    let call = if fact.is_host() {
        expression(node, ExprKind::Name(name.text()?.into()))
    } else {
        expression(node, ExprKind::Call(name.word(fact.name), arguments?))
    };
    let Some(fallback) = node.get("else") else { return Ok(call) };
    let fallback = match fallback.get("text") {
        Some(text) => text_expression(&text, text.text()?),
        None => value(&fallback, fact.ty)?,
    };
    Ok(expression(node, ExprKind::Default(Box::new(call), Box::new(fallback))))
}

/// The facts that a fact compares.
fn compared(fact: &Fact, given: &Node<'_>) -> Result<Vec<Argument>, PlanLoadError> {
    let mut arguments = Vec::new();
    for (name, value) in given.entries()? {
        match fact.parameters.iter().find(|parameter| parameter.name == name).map(|parameter| parameter.kind) {
            Some(ParameterKind::Facts) => {
                for one in value.list()? {
                    arguments.push(Argument { name: None, value: reading(&one)? });
                }
            }
            Some(ParameterKind::Scope(_)) => arguments.push(argument(fact, name, &value)?),
            _ => return Err(value.error(format!("`{}` has no parameter `{name}`", fact.name))),
        }
    }
    Ok(arguments)
}

fn argument(fact: &Fact, name: &str, node: &Node<'_>) -> Result<Argument, PlanLoadError> {
    let parameter = fact.parameters.iter().find(|parameter| parameter.name == name);
    let parameter = parameter.ok_or_else(|| node.error(format!("`{}` has no parameter `{name}`", fact.name)))?;
    let value = match parameter.kind {
        ParameterKind::Number(unit, _) | ParameterKind::Limit(unit) => number_expression(node, node.decimal()?, unit),
        ParameterKind::Recent(..) => {
            let unit = node.need("unit")?;
            let known: Result<Unit, _> = serde_json::from_value(unit.json.clone());
            let known = known.map_err(|_| unit.error(format!("`{name}` of `{}` has an unknown unit", fact.name)))?;
            number_expression(node, node.need("amount")?.decimal()?, known)
        }
        ParameterKind::CallsFrom | ParameterKind::Scope(_) => expression(node, ExprKind::Name(node.text()?.into())),
        ParameterKind::Tools | ParameterKind::AfterTools | ParameterKind::Texts => {
            let names = node.list()?;
            let names = names.iter().map(|name| Ok(text_term(name, name.text()?)));
            expression(node, ExprKind::List(names.collect::<Result<_, PlanLoadError>>()?))
        }
        ParameterKind::Tool
        | ParameterKind::Rule
        | ParameterKind::OwnRule
        | ParameterKind::Facts
        | ParameterKind::Variable
        | ParameterKind::HostFact => text_expression(node, node.text()?),
    };
    Ok(Argument { name: Some(node.word(name)), value })
}

/// A text with its pieces.
pub(super) fn template(node: &Node<'_>) -> Result<Text, PlanLoadError> {
    let pieces: Vec<TextPiece> = node.list()?.iter().map(piece).collect::<Result<_, _>>()?;
    let is_literal = |piece: &TextPiece| matches!(piece, TextPiece::Literal(_));
    if let [TextPiece::Literal(text)] = pieces.as_slice() {
        return Ok(literal(node, text));
    }
    if pieces.is_empty() || pieces.windows(2).any(|two| two.iter().all(is_literal)) {
        return Err(node.error("expected one or more pieces, and no two strings side by side"));
    }
    Ok(Text { pieces, ..literal(node, "") })
}

fn piece(node: &Node<'_>) -> Result<TextPiece, PlanLoadError> {
    if let Some(text) = node.json.as_str() {
        return Ok(TextPiece::Literal(text.to_owned()));
    }
    let Some(own) = node.get("own") else { return reading(node).map(TextPiece::Interpolation) };
    Ok(TextPiece::Interpolation(expression(&own, ExprKind::Name(own.text()?.into()))))
}
