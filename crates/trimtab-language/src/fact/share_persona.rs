//! `share.persona`

use trimtab_base::quantity::{Type, Unit, Value};

use super::argument::Arguments;
use super::descriptor::{AtStart, Domain, Fact, Falls, Relation, Rises, Source, Topic};
use super::moment::Moment;
use super::split::share;

pub(super) static FACT: Fact = Fact {
    name: "share.persona",
    summary: "Share of the context that the system prompt takes up: the leading system messages. The three `share` facts \
              add up to 100%; all are 0% while the context is empty.",
    ty: Type::Number(Unit::Share),
    unknown: None,
    parameters: &[],
    domain: Domain::Part,
    topic: Topic::ContextParts,
    rises: Rises::Sometimes,
    falls: Falls::AnyTime,
    at_start: AtStart::Any,
    source: Source::Own,
    relations: &[
        Relation::Disjoint(&super::share_tools::FACT),
        Relation::Disjoint(&super::share_history::FACT),
        Relation::Completes(&[&super::share_tools::FACT, &super::share_history::FACT]),
    ],
    examples: &["share.persona >= 20%"],
    read,
};

fn read(moment: &Moment<'_>, _: &Arguments<'_>) -> Option<Value> {
    Some(share(moment, |split| split.persona))
}
