//! The values of labels.

use smol_str::SmolStr;
use trimtab_base::conversation::Pins;
use trimtab_base::quantity::Quantity;

use super::text::TextSlot;

/// The value of a label. `T` is its text: the slot of a text for effects, the text itself in a checked policy. `F` is what
/// a field contains: nothing for effects, the fact in a checked policy.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument<T = TextSlot, F = ()> {
    /// A number with its unit.
    Quantity(Quantity),
    /// A word.
    Word(SmolStr),
    /// Several names.
    Names(Vec<SmolStr>),
    /// Pinned messages.
    Pins(Pins),
    /// What is kept of the beginning and of the end of a text.
    Ends(Quantity, Quantity),
    /// A text.
    Text(T),
    /// Fields, each with its name.
    Fields(Vec<(SmolStr, F)>),
}

impl<T, F> Argument<T, F> {
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

    /// The fields, if they are a list of fields.
    pub fn fields(&self) -> &[(SmolStr, F)] {
        match self {
            Self::Fields(fields) => fields,
            _ => &[],
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
