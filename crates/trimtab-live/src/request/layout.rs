//! Where the parts of a request are in its text.

use serde_json::value::RawValue;

use super::Request;
use super::dialect::{Dialect, TOOLS_KEY};
use super::error::RequestError;
use super::json::{Node, Span};

/// Where the parts of a request are in its text.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    /// Whether it is a body, not a list alone.
    pub(super) is_body: bool,
    /// The list of elements, or a prompt in its place.
    pub(super) list: Span,
    pub(super) elements: Vec<Span>,
    /// The key and the place of the system prompt beside the list.
    pub(super) system: Option<(&'static str, Span)>,
    pub(super) model: Option<Span>,
    pub(super) tools: Option<Span>,
}

impl Layout {
    /// The layout of a text, which is validated.
    pub(super) fn of(dialect: Dialect, json: &str) -> Result<Self, RequestError> {
        let root = valid(json)?;
        // One walk over the text finds all of them.
        let fields = root.fields();
        let get = |key: &str| {
            let field = fields.iter().rfind(|field| field.key == key)?;
            Some(field.value.clone()).filter(|value| !value.is_null())
        };
        let form = dialect.form();
        if let Some(key) = form.continuation_keys.iter().find(|key| get(key).is_some()) {
            let expected = format!("a request with its whole history; with `{key}` the server has the rest of it");
            return Err(RequestError::new(expected));
        }
        let key = form.list_key;
        let is_list = |node: &Node<'_>| node.is_array() || form.prompt_element.is_some() && node.is_string();
        let list = if root.is_array() { Some(root.clone()) } else { get(key).filter(is_list) };
        let list = list.ok_or_else(|| RequestError::new(format!("a list, or an object with a list `{key}`")))?;
        let elements = if list.is_array() { list.elements() } else { vec![list.clone()] };
        Ok(Self {
            is_body: root.is_object(),
            list: list.span,
            elements: elements.into_iter().map(|element| element.span).collect(),
            system: form.system_keys.iter().find_map(|key| Some((*key, get(key)?.span))),
            model: get("model").map(|model| model.span),
            tools: get(TOOLS_KEY).map(|tools| tools.span),
        })
    }

    /// The layout of a text whose list begins with elements of an earlier request, which are neither validated nor
    /// searched again. Returns `None` if the text is not valid, or if its list is another value.
    pub(super) fn continuing(previous: &Request, shared: SharedList, json: &str) -> Option<Self> {
        // One value in place of the shared elements. It is valid if the whole text is.
        let shortened = [json.get(..=shared.new_start)?, PLACEHOLDER, json.get(shared.end..)?].concat();
        let layout = Self::of(previous.dialect, &shortened).ok()?;
        if layout.list.start != shared.new_start {
            return None;
        }
        let replaced = shared.new_start + 1..shared.new_start + 1 + PLACEHOLDER.len();
        let moved = |offset: usize| if offset < replaced.end { offset } else { offset - replaced.end + shared.end };
        let whole = |span: Span| moved(span.start)..moved(span.end);
        let old = previous.layout.elements[..shared.elements].iter();
        let old = old.map(|span| {
            span.start - shared.old_start + shared.new_start..span.end - shared.old_start + shared.new_start
        });
        let new = layout.elements.into_iter().skip(1).map(whole);
        Some(Self {
            is_body: layout.is_body,
            list: whole(layout.list),
            elements: old.chain(new).collect(),
            system: layout.system.map(|(key, span)| (key, whole(span))),
            model: layout.model.map(whole),
            tools: layout.tools.map(whole),
        })
    }
}

/// The value of a JSON text.
pub(super) fn valid(json: &str) -> Result<Node<'_>, RequestError> {
    match serde_json::from_str::<&RawValue>(json) {
        Ok(_) => Ok(Node::of(json)),
        Err(error) => Err(RequestError::new(format!("valid JSON; {error}"))),
    }
}

/// Like an element, it ends with its last byte, so that no text after it can become part of it.
const PLACEHOLDER: &str = "{}";

/// The elements at the beginning of a list that an earlier request has too.
#[derive(Clone, Copy, Debug)]
pub(super) struct SharedList {
    /// Their number.
    pub(super) elements: usize,
    /// Where the list starts in the earlier text, and in the new one.
    old_start: usize,
    new_start: usize,
    /// Where the last shared element ends in the new text.
    end: usize,
}

impl SharedList {
    /// Returns what a text, whose list starts at an offset, shares with an earlier request, or `None` if that is no
    /// element. The text need not be valid.
    pub(super) fn of(previous: &Request, json: &str, new_start: usize) -> Option<Self> {
        let Layout { list, elements, .. } = &previous.layout;
        let old = previous.text.as_bytes().get(list.clone())?;
        let common = common_prefix(old, json.as_bytes().get(new_start..)?);
        // An element is an object, so it ends with its last byte.
        let elements = elements.partition_point(|element| element.end - list.start <= common);
        let last = previous.layout.elements[..elements].last().filter(|_| previous.list().is_array())?;
        Some(Self { elements, old_start: list.start, new_start, end: last.end - list.start + new_start })
    }
}

/// The offset of the list in a text that need not be valid.
pub(super) fn list_start(dialect: Dialect, json: &str) -> Option<usize> {
    let start = json.len() - json.trim_ascii_start().len();
    let offset = match json.as_bytes().get(start)? {
        b'[' => start,
        b'{' => Node::at(json, start..json.len()).value_offset(dialect.form().list_key)?,
        _ => return None,
    };
    (json.as_bytes().get(offset) == Some(&b'[')).then_some(offset)
}

/// The number of equal bytes at the beginning.
fn common_prefix(one: &[u8], other: &[u8]) -> usize {
    /// Blocks of this size are compared at once.
    const BLOCK: usize = 4096;
    let blocks = one.chunks_exact(BLOCK).zip(other.chunks_exact(BLOCK)).take_while(|(one, other)| one == other).count();
    let (one, other) = (&one[blocks * BLOCK..], &other[blocks * BLOCK..]);
    blocks * BLOCK + one.iter().zip(other).take_while(|(a, b)| a == b).count()
}
