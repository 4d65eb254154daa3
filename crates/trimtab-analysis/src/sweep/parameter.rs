//! The parameters of a sweep: the constants of a policy file, and the literals in its rules.

use trimtab_base::diagnostic::{TextEdit, alternatives, nearest};
use trimtab_base::quantity::Unit;
use trimtab_base::source::{Span, slice};
use trimtab_language::effect::{self, Effect};
use trimtab_syntax::syntax::tree::{
    self, Clause, ClauseKind, EffectCall, Expr, ExprKind, Item, PolicyItem, Term, TermKind,
};
use trimtab_syntax::syntax::{parse_amount, walk};

/// A literal of a policy file that can have another value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its names, the shortest first: `mask_old.keep`, `mask_old.mask.keep`, `coder.mask_old.mask.keep`.
    pub names: Vec<String>,
    /// The literal, with the word of its unit.
    span: Span,
    /// The number of the literal without the word of its unit, if it has one.
    number: Option<Span>,
    /// The literal as the file has it.
    pub written: String,
}

/// Why a name means no parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParameterError {
    /// No parameter has this name; what to write.
    Unknown(String),
    /// Several parameters have it; what to write.
    Ambiguous(String),
}

/// A literal in a rule, and what it is called there.
struct RuleLiteral {
    /// The part of the rule: an effect or the keyword of a clause.
    part: String,
    /// The label or the fact; empty if the clause is the literal.
    name: String,
    span: Span,
    number: Option<Span>,
}

/// The parameters of a policy file, in the order of its text.
pub fn parameters(file: &tree::File, text: &str) -> Vec<Parameter> {
    let mut parameters = Vec::new();
    for item in &file.items {
        match item {
            Item::Let(constant) => {
                let (span, number) = (constant.value.span, number_of(&constant.value, text));
                let written = slice(text, span.range()).to_owned();
                parameters.push(Parameter { names: vec![constant.name.node.to_string()], span, number, written });
            }
            Item::Policy(policy) => {
                for item in &policy.items {
                    let PolicyItem::Rule(rule) = item else { continue };
                    let literals = rule.clauses.iter().flat_map(|clause| in_clause(clause, text));
                    parameters.extend(literals.map(|literal| literal.parameter(policy, rule, text)));
                }
            }
            _ => {}
        }
    }
    parameters
}

/// The parameter of this name.
///
/// # Errors
/// There is none, or there are several.
pub fn find<'p>(parameters: &'p [Parameter], name: &str) -> Result<&'p Parameter, ParameterError> {
    let found: Vec<&Parameter> = parameters.iter().filter(|one| one.names.iter().any(|own| own == name)).collect();
    match found.as_slice() {
        [one] => Ok(one),
        [] => {
            let short = || parameters.iter().filter_map(|one| one.names.first());
            let help = match nearest(name, parameters.iter().flat_map(|one| &one.names).map(String::as_str)) {
                Some(near) => format!("did you mean `{near}`?"),
                None if parameters.is_empty() => "it has none".to_owned(),
                None => format!("it has {}", alternatives(&short().collect::<Vec<_>>())),
            };
            Err(ParameterError::Unknown(help))
        }
        several => {
            let mut longest: Vec<&String> = several.iter().filter_map(|one| one.names.last()).collect();
            longest.sort_unstable();
            let all = longest.len();
            longest.dedup();
            let help = if longest.len() == all {
                format!("write {}", alternatives(&longest))
            } else {
                "define it with a `let` and vary that".to_owned()
            };
            Err(ParameterError::Ambiguous(help))
        }
    }
}

impl Parameter {
    /// The edit that gives it another value. A plain number keeps the unit of the literal.
    pub fn edit(&self, value: &str) -> TextEdit {
        let is_plain = || matches!(parse_amount(value), Some((_, None)));
        let span = self.number.filter(|_| is_plain()).unwrap_or(self.span);
        TextEdit { span, text: value.to_owned() }
    }
}

impl RuleLiteral {
    fn parameter(self, policy: &tree::Policy, rule: &tree::Rule, text: &str) -> Parameter {
        let (policy, rule) = (&policy.name.node, &rule.name.node);
        let names = if self.name.is_empty() {
            vec![format!("{rule}.{}", self.part), format!("{policy}.{rule}.{}", self.part)]
        } else {
            let full = format!("{rule}.{}.{}", self.part, self.name);
            vec![format!("{rule}.{}", self.name), full.clone(), format!("{policy}.{full}")]
        };
        Parameter { names, span: self.span, number: self.number, written: slice(text, self.span.range()).to_owned() }
    }
}

