//! Checked arguments: the values from which an effect builds its operation.

use smol_str::SmolStr;

use super::label::{Label, LabelRole};
use super::text::TextSlot;
use super::{Scope, Target};
use crate::quantity::Quantity;

/// The value of a label. `T` is its text: the slot of a text for effects, the text itself in a checked policy.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument<T = TextSlot> {
    /// A number with its unit.
    Quantity(Quantity),
    /// A word.
    Word(SmolStr),
    /// Several names.
    Names(Vec<SmolStr>),
    /// A text.
    Text(T),
}

impl<T> Argument<T> {
    /// The number, if it is one.
    pub const fn quantity(&self) -> Option<Quantity> {
        match self {
            Self::Quantity(quantity) => Some(*quantity),
            _ => None,
        }
    }

    /// The word, if it is one.
    pub fn word(&self) -> Option<&str> {
        match self {
            Self::Word(word) => Some(word),
            _ => None,
        }
    }

    /// The names, if it is a list.
    pub fn names(&self) -> Option<&[SmolStr]> {
        match self {
            Self::Names(names) => Some(names),
            _ => None,
        }
    }

    /// The text, if it is one.
    pub const fn text(&self) -> Option<&T> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }
}

/// The arguments of one use of an effect. Defaults are filled in.
#[derive(Clone, Debug, Default)]
pub struct Arguments {
    /// The target, for effects that have one.
    pub target: Option<&'static Target>,
    /// The text after the effect's name, for effects that take one.
    pub text: Option<TextSlot>,
    /// The labels that have a value.
    pub labels: Vec<(&'static Label, Argument)>,
}

impl Arguments {
    /// The part of the conversation that the target stands for.
    pub fn scope(&self) -> Option<Scope> {
        self.target.map(|target| target.scope)
    }

    /// The text after the effect's name. The checker rejects an effect whose text is missing.
    pub(super) fn positional_text(&self) -> TextSlot {
        self.text.clone().unwrap_or_default()
    }

    /// The value of a label.
    pub fn get(&self, label: &Label) -> Option<&Argument> {
        self.labels.iter().find(|(one, _)| one.name == label.name).map(|(_, argument)| argument)
    }

    /// The value of the label with this role.
    pub fn with_role(&self, role: LabelRole) -> Option<&Argument> {
        self.labels.iter().find(|(one, _)| one.role == Some(role)).map(|(_, argument)| argument)
    }
}
