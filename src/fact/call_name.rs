//! `call.name`

use smol_str::SmolStr;

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
    newest(moment).map(|name| Value::Text(name.clone()))
}

fn newest<'a>(moment: &'a Moment<'_>) -> Option<&'a SmolStr> {
    let mut entries = moment.conversation.entries().iter().rev();
    entries.find_map(|entry| entry.message().calls().next_back()).map(|(_, name, _)| name)
}
