//! `cache.warm`

use trimtab_base::quantity::{Decimal, Type, Value};

use super::argument::Arguments;
use super::descriptor::{AtStart, Domain, Fact, Falls, Relation, Rises, Source, Topic, Unknown};
use super::moment::Moment;

pub(super) static FACT: Fact = Fact {
    name: "cache.warm",
    summary: "Whether the provider still holds the prefix of the last request in its prompt cache: whether the time since its \
              reply is shorter than the provider keeps a prefix, an hour if that was written for an hour. False if nothing is \
              cached. Unknown before the first reply and without timestamps, like `idle`.",
    ty: Type::Bool,
    unknown: Some(Unknown::Pause),
    parameters: &[],
    domain: Domain::Any,
    topic: Topic::Pause,
    rises: Rises::Sometimes,
    falls: Falls::AnyTime,
    at_start: AtStart::Unknown,
    source: Source::Own,
    relations: &[Relation::KnownWith(&super::idle::FACT)],
    examples: &["known(cache.warm) and not cache.warm", "cache.warm ?? true"],
    read,
};

fn read(moment: &Moment<'_>, _: &Arguments<'_>) -> Option<Value> {
    let is_warm = |idle| moment.cache_lifetime.is_some_and(|lifetime| idle < Decimal::from(lifetime));
    moment.idle.map(|idle| Value::Bool(is_warm(idle)))
}
