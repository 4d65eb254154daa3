//! `result.tokens`

use super::{Domain, Fact, Moment, Unknown};
use crate::quantity::{Type, Unit, Value};

pub(super) static FACT: Fact = Fact {
    name: "result.tokens",
    summary: "Tokens of the newest result in the context.",
    ty: Type::Number(Unit::Tokens),
    optional: true,
    unknown: Some(Unknown::Result),
    parameters: &[],
    domain: Domain::COUNT,
    share_of: None,
    examples: &["(result.tokens ?? 0 tokens) > 10k tokens"],
    read,
};

fn read(moment: &Moment<'_>, _: &[Value]) -> Option<Value> {
    let result = moment.tail.result(moment.conversation)?.results().next_back()?;
    Some(Value::Number(moment.counter.text(&result.text).into()))
}
