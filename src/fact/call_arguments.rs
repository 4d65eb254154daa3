//! `call.arguments`

use super::{Domain, Fact, Moment, Unknown};
use crate::quantity::{Type, Value};

pub(super) static FACT: Fact = Fact {
    name: "call.arguments",
    summary: "The arguments of the newest call in the context, as recorded.",
    ty: Type::Text,
    optional: true,
    unknown: Some(Unknown::Call),
    parameters: &[],
    domain: Domain::ANY,
    share_of: None,
    examples: &["(call.arguments ?? \"\") contains \"rm -rf\""],
    read,
};

fn read(moment: &Moment<'_>, _: &[Value]) -> Option<Value> {
    let (_, _, arguments) = moment.tail.call(moment.conversation)?.calls().next_back()?;
    Some(Value::Text(arguments.text().into()))
}
