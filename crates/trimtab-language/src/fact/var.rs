//! `var`

use trimtab_base::quantity::{Type, Value};

use super::argument::{Arguments, VARIABLE};
use super::descriptor::{AtStart, Domain, Fact, Falls, Rises, Source, Topic, Unknown};
use super::moment::Moment;

pub(super) static FACT: Fact = Fact {
    name: "var",
    summary: "The text that a rule has given a variable, for the next request or for the run.",
    ty: Type::Text,
    unknown: Some(Unknown::Variable),
    parameters: &[&VARIABLE.parameter],
    domain: Domain::Any,
    topic: Topic::Variables,
    rises: Rises::Sometimes,
    falls: Falls::AnyTime,
    at_start: AtStart::Unknown,
    source: Source::Own,
    relations: &[],
    examples: &["(var(mode) ?? \"\") == \"review\""],
    read,
};

fn read(moment: &Moment<'_>, arguments: &Arguments<'_>) -> Option<Value> {
    moment.views.variable(arguments.get(&VARIABLE)?).cloned().map(Value::Text)
}
