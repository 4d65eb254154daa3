//! `session.calls`

use trimtab_base::quantity::{Counted, Type, Unit, Value};

use super::argument::Arguments;
use super::descriptor::{AtStart, Domain, Fact, Falls, Rises, Source, Topic};
use super::moment::Moment;

pub(super) static FACT: Fact = Fact {
    name: "session.calls",
    summary: "Replies of the model in all runs of the session.",
    ty: Type::Number(Unit::Counted(Counted::Calls)),
    unknown: None,
    parameters: &[],
    domain: Domain::NonNegative,
    topic: Topic::Usage,
    rises: Rises::EveryCall,
    falls: Falls::Never,
    at_start: AtStart::Zero,
    source: Source::Own,
    relations: &[],
    examples: &["session.calls >= 50 calls"],
    read,
};

fn read(moment: &Moment<'_>, _: &Arguments<'_>) -> Option<Value> {
    Some(Value::Number(moment.session.spent.calls.into()))
}
