//! Values that a host supplies for the facts that a policy declares.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use smol_str::SmolStr;
use trimtab_base::diagnostic::{alternatives, nearest};
use trimtab_base::quantity::{Decimal, Type, Unit, Value};
use trimtab_language::check::HostFact;
use trimtab_language::fact::{HostValues, written_host_fact};
use trimtab_language::plan::Plan;

/// A value of a fact that the host supplies.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum FactValue {
    /// A share as a fraction of 1: 0.85 is 85%.
    Share(f64),
    /// A number of tokens.
    Tokens(u64),
    /// A number of characters.
    Chars(u64),
    /// A number of anything that is counted: messages, calls, a plain count.
    Count(u64),
    /// A time.
    Duration(Duration),
    /// An amount of money in US dollars.
    Dollars(f64),
    /// A text.
    Text(String),
    /// True or false.
    Bool(bool),
}

impl From<&str> for FactValue {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for FactValue {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<bool> for FactValue {
    fn from(truth: bool) -> Self {
        Self::Bool(truth)
    }
}

impl From<u64> for FactValue {
    fn from(count: u64) -> Self {
        Self::Count(count)
    }
}

impl From<Duration> for FactValue {
    fn from(time: Duration) -> Self {
        Self::Duration(time)
    }
}

impl FactValue {
    const fn noun(&self) -> &'static str {
        match self {
            Self::Share(_) => "a share",
            Self::Tokens(_) => "tokens",
            Self::Chars(_) => "chars",
            Self::Count(_) => "a count",
            Self::Duration(_) => "a duration",
            Self::Dollars(_) => "money",
            Self::Text(_) => "text",
            Self::Bool(_) => "true or false",
        }
    }

    /// Returns the value for a fact of this type, or `None` for a type of another kind.
    fn for_type(&self, ty: Type) -> Option<Result<Value, NotRepresentable>> {
        let number = |amount: Result<Decimal, NotRepresentable>| Some(amount.map(Value::Number));
        match (self, ty) {
            (Self::Share(amount), Type::Number(Unit::Share)) | (Self::Dollars(amount), Type::Number(Unit::Money)) => {
                number(Decimal::try_from(*amount).map_err(|_| NotRepresentable))
            }
            (Self::Tokens(count), Type::Number(Unit::Tokens))
            | (Self::Chars(count), Type::Number(Unit::Chars))
            | (Self::Count(count), Type::Number(Unit::Counted(_))) => number(Ok(Decimal::from(*count))),
            (Self::Duration(time), Type::Number(Unit::Duration)) => {
                let rest = Decimal::new(i64::from(time.subsec_nanos()), 9);
                number(Decimal::from(time.as_secs()).checked_add(rest).ok_or(NotRepresentable))
            }
            (Self::Text(text), Type::Text) => Some(Ok(Value::Text(text.as_str().into()))),
            (Self::Bool(truth), Type::Bool) => Some(Ok(Value::Bool(*truth))),
            _ => None,
        }
    }
}

/// A number that has no exact form in a policy: negative, infinite or with too many digits.
struct NotRepresentable;

/// Why a value of a fact is not accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FactError {
    /// The policy declares no fact of this name.
    Undeclared {
        /// The name as given.
        name: String,
        /// The names of the declared facts.
        declared: Vec<String>,
    },
    /// The fact has another type.
    WrongType {
        /// The name of the fact.
        name: String,
        /// The declared type, as a policy names it.
        expected: String,
        /// What was given.
        found: String,
    },
    /// The number is negative, infinite or has too many digits.
    OutOfRange {
        /// The name of the fact.
        name: String,
    },
}

impl fmt::Display for FactError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Undeclared { name, declared } => {
                write!(out, "the policy declares no fact `{}`", written_host_fact(name))?;
                let written: Vec<_> = declared.iter().map(|name| written_host_fact(name)).collect();
                match (nearest(name, declared.iter().map(String::as_str)), written.as_slice()) {
                    (Some(nearest), _) => write!(out, "; did you mean `{}`?", written_host_fact(nearest)),
                    (None, []) => out.write_str("; it declares none"),
                    (None, some) => {
                        let some: Vec<&str> = some.iter().map(SmolStr::as_str).collect();
                        write!(out, "; it declares {}", alternatives(&some))
                    }
                }
            }
            Self::WrongType { name, expected, found } => {
                write!(out, "`{}` is declared as `{expected}`; the value is {found}", written_host_fact(name))
            }
            Self::OutOfRange { name } => {
                write!(out, "the value of `{}` is negative, infinite or has too many digits", written_host_fact(name))
            }
        }
    }
}

impl Error for FactError {}

/// Sets the value of a declared fact; without a value, that of its declaration.
///
/// # Errors
/// The plan does not declare the fact, or it has another type.
pub fn set_fact(plan: &Plan, facts: &mut HostValues, name: &str, value: Option<&FactValue>) -> Result<(), FactError> {
    let fact = declared(plan, name)?;
    let value = match value {
        Some(value) => Some(checked(fact, value)?),
        None => fact.default.clone(),
    };
    facts.set(&fact.name.node, value);
    Ok(())
}

fn declared<'p>(plan: &'p Plan, name: &str) -> Result<&'p HostFact, FactError> {
    plan.agent.fact(name).ok_or_else(|| {
        let mut declared: Vec<String> = plan.agent.facts.iter().map(|fact| fact.name.node.to_string()).collect();
        declared.sort_unstable();
        FactError::Undeclared { name: name.to_owned(), declared }
    })
}

fn checked(fact: &HostFact, value: &FactValue) -> Result<Value, FactError> {
    let name = || fact.name.node.to_string();
    let wrong_type =
        || FactError::WrongType { name: name(), expected: fact.type_word().to_owned(), found: value.noun().to_owned() };
    let read = value.for_type(fact.fact.ty).ok_or_else(wrong_type)?;
    // Recordings contain values as a policy writes them.
    let is_exact = |value: &Value| fact.parse(&fact.format(value)).as_ref() == Some(value);
    read.ok().filter(is_exact).ok_or_else(|| FactError::OutOfRange { name: name() })
}
