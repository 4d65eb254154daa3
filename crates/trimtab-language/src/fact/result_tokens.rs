//! `result.tokens`

use trimtab_base::quantity::{Type, Unit, Value};

use super::argument::Arguments;
use super::descriptor::{AtStart, Domain, Fact, Falls, Relation, Rises, Source, Topic, Unknown};
use super::moment::Moment;

pub(super) static FACT: Fact = Fact {
    name: "result.tokens",
    summary: "Tokens of the newest result in the context, images included. In the phase `compaction_miss`, of the earlier result of the call \
              made again, as reduced; unknown if it was removed.",
    ty: Type::Number(Unit::Tokens),
    unknown: Some(Unknown::Result),
    parameters: &[],
    domain: Domain::NonNegative,
    topic: Topic::NewestResult,
    rises: Rises::Sometimes,
    falls: Falls::AnyTime,
    at_start: AtStart::Any,
    source: Source::Own,
    // Both are read from the newest result, found the same way.
    relations: &[Relation::KnownWith(&super::result_error::FACT)],
    examples: &["(result.tokens ?? 0 tokens) > 10k tokens"],
    read,
};

fn read(moment: &Moment<'_>, _: &Arguments<'_>) -> Option<Value> {
    let result = moment.result()?;
    let attachments = result.attachments.iter().map(|attachment| moment.counter.body(attachment));
    Some(Value::Number((moment.counter.text(&result.text) + attachments.sum::<u64>()).into()))
}
