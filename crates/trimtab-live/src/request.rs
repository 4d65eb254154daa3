//! Requests of live clients, in the JSON dialects of their providers.
//!
//! [`Request::read`] takes the JSON that a client is about to send and gives the history for a
//! [`Session`](trimtab_run::run::Session). [`RecentRequest::render`] writes what the session makes of it, and changes only the bytes of
//! what was edited. [`read_reply`] reads the answer of the provider. The module does no I/O and does not depend on policies.

mod dialect;
mod error;
mod json;
mod layout;
mod opening;
mod outline;
mod read;
mod recall;
mod recent;
mod rejection;
mod render;
mod reply;
mod stream;
mod text;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use smol_str::SmolStr;
use trimtab_base::conversation::{Message, Role};
use trimtab_recordings::transcript::Tool;
use trimtab_recordings::transcript::api::{self, UnnamedCalls};

pub use self::dialect::Dialect;
use self::dialect::SystemElements;
pub use self::error::{RequestError, provider_error};
use self::json::Node;
use self::layout::{Layout, SharedList};
pub use self::opening::{Closing, opening};
use self::read::{ReadList, Unit};
pub use self::recent::{Closest, RecentRequest, RecentRequests};
pub use self::rejection::says_too_long;
pub use self::render::{ElementEdit, Rendered};
pub use self::reply::{Reply, read_reply, read_reply_after};
pub use self::stream::{ReadReply, ReplyEnd, ReplyReader};
pub use self::text::RequestText;

/// How many requests of a client are kept: those of all branches of a session.
const MAX_RECENT: usize = trimtab_run::run::MAX_BRANCHES;

/// A request of a client, with the history in it.
#[derive(Clone, Debug)]
pub struct Request {
    dialect: Dialect,
    text: RequestText,
    layout: Layout,
    /// The number of messages in the system prompt beside the list, which come first in the history.
    system_len: usize,
    /// The elements that are read together, in order.
    units: Vec<Unit>,
    history: Vec<Arc<Message>>,
    /// Whether the list has system messages.
    has_system_elements: bool,
    addressed_model: Option<String>,
    /// The tokens of the declared tools, once they have been counted.
    tool_tokens: Arc<OnceLock<ToolTokens>>,
}

/// Tools by name, with the tokens of their schemas, or `None` where they have no schema.
pub type ToolTokens = BTreeMap<SmolStr, Option<u64>>;

impl Request {
    /// Reads a request body, or the list in it alone.
    ///
    /// Elements with the same text as in the previous request of the client give the same messages without being parsed
    /// again.
    ///
    /// # Errors
    /// The JSON is not valid, has no list of the dialect, or contains an element that is no message.
    pub fn read(dialect: Dialect, previous: Option<&Self>, json: impl Into<RequestText>) -> Result<Self, RequestError> {
        let json = json.into();
        let previous = previous.filter(|previous| previous.dialect == dialect);
        let shared = previous.and_then(|previous| SharedList::of(previous, &json, layout::list_start(dialect, &json)?));
        Self::read_after(dialect, previous, shared, json)
    }

    /// The same, given what the list shares with that of the previous request, which is of the same dialect.
    fn read_after(
        dialect: Dialect,
        previous: Option<&Self>,
        shared: Option<SharedList>,
        text: RequestText,
    ) -> Result<Self, RequestError> {
        let json: &str = &text;
        let continuing = previous.zip(shared).and_then(|(previous, shared)| Layout::continuing(previous, shared, json));
        let (layout, shared) = match continuing {
            Some(layout) => (layout, shared.map_or(0, |shared| shared.elements)),
            None => (Layout::of(dialect, json)?, 0),
        };
        let elements: Vec<Node<'_>> = layout.elements.iter().map(|span| Node::at(json, span.clone())).collect();
        let ReadList { messages, units } = ReadList::of(dialect, &elements, previous, shared)?;
        let system = layout.system.clone().map(|(_, span)| Node::at(json, span));
        let reads_beside = dialect.form().system_elements == SystemElements::Beside;
        let prompt = match &system {
            Some(_) if !reads_beside && begins_with_system(&messages) => Vec::new(),
            Some(system) => system_messages(dialect, system, previous)?,
            None => Vec::new(),
        };
        let tool_tokens = Self::shared_tool_tokens(json, &layout, previous);
        Ok(Self {
            has_system_elements: messages.iter().any(|message| message.role == Role::System),
            tool_tokens,
            addressed_model: None,
            dialect,
            layout,
            system_len: prompt.len(),
            units,
            history: prompt.into_iter().chain(messages).collect(),
            text,
        })
    }

    /// The dialect.
    pub const fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// The JSON as the client sends it.
    pub fn json(&self) -> &str {
        &self.text
    }

