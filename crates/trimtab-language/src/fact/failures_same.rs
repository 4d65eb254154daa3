//! `failures.same`

use trimtab_base::quantity::{Counted, Type, Unit, Value};

use super::argument::{Arguments, OF};
use super::descriptor::{AtStart, Domain, Fact, Falls, Relation, Rises, Source, Topic};
use super::moment::Moment;

pub(super) static FACT: Fact = Fact {
    name: "failures.same",
    summary: "Consecutive error results at the end of the context that are of the same tool and have the same text, up to \
              the newest one. Texts are compared as they arrived.",
    ty: Type::Number(Unit::Counted(Counted::Results)),
    unknown: None,
    parameters: &[&OF.parameter],
    domain: Domain::NonNegative,
    topic: Topic::Trouble,
    rises: Rises::Sometimes,
    falls: Falls::Messages,
    at_start: AtStart::Any,
    source: Source::Own,
    relations: &[Relation::AtMost(&super::failures::FACT)],
    examples: &["failures.same >= 2"],
    read,
};

fn read(moment: &Moment<'_>, arguments: &Arguments<'_>) -> Option<Value> {
    Some(Value::whole(moment.tail.newest_of(moment.conversation, arguments.get(&OF)?).streak.same))
}
