//! Facts that an `agent` block declares and the host supplies.

use smol_str::SmolStr;
use trimtab_base::quantity::{Quantity, Type, Value};
use trimtab_base::source::{Span, Spanned};
use trimtab_syntax::syntax;

use crate::fact::{Fact, host_type_word, written_host_fact};

/// The declaration of a fact that the host supplies.
#[derive(Clone, Debug)]
pub struct HostFact {
    /// Its name, which a policy writes after `host.`.
    pub name: Spanned<SmolStr>,
    /// Its descriptor, which has its type.
    pub fact: &'static Fact,
    /// Its value until the host supplies one; unknown without one.
    pub default: Option<Value>,
    /// The span of the declaration.
    pub span: Span,
}

impl PartialEq for HostFact {
    fn eq(&self, other: &Self) -> bool {
        (&self.name, &self.default, self.span) == (&other.name, &other.default, other.span) && self.is_compatible(other)
    }
}

impl HostFact {
    /// What a policy writes for it: `host.load`.
    pub fn written(&self) -> SmolStr {
        written_host_fact(&self.name.node)
    }

    /// The word for its type.
    pub fn type_word(&self) -> &'static str {
        host_type_word(self.fact.ty)
    }

    /// Its type and default as they are declared: `share default 40%`.
    pub fn declared_type(&self) -> String {
        let quote = |value: &Value| match value {
            Value::Text(_) => value.display(self.fact.ty),
            _ => self.format(value),
        };
        let default = self.default.as_ref().map_or(String::new(), |value| format!(" default {}", quote(value)));
        format!("{}{default}", self.type_word())
    }

    /// A value as a text that [`HostFact::parse`] reads: a number with its unit, a text without quotes.
    pub fn format(&self, value: &Value) -> String {
        match (value, self.fact.ty) {
            (Value::Number(amount), Type::Number(unit)) => Quantity::new(*amount, unit).to_string(),
            (other, ty) => other.format_bare(ty),
        }
    }

    /// The value that a text stands for: a number with its unit as in a policy, a text without quotes, `true` or
    /// `false`. Returns `None` if it is not a value of the fact's type.
    pub fn parse(&self, text: &str) -> Option<Value> {
        match self.fact.ty {
            Type::Text | Type::Name => Some(Value::Text(text.into())),
            Type::Bool => text.trim().parse().ok().map(Value::Bool),
            Type::Number(unit) => {
                let (amount, written) = syntax::parse_amount(text)?;
                let is_unit = written == Some(unit) || (written.is_none() && unit.is_counted());
                let is_value = is_unit && (!unit.is_whole() || amount.is_integer());
                is_value.then_some(Value::Number(amount))
            }
        }
    }

    /// Whether rules that read this fact can read another declaration of it instead.
    pub(super) fn is_compatible(&self, other: &Self) -> bool {
        std::ptr::eq(self.fact, other.fact)
    }
}
