//! Values of facts as the fields of events.

use std::collections::BTreeMap;

use trimtab_base::hook::FieldValue;
use trimtab_base::quantity::{Decimal, Value};
use trimtab_language::check::Action;
use trimtab_language::condition::read;
use trimtab_language::fact::Facts;

/// The fields of an action with the facts of this moment.
pub(super) fn fields(action: &Action, facts: &dyn Facts) -> BTreeMap<String, FieldValue> {
    let value = |reading| read(reading, facts).map_or(FieldValue::Unknown, |value| field(&value));
    action.fields().map(|(name, reading)| (name.to_string(), value(reading))).collect()
}

/// A value in the unit in which it is stored: shares are fractions of 1, durations seconds, money dollars.
fn field(value: &Value) -> FieldValue {
    match value {
        Value::Number(number) => self::number(*number),
        Value::Text(text) => FieldValue::Text(text.to_string()),
        Value::Bool(truth) => FieldValue::Bool(*truth),
    }
}

fn number(number: Decimal) -> FieldValue {
    let text = number.normalize().to_string();
    let whole = text.parse().map(FieldValue::Integer);
    whole.or_else(|_| text.parse().map(FieldValue::Number)).unwrap_or(FieldValue::Text(text))
}
