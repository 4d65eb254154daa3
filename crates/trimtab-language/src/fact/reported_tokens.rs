//! `reported.tokens`

use trimtab_base::quantity::{Type, Unit, Value};

use super::argument::Arguments;
use super::descriptor::{AtStart, Domain, Fact, Falls, Rises, Source, Topic, Unknown};
use super::moment::Moment;

pub(super) static FACT: Fact = Fact {
    name: "reported.tokens",
    summary: "Input tokens of the last reply as the provider counts them, cache reads and writes included. It does \
              not change during a phase. Unknown before a reply has \
              reported its usage.",
    ty: Type::Number(Unit::Tokens),
    unknown: Some(Unknown::Usage),
    parameters: &[],
    domain: Domain::NonNegative,
    topic: Topic::ReportedSize,
    rises: Rises::EveryCall,
    falls: Falls::AnyTime,
    at_start: AtStart::Any,
    source: Source::Own,
    relations: &[],
    examples: &["known(reported.tokens) and reported.tokens >= 100k tokens"],
    read,
};

fn read(moment: &Moment<'_>, _: &Arguments<'_>) -> Option<Value> {
    moment.reported.map(|tokens| Value::Number(tokens.into()))
}
