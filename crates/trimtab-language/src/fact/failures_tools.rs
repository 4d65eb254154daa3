//! `failures.tools`

use trimtab_base::quantity::{Counted, Type, Unit, Value};

use super::argument::{Arguments, OF};
use super::descriptor::{AtStart, Domain, Fact, Falls, Relation, Rises, Source, Topic};
use super::moment::Moment;

pub(super) static FACT: Fact = Fact {
    name: "failures.tools",
    summary: "How many different tools the consecutive error results at the end of the context are of. A result whose call \
              is not in the context is of none.",
    ty: Type::Number(Unit::Counted(Counted::Count)),
    unknown: None,
    parameters: &[&OF.parameter],
    domain: Domain::NonNegative,
    topic: Topic::Trouble,
    rises: Rises::Sometimes,
    falls: Falls::Messages,
    at_start: AtStart::Any,
    source: Source::Own,
    relations: &[Relation::AtMost(&super::failures::FACT)],
    examples: &["failures.tools >= 3"],
    read,
};

fn read(moment: &Moment<'_>, arguments: &Arguments<'_>) -> Option<Value> {
    Some(Value::whole(moment.tail.newest_of(moment.conversation, arguments.get(&OF)?).streak.tools))
}
