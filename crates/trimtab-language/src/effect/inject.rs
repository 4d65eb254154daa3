//! `inject`: adds a message at the end of the conversation.

use trimtab_base::conversation::{Edit, Lifetime, Message, Origin, Role, View};

use super::label::Handle;
use super::{
    Argument, Effect, EffectContext, EffectKind, EffectOutput, IdleReason, Label, LabelDefault, LabelRole, Operation,
    Positional, Shape, TextSlot,
};

pub(super) static EFFECT: Effect = Effect {
    name: "inject",
    summary: "Adds a message at the end of the conversation, after the results of open calls. \
              With `for step` it is part of the next request only.",
    kind: EffectKind::AddMessage,
    positional: Positional::Text,
    labels: &[&AS.label, &FOR.label],
    variables: &[],
    examples: &[
        "inject \"Stop and think before the next call.\"",
        "inject \"You are at {context.ratio} of the window.\" as system for step",
    ],
    build: |arguments| {
        Box::new(Inject { text: arguments.positional_text(), role: AS.get(arguments), for_step: FOR.get(arguments) })
    },
};

static AS: Handle<Role> = Handle {
    label: Label {
        default: LabelDefault::Word(Role::User.word()),
        role: Some(LabelRole::MessageRole),
        ..Label::new(
            "as",
            Shape::Word(&[Role::User.word(), Role::System.word(), Role::Assistant.word()]),
            "The role of the message.",
        )
    },
    read: |value| {
        let role = |role: &Role| value.and_then(Argument::word) == Some(role.word());
        [Role::System, Role::Assistant].into_iter().find(role).unwrap_or(Role::User)
    },
};

static FOR: Handle<bool> = Handle {
    label: Label {
        role: Some(LabelRole::Lifetime),
        ..Label::new("for", Shape::Word(&["step"]), "With `step`, the message is part of the next request only.")
    },
    read: |value| value.is_some(),
};

#[derive(Debug)]
struct Inject {
    text: TextSlot,
    role: Role,
    for_step: bool,
}

impl Operation for Inject {
    fn begin(&self, context: &EffectContext<'_>) -> EffectOutput {
        let mut message = Message::text(self.role, context.text(&self.text, &[]));
        message.origin = Origin::Injected;
        if self.for_step {
            EffectOutput::view(View::Message(Box::new(message)), Lifetime::Request)
        } else {
            EffectOutput::edits(vec![Edit::Append(Box::new(message))], IdleReason::Refused)
        }
    }
}
