//! `calls`

use trimtab_base::quantity::{Counted, Type, Unit, Value};

use super::argument::{Arguments, IN, ParameterKind, Tools, TypedParameter};
use super::descriptor::{AtStart, Domain, Fact, Falls, Relation, Rises, Source, Topic};
use super::moment::Moment;
use super::recent::{RECENT_UNITS, Recent, RecentDefault};

static OF: TypedParameter<Tools<'static>> =
    TypedParameter::new("of", ParameterKind::Tools, "The tools whose calls count.");

static WITHIN: TypedParameter<Recent> = TypedParameter::new(
    "within",
    ParameterKind::Recent(RECENT_UNITS, RecentDefault::Everything),
    "How far back to count: among the newest calls of all tools, in the newest iterations, or in the time before the newest \
     message.",
);

pub(super) static FACT: Fact = Fact {
    name: "calls",
    summary: "Recent tool calls of this run, or of the session, whether or not they are still in the context. Each of several \
              parallel calls counts. Without timestamps no call is known to be within a time, so there are 0.",
    ty: Type::Number(Unit::Counted(Counted::Calls)),
    unknown: None,
    parameters: &[&OF.parameter, &IN.parameter, &WITHIN.parameter],
    domain: Domain::NonNegative,
    topic: Topic::UsedTools,
    rises: Rises::Sometimes,
    falls: Falls::Never,
    at_start: AtStart::Zero,
    source: Source::LimitedBy(&WITHIN.parameter),
    relations: &[
        Relation::AtMost(&super::tools_calls::FACT),
        Relation::AtLeast(&super::tools_calls::FACT),
        Relation::GrowsWithArguments(&FACT),
    ],
    examples: &[
        "calls(of: web_search, within: 1h) >= 20",
        "calls(of: [run_tests, check], within: 10 calls) == 0",
        "calls(within: 5 iterations, in: session) >= 30",
    ],
    read,
};

fn read(moment: &Moment<'_>, arguments: &Arguments<'_>) -> Option<Value> {
    let recent = (arguments.get(&WITHIN)?, arguments.get(&IN)?);
    Some(Value::whole(moment.tail.calls_of(moment.log, arguments.get(&OF)?, recent, moment.session.spent.time)))
}
