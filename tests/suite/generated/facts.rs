//! Values for the facts that generated policies declare.

use std::sync::Arc;

use trimtab::conversation::{Message, Role};
use trimtab::fact::HostValues;
use trimtab::plan::Plan;
use trimtab::quantity::{Decimal, Value};
use trimtab::transcript::{EventMoment, RecordedEvent, Reported};

/// The values that a host supplies at a step. A fact without a value has its default, or is unknown.
pub(crate) fn host_values(plan: &Plan, step: usize) -> HostValues {
    let mut values = plan.agent.host_defaults();
    let number = |number: usize| Value::Number(Decimal::from(number));
    let given = [
        ("mode", ["review", "plan"].get(step % 3).map(|mode| Value::Text((*mode).into()))),
        (
            "load",
            (!step.is_multiple_of(4)).then(|| Value::Number(Decimal::new((step * 17 % 120).try_into().unwrap(), 2))),
        ),
        ("quota", (!step.is_multiple_of(2)).then(|| number(step * 130))),
        ("beta", step.is_multiple_of(5).then_some(Value::Bool(true))),
    ];
    for (name, value) in given.into_iter().filter(|(_, value)| value.is_some()) {
        values.set(&name.into(), value);
    }
    values
}

/// The step before a call with this history, which messages that are no replies do not change.
pub(crate) fn step(history: &[Arc<Message>]) -> usize {
    history.iter().rposition(|message| message.role == Role::Assistant).map_or(0, |last| last + 1)
}

/// What a recording contains of a host that supplies the values of each step before its call, or always the same values.
pub(crate) fn reports(plan: &Plan, messages: &[Arc<Message>], is_constant: bool) -> Vec<RecordedEvent> {
    let mut reports = Vec::new();
    let calls = messages.iter().enumerate().filter(|(_, message)| message.role == Role::Assistant);
    for (at, _) in calls {
        let values = host_values(plan, if is_constant { 1 } else { step(&messages[..at]) });
        for fact in &plan.agent.facts {
            let name = fact.name.node.clone();
            let value = values.get(&name).map(|value| fact.format(value).into());
            let event = Reported::Fact { name, value };
            reports.push(RecordedEvent { messages: at, moment: EventMoment::Any, event });
        }
    }
    reports
}
