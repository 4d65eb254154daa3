//! `used_tool`

use trimtab_base::quantity::{Counted, Type, Unit, Value};

use super::argument::{Arguments, Limit, TOOL, TypedParameter};
use super::descriptor::{AtStart, Domain, Fact, Falls, Relation, Rises, Source, Topic};
use super::moment::Moment;

static WITHIN: TypedParameter<Limit> = TypedParameter::limit(
    "within",
    Unit::Counted(Counted::Iterations),
    "How many of the newest iterations to examine.",
);

pub(super) static FACT: Fact = Fact {
    name: "used_tool",
    summary: "Whether this tool has been called in this run, or in its newest iterations.",
    ty: Type::Bool,
    unknown: None,
    parameters: &[&TOOL.parameter, &WITHIN.parameter],
    domain: Domain::Any,
    topic: Topic::UsedTools,
    rises: Rises::Sometimes,
    falls: Falls::Never,
    at_start: AtStart::Zero,
    source: Source::Own,
    relations: &[Relation::NothingWhileZero(&super::tools_used::FACT)],
    examples: &["not used_tool(\"run_tests\")", "not used_tool(write_note, within: 15 iterations)"],
    read,
};

fn read(moment: &Moment<'_>, arguments: &Arguments<'_>) -> Option<Value> {
    let used = moment.run.used.get(arguments.get(&TOOL)?);
    Some(Value::Bool(used.is_some_and(|used| match arguments.get(&WITHIN).flatten() {
        Some(within) => moment.run.spent.calls.saturating_sub(used.newest) <= within,
        None => true,
    })))
}
