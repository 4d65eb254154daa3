//! The system prompt and the tools of a conversation, which newer versions record.
//!
//! They are part of exact requests. Other sessions may have a snapshot of them, an attachment that is not sent.

use trimtab_base::conversation::{HeadChange, Message, Part, Role};

use super::line::Line;
use super::request::Shape;
use crate::transcript::wire::{Fields, Flag, Raw, parse_content};
use crate::transcript::{Tool, block, tool};

/// What is sent with each request besides the messages.
#[derive(Clone, Debug, Default)]
pub(super) struct Prompt {
    /// The system prompt.
    pub(super) system: Option<Message>,
    /// The tools whose schemas are sent.
    pub(super) tools: Vec<Tool>,
}

impl Prompt {
    /// That of exact requests.
    pub(super) fn of_shape(shape: Shape<'_>) -> Self {
        let parts = block::parse_content(parse_content(shape.system)).rest;
        let tools = shape.tools.map(Raw::elements).unwrap_or_default();
        Self { system: system(parts), tools: tool::parse_each(tools.filter(|tool| !is_deferred(*tool))) }
    }

    /// What differs between the shapes of two requests. A shape that is not recorded does not differ.
    pub(super) fn change(earlier: Option<Shape<'_>>, later: Option<Shape<'_>>) -> HeadChange {
        let text = |raw: Option<Raw<'_>>| raw.map(|raw| raw.get().to_owned());
        let texts = |shape: Shape<'_>| (text(shape.system), text(shape.tools));
        let (Some(earlier), Some(later)) = (earlier, later) else { return HeadChange::default() };
        if texts(earlier) == texts(later) {
            return HeadChange::default();
        }
        let (earlier, later) = (Self::of_shape(earlier), Self::of_shape(later));
        HeadChange { tools: earlier.tools != later.tools, prompt: earlier.system != later.system }
    }

    /// That of the first snapshots on the lines of sub-agents, or on all other lines.
    pub(super) fn of_snapshots(lines: &[Line<'_>], of_sub_agents: bool) -> Self {
        let own = || lines.iter().filter(|line| line.is_sidechain.0 == of_sub_agents);
        let snapshots = || own().filter_map(|line| line.attachment.as_ref()?.prompt_snapshot());
        let parts = snapshots().map(|snapshot| {
            let first = snapshot.get("cliPrefix").and_then(Raw::text).into_iter();
            let own = snapshot.get("systemPrompt").map(Raw::elements).unwrap_or_default().filter_map(Raw::text);
            first.chain(own).map(Part::text).collect::<Vec<_>>()
        });
        // Not every snapshot has the tools.
        let tools = snapshots().map(declared_tools).find(|tools| !tools.is_empty());
        Self { system: parts.max_by_key(Vec::len).and_then(system), tools: tools.unwrap_or_default() }
    }
}

/// The tools in a snapshot. The declaration of each is in a field of its own.
fn declared_tools(snapshot: &Fields<'_>) -> Vec<Tool> {
    let tools = snapshot.get("tools").map(Raw::elements).unwrap_or_default();
    let declarations = tools.filter_map(|tool| tool.object::<Fields<'_>>()?.get("schema"));
    tool::parse_each(declarations.filter(|tool| !is_deferred(*tool)))
}

fn system(parts: Vec<Part>) -> Option<Message> {
    (!parts.is_empty()).then(|| Message::new(Role::System, parts))
}

/// Whether the schema of a tool is sent only after the model has searched for it.
fn is_deferred(tool: Raw<'_>) -> bool {
    let fields: Fields<'_> = tool.object().unwrap_or_default();
    fields.get("defer_loading").and_then(Raw::parse::<Flag>).unwrap_or_default().0
}
