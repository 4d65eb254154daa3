//! `result.text`

use super::{Domain, Fact, Moment, Unknown};
use crate::quantity::{Type, Value};

pub(super) static FACT: Fact = Fact {
    name: "result.text",
    summary: "The text of the newest result in the context.",
    ty: Type::Text,
    optional: true,
    unknown: Some(Unknown::Result),
    parameters: &[],
    domain: Domain::ANY,
    share_of: None,
    examples: &["(result.text ?? \"\") contains \"rate limit\""],
    read,
};

fn read(moment: &Moment<'_>, _: &[Value]) -> Option<Value> {
    let mut entries = moment.conversation.entries().iter().rev();
    let newest = entries.find_map(|entry| entry.message().results().next_back());
    newest.map(|result| Value::Text(result.text.as_ref().into()))
}
