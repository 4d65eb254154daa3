//! Actions: effects with their checked arguments.

use std::sync::Arc;

use smol_str::SmolStr;
use trimtab_base::quantity::Quantity;
use trimtab_base::source::Span;

use super::policy::{Action, Argument, Label, Reading, Template, TextPiece};
use crate::effect::{self, Arguments, Effect, LabelRole, Operation, Target, TargetKind, TextSlot};

impl Action {
    /// Builds the effect's operation from its checked arguments.
    pub(super) fn new(
        effect: &'static Effect,
        target: Option<&'static Target>,
        text: Option<Template>,
        labels: Vec<Label>,
        span: Span,
    ) -> Self {
        let operation = Arc::from((effect.build)(&arguments(target, text.as_ref(), &labels)));
        Self { effect, target, text, labels, span, operation }
    }

    /// The effect with these arguments, ready to run.
    pub const fn operation(&self) -> &Arc<dyn Operation> {
        &self.operation
    }

    /// Its texts in the order of their slots: the text after the effect's name, then those of labels.
    pub fn texts(&self) -> impl Iterator<Item = &Template> {
        self.text.iter().chain(self.labels.iter().filter_map(|label| label.argument.text()))
    }

    /// The fields among its arguments, each with the fact that it contains.
    pub fn fields(&self) -> impl Iterator<Item = &(SmolStr, Reading)> {
        self.labels.iter().flat_map(|label| label.argument.fields())
    }

    /// The part of the conversation that its target stands for.
    pub fn target_kind(&self) -> Option<TargetKind> {
        self.target.map(|target| target.kind)
    }

    /// The effect and its target as they are written, such as `mask results`.
    pub fn title(&self) -> String {
        match self.target {
            Some(target) => format!("{} {}", self.effect.name, target.name),
            None => self.effect.name.to_owned(),
        }
    }

    /// Returns why a label has no effect together with the other arguments, or `None` if it has one.
    pub fn inert(&self, label: &effect::Label) -> Option<&'static str> {
        (label.inert)(&arguments(self.target, self.text.as_ref(), &self.labels))
    }

    /// The label with this role.
    pub fn label(&self, role: LabelRole) -> Option<&Label> {
        self.labels.iter().find(|label| label.descriptor.role == Some(role))
    }

    /// Returns the value of the label with this role, or `None` if it has no effect.
    pub fn argument(&self, role: LabelRole) -> Option<&Argument> {
        self.label(role).filter(|label| self.inert(label.descriptor).is_none()).map(|label| &label.argument)
    }

    /// Returns the location of the label with this role, or `None` if it is left out.
    pub fn place(&self, role: LabelRole) -> Option<Span> {
        self.label(role)?.span
    }

    /// The number of the label with this role.
    pub fn quantity(&self, role: LabelRole) -> Option<Quantity> {
        self.argument(role)?.quantity()
    }

    /// Returns the number of the label with this role and its location, or `None` if it is left out.
    pub fn explicit(&self, role: LabelRole) -> Option<(Quantity, Span)> {
        self.label(role)?.explicit()
    }

    /// The word of the label with this role.
    pub fn word(&self, role: LabelRole) -> Option<&str> {
        self.argument(role)?.word()
    }

    /// The names of the label with this role.
    pub fn names(&self, role: LabelRole) -> Option<&[SmolStr]> {
        self.argument(role)?.names()
    }

    /// The text of the label with this role.
    pub fn template(&self, role: LabelRole) -> Option<&Template> {
        self.argument(role)?.text()
    }
}

impl Label {
    /// Returns the number and its location, or `None` if the label is left out.
    pub fn explicit(&self) -> Option<(Quantity, Span)> {
        self.argument.quantity().zip(self.span)
    }
}

/// The arguments as an effect reads them, with a slot for each text.
fn arguments(target: Option<&'static Target>, text: Option<&Template>, labels: &[Label]) -> Arguments {
    let mut slots = 0..;
    let mut slot =
        |text: &Template| TextSlot::new(slots.next().unwrap_or_default(), text.variables().cloned().collect());
    let text = text.map(&mut slot);
    let argument = |label: &Label| {
        let argument = match &label.argument {
            Argument::Quantity(quantity) => effect::Argument::Quantity(*quantity),
            Argument::Word(word) => effect::Argument::Word(word.clone()),
            Argument::Names(names) => effect::Argument::Names(names.clone()),
            Argument::Pins(pins) => effect::Argument::Pins(*pins),
            Argument::Ends(head, tail) => effect::Argument::Ends(*head, *tail),
            Argument::Text(text) => effect::Argument::Text(slot(text)),
            Argument::Fields(fields) => {
                effect::Argument::Fields(fields.iter().map(|(name, _)| (name.clone(), ())).collect())
            }
        };
        (label.descriptor, argument)
    };
    Arguments { target, text, labels: labels.iter().map(argument).collect() }
}

impl Template {
    /// The effect's own variables in it, in order.
    pub fn variables(&self) -> impl Iterator<Item = &SmolStr> {
        self.pieces.iter().filter_map(|piece| match piece {
            TextPiece::Variable(name) => Some(name),
            TextPiece::Literal(_) | TextPiece::Fact(_) => None,
        })
    }
}
