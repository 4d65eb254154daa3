//! Builds a tree of nodes from the events of the YAML parser.
//!
//! Aliases are resolved, merge keys applied and duplicate keys reported. Deserializing typed values through serde would not
//! do: it stops at the first error, so that the effects before a syntax error would be lost and no further problem would
//! be found; its spans cover only the first token of a list or a map; and it reads `0.8` as a binary float.

use std::collections::HashMap;
use std::rc::Rc;

use serde_yaml::granit_parser::{self as yaml, Event, Parser, ScalarStyle, ScanError};
use smol_str::SmolStr;
use trimtab_base::diagnostic::Diagnostic;
use trimtab_base::source::{Source, Span, Spanned};

use super::node::{Entry, Node, Value};
use super::{error, scalar};
use crate::syntax::tree::Name;

/// The maximum number of values that aliases may add in total.
const MAX_ALIASED: u64 = 100_000;
/// The maximum depth of a tree with aliases. The parser itself limits the depth of a document without them.
const MAX_DEPTH: usize = 512;

/// The first document of a source.
#[derive(Debug, Default)]
pub(super) struct Document {
    /// Its value, if there is one.
    pub(super) root: Option<Rc<Node>>,
    /// The place of a syntax error, which is already reported. The values before it are in the tree.
    pub(super) broken: Option<Span>,
}

/// Reads the first document.
pub(super) fn read(source: &Source, findings: &mut Vec<Diagnostic>) -> Document {
    let (open, anchors) = (Vec::new(), HashMap::new());
    let mut reader = Reader { source, findings, open, anchors, aliased: 0, end: 0, document: Document::default() };
    for next in Parser::new_from_str(source.text()) {
        match next {
            Err(error) => {
                reader.syntax_error(&error);
                break;
            }
            Ok((Event::DocumentStart(..), span)) if reader.document.root.is_some() => {
                let span = reader.span(&span);
                reader.findings.push(error::second_document(span));
                break;
            }
            Ok((event, span)) => reader.event(event, &span),
        }
    }
    reader.document
}

struct Reader<'a> {
    source: &'a Source,
    findings: &'a mut Vec<Diagnostic>,
    open: Vec<Open>,
    anchors: HashMap<usize, Rc<Node>>,
    aliased: u64,
    /// The end of the last value.
    end: u32,
    document: Document,
}

/// A list or map that is not complete yet.
struct Open {
    start: Span,
    anchor: usize,
    content: Content,
}

enum Content {
    List(Vec<Rc<Node>>),
    Map { entries: Vec<Entry>, seen: HashMap<SmolStr, Span>, merged: Vec<(Span, Rc<Node>)>, key: Option<Key> },
}

/// A key that still needs its value.
enum Key {
    Name(Name),
    Merge(Span),
    /// A key with an error that is already reported.
    Broken,
}

