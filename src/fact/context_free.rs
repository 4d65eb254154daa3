//! `context.free`

use super::{Domain, Fact, Moment, Unknown};
use crate::quantity::{Decimal, Type, Unit, Value};

pub(super) static FACT: Fact = Fact {
    name: "context.free",
    summary: "What is left of the window: window less reserve less what would be sent. Below zero when it does not fit.",
    ty: Type::Number(Unit::Tokens),
    optional: false,
    unknown: Some(Unknown::Window),
    parameters: &[],
    domain: Domain::ANY,
    share_of: None,
    examples: &["context.free < 20k tokens"],
    read,
};

fn read(moment: &Moment<'_>, _: &[Value]) -> Option<Value> {
    let window = moment.window.filter(|&window| window > 0)?;
    Some(Value::Number(Decimal::from(window) - Decimal::from(moment.reserve) - Decimal::from(moment.tokens)))
}
