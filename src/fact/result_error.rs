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
    let result = moment.tail.result(moment.conversation)?.results().next_back()?;
    Some(Value::Bool(result.is_error))
}
