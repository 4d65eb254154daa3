//! What an action says: its labels, what they hold, and where they stand.

use smol_str::SmolStr;

use super::policy::{Action, Argument, Label, Template};
use crate::quantity::Quantity;
use crate::source::Span;

impl Action {
    /// A label with its place.
    pub fn label(&self, name: &str) -> Option<&Label> {
        self.labels.iter().find(|label| label.name == name)
    }

    /// The value of a label.
    pub fn argument(&self, label: &str) -> Option<&Argument> {
        self.label(label).map(|label| &label.argument)
    }

    /// Where a label stands; none when it is left out.
    pub fn place(&self, label: &str) -> Option<Span> {
        self.label(label)?.span
    }

    /// A label's number.
    pub fn quantity(&self, label: &str) -> Option<Quantity> {
        self.argument(label)?.quantity()
    }

    /// A label's number and where it stands; none when it is left out.
    pub fn written(&self, label: &str) -> Option<(Quantity, Span)> {
        self.label(label)?.written()
    }

    /// A label's word.
    pub fn word(&self, label: &str) -> Option<&str> {
        self.argument(label)?.word()
    }

    /// A label's names.
    pub fn names(&self, label: &str) -> Option<&[SmolStr]> {
        self.argument(label)?.names()
    }

    /// A label's text.
    pub fn template(&self, label: &str) -> Option<&Template> {
        self.argument(label)?.text()
    }
}

impl Label {
    /// Its number and where it stands; none when it is left out.
    pub fn written(&self) -> Option<(Quantity, Span)> {
        self.argument.quantity().zip(self.span)
    }
}
