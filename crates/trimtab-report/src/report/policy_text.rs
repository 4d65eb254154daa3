//! Formats checked values as policy text.
//!
//! In: conditions, guards, effects and texts of a checked policy. Out: text with the same meaning, with lets
//! replaced by their values, without spans.

use trimtab_base::quantity::{Counted, Quantity, Type, Unit, Value};
use trimtab_language::check::{
    Action, Argument, Condition, FailureAction, Guard, HostFact, Label, OnFailure, Operand, Reading, Relation,
    RuleGuard, Template, Test, TextPiece, is_list_name,
};
use trimtab_language::effect::{ENDS, Shape};
use trimtab_language::fact::{CallsFrom, Parameter, ParameterKind, Recent, Scope, argument_texts, tool_names};
use trimtab_syntax::syntax::quote::escaped;
pub(super) use trimtab_syntax::syntax::quote::{literal, quoted};

/// A condition.
pub(super) fn condition(condition: &Condition) -> String {
    joined(condition, false)
}

/// A condition; inside another one, all but single tests are in parentheses.
fn joined(condition: &Condition, inside: bool) -> String {
    let list = |parts: &[Condition], word: &str| {
        let parts: Vec<String> = parts.iter().map(|part| joined(part, true)).collect();
        let text = parts.join(word);
        if inside { format!("({text})") } else { text }
    };
    match condition {
        Condition::Constant(truth) => truth.to_string(),
        Condition::All(parts) => list(parts, " and "),
        Condition::Any(parts) => list(parts, " or "),
        Condition::Not(inner) => match &**inner {
            Condition::Test(Test { relation: Relation::Holds | Relation::Known, .. }) => {
                format!("not {}", joined(inner, true))
            }
            other => format!("not ({})", joined(other, false)),
        },
        Condition::Test(inner) => test(inner),
    }
}

fn test(test: &Test) -> String {
    let (fact, ty) = (reading(&test.reading), test.reading.fact.ty);
    match &test.relation {
        Relation::Holds => fact,
        Relation::Known => format!("known({fact})"),
        Relation::Contains(part) => format!("{fact} contains {}", quoted(part)),
        Relation::OneOf(values) => {
            let values: Vec<String> = values.iter().map(|constant| value(constant, ty)).collect();
            format!("{fact} in [{}]", values.join(", "))
        }
        Relation::Compare(comparison, Operand::Value(constant)) => {
            format!("{fact} {} {}", comparison.symbol(), value(constant, ty))
        }
        Relation::Compare(comparison, Operand::ShareOfWindow(share)) => {
            format!("{fact} {} {}", comparison.symbol(), Quantity::new(*share, Unit::Share))
        }
    }
}

/// A fact with its arguments and its default.
pub(super) fn reading(of: &Reading) -> String {
    let argument = |(parameter, value): (&&Parameter, &Value)| match (parameter.kind, value) {
        (ParameterKind::CallsFrom, Value::Text(word)) if word == CallsFrom::WORDS[0] => None,
        _ if parameter.is_omitted(value) => None,
        (ParameterKind::Tools | ParameterKind::AfterTools, Value::Text(names)) => {
            Some(format!("{}: [{}]", parameter.name, list(tool_names(names))))
        }
        (ParameterKind::Texts, Value::Text(texts)) => {
            let texts: Vec<String> = argument_texts(texts).iter().map(|text| quoted(text)).collect();
            Some(format!("[{}]", texts.join(", ")))
        }
        (ParameterKind::Number(unit, _) | ParameterKind::Limit(unit), Value::Number(number)) => {
            Some(format!("{}: {}", parameter.name, Quantity::new(*number, unit)))
        }
        (ParameterKind::Recent(..), value) => {
            Recent::read(value).map(|recent| format!("{}: {}", parameter.name, recent.quantity()))
        }
        (ParameterKind::Facts, _) => Some(of.compared.iter().map(reading).collect::<Vec<_>>().join(", ")),
        (ParameterKind::Rule, Value::Text(text)) => Some(text.to_string()),
        (ParameterKind::Variable, Value::Text(text)) => Some(list([text])),
        (ParameterKind::Tool, Value::Text(text)) => Some(quoted(text)),
        (_, value) => Some(format!("{}: {}", parameter.name, value.format_bare(Type::Name))),
    };
    let arguments: Vec<String> = if of.fact.is_host() {
        Vec::new()
    } else {
        of.fact.parameters.iter().zip(&of.arguments).filter_map(argument).collect()
    };
    let fact = match arguments.as_slice() {
        [] if of.fact.compares_facts() => format!("{}()", of.fact.name),
        [] => of.name().into(),
        some => format!("{}({})", of.fact.name, some.join(", ")),
    };
    match &of.fallback {
        Some(fallback) => format!("{fact} ?? {}", value(fallback, of.fact.ty)),
        None => fact,
    }
}

fn value(value: &Value, ty: Type) -> String {
    match (value, ty) {
        (Value::Number(number), Type::Number(unit)) => Quantity::new(*number, unit).to_string(),
        (Value::Number(number), _) => Quantity::new(*number, Unit::Counted(Counted::Count)).to_string(),
        (Value::Text(text), _) => quoted(text),
        (Value::Bool(truth), _) => truth.to_string(),
    }
}

