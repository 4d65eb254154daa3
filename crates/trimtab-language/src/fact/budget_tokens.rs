//! `budget.tokens`

use trimtab_base::quantity::{Type, Unit, Value};

use super::argument::Arguments;
use super::descriptor::{AtStart, Domain, Fact, Falls, Relation, Rises, Source, Topic};
use super::moment::Moment;

pub(super) static FACT: Fact = Fact {
    name: "budget.tokens",
    summary: "Tokens used in this run: uncached input, cache reads, cache writes and output of all replies, \
              summaries included.",
    ty: Type::Number(Unit::Tokens),
    unknown: None,
    parameters: &[],
    domain: Domain::NonNegative,
    topic: Topic::Usage,
    rises: Rises::EveryCall,
    falls: Falls::Never,
    at_start: AtStart::Zero,
    source: Source::Own,
    // One step adds the same to both sums, and only the sum of the run starts again.
    relations: &[Relation::AtMost(&super::session_tokens::FACT)],
    examples: &["budget.tokens >= 2M tokens"],
    read,
};

fn read(moment: &Moment<'_>, _: &Arguments<'_>) -> Option<Value> {
    Some(Value::Number(moment.run.spent.tokens.into()))
}
