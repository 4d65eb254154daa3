//! `pin`: messages that an effect keeps as they are.

use trimtab_base::conversation::Pins;

use super::label::Handle;
use super::{Argument, Label, LabelDefault, LabelRole, Shape};

/// `pin` for these targets; for every target if there are none.
pub(super) const fn pin(targets: &'static [&'static str]) -> Handle<Pins> {
    Handle {
        label: Label {
            role: Some(LabelRole::Pin),
            targets,
            default: LabelDefault::Pins(Pins::REQUEST),
            ..Label::new(
                "pin",
                Shape::Pins,
                "Messages that stay as they are: `request` is the message that began the run, `first_user` that and the \
                 first message written by a person, `none` no message.",
            )
        },
        read: |value| match value {
            Some(Argument::Pins(pins)) => *pins,
            _ => Pins::NONE,
        },
    }
}
