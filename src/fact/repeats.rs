//! `repeats`

use super::argument::{Arguments, Number, Scope, TypedParameter};
use super::descriptor::{AtStart, Domain, Fact, Falls, Rises, Source, Topic};
use super::moment::Moment;
use crate::quantity::{Counted, Type, Unit, Value};

static WITHIN: TypedParameter<Number> =
    TypedParameter::number("within", Unit::Counted(Counted::Calls), 10, "How many of the newest calls to examine.");
static SCOPE: TypedParameter<Scope> =
    TypedParameter::scope("in", "Whether to examine the calls in the context or in the whole run.");

pub(super) static FACT: Fact = Fact {
    name: "repeats",
    summary: "Consecutive identical calls (same tool and arguments) up to the newest call. Counted in the context, \
              or in the whole run, which compaction does not affect.",
    ty: Type::Number(Unit::Counted(Counted::Calls)),
    unknown: None,
    parameters: &[&WITHIN.parameter, &SCOPE.parameter],
    domain: Domain::NonNegative,
    topic: Topic::Trouble,
    rises: Rises::Sometimes,
    falls: Falls::AnyTime,
    at_start: AtStart::ZeroInRun,
    source: Source::CappedBy(&WITHIN.parameter),
    relations: &[],
    examples: &["repeats >= 3", "repeats(within: 5 calls, in: run) >= 3"],
    read,
};

fn read(moment: &Moment<'_>, arguments: &Arguments<'_>) -> Option<Value> {
    let within = arguments.get(&WITHIN)?;
    let in_a_row = match arguments.get(&SCOPE)? {
        Scope::Context => moment.tail.newest(moment.conversation).repeats,
        Scope::Run => moment.tail.repeats(moment.run),
    };
    Some(Value::whole(in_a_row.min(within)))
}
