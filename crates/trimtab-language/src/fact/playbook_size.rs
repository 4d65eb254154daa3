//! `playbook.size`

use trimtab_base::quantity::{Counted, Type, Unit, Value};

use super::argument::Arguments;
use super::descriptor::{AtStart, Domain, Fact, Falls, Rises, Source, Topic};
use super::moment::Moment;

pub(super) static FACT: Fact = Fact {
    name: "playbook.size",
    summary: "How many strategies the playbook holds. It changes at the end of an iteration, if the policy uses the \
              playbook.",
    ty: Type::Number(Unit::Counted(Counted::Strategies)),
    unknown: None,
    parameters: &[],
    domain: Domain::NonNegative,
    topic: Topic::Playbook,
    rises: Rises::Sometimes,
    falls: Falls::AnyTime,
    at_start: AtStart::Any,
    source: Source::Own,
    relations: &[],
    examples: &["playbook.size > 50 strategies"],
    read,
};

fn read(moment: &Moment<'_>, _: &Arguments<'_>) -> Option<Value> {
    Some(Value::whole(moment.playbook.len()))
}