/// The literals of a clause: values of labels, numbers of guards, and constants that facts are compared with.
fn in_clause(clause: &Clause, text: &str) -> Vec<RuleLiteral> {
    let keyword = || clause.kind.keyword().map(|keyword| keyword.text().to_owned()).unwrap_or_default();
    match &clause.kind {
        ClauseKind::Do(calls) => calls.iter().flat_map(in_effect).collect(),
        ClauseKind::OnFailure(terms, call) => {
            let own = (0..terms.len()).filter_map(|at| {
                let TermKind::Word(word) = &terms.get(at)?.kind else { return None };
                let is_number = terms.get(at + 1).is_some_and(|term| matches!(term.kind, TermKind::Number(_)));
                is_number.then(|| literal_at(terms, at + 1, keyword(), word)).flatten()
            });
            own.chain(call.iter().flat_map(in_effect)).collect()
        }
        ClauseKind::Every(value) | ClauseKind::Cooldown(value) | ClauseKind::Limit(value) if is_number(value) => {
            let (span, number) = (value.span, number_of(value, text));
            vec![RuleLiteral { part: keyword(), name: String::new(), span, number }]
        }
        _ => {
            let all = walk::expressions(|visitor| walk::clause(clause, visitor));
            let compared = all.into_iter().filter_map(|expr| {
                let (left, _, right) = expr.comparison()?;
                let (fact, value) = if is_number(right) { (left, right) } else { (right, left) };
                let name = match &fact.kind {
                    ExprKind::Name(name) => name,
                    ExprKind::Call(name, _) => &name.node,
                    _ => return None,
                };
                let (name, span, number) = (name.to_string(), value.span, number_of(value, text));
                is_number(value).then(|| RuleLiteral { part: keyword(), name, span, number })
            });
            compared.collect()
        }
    }
}

/// The values of the labels of an effect.
fn in_effect(call: &EffectCall) -> Vec<RuleLiteral> {
    let (Some(effect), terms) = (effect::find(&call.name.node), call.terms.as_slice()) else { return Vec::new() };
    let part = || call.name.node.to_string();
    let mut values = effect.values().iter();
    let mut literals = Vec::new();
    for (at, term) in terms.iter().enumerate() {
        match &term.kind {
            TermKind::Word(word) if effect.word_label(word).is_some() => {
                let has_value = terms.get(at + 1).is_some_and(|next| !is_word_of(effect, next));
                literals.extend(has_value.then(|| literal_at(terms, at + 1, part(), word)).flatten());
            }
            TermKind::Number(_) if !follows_label(effect, terms, at) => {
                let label = values.next();
                literals.extend(label.and_then(|label| literal_at(terms, at, part(), label.name)));
            }
            _ => {}
        }
    }
    literals
}

fn follows_label(effect: &Effect, terms: &[Term], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|at| terms.get(at));
    before.is_some_and(|term| matches!(&term.kind, TermKind::Word(word) if effect.word_label(word).is_some()))
}

/// Whether a term is a label or a target of an effect.
fn is_word_of(effect: &Effect, term: &Term) -> bool {
    matches!(&term.kind, TermKind::Word(word) if effect.label(word).is_some() || effect.target(word).is_some())
}

/// The literal at a position, with the word of its unit.
fn literal_at(terms: &[Term], at: usize, part: String, name: &str) -> Option<RuleLiteral> {
    let term = terms.get(at)?;
    let is_unit = |term: &&Term| matches!(&term.kind, TermKind::Word(word) if Unit::from_word(word).is_some());
    let unit = terms.get(at + 1).filter(is_unit).filter(|_| matches!(term.kind, TermKind::Number(_)));
    let span = unit.map_or(term.span, |unit| term.span.to(unit.span));
    Some(RuleLiteral { part, name: name.to_owned(), span, number: unit.map(|_| term.span) })
}

const fn is_number(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Number(..))
}

/// The number of a literal without the word of its unit, if it has one.
fn number_of(expr: &Expr, text: &str) -> Option<Span> {
    let ExprKind::Number(_, Some(unit)) = &expr.kind else { return None };
    let start = expr.span.start as usize;
    let number = slice(text, start..unit.span.start as usize).trim_end();
    Some(Span::new(expr.span.source, start, start + number.len()))
}

#[cfg(test)]
mod tests;
