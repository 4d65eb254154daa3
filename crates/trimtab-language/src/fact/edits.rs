//! `edits`

use trimtab_base::quantity::{Counted, Type, Unit, Value};

use super::argument::{AFTER, Arguments, IN};
use super::descriptor::{AtStart, Domain, Fact, Falls, Relation, Rises, Source, Topic};
use super::edits_path;
use super::moment::Moment;
use super::within::EDITS_WITHIN;

pub(super) static FACT: Fact = Fact {
    name: "edits",
    summary: "Among the newest tool calls of this run, or of the session, how many change the file that is changed most often. A \
              call that fails counts. The tool and the arguments of a call decide which files it changes; shell commands are not \
              searched for file names.",
    ty: Type::Number(Unit::Counted(Counted::Calls)),
    unknown: None,
    parameters: &[&EDITS_WITHIN.parameter, &IN.parameter, &AFTER.parameter],
    domain: Domain::NonNegative,
    topic: Topic::Trouble,
    rises: Rises::Sometimes,
    falls: Falls::AnyTime,
    at_start: AtStart::Zero,
    source: Source::LimitedBy(&EDITS_WITHIN.parameter),
    relations: &[
        Relation::AtMost(&super::tools_calls::FACT),
        Relation::GrowsWithArguments(&FACT),
        Relation::ZeroWhileUnknown(&edits_path::FACT),
        Relation::NothingWhileZero(&super::files_changed::FACT),
    ],
    examples: &["edits(within: 10 calls) >= 4", "edits(within: 10 calls, after: [run_tests, check]) >= 4"],
    read,
};

fn read(moment: &Moment<'_>, arguments: &Arguments<'_>) -> Option<Value> {
    Some(Value::whole(edits_path::most(moment, arguments).map_or(0, |edits| edits.calls)))
}
