//! `share.history`

use trimtab_base::quantity::{Type, Unit, Value};

use super::argument::Arguments;
use super::descriptor::{AtStart, Domain, Fact, Falls, Rises, Source, Topic};
use super::moment::Moment;
use super::split::share;

pub(super) static FACT: Fact = Fact {
    name: "share.history",
    summary: "Share of the context that is neither system prompt nor tool schemas: what rules can reduce.",
    ty: Type::Number(Unit::Share),
    unknown: None,
    parameters: &[],
    domain: Domain::Part,
    topic: Topic::ContextParts,
    rises: Rises::Sometimes,
    falls: Falls::AnyTime,
    at_start: AtStart::Any,
    source: Source::Own,
    relations: &[],
    examples: &["share.history < 50%"],
    read,
};

fn read(moment: &Moment<'_>, _: &Arguments<'_>) -> Option<Value> {
    Some(share(moment, |split| split.history))
}
