//! `for`: how long a view lasts.

use trimtab_base::conversation::Lifetime;

use super::label::Handle;
use super::{Argument, Label, LabelDefault, LabelRole, Shape};

/// `for` of an effect whose view can last for a run or for the session.
pub(super) static FOR: Handle<Lifetime> = Handle {
    label: Label {
        default: LabelDefault::Word("step"),
        role: Some(LabelRole::Lifetime),
        ..Label::new(
            "for",
            Shape::Word(&["step", "run", "session"]),
            "`step` applies to the next request only, `run` until the end of the run and `session` until the end of the \
             session, or until it is changed.",
        )
    },
    read: |value| match value.and_then(Argument::word) {
        Some("run") => Lifetime::Run,
        Some("session") => Lifetime::Session,
        _ => Lifetime::Request,
    },
};
