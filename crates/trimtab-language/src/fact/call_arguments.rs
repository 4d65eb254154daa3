//! `call.arguments`

use trimtab_base::quantity::{Type, Value};

use super::argument::Arguments;
use super::descriptor::{AtStart, Domain, Fact, Falls, Rises, Source, Topic, Unknown};
use super::moment::Moment;

pub(super) static FACT: Fact = Fact {
    name: "call.arguments",
    summary: "Arguments of the newest call in the context, as recorded; in the phase `compaction_miss`, of the call made \
              again.",
    ty: Type::Text,
    unknown: Some(Unknown::Call),
    parameters: &[],
    domain: Domain::Any,
    topic: Topic::NewestCall,
    rises: Rises::Sometimes,
    falls: Falls::AnyTime,
    at_start: AtStart::Any,
    source: Source::Own,
    relations: &[],
    examples: &["(call.arguments ?? \"\") contains \"rm -rf\""],
    read,
};

fn read(moment: &Moment<'_>, _: &Arguments<'_>) -> Option<Value> {
    let (_, arguments) = moment.call()?;
    Some(Value::Text(arguments.text().into()))
}
