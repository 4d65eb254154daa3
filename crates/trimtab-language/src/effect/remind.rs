//! `remind`: reminds the model of tools, sections of the system prompt and variables.

use smol_str::SmolStr;
use trimtab_base::conversation::{Lifetime, Role, View};

use super::label::Handle;
use super::{
    Argument, Effect, EffectContext, EffectKind, EffectOutput, IdleReason, Label, LabelDefault, LabelRole, Operation,
    Positional, Shape,
};

pub(super) static EFFECT: Effect = Effect {
    name: "remind",
    summary: "Adds a message to the next request that lists tools, sections of the system prompt and variables for the \
              model to use. Names of which the request has none are left out.",
    kind: EffectKind::Remind,
    positional: Positional::Values(&[&ITEMS.label]),
    labels: &[&ITEMS.label, &AS.label],
    variables: &[],
    examples: &["remind [write_note]", "remind [rules, mode] as assistant"],
    build: |arguments| Box::new(Remind { items: ITEMS.get(arguments), role: AS.get(arguments) }),
};

static ITEMS: Handle<Vec<SmolStr>> = Handle {
    label: Label {
        default: LabelDefault::Required,
        role: Some(LabelRole::Reminded),
        ..Label::new("items", Shape::Names, "The names of tools, sections and variables.")
    },
    read: |value| value.and_then(Argument::names).map(<[_]>::to_vec).unwrap_or_default(),
};

static AS: Handle<Role> = Handle {
    label: Label {
        default: LabelDefault::Word(Role::User.word()),
        role: Some(LabelRole::MessageRole),
        ..Label::new(
            "as",
            Shape::Word(&[Role::User.word(), Role::Assistant.word()]),
            "The role of the message. Some models reject a request that ends with a message of the assistant.",
        )
    },
    read: |value| {
        let is_assistant = value.and_then(Argument::word) == Some(Role::Assistant.word());
        if is_assistant { Role::Assistant } else { Role::User }
    },
};

#[derive(Debug)]
struct Remind {
    items: Vec<SmolStr>,
    role: Role,
}

impl Operation for Remind {
    fn begin(&self, context: &EffectContext<'_>) -> EffectOutput {
        let lines: Vec<String> = self.items.iter().filter_map(|item| line(item, context)).collect();
        if lines.is_empty() {
            return EffectOutput::idle(IdleReason::NothingNamed);
        }
        EffectOutput::view(View::Reminder(self.role, lines), Lifetime::Request)
    }
}

/// The line for an item, with what it is. Returns `None` if the request has no such item.
fn line(item: &str, context: &EffectContext<'_>) -> Option<String> {
    let kind = if context.tools.contains(item) && context.views.offers_tool(item) {
        "tool"
    } else if context.conversation.section_names().contains(item) && context.views.shows_section(item) {
        "system part"
    } else if context.views.variable(item).is_some() {
        "variable"
    } else {
        return None;
    };
    Some(format!("- {item} ({kind})"))
}
