//! `context.ratio`

use super::{Domain, Fact, Moment, Unknown};
use crate::quantity::{Decimal, Type, Unit, Value};

pub(super) static FACT: Fact = Fact {
    name: "context.ratio",
    summary: "The share of the window that would be sent now. A comparison is made in tokens, against the window times the share, cut towards zero.",
    ty: Type::Number(Unit::Share),
    optional: false,
    unknown: Some(Unknown::Window),
    parameters: &[],
    domain: Domain::COUNT,
    share_of: Some(&super::context_tokens::FACT),
    examples: &["context.ratio >= 80%"],
    read,
};

fn read(moment: &Moment<'_>, _: &[Value]) -> Option<Value> {
    let window = moment.window.filter(|&window| window > 0)?;
    Some(Value::Number(Decimal::from(moment.tokens) / Decimal::from(window)))
}
