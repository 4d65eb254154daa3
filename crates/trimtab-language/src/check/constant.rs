//! The constants of a policy: literals and the values of lets.

use trimtab_base::quantity::{Decimal, Unit};
use trimtab_syntax::syntax::tree::{Term, Text};

/// A value that is known when the policy is checked.
#[derive(Clone, Copy, Debug)]
pub(super) enum Constant<'a> {
    /// A number, with its unit if it has one.
    Number(Decimal, Option<Unit>),
    /// A text.
    Text(&'a Text),
    /// True or false.
    Bool(bool),
    /// A list.
    List(&'a [Term]),
}

impl Constant<'_> {
    /// The kind of value with its article, for messages.
    pub(super) const fn noun(self) -> &'static str {
        match self {
            Self::Number(..) => "a number",
            Self::Text(_) => "a text",
            Self::Bool(_) => "true or false",
            Self::List(_) => "a list",
        }
    }
}
