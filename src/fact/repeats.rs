//! `repeats`

use super::{Domain, Fact, Moment, Parameter, ParameterKind};
use crate::conversation::{Entry, Message};
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
    let count = if super::text(arguments, 1) == "run" {
        in_a_row(moment.run.replies.iter().rev().map(|message| &**message), within)
    } else {
        in_a_row(moment.conversation.entries().iter().rev().map(Entry::recorded), within)
    };
    Some(Value::whole(count))
}

/// How many of the newest calls are like the newest one, newest first, up to `within`.
fn in_a_row<'a>(messages: impl Iterator<Item = &'a Message>, within: usize) -> usize {
    let mut calls = messages.flat_map(|message| message.calls().rev()).take(within);
    let Some((_, tool, arguments)) = calls.next() else { return 0 };
    1 + calls.take_while(|(_, name, other)| *name == tool && arguments.same(other)).count()
}
