//! `repeats`

use super::{Domain, Fact, Moment, Parameter, ParameterKind};
use crate::quantity::{Counted, Type, Unit, Value};

pub(super) static FACT: Fact = Fact {
    name: "repeats",
    summary: "Identical calls, tool and arguments, in a row among the newest calls. Read from the context, or from the whole run, which no compaction blinds.",
    ty: Type::Number(Unit::Counted(Counted::Calls)),
    optional: false,
    unknown: None,
    parameters: &[
        Parameter {
            name: "within",
            kind: ParameterKind::Number(Unit::Counted(Counted::Calls), 10),
            summary: "How many of the newest calls are looked at.",
        },
        Parameter {
            name: "in",
            kind: ParameterKind::Word(&["context", "run"]),
            summary: "Where the calls are looked for.",
        },
    ],
    domain: Domain::COUNT,
    share_of: None,
    examples: &["repeats >= 3", "repeats(within: 5 calls, in: run) >= 3"],
    read,
};

fn read(moment: &Moment<'_>, arguments: &[Value]) -> Option<Value> {
    let within = super::number(arguments, 0);
    let in_a_row = match super::text(arguments, 1) {
        "run" => moment.tail.repeats(moment.run),
        _ => moment.tail.newest(moment.conversation).repeats,
    };
    Some(Value::whole(in_a_row.min(within)))
}
