//! `share.tools`

use trimtab_base::quantity::{Type, Unit, Value};

use super::argument::Arguments;
use super::descriptor::{AtStart, Domain, Fact, Falls, Relation, Rises, Source, Topic};
use super::moment::Moment;
use super::split::share;

pub(super) static FACT: Fact = Fact {
    name: "share.tools",
    summary: "Share of the context that is sent besides messages: tool schemas, and a system prompt that a recording does \
              not hold.",
    ty: Type::Number(Unit::Share),
    unknown: None,
    parameters: &[],
    domain: Domain::Part,
    topic: Topic::ContextParts,
    rises: Rises::Sometimes,
    falls: Falls::AnyTime,
    at_start: AtStart::Any,
    source: Source::Own,
    relations: &[Relation::Disjoint(&super::share_history::FACT)],
    examples: &["share.tools >= 30%"],
    read,
};

fn read(moment: &Moment<'_>, _: &Arguments<'_>) -> Option<Value> {
    Some(share(moment, |split| split.tools))
}
