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
    let result = moment.tail.result(moment.conversation)?.results().next_back()?;
    Some(Value::Text(result.text.as_ref().into()))
}
