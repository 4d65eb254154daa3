//! `session.tokens`

use super::{Domain, Fact, Moment};
use crate::quantity::{Type, Unit, Value};

pub(super) static FACT: Fact = Fact {
    name: "session.tokens",
    summary: "Tokens used in all runs of the session: uncached input, cache reads, cache writes and output of all replies, summaries too.",
    ty: Type::Number(Unit::Tokens),
    optional: false,
    unknown: None,
    parameters: &[],
    domain: Domain::COUNT,
    share_of: None,
    examples: &["session.tokens >= 2M tokens"],
    read,
};

fn read(moment: &Moment<'_>, _: &[Value]) -> Option<Value> {
    Some(Value::Number(moment.session.tokens.into()))
}
