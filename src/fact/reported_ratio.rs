//! `reported.ratio`

use super::{Domain, Fact, Moment, Unknown};
use crate::quantity::{Decimal, Type, Unit, Value};

pub(super) static FACT: Fact = Fact {
    name: "reported.ratio",
    summary: "The share of the window that the last reply's input took. A comparison is made in tokens, against the window times the share, cut towards zero.",
    ty: Type::Number(Unit::Share),
    optional: true,
    unknown: Some(Unknown::Reply),
    parameters: &[],
    domain: Domain::COUNT,
    share_of: Some(&super::reported_tokens::FACT),
    examples: &["(reported.ratio ?? 0%) >= 80%"],
    read,
};

fn read(moment: &Moment<'_>, _: &[Value]) -> Option<Value> {
    let window = moment.window.filter(|&window| window > 0)?;
    Some(Value::Number(Decimal::from(moment.reported?) / Decimal::from(window)))
}
