//! `failures.steps`

use super::{Domain, Fact, Moment};
use crate::conversation::Role;
use crate::quantity::{Counted, Type, Unit, Value};

pub(super) static FACT: Fact = Fact {
    name: "failures.steps",
    summary: "Turns in a row at the tail of the context all of whose results failed.",
    ty: Type::Number(Unit::Counted(Counted::Count)),
    optional: false,
    unknown: None,
    parameters: &[],
    domain: Domain::COUNT,
    share_of: None,
    examples: &["failures.steps >= 3"],
    read,
};

fn read(moment: &Moment<'_>, _: &[Value]) -> Option<Value> {
    let mut steps = 0;
    let mut group = None;
    let entries = moment.conversation.entries();
    for entry in entries.iter().rev().filter(|entry| entry.role() != Role::Assistant) {
        let Some(result) = entry.message().results().next() else { break };
        if group != Some(entry.group()) {
            let results =
                entries.iter().rev().filter(|other| other.group() == entry.group() && other.role() == Role::Tool);
            if !result.is_error || !results.flat_map(|other| other.message().results()).all(|one| one.is_error) {
                break;
            }
            group = Some(entry.group());
            steps += 1;
        }
    }
    Some(Value::whole(steps))
}
