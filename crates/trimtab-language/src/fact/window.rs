//! `window`

use trimtab_base::quantity::{Type, Unit, Value};

use super::argument::Arguments;
use super::descriptor::{AtStart, Domain, Fact, Falls, Rises, Source, Topic, Unknown};
use super::moment::Moment;

pub(super) static FACT: Fact = Fact {
    name: "window",
    summary: "The context window of the model of this call, of which shares are taken. It may change with the model.",
    ty: Type::Number(Unit::Tokens),
    unknown: Some(Unknown::Window),
    parameters: &[],
    domain: Domain::NonNegative,
    topic: Topic::Model,
    rises: Rises::Sometimes,
    falls: Falls::AnyTime,
    at_start: AtStart::Any,
    source: Source::Window,
    relations: &[],
    examples: &["(window ?? 200k tokens) >= 500k tokens"],
    read,
};

fn read(moment: &Moment<'_>, _: &Arguments<'_>) -> Option<Value> {
    moment.window.filter(|window| *window > 0).map(|window| Value::Number(window.into()))
}
