//! `request.mentions`

use trimtab_base::quantity::{Type, Value};

use super::argument::{Arguments, Texts, TypedParameter};
use super::descriptor::{AtStart, Domain, Fact, Falls, Relation, Rises, Source, Topic};
use super::moment::Moment;

static ANY: TypedParameter<Texts<'static>> =
    TypedParameter::texts("any", "The texts to look for; one of them is enough.");

pub(super) static FACT: Fact = Fact {
    name: "request.mentions",
    summary: "Whether the request contains one of these texts, in upper or lower case, also inside a word: `design` is in \
              `Redesign`. The request is the first message of this run that a person or a caller wrote.",
    ty: Type::Bool,
    unknown: None,
    parameters: &[&ANY.parameter],
    domain: Domain::Any,
    topic: Topic::Request,
    rises: Rises::Sometimes,
    falls: Falls::Never,
    at_start: AtStart::Any,
    source: Source::Own,
    // A request without words is missing or blank.
    relations: &[Relation::NothingWhileZero(&super::request_words::FACT), Relation::GrowsWithArguments(&FACT)],
    examples: &["request.mentions([refactor, implement, \"design doc\"])"],
    read,
};

fn read(moment: &Moment<'_>, arguments: &Arguments<'_>) -> Option<Value> {
    let texts = arguments.get(&ANY)?;
    Some(Value::Bool(moment.run.request.mentions(texts)))
}
