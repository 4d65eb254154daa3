//! `edits.path`

use trimtab_base::quantity::{Type, Value};

use super::argument::{AFTER, Arguments, IN};
use super::descriptor::{AtStart, Domain, Fact, Falls, Rises, Source, Topic, Unknown};
use super::moment::Moment;
use super::recent::Recent;
use super::tail::Edits;
use super::within::EDITS_WITHIN;

pub(super) static FACT: Fact = Fact {
    name: "edits.path",
    summary: "Path of the file that the most of the newest calls change, without `./` at its start: the file that \
              `edits` is about. Of several, the one that was changed last. Unknown if the calls change no file.",
    ty: Type::Text,
    unknown: Some(Unknown::Edit),
    parameters: &[&EDITS_WITHIN.parameter, &IN.parameter, &AFTER.parameter],
    domain: Domain::Any,
    topic: Topic::Trouble,
    rises: Rises::Sometimes,
    falls: Falls::AnyTime,
    at_start: AtStart::Unknown,
    source: Source::Own,
    relations: &[],
    examples: &["(edits.path ?? \"\") contains \"/tests/\""],
    read,
};

fn read(moment: &Moment<'_>, arguments: &Arguments<'_>) -> Option<Value> {
    most(moment, arguments).map(|edits| Value::Text(edits.path))
}

/// Returns the file that most of the newest calls change, or `None` if they change none.
pub(super) fn most(moment: &Moment<'_>, arguments: &Arguments<'_>) -> Option<Edits> {
    let Some(Recent::Calls(calls)) = arguments.get(&EDITS_WITHIN)? else { return None };
    moment.tail.edits(moment.log, (calls, arguments.get(&IN)?), arguments.get(&AFTER)?)
}
