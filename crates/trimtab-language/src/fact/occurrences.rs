//! `occurrences`

use trimtab_base::quantity::{Counted, Type, Unit, Value};

use super::argument::{Arguments, CALLS_IN, CALLS_WITHIN, CallsFrom};
use super::descriptor::{AtStart, Domain, Fact, Falls, Rises, Source, Topic};
use super::moment::Moment;

pub(super) static FACT: Fact = Fact {
    name: "occurrences",
    summary: "How many of the newest calls are identical to the newest one (same tool and arguments), in a row or not. \
              Counted in the context, or in the whole run, which compaction does not affect.",
    ty: Type::Number(Unit::Counted(Counted::Calls)),
    unknown: None,
    parameters: &[&CALLS_WITHIN.parameter, &CALLS_IN.parameter],
    domain: Domain::NonNegative,
    topic: Topic::Trouble,
    rises: Rises::Sometimes,
    falls: Falls::AnyTime,
    at_start: AtStart::ZeroInRun,
    // An older call that is no longer among the newest changes the count, so `within` does more than cap it.
    source: Source::LimitedBy(&CALLS_WITHIN.parameter),
    relations: &[],
    examples: &["occurrences(within: 8 calls) >= 4", "occurrences(in: run) >= 3"],
    read,
};

fn read(moment: &Moment<'_>, arguments: &Arguments<'_>) -> Option<Value> {
    let within = arguments.get(&CALLS_WITHIN)?;
    Some(Value::whole(match arguments.get(&CALLS_IN)? {
        CallsFrom::Context => moment.tail.occurrences(moment.conversation, within),
        CallsFrom::Run => moment.tail.run_occurrences(moment.run, within),
    }))
}
