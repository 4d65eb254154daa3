//! `used_tool`

use trimtab_base::quantity::{Counted, Type, Unit, Value};

use super::argument::{Arguments, IN, Limit, TOOL, TypedParameter};
use super::descriptor::{AtStart, Domain, Fact, Falls, Relation, Rises, Source, Topic};
use super::moment::Moment;

static WITHIN: TypedParameter<Limit> = TypedParameter::limit(
    "within",
    Unit::Counted(Counted::Iterations),
    "How many of the newest iterations to examine.",
);

pub(super) static FACT: Fact = Fact {
    name: "used_tool",
    summary: "Whether this tool has been called in this run, in the session, or in the newest iterations of either.",
    ty: Type::Bool,
    unknown: None,
    parameters: &[&TOOL.parameter, &WITHIN.parameter, &IN.parameter],
    domain: Domain::Any,
    topic: Topic::UsedTools,
    rises: Rises::Sometimes,
    falls: Falls::Never,
    at_start: AtStart::Zero,
    source: Source::Own,
    relations: &[Relation::NothingWhileZero(&super::tools_used::FACT), Relation::GrowsWithArguments(&FACT)],
    examples: &[
        "not used_tool(\"run_tests\")",
        "not used_tool(write_note, within: 15 iterations)",
        "not used_tool(run_tests, in: session)",
    ],
    read,
};

fn read(moment: &Moment<'_>, arguments: &Arguments<'_>) -> Option<Value> {
    let scope = arguments.get(&IN)?;
    let used = moment.counts(scope).used.get(arguments.get(&TOOL)?);
    Some(Value::Bool(used.is_some_and(|used| match arguments.get(&WITHIN).flatten() {
        Some(within) => moment.spent(scope).calls.saturating_sub(used.newest) <= within,
        None => true,
    })))
}
