//! Arguments of facts.

use super::{clause, suggest};
use crate::diagnostic::{Diagnostic, alternatives, nearest};
use crate::fact::{Fact, Parameter, ParameterKind, Scope};
use crate::source::Span;
use crate::syntax::tree::Name;

/// How an argument is written.
fn sample(parameter: &Parameter) -> String {
    match parameter.kind {
        ParameterKind::Number(unit, _) => format!("{}: {}", parameter.name, unit.sample()),
        ParameterKind::Scope => format!("{}: {}", parameter.name, Scope::WORDS[0]),
        ParameterKind::Tool => "\"write_note\"".to_owned(),
        ParameterKind::Rule => "NAME_OF_A_RULE".to_owned(),
    }
}

fn names(fact: &Fact) -> Vec<&'static str> {
    fact.parameters.iter().map(|parameter| parameter.name).collect()
}

/// A bare fact that could be either of two instances.
pub(crate) fn ambiguous(span: Span, name: &str, first: Span, second: Span) -> Diagnostic {
    Diagnostic::new(&clause::AMBIGUOUS, span, format!("`{name}` could be either of two"), "which one?")
        .label(first, "one in the rule's condition")
        .label(second, "another")
        .help("write the arguments here too")
}

/// An argument that must be given.
pub(crate) fn missing(span: Span, fact: &Fact, parameter: &Parameter) -> Diagnostic {
    let message = format!("`{}` needs a {}", fact.name, parameter.name);
    Diagnostic::new(&clause::ARGUMENT, span, message, format!("no {} is given", parameter.name)).help(format!(
        "write `{}({})`",
        fact.name,
        sample(parameter)
    ))
}

/// Arguments for a fact without parameters.
pub(crate) fn takes_none(span: Span, fact: &Fact) -> Diagnostic {
    Diagnostic::new(&clause::ARGUMENT, span, format!("`{}` takes no arguments", fact.name), "an argument")
        .help(format!("write `{}`", fact.name))
}

/// A second argument without its name.
pub(crate) fn unnamed(span: Span, fact: &Fact) -> Diagnostic {
    let message = "only the first argument stands without its name";
    let finding = Diagnostic::new(&clause::ARGUMENT, span, message, "which one is it?");
    match fact.parameters {
        [_] => finding.help(format!("`{}` takes one argument", fact.name)),
        [_, second] => finding.help(format!("write `{}`", sample(second))),
        _ => finding.help(format!("the arguments are {}", names(fact).join(", "))),
    }
}

/// An argument that the fact does not have.
pub(crate) fn unknown(name: &Name, fact: &Fact) -> Diagnostic {
    let message = format!("`{}` has no argument `{}`", fact.name, name.node);
    let finding = Diagnostic::new(&clause::ARGUMENT, name.span, message, "unknown argument");
    let names = names(fact);
    let meant = nearest(&name.node, names.iter().copied());
    suggest(finding, name.span, meant, || format!("it has {}", alternatives(&names)))
}

/// An argument that is given twice.
pub(crate) fn twice(span: Span, first: Span, name: &str) -> Diagnostic {
    Diagnostic::new(&clause::ARGUMENT, span, format!("`{name}` is given twice"), "again")
        .label(first, "first given here")
        .help("leave one of them out")
}

/// A word that is not one of the choices.
pub(crate) fn not_a_choice(span: Span, word: Option<&str>, name: &str, fact: &Fact, words: &[&str]) -> Diagnostic {
    let message = format!("`{name}` of `{}` is {}", fact.name, alternatives(words));
    let finding = Diagnostic::new(&clause::ARGUMENT, span, message, "none of these");
    let meant = word.and_then(|word| nearest(word, words.iter().copied()));
    suggest(finding, span, meant, || format!("write {}", alternatives(words)))
}

/// Something else where a name is wanted.
pub(crate) fn not_a_name(span: Span, noun: &str, name: &str, fact: &Fact) -> Diagnostic {
    let message = format!("the {name} of `{}` is a name, and {noun} is none", fact.name);
    Diagnostic::new(&clause::ARGUMENT, span, message, "no name").help("write one name, bare or in double quotes")
}

/// `known` with something else than one fact.
pub(crate) fn known_takes_one(span: Span) -> Diagnostic {
    Diagnostic::new(&clause::ARGUMENT, span, "`known` takes one fact", "not one fact")
        .help("write `known(reported.ratio)`")
}

/// A fact in `once per` that is no number.
pub(crate) fn not_a_number(span: Span, fact: &Fact) -> Diagnostic {
    let message = format!("`once per` needs a number that grows, and `{}` is {}", fact.name, fact.ty);
    Diagnostic::new(&super::value::TYPE, span, message, fact.ty.to_string())
        .help("name a fact that counts, such as `failures`")
}