    /// The number of elements in the list.
    pub const fn element_count(&self) -> usize {
        self.layout.elements.len()
    }

    /// The history, with the system prompt first.
    pub fn history(&self) -> &[Arc<Message>] {
        &self.history
    }

    /// The messages that an element contains, as a range of the history. Consecutive items of one reply contain the same
    /// message.
    pub fn messages_of(&self, element: usize) -> Range<usize> {
        let unit = self.units.iter().find(|unit| unit.elements.contains(&element));
        unit.map_or(0..0, |unit| self.in_history(&unit.messages))
    }

    /// The model that the body names, or that was given with it.
    pub fn model(&self) -> Option<String> {
        let in_body = self.layout.model.as_ref().and_then(|span| self.node(span).string());
        in_body.or_else(|| self.addressed_model.clone())
    }

    /// The request with the model in its address, which counts if the body names none.
    #[must_use]
    pub fn with_addressed_model(self, model: Option<String>) -> Self {
        Self { addressed_model: model, ..self }
    }

    /// The calls in the history, which tell the ids of those in the reply that have none.
    pub fn unnamed_calls(&self) -> UnnamedCalls {
        let mut calls = UnnamedCalls::default();
        if self.dialect.form().has_unnamed_calls {
            calls.observe(&self.history);
        }
        calls
    }

    /// The tools that the body declares.
    pub fn tools(&self) -> Vec<Tool> {
        self.tools_node().map(|tools| api::tools(tools.raw())).unwrap_or_default()
    }

    /// The tokens of the declared tools, counted with `count`. Requests that declare the same tools as the one before them, as
    /// most do, share the result, so the counter must be the same.
    pub fn tool_tokens(&self, count: impl FnOnce(&[Tool]) -> BTreeMap<SmolStr, u64>) -> &ToolTokens {
        self.tool_tokens.get_or_init(|| {
            let tools = self.tools();
            let tokens = count(&tools);
            tools.into_iter().map(|tool| (tool.name.clone(), tokens.get(&tool.name).copied())).collect()
        })
    }

    /// The place for the tokens of the tools, which is that of the previous request if its tools are the same.
    fn shared_tool_tokens(json: &str, layout: &Layout, previous: Option<&Self>) -> Arc<OnceLock<ToolTokens>> {
        let raw = layout.tools.clone().map(|span| Node::at(json, span).raw());
        let is_same = |previous: &&Self| previous.tools_node().map(|tools| tools.raw()) == raw;
        previous.filter(is_same).map(|previous| Arc::clone(&previous.tool_tokens)).unwrap_or_default()
    }

    fn tools_node(&self) -> Option<Node<'_>> {
        Some(self.node(self.layout.tools.as_ref()?))
    }

    fn node(&self, span: &Range<usize>) -> Node<'_> {
        Node::at(&self.text, span.clone())
    }

    fn list(&self) -> Node<'_> {
        Node::at(&self.text, self.layout.list.clone())
    }

    fn element(&self, at: usize) -> Node<'_> {
        Node::at(&self.text, self.layout.elements[at].clone())
    }

    /// The unit that begins with an element.
    fn unit_at(&self, element: usize) -> Option<&Unit> {
        let at = self.units.binary_search_by_key(&element, |unit| unit.elements.start).ok()?;
        self.units.get(at)
    }

    /// Whether a message begins with an element.
    fn is_message(&self, element: usize) -> bool {
        self.unit_at(element).is_some_and(|unit| !unit.messages.is_empty())
    }

    /// Messages of the list as a range of the history.
    const fn in_history(&self, messages: &Range<usize>) -> Range<usize> {
        messages.start + self.system_len..messages.end + self.system_len
    }
}

fn begins_with_system(messages: &[Arc<Message>]) -> bool {
    messages.first().is_some_and(|first| first.role == Role::System)
}

/// The messages of a system prompt beside the list, which are those of the previous request if it is the same.
fn system_messages(
    dialect: Dialect,
    system: &Node<'_>,
    previous: Option<&Request>,
) -> Result<Vec<Arc<Message>>, RequestError> {
    if api::is_deep(system.raw()) {
        return Err(RequestError::new("a system prompt with at most 128 levels of nesting"));
    }
    let same = previous.filter(|previous| {
        let old = previous.layout.system.clone().map(|(_, span)| Node::at(&previous.text, span));
        previous.system_len > 0 && old.is_some_and(|old| old.raw() == system.raw())
    });
    if let Some(previous) = same {
        return Ok(previous.history[..previous.system_len].to_vec());
    }
    let text = api::without_lone_surrogates(system.raw());
    Ok((dialect.form().system)(&text).into_iter().map(Arc::new).collect())
}
