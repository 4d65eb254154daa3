//! Errors in the arguments of facts.

use trimtab_base::diagnostic::{Diagnostic, alternatives, nearest};
use trimtab_base::quantity::Unit;
use trimtab_base::source::Span;
use trimtab_syntax::syntax::tree::Name;

use super::{clause, suggest};
use crate::check::policy::Reading;
use crate::fact::{CallsFrom, Fact, Parameter, ParameterKind};

/// A sample argument.
fn sample(parameter: &Parameter) -> String {
    match parameter.kind {
        ParameterKind::Number(unit, _) | ParameterKind::Limit(unit) => format!("{}: {}", parameter.name, unit.sample()),
        ParameterKind::CallsFrom => format!("{}: {}", parameter.name, CallsFrom::WORDS[0]),
        ParameterKind::Scope(default) => format!("{}: {}", parameter.name, default.word()),
        ParameterKind::Recent(units, _) => {
            format!("{}: {}", parameter.name, units.first().map_or("10 calls", |unit| recent_sample(*unit)))
        }
        ParameterKind::Tool => "\"write_note\"".to_owned(),
        ParameterKind::Tools | ParameterKind::AfterTools => format!("{}: [write_note]", parameter.name),
        ParameterKind::Texts => "[refactor, \"design doc\"]".to_owned(),
        ParameterKind::Rule | ParameterKind::OwnRule => "RULE_NAME".to_owned(),
        ParameterKind::Variable => "VARIABLE".to_owned(),
        ParameterKind::HostFact => "NAME".to_owned(),
        ParameterKind::Facts => "failures".to_owned(),
    }
}

/// A sample of how far back to look.
const fn recent_sample(unit: Unit) -> &'static str {
    match unit {
        Unit::Duration => "1h",
        _ => "10 calls",
    }
}

fn names(fact: &Fact) -> Vec<&'static str> {
    fact.parameters.iter().map(|parameter| parameter.name).collect()
}

/// A fact without arguments that the condition contains with different arguments.
pub(crate) fn ambiguous(span: Span, name: &str, first: Span, second: Span) -> Diagnostic {
    Diagnostic::new(&clause::AMBIGUOUS, span, format!("`{name}` is ambiguous"), "arguments required")
        .label(first, "used with these arguments")
        .label(second, "and with these")
        .help("write the arguments here too")
}

/// A missing argument.
pub(crate) fn missing(span: Span, fact: &Fact, parameter: &Parameter) -> Diagnostic {
    let message = format!("`{}` requires a {}", fact.name, parameter.name);
    Diagnostic::new(&clause::ARGUMENT, span, message, format!("missing {}", parameter.name)).help(format!(
        "write `{}({})`",
        fact.name,
        sample(parameter)
    ))
}

/// Arguments for a fact without parameters.
pub(crate) fn no_parameters(span: Span, fact: &Fact) -> Diagnostic {
    Diagnostic::new(&clause::ARGUMENT, span, format!("`{}` takes no arguments", fact.name), "unexpected argument")
        .help(format!("write `{}`", fact.name))
}

/// A second argument without its name.
pub(crate) fn unnamed(span: Span, fact: &Fact) -> Diagnostic {
    let message = "only the first argument may be written without its name";
    let finding = Diagnostic::new(&clause::ARGUMENT, span, message, "missing name");
    match fact.parameters {
        [_] => finding.help(format!("`{}` takes one argument", fact.name)),
        [_, second] => finding.help(format!("write `{}`", sample(second))),
        _ => finding.help(format!("the arguments are {}", names(fact).join(", "))),
    }
}

/// An unknown argument.
pub(crate) fn unknown(name: &Name, fact: &Fact) -> Diagnostic {
    let message = format!("`{}` has no argument `{}`", fact.name, name.node);
    let finding = Diagnostic::new(&clause::ARGUMENT, name.span, message, "unknown argument");
    let names = names(fact);
    let suggestion = nearest(&name.node, names.iter().copied());
    suggest(finding, name.span, suggestion, || format!("it has {}", alternatives(&names)))
}

/// An argument that is given twice.
pub(crate) fn duplicate(span: Span, first: Span, name: &str) -> Diagnostic {
    Diagnostic::new(&clause::ARGUMENT, span, format!("`{name}` is given twice"), "given again")
        .label(first, "first given here")
        .help("remove one of them")
}

/// An argument that is not one of the allowed words.
pub(crate) fn not_a_choice(span: Span, word: Option<&str>, name: &str, fact: &Fact, words: &[&str]) -> Diagnostic {
    let message = format!("`{name}` of `{}` must be {}", fact.name, alternatives(words));
    let finding = Diagnostic::new(&clause::ARGUMENT, span, message, "not one of these");
    let suggestion = word.and_then(|word| nearest(word, words.iter().copied()));
    suggest(finding, span, suggestion, || format!("write {}", alternatives(words)))
}

/// Something else where a name is expected.
pub(crate) fn not_a_name(span: Span, noun: &str, name: &str, fact: &Fact) -> Diagnostic {
    let message = format!("expected a name as the {name} of `{}`, found {noun}", fact.name);
    Diagnostic::new(&clause::ARGUMENT, span, message, "not a name").help("write a name, with or without double quotes")
}

/// A value that is not a list of tools.
pub(crate) fn not_tools(span: Span, noun: &str, name: &str, fact: &Fact) -> Diagnostic {
    let message = format!("`{name}` of `{}` takes a tool or a list of tools, found {noun}", fact.name);
    Diagnostic::new(&clause::ARGUMENT, span, message, "not a tool")
        .help(format!("write names, such as `{name}: [bash, mcp__*]`"))
}

/// Another value where a text or a list of texts is required.
pub(crate) fn not_texts(span: Span, noun: &str, name: &str, fact: &Fact) -> Diagnostic {
    let message = format!("`{name}` of `{}` takes a text or a list of texts, found {noun}", fact.name);
    Diagnostic::new(&clause::ARGUMENT, span, message, "not a text")
        .help(format!("write texts, such as `{}([refactor, \"design doc\"])`", fact.name))
}

/// A fact that compares values with those at the last firing, outside a rule.
pub(crate) fn outside_a_rule(span: Span, fact: &Fact) -> Diagnostic {
    let message = format!("`{}` compares facts with their values when a rule last fired", fact.name);
    Diagnostic::new(&clause::ARGUMENT, span, message, "not in a rule").help("use it in a condition of a rule")
}

/// Something else than a fact to compare.
pub(crate) fn not_compared(span: Span, fact: &Fact) -> Diagnostic {
    let message = format!("`{}` takes facts, separated by commas", fact.name);
    Diagnostic::new(&clause::ARGUMENT, span, message, "not a fact to compare")
        .help(format!("write `{}(failures, call.name)`; a fact that may be unknown needs no default", fact.name))
}

/// `known` with anything but one fact.
pub(crate) fn known_takes_one(span: Span) -> Diagnostic {
    Diagnostic::new(&clause::ARGUMENT, span, "`known` takes one fact", "not a single fact")
        .help("write a fact, such as `known(reported.ratio)`")
}

/// A fact in `once per` that is not a number.
pub(crate) fn not_a_number(span: Span, reading: &Reading) -> Diagnostic {
    let ty = reading.fact.ty;
    let message = format!("`once per` takes a number that grows, but `{}` is {ty}", reading.name());
    Diagnostic::new(&super::value::TYPE, span, message, ty.to_string())
        .help("use a fact that counts, such as `failures`")
}
