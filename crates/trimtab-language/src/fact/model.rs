//! `model`

use trimtab_base::quantity::{Type, Value};

use super::argument::Arguments;
use super::descriptor::{AtStart, Domain, Fact, Falls, Rises, Source, Topic, Unknown};
use super::moment::Moment;

pub(super) static FACT: Fact = Fact {
    name: "model",
    summary: "Id of the model of this call, which may change within a session. A live session knows the model of the call \
              before, or the one that it was given. `trimtab explain models` lists ids.",
    ty: Type::Text,
    unknown: Some(Unknown::Model),
    parameters: &[],
    domain: Domain::Any,
    topic: Topic::Model,
    rises: Rises::Sometimes,
    falls: Falls::AnyTime,
    at_start: AtStart::Any,
    source: Source::Own,
    relations: &[],
    examples: &["(model ?? \"\") == \"claude-haiku-4-5\"", "(model ?? \"\") contains \"opus\""],
    read,
};

fn read(moment: &Moment<'_>, _: &Arguments<'_>) -> Option<Value> {
    moment.model.cloned().map(Value::Text)
}
