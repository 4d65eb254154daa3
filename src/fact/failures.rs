//! `failures`

use super::{Domain, Fact, Moment};
use crate::conversation::Role;
use crate::quantity::{Counted, Type, Unit, Value};

pub(super) static FACT: Fact = Fact {
    name: "failures",
    summary: "Error results in a row at the tail of the context. Assistant messages are skipped; a user message or a success ends it.",
    ty: Type::Number(Unit::Counted(Counted::Results)),
    optional: false,
    unknown: None,
    parameters: &[],
    domain: Domain::COUNT,
    share_of: None,
    examples: &["failures >= 2"],
    read,
};

fn read(moment: &Moment<'_>, _: &[Value]) -> Option<Value> {
    Some(Value::whole(tail(moment).sum()))
}

/// A one for each error result at the tail, from the newest.
fn tail<'a>(moment: &'a Moment<'_>) -> impl Iterator<Item = usize> + 'a {
    let entries = moment.conversation.entries().iter().rev();
    let spoken = entries.filter(|entry| entry.role() != Role::Assistant);
    let failed = spoken.take_while(|entry| entry.message().results().next().is_some_and(|result| result.is_error));
    failed.map(|_| 1)
}
