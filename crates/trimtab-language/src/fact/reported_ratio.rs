//! `reported.ratio`

use trimtab_base::quantity::{Type, Unit, Value};

use super::argument::Arguments;
use super::descriptor::{AtStart, Domain, Fact, Falls, Rises, Source, Topic, Unknown};
use super::moment::Moment;

pub(super) static FACT: Fact = Fact {
    name: "reported.ratio",
    summary: "Share of the context window that the input of the last reply took up. A comparison is made in \
              tokens: the limit is the window times the share, rounded down.",
    ty: Type::Number(Unit::Share),
    unknown: Some(Unknown::Usage),
    parameters: &[],
    domain: Domain::NonNegative,
    topic: Topic::ReportedSize,
    rises: Rises::EveryCall,
    falls: Falls::AnyTime,
    at_start: AtStart::Any,
    source: Source::ShareOf(&super::reported_tokens::FACT),
    relations: &[],
    examples: &["(reported.ratio ?? 0%) >= 80%"],
    read,
};

fn read(moment: &Moment<'_>, _: &Arguments<'_>) -> Option<Value> {
    FACT.derive(moment.reported?.into(), moment.window, moment.reserve).map(Value::Number)
}
