//! `result.error`

use super::{Domain, Fact, Moment, Unknown};
use crate::quantity::{Type, Value};

pub(super) static FACT: Fact = Fact {
    name: "result.error",
    summary: "Whether the newest result in the context is an error.",
    ty: Type::Bool,
    optional: true,
    unknown: Some(Unknown::Result),
    parameters: &[],
    domain: Domain::ANY,
    share_of: None,
    examples: &["result.error ?? false"],
    read,
};

fn read(moment: &Moment<'_>, _: &[Value]) -> Option<Value> {
    let mut entries = moment.conversation.entries().iter().rev();
    let newest = entries.find_map(|entry| entry.message().results().next_back());
    newest.map(|result| Value::Bool(result.is_error))
}