/// The declaration of a fact that the host supplies.
pub(super) fn host_fact(fact: &HostFact) -> String {
    let default = fact.default.as_ref().map_or(String::new(), |of| format!(" default {}", value(of, fact.fact.ty)));
    format!("fact {} {}{default}", fact.name.node, fact.type_word())
}

/// A guard with its scope.
pub(super) fn guard(guard: &RuleGuard) -> String {
    match guard.scope {
        Scope::Run => bare_guard(&guard.node),
        Scope::Session => format!("{} in {}", bare_guard(&guard.node), guard.scope.word()),
    }
}

/// A guard without its scope.
fn bare_guard(guard: &Guard) -> String {
    match guard {
        Guard::Once => "once".to_owned(),
        Guard::OncePer(fact) => format!("once per {}", reading(fact)),
        Guard::OnceUntil(end) => format!("once until {}", condition(end)),
        Guard::Until(end) => format!("until {}", condition(end)),
        Guard::Every(iterations) => {
            format!("every {}", Quantity::whole(*iterations, Unit::Counted(Counted::Iterations)))
        }
        Guard::Cooldown(pause) => format!("cooldown {}", Quantity::whole(*pause, Unit::Counted(Counted::Iterations))),
        Guard::Limit(times) => format!("limit {times}"),
    }
}

/// Several effects in turn; `prompt` returns the name of the prompt with a text.
pub(super) fn actions(all: &[Action], prompt: &dyn Fn(&str) -> String) -> String {
    let all: Vec<String> = all.iter().map(|each| action(each, prompt)).collect();
    all.join(" then ")
}

fn action(action: &Action, prompt: &dyn Fn(&str) -> String) -> String {
    let mut words = vec![action.effect.name.to_owned()];
    words.extend(action.target.map(|target| target.name.to_owned()));
    words.extend(action.text.as_ref().map(template));
    let given = action.labels.iter().filter(|label| label.span.is_some());
    let (values, labels): (Vec<_>, Vec<_>) = given.partition(|label| action.effect.is_value(label.descriptor));
    for label in values.into_iter().chain(labels) {
        if !action.effect.is_value(label.descriptor) {
            words.push(label.descriptor.name.to_owned());
        }
        words.push(argument(label, prompt));
    }
    words.join(" ")
}

/// The value of a label; `prompt` returns the name of the prompt with a text.
pub(super) fn argument(label: &Label, prompt: &dyn Fn(&str) -> String) -> String {
    match (&label.argument, label.descriptor.shape) {
        (Argument::Text(text), Shape::Prompt) => prompt(&plain(text)),
        (Argument::Text(text), _) => template(text),
        (Argument::Quantity(quantity), _) => quantity.to_string(),
        (Argument::Word(word), Shape::Name) => list([word]),
        (Argument::Word(word), _) => word.to_string(),
        (Argument::Pins(pins), _) => pins.to_string(),
        (Argument::Ends(head, tail), _) => format!("{ENDS} {head}, {tail}"),
        (Argument::Names(names), _) => format!("[{}]", list(names)),
        (Argument::Fields(fields), _) => {
            let field = |(name, fact): &(_, _)| format!("{}: {}", list([name]), reading(fact));
            format!("[{}]", fields.iter().map(field).collect::<Vec<_>>().join(", "))
        }
    }
}

/// What happens on failure.
pub(super) fn on_failure(on_failure: &OnFailure, prompt: &dyn Fn(&str) -> String) -> String {
    let retry = if on_failure.retries > 0 { format!("retry {} ", on_failure.retries) } else { String::new() };
    let then = match &on_failure.then {
        FailureAction::Keep => "keep".to_owned(),
        FailureAction::Stop => "stop".to_owned(),
        FailureAction::Ask => "ask".to_owned(),
        FailureAction::Then(action) => format!("then {}", self::action(action, prompt)),
    };
    format!("{retry}{then}")
}

/// Names in a list, in quotes if they are not valid list names.
pub(super) fn list<N: AsRef<str>>(names: impl IntoIterator<Item = N>) -> String {
    let name = |name: &str| if is_list_name(name) { name.to_owned() } else { quoted(name) };
    names.into_iter().map(|each| name(each.as_ref())).collect::<Vec<_>>().join(", ")
}

/// The text of a template without interpolations.
pub(super) fn plain(text: &Template) -> String {
    text.pieces.iter().map(|piece| if let TextPiece::Literal(text) = piece { text.as_str() } else { "" }).collect()
}

/// A text in quotes.
pub(super) fn template(text: &Template) -> String {
    let literal = |text: &str| escaped(text).replace('{', "{{").replace('}', "}}");
    let piece = |piece: &TextPiece| match piece {
        TextPiece::Literal(text) => literal(text),
        TextPiece::Fact(fact) => format!("{{{}}}", reading(fact)),
        TextPiece::Variable(name) => format!("{{{name}}}"),
    };
    format!("\"{}\"", text.pieces.iter().map(piece).collect::<String>())
}
