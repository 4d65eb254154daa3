//! `failures`

use trimtab_base::quantity::{Counted, Type, Unit, Value};

use super::argument::{Arguments, OF};
use super::descriptor::{AtStart, Domain, Fact, Falls, Relation, Rises, Source, Topic};
use super::moment::Moment;

pub(super) static FACT: Fact = Fact {
    name: "failures",
    summary: "Consecutive error results at the end of the context. Messages of the assistant are skipped. A success ends \
              the streak, and so does any other message: of a person, a harness, a rule or the system. One that a rule injects \
              `for step` does not.",
    ty: Type::Number(Unit::Counted(Counted::Results)),
    unknown: None,
    parameters: &[&OF.parameter],
    domain: Domain::NonNegative,
    topic: Topic::Trouble,
    rises: Rises::Sometimes,
    falls: Falls::Messages,
    at_start: AtStart::Any,
    source: Source::Own,
    relations: &[Relation::TotalledBy(&super::failures_total::FACT)],
    examples: &["failures >= 2", "failures(of: [bash, mcp__*]) >= 3"],
    read,
};

fn read(moment: &Moment<'_>, arguments: &Arguments<'_>) -> Option<Value> {
    Some(Value::whole(moment.tail.newest_of(moment.conversation, arguments.get(&OF)?).streak.failures))
}
