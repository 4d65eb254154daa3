//! `session.tokens`

use trimtab_base::quantity::{Type, Unit, Value};

use super::argument::Arguments;
use super::descriptor::{AtStart, Domain, Fact, Falls, Rises, Source, Topic};
use super::moment::Moment;

pub(super) static FACT: Fact = Fact {
    name: "session.tokens",
    summary: "Tokens used in all runs of the session: uncached input, cache reads, cache writes and output of all \
              replies, summaries included.",
    ty: Type::Number(Unit::Tokens),
    unknown: None,
    parameters: &[],
    domain: Domain::NonNegative,
    topic: Topic::Usage,
    rises: Rises::EveryCall,
    falls: Falls::Never,
    at_start: AtStart::Zero,
    source: Source::Own,
    relations: &[],
    examples: &["session.tokens >= 2M tokens"],
    read,
};

fn read(moment: &Moment<'_>, _: &Arguments<'_>) -> Option<Value> {
    Some(Value::Number(moment.session.spent.tokens.into()))
}
