//! `tools.calls`

use trimtab_base::quantity::{Counted, Type, Unit, Value};

use super::argument::{Arguments, IN, ParameterKind, Tools, TypedParameter};
use super::descriptor::{AtStart, Domain, Fact, Falls, Relation, Rises, Source, Topic};
use super::moment::Moment;

static OF: TypedParameter<Tools<'static>> =
    TypedParameter::new("of", ParameterKind::Tools, "The tools whose calls count.");

pub(super) static FACT: Fact = Fact {
    name: "tools.calls",
    summary: "Tool calls of this run, or of the session, whether or not they are still in the context. Each of several parallel calls counts.",
    ty: Type::Number(Unit::Counted(Counted::Calls)),
    unknown: None,
    parameters: &[&OF.parameter, &IN.parameter],
    domain: Domain::NonNegative,
    topic: Topic::UsedTools,
    rises: Rises::Sometimes,
    falls: Falls::Never,
    at_start: AtStart::Zero,
    source: Source::Own,
    // A tool is used by its first call, and every call is one of a used tool.
    relations: &[
        Relation::AtLeast(&super::tools_used::FACT),
        Relation::NothingWhileZero(&super::tools_used::FACT),
        Relation::GrowsWithArguments(&FACT),
    ],
    examples: &["tools.calls >= 100", "tools.calls(of: web_search, in: session) >= 5"],
    read,
};

fn read(moment: &Moment<'_>, arguments: &Arguments<'_>) -> Option<Value> {
    let tools = arguments.get(&OF)?;
    let of_tools = moment.counts(arguments.get(&IN)?).used.iter().filter(|(tool, _)| tools.includes(Some(tool)));
    Some(Value::Number(of_tools.map(|(_, used)| used.calls).sum::<u64>().into()))
}
