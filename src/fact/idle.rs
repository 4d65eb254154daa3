//! `idle`

use super::{Domain, Fact, Moment, Unknown};
use crate::quantity::{Type, Unit, Value};

pub(super) static FACT: Fact = Fact {
    name: "idle",
    summary: "Time between the last reply and this call, also of an earlier run. Beyond the lifetime of the prompt cache, \
              an edit of old content costs no cache read that was not lost anyway. Unknown before the first reply and \
              without timestamps.",
    ty: Type::Number(Unit::Duration),
    optional: true,
    unknown: Some(Unknown::Time),
    parameters: &[],
    domain: Domain::COUNT,
    share_of: None,
    examples: &["(idle ?? 0s) >= 5m"],
    read,
};

fn read(moment: &Moment<'_>, _: &[Value]) -> Option<Value> {
    moment.idle.map(Value::Number)
}
