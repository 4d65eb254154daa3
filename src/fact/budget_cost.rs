//! `budget.cost`

use super::{Domain, Fact, Moment, Unknown};
use crate::quantity::{Type, Unit, Value};

pub(super) static FACT: Fact = Fact {
    name: "budget.cost",
    summary: "Dollars spent in this run, summaries too. A reply without usage is priced by the counter's figure. Unknown when \
              the model's prices are.",
    ty: Type::Number(Unit::Money),
    optional: true,
    unknown: Some(Unknown::Price),
    parameters: &[],
    domain: Domain::COUNT,
    share_of: None,
    examples: &["(budget.cost ?? $0) >= $1.50"],
    read,
};

fn read(moment: &Moment<'_>, _: &[Value]) -> Option<Value> {
    moment.run.spent.cost.map(Value::Number)
}
