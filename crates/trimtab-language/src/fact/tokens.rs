//! `tokens`

use trimtab_base::quantity::{Type, Unit, Value};

use super::argument::Arguments;
use super::descriptor::{AtStart, Domain, Fact, Falls, Relation, Rises, Source, Topic};
use super::moment::Moment;
use super::recent::Recent;
use super::within::TIME_WITHIN;

pub(super) static FACT: Fact = Fact {
    name: "tokens",
    summary: "Tokens that all replies of the session have used in a time before the newest message, input and output, summaries \
              included. Without timestamps no reply is known to be within a time, so there are 0.",
    ty: Type::Number(Unit::Tokens),
    unknown: None,
    parameters: &[&TIME_WITHIN.parameter],
    domain: Domain::NonNegative,
    topic: Topic::Usage,
    rises: Rises::Sometimes,
    falls: Falls::AnyTime,
    at_start: AtStart::Zero,
    source: Source::Own,
    relations: &[Relation::AtMost(&super::session_tokens::FACT), Relation::GrowsWithArguments(&FACT)],
    examples: &["tokens(within: 1h) >= 5M tokens"],
    read,
};

fn read(moment: &Moment<'_>, arguments: &Arguments<'_>) -> Option<Value> {
    let Some(Recent::Time(seconds)) = arguments.get(&TIME_WITHIN)? else { return None };
    Some(Value::Number(moment.log.tokens(seconds, moment.session.spent.time).into()))
}
