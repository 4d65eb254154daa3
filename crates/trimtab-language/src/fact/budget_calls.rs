//! `budget.calls`

use trimtab_base::quantity::{Counted, Type, Unit, Value};

use super::argument::Arguments;
use super::descriptor::{AtStart, Domain, Fact, Falls, Relation, Rises, Source, Topic};
use super::moment::Moment;

pub(super) static FACT: Fact = Fact {
    name: "budget.calls",
    summary: "Replies of the model in this run.",
    ty: Type::Number(Unit::Counted(Counted::Calls)),
    unknown: None,
    parameters: &[],
    domain: Domain::NonNegative,
    topic: Topic::Usage,
    rises: Rises::EveryCall,
    falls: Falls::Never,
    at_start: AtStart::Zero,
    source: Source::Own,
    // One step adds the same to both sums, and only the sum of the run starts again. A reply is counted when it comes, and
    // its iteration when it ends, before the next call.
    relations: &[Relation::AtMost(&super::session_calls::FACT), Relation::SameOrOneMore(&super::iteration::FACT)],
    examples: &["budget.calls >= 50 calls"],
    read,
};

fn read(moment: &Moment<'_>, _: &Arguments<'_>) -> Option<Value> {
    Some(Value::Number(moment.run.spent.calls.into()))
}
