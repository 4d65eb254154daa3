//! `failures.steps`

use trimtab_base::quantity::{Counted, Type, Unit, Value};

use super::argument::{Arguments, OF};
use super::descriptor::{AtStart, Domain, Fact, Falls, Rises, Source, Topic};
use super::moment::Moment;

pub(super) static FACT: Fact = Fact {
    name: "failures.steps",
    summary: "Consecutive replies at the end of the context whose results are all errors. A result without a call \
              counts as a reply of its own.",
    ty: Type::Number(Unit::Counted(Counted::Count)),
    unknown: None,
    parameters: &[&OF.parameter],
    domain: Domain::NonNegative,
    topic: Topic::Trouble,
    rises: Rises::Sometimes,
    falls: Falls::Messages,
    at_start: AtStart::Any,
    source: Source::Own,
    relations: &[],
    examples: &["failures.steps >= 3", "failures.steps(of: bash) >= 2"],
    read,
};

fn read(moment: &Moment<'_>, arguments: &Arguments<'_>) -> Option<Value> {
    Some(Value::whole(moment.tail.newest_of(moment.conversation, arguments.get(&OF)?).streak.steps))
}
