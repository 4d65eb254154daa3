//! `offload`: moves the content of old tool results out of the context, from where the agent can recall it.

use trimtab_base::conversation::{Conversation, Entry, Level, RECALL_TOOL, is_recall, shorten};
use trimtab_base::quantity::{Counted, Quantity, Unit};

use super::label::Handle;
use super::latest::KEEP_LATEST;
use super::reduction;
use super::selection::{Reduced, Selection, text_of};
use super::{
    Effect, EffectContext, EffectKind, EffectOutput, Label, LabelDefault, LabelRole, Operation, Positional, Shape,
    TextSlot,
};

/// The variable for the id of the content.
const ID_VARIABLE: &str = "id";
/// The variable for the tool that was called.
const TOOL_VARIABLE: &str = "tool";
/// The variable for the beginning of the old content.
const PREVIEW_VARIABLE: &str = "preview";

pub(super) static EFFECT: Effect = Effect {
    name: "offload",
    summary: "Moves the content of tool results, or texts of messages, out of the context and leaves a placeholder with an id. The agent gets \
              a tool `recall`, which returns the content for the id as it arrived. What `recall` returns is never \
              offloaded, and error results and images are kept.",
    kind: EffectKind::Offload,
    positional: Positional::Target(&[
        reduction::RESULTS,
        reduction::ARRIVALS,
        reduction::USER_MESSAGES,
        reduction::REPLIES,
    ]),
    labels: &[
        &OVER.label,
        &KEEP.label,
        &PREVIEW.label,
        &reduction::EXCEPT.label,
        &reduction::ONLY.label,
        &reduction::ERRORS.label,
        &reduction::INCLUDING.label,
        &KEEP_LATEST.label,
        &PLACEHOLDER.label,
        &reduction::DOWN_TO.label,
        &reduction::AT_LEAST.label,
    ],
    variables: &[
        (ID_VARIABLE, "the id for `recall`"),
        (TOOL_VARIABLE, reduction::TOOL_MEANING),
        (PREVIEW_VARIABLE, "the beginning of the old content"),
    ],
    examples: &[
        "offload results over 2000 chars keep 6 results",
        "offload arrivals over 20k tokens preview 500 chars except [read_plan]",
        "offload user_messages over 5k tokens preview 1k chars",
        "offload replies over 2k tokens keep 8 interactions",
        "offload results over 1k tokens placeholder \"[{tool}: recall {id}]\" down_to 50%",
    ],
    build: |arguments| {
        Box::new(Offload {
            selection: Selection::new(arguments, &KEEP, &OVER),
            preview: PREVIEW.get(arguments),
            placeholder: PLACEHOLDER.get(arguments),
        })
    },
};

static OVER: Handle<Option<Quantity>> = reduction::over(&[]);
static KEEP: Handle<Quantity> = reduction::keep(
    6,
    Counted::Results,
    &[reduction::RESULTS.name, reduction::USER_MESSAGES.name, reduction::REPLIES.name],
);

static PREVIEW: Handle<usize> = Handle {
    label: Label {
        default: LabelDefault::Number(200, Unit::Chars),
        role: Some(LabelRole::Preview),
        inert: |arguments| {
            let is_shown = PLACEHOLDER.get(arguments).is_none_or(|text| text.uses(PREVIEW_VARIABLE));
            (!is_shown).then_some("the placeholder does not contain `{preview}`")
        },
        ..Label::new("preview", Shape::Quantity(&[Unit::Chars]), "How much of the old content the placeholder shows.")
    },
    read: reduction::count,
};

static PLACEHOLDER: Handle<Option<TextSlot>> = Handle {
    label: Label {
        role: Some(LabelRole::Placeholder),
        ..Label::new(
            "placeholder",
            Shape::Text,
            "The text that replaces the old content. If it does not contain `{id}`, the call that returns the content \
             is added at its end.",
        )
    },
    read: reduction::text,
};

#[derive(Debug)]
struct Offload {
    selection: Selection,
    preview: usize,
    placeholder: Option<TextSlot>,
}

impl Operation for Offload {
    fn begin(&self, context: &EffectContext<'_>) -> EffectOutput {
        self.selection.reduce(context, |entry, _, part| {
            if is_recalled(context.conversation, entry) || !part.level.may_become(Level::Offloaded) {
                return None;
            }
            let text = self.placeholder(context, entry, text_of(&part.body)?);
            Some(Reduced { body: Some(part.body.with_text(text)), level: Level::Offloaded })
        })
    }
}

impl Offload {
    fn placeholder(&self, context: &EffectContext<'_>, entry: &Entry, text: &str) -> String {
        let recall = context.recall;
        let (id, preview) = (recall.id(entry.id(), &entry.arrived_text()), shorten(text, self.preview));
        let Some(slot) = &self.placeholder else {
            return format!("[offloaded: {}. Summary: {preview}]", recall.instruction(&id));
        };
        let tool = entry.tool().map_or(reduction::UNKNOWN_TOOL, |tool| tool.as_str());
        let variables = [(ID_VARIABLE, id.as_str()), (TOOL_VARIABLE, tool), (PREVIEW_VARIABLE, &preview)];
        let text = context.text(slot, &variables);
        if slot.uses(ID_VARIABLE) { text } else { format!("{text} [{}]", recall.call(&id)) }
    }
}

/// Whether a result is what the agent has recalled.
fn is_recalled(conversation: &Conversation, entry: &Entry) -> bool {
    let call = conversation.index(entry.id()).and_then(|at| conversation.answered(at));
    call.is_some_and(|(tool, arguments)| is_recall(tool, &arguments.text()))
        || entry.tool().is_some_and(|tool| tool == RECALL_TOOL)
}
