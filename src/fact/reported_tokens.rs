//! `reported.tokens`

use super::{Domain, Fact, Moment, Unknown};
use crate::quantity::{Type, Unit, Value};

pub(super) static FACT: Fact = Fact {
    name: "reported.tokens",
    summary: "The input of the last reply as the provider counts it, cache reads and writes included. Frozen in a phase, unknown before the first reply.",
    ty: Type::Number(Unit::Tokens),
    optional: true,
    unknown: Some(Unknown::Reply),
    parameters: &[],
    domain: Domain::COUNT,
    share_of: None,
    examples: &["known(reported.tokens) and reported.tokens >= 100k tokens"],
    read,
};

fn read(moment: &Moment<'_>, _: &[Value]) -> Option<Value> {
    moment.reported.map(|tokens| Value::Number(tokens.into()))
}
