//! What the checker says: its codes, and a function for each message.

mod edition;
mod name;
mod shape;
mod unit;

pub(super) use edition::*;
pub(super) use name::*;
pub(super) use shape::*;
pub(super) use unit::*;

use crate::diagnostic::Code;

/// The checker's codes, by stage and number.
pub static CODES: &[&Code] = &[
    &UNKNOWN_FACT,
    &UNKNOWN_EFFECT,
    &UNKNOWN_PHASE,
    &DEFINED_TWICE,
    &UNKNOWN_RULE,
    &UNKNOWN_PROMPT,
    &LET_CYCLE,
    &HIDES_FACT,
    &UNKNOWN_HOLE,
    &NO_UNIT,
    &WRONG_TYPE,
    &CHAIN,
    &NO_COMPARISON,
    &NO_CONDITION,
    &OPTIONAL,
    &WRONG_SIGN,
    &OUT_OF_DOMAIN,
    &NO_CONSTANT,
    &UNKNOWN_LABEL,
    &TWICE,
    &NO_VALUE,
    &NO_TARGET,
    &WRONG_VALUE,
    &ARGUMENT,
    &NO_EFFECT,
    &GUARD_NUMBER,
    &CANNOT_FAIL,
    &TWO_CAN_FAIL,
    &SIGNALS_ONLY,
    &AMBIGUOUS,
    &NO_EDITION,
    &UNKNOWN_EDITION,
    &MISPLACED,
    &NOT_YET,
    &KEPT,
];
