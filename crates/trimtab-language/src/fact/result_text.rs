//! `result.text`

use trimtab_base::quantity::{Type, Value};

use super::argument::Arguments;
use super::descriptor::{AtStart, Domain, Fact, Falls, Relation, Rises, Source, Topic, Unknown};
use super::moment::Moment;

pub(super) static FACT: Fact = Fact {
    name: "result.text",
    summary: "Text of the newest result in the context. In the phase `compaction_miss`, of the earlier result of the call \
              made again, as reduced; unknown if it was removed.",
    ty: Type::Text,
    unknown: Some(Unknown::Result),
    parameters: &[],
    domain: Domain::Any,
    topic: Topic::NewestResult,
    rises: Rises::Sometimes,
    falls: Falls::AnyTime,
    at_start: AtStart::Any,
    source: Source::Own,
    // All three are read from the newest result, found the same way.
    relations: &[Relation::KnownWith(&super::result_tokens::FACT), Relation::KnownWith(&super::result_error::FACT)],
    examples: &["(result.text ?? \"\") contains \"rate limit\""],
    read,
};

fn read(moment: &Moment<'_>, _: &Arguments<'_>) -> Option<Value> {
    let result = moment.result()?;
    Some(Value::Text(result.text.as_ref().into()))
}
