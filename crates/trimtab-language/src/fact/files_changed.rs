//! `files.changed`

use smol_str::SmolStr;
use trimtab_base::quantity::{Counted, Type, Unit, Value};

use super::argument::{Arguments, ParameterKind, TypedParameter};
use super::descriptor::{AtStart, Domain, Fact, Falls, Relation, Rises, Source, Topic};
use super::moment::Moment;
use super::scope::Scope;

static IN: TypedParameter<Scope> =
    TypedParameter::new("in", ParameterKind::Scope(Scope::Session), "Whether to count in the run or over the session.");

/// The most paths in a text.
const MAX_PATHS: usize = 50;

pub(super) static FACT: Fact = Fact {
    name: "files.changed",
    summary: "How many files the calls of the session, or of this run, have changed. In a text it is the list of their paths, the \
              newest change first, at most 50. A call that fails counts. The tool and the arguments of a call \
              decide which files it changes; shell commands are not searched for file names.",
    ty: Type::Number(Unit::Counted(Counted::Count)),
    unknown: None,
    parameters: &[&IN.parameter],
    domain: Domain::NonNegative,
    topic: Topic::UsedTools,
    rises: Rises::Sometimes,
    falls: Falls::Never,
    at_start: AtStart::Zero,
    source: Source::List(paths),
    relations: &[Relation::GrowsWithArguments(&FACT)],
    examples: &["files.changed >= 1", "files.changed(in: run) >= 10"],
    read,
};

fn read(moment: &Moment<'_>, arguments: &Arguments<'_>) -> Option<Value> {
    Some(Value::whole(moment.tail.changed_files(moment.log, arguments.get(&IN)?)))
}

fn paths(moment: &Moment<'_>, arguments: &Arguments<'_>) -> Vec<SmolStr> {
    let newest = |scope| moment.tail.newest_files(moment.log, scope, MAX_PATHS);
    arguments.get(&IN).map(newest).unwrap_or_default()
}
