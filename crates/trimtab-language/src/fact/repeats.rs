//! `repeats`

use trimtab_base::quantity::{Counted, Type, Unit, Value};

use super::argument::{Arguments, CALLS_IN, CALLS_WITHIN, CallsFrom};
use super::descriptor::{AtStart, Domain, Fact, Falls, Rises, Source, Topic};
use super::moment::Moment;

pub(super) static FACT: Fact = Fact {
    name: "repeats",
    summary: "Consecutive identical calls (same tool and arguments) up to the newest call. Counted in the context, \
              or in the whole run, which compaction does not affect.",
    ty: Type::Number(Unit::Counted(Counted::Calls)),
    unknown: None,
    parameters: &[&CALLS_WITHIN.parameter, &CALLS_IN.parameter],
    domain: Domain::NonNegative,
    topic: Topic::Trouble,
    rises: Rises::Sometimes,
    falls: Falls::AnyTime,
    at_start: AtStart::ZeroInRun,
    source: Source::CappedBy(&CALLS_WITHIN.parameter),
    relations: &[],
    examples: &["repeats >= 3", "repeats(within: 5 calls, in: run) >= 3"],
    read,
};

fn read(moment: &Moment<'_>, arguments: &Arguments<'_>) -> Option<Value> {
    let within = arguments.get(&CALLS_WITHIN)?;
    let in_a_row = match arguments.get(&CALLS_IN)? {
        CallsFrom::Context => moment.tail.newest(moment.conversation).repeats,
        CallsFrom::Run => moment.tail.repeats(moment.run),
    };
    Some(Value::whole(in_a_row.min(within)))
}
