//! `call.name`

use super::{Domain, Fact, Moment, Unknown};
use crate::quantity::{Type, Value};

pub(super) static FACT: Fact = Fact {
    name: "call.name",
    summary: "The tool of the newest call in the context.",
    ty: Type::Text,
    optional: true,
    unknown: Some(Unknown::Call),
    parameters: &[],
    domain: Domain::ANY,
    share_of: None,
    examples: &["(call.name ?? \"\") == \"bash\""],
    read,
};

fn read(moment: &Moment<'_>, _: &[Value]) -> Option<Value> {
    let (_, name, _) = moment.tail.call(moment.conversation)?.calls().next_back()?;
    Some(Value::Text(name.clone()))
}
