//! Parameters that say how far back a fact looks.

use trimtab_base::quantity::{Unit, Value};

use super::argument::{ArgumentType, ParameterKind, TypedParameter};
use super::recent::{CALLS, Recent, RecentDefault};

impl ArgumentType for Recent {
    type Value<'a> = Option<Self>;

    fn read(value: &Value) -> Option<Option<Self>> {
        Some(Self::read(value))
    }
}

/// How far back a fact about spending looks.
pub(super) static TIME_WITHIN: TypedParameter<Recent> = TypedParameter::new(
    "within",
    ParameterKind::Recent(&[Unit::Duration], RecentDefault::Required),
    "How much of the time before the newest message to look at.",
);

/// How many of the newest calls a fact about edits examines.
pub(super) static EDITS_WITHIN: TypedParameter<Recent> = TypedParameter::new(
    "within",
    ParameterKind::Recent(&[CALLS], RecentDefault::Calls(10)),
    "How many of the newest calls to examine.",
);