impl Reader<'_> {
    /// The span of an event without trailing white space.
    fn span(&self, span: &yaml::Span) -> Span {
        let range = span.byte_range().unwrap_or_default();
        let text = self.source.text().get(range.clone()).unwrap_or_default();
        Span::new(self.source.id(), range.start, range.start + text.trim_end().len())
    }

    fn syntax_error(&mut self, error: &ScanError) {
        let text = self.source.text();
        let start = error.marker().byte_offset().unwrap_or(0).min(text.len());
        let width = text.get(start..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
        let span = Span::new(self.source.id(), start, start + width);
        self.findings.push(error::not_yaml(span, self.source.position(span.start), &error.info()));
        self.document.broken = Some(span);
        self.close_all(span);
    }

    /// Completes all open lists and maps. An incomplete map inside another value becomes broken, so that no missing key is
    /// reported.
    fn close_all(&mut self, at: Span) {
        let nowhere = Span { end: at.start, ..at };
        if self.open.len() > 1 && matches!(self.open.last(), Some(Open { content: Content::Map { .. }, .. })) {
            self.open.pop();
            self.add(Rc::new(Node::leaf(Value::Broken, nowhere)), nowhere);
        }
        while !self.open.is_empty() {
            self.close(nowhere);
        }
    }

    fn event(&mut self, event: Event<'_>, span: &yaml::Span) {
        let at = self.span(span);
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let is_text = tag.is_some_and(|tag| tag.core_suffix() == Some("str"));
                let plain = style == ScalarStyle::Plain && !is_text;
                self.scalar(&text, plain, anchor, at);
            }
            Event::SequenceStart(_, anchor, _) => {
                self.open.push(Open { start: at, anchor, content: Content::List(Vec::new()) });
            }
            Event::MappingStart(_, anchor, _) => {
                let content = Content::Map { entries: Vec::new(), seen: HashMap::new(), merged: Vec::new(), key: None };
                self.open.push(Open { start: at, anchor, content });
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(at),
            Event::Alias(id) => self.alias(id, at),
            _ => {}
        }
    }

    /// Whether the next value is a key.
    fn expects_key(&self) -> bool {
        matches!(self.open.last(), Some(Open { content: Content::Map { key: None, .. }, .. }))
    }

    fn scalar(&mut self, text: &str, plain: bool, anchor: usize, at: Span) {
        let value = if plain { scalar::plain(text) } else { Value::Text(text.into()) };
        let node = Rc::new(Node::leaf(value, at));
        if anchor > 0 {
            self.anchors.insert(anchor, Rc::clone(&node));
        }
        if !self.expects_key() {
            return self.add(node, at);
        }
        let merges = plain && text == "<<";
        self.set_key(if merges { Key::Merge(at) } else { Key::Name(Spanned::new(text.into(), at)) }, at);
    }

    fn set_key(&mut self, new: Key, at: Span) {
        self.end = at.end;
        if let Some(Open { content: Content::Map { key, .. }, .. }) = self.open.last_mut() {
            *key = Some(new);
        }
    }

    fn alias(&mut self, id: usize, at: Span) {
        let node = match self.anchors.get(&id) {
            None => Err(error::endless_alias(at)),
            Some(node) => {
                self.aliased = self.aliased.saturating_add(node.size);
                let fits = self.aliased <= MAX_ALIASED && self.open.len() + node.depth <= MAX_DEPTH;
                if fits { Ok(Rc::clone(node)) } else { Err(error::runaway_alias(at)) }
            }
        };
        let node = node.unwrap_or_else(|finding| {
            self.findings.push(finding);
            Rc::new(Node::leaf(Value::Broken, at))
        });
        self.add(node, at);
    }

    fn close(&mut self, at: Span) {
        let Some(Open { start, anchor, content }) = self.open.pop() else { return };
        let closed = self.source.slice(at).ends_with([']', '}']);
        let end = if closed { at.end } else { self.end.max(start.start) };
        let span = Span { end, ..start };
        let value = match content {
            Content::List(nodes) => Value::List(nodes),
            Content::Map { entries, seen, merged, .. } => Value::Map(self.merge(entries, seen, merged)),
        };
        let node = Rc::new(Node::branch(value, span));
        if anchor > 0 {
            self.anchors.insert(anchor, Rc::clone(&node));
        }
        self.add(node, span);
    }

    /// Adds a complete value to the innermost list or map. `at` is where it is written, which differs from its span for an
    /// alias.
    fn add(&mut self, node: Rc<Node>, at: Span) {
        self.end = at.end;
        let Some(open) = self.open.last_mut() else {
            self.document.root = Some(node);
            return;
        };
        match &mut open.content {
            Content::List(nodes) => nodes.push(node),
            Content::Map { entries, seen, merged, key } => match key.take() {
                Some(Key::Name(name)) => {
                    if let Some(&first) = seen.get(&name.node) {
                        self.findings.push(error::duplicate("key", &name, first));
                    } else {
                        seen.insert(name.node.clone(), name.span);
                        entries.push(Entry { key: name, value: node });
                    }
                }
                Some(Key::Merge(span)) => merged.push((span, node)),
                Some(Key::Broken) => {}
                None => {
                    let new = self.key_of(&node, at);
                    self.set_key(new, at);
                }
            },
        }
    }

    /// The key for a value that is not a plain scalar: the text of an alias; anything else is an error.
    fn key_of(&mut self, node: &Node, at: Span) -> Key {
        if let Some(text) = node.text() {
            return Key::Name(Spanned::new(text.clone(), at));
        }
        if !node.is_broken() {
            self.findings.push(error::wrong_type(at, "a key", "a string", node.noun()));
        }
        Key::Broken
    }

    /// The entries of a map, followed by those of its merged maps; earlier keys take precedence.
    fn merge(
        &mut self,
        mut entries: Vec<Entry>,
        mut seen: HashMap<SmolStr, Span>,
        merged: Vec<(Span, Rc<Node>)>,
    ) -> Vec<Entry> {
        for (at, node) in merged {
            let maps = match &node.value {
                Value::List(nodes) => nodes.as_slice(),
                _ => std::slice::from_ref(&node),
            };
            for map in maps {
                if !matches!(map.value, Value::Map(_) | Value::Broken) {
                    self.findings.push(error::wrong_type(at, "`<<`", "a map or a list of maps", map.noun()));
                }
                for entry in map.entries() {
                    if seen.insert(entry.key.node.clone(), entry.key.span).is_none() {
                        entries.push(entry.clone());
                    }
                }
            }
        }
        entries
    }
}
