//! Events of the YAML parser into a tree of nodes: aliases followed, merge keys applied, doubled keys reported.

use std::collections::HashMap;
use std::rc::Rc;

use serde_yaml::granit_parser::{self as yaml, Event, Parser, ScalarStyle, ScanError};
use smol_str::SmolStr;

use super::node::{Entry, Node, Value};
use super::{error, scalar};
use crate::diagnostic::Diagnostic;
use crate::source::{Source, Span, Spanned};
use crate::syntax::tree::Name;

/// How many values aliases may bring in altogether.
const MOST_BY_ALIAS: u64 = 100_000;
/// How deep a tree may become by aliases. The parser itself bounds what is written out.
const DEEPEST: usize = 512;

/// The first document of a text.
#[derive(Debug, Default)]
pub(super) struct Document {
    /// Its value; none when there is none.
    pub(super) root: Option<Rc<Node>>,
    /// Where it stops to be YAML, which has been reported; what came before is there.
    pub(super) broken: Option<Span>,
}

/// Reads the first document.
pub(super) fn read(source: &Source, findings: &mut Vec<Diagnostic>) -> Document {
    let (open, anchors) = (Vec::new(), HashMap::new());
    let mut reader = Reader { source, findings, open, anchors, by_alias: 0, end: 0, document: Document::default() };
    for next in Parser::new_from_str(source.text()) {
        match next {
            Err(error) => {
                reader.refuse(&error);
                break;
            }
            Ok((Event::DocumentStart(..), span)) if reader.document.root.is_some() => {
                let span = reader.span(&span);
                reader.findings.push(error::second_document(span));
                break;
            }
            Ok((event, span)) => reader.take(event, &span),
        }
    }
    reader.document
}

struct Reader<'a> {
    source: &'a Source,
    findings: &'a mut Vec<Diagnostic>,
    open: Vec<Open>,
    anchors: HashMap<usize, Rc<Node>>,
    by_alias: u64,
    /// Where the last value ended.
    end: u32,
    document: Document,
}

/// A list or map that is not closed yet.
struct Open {
    start: Span,
    anchor: usize,
    holder: Holder,
}

enum Holder {
    List(Vec<Rc<Node>>),
    Map { entries: Vec<Entry>, seen: HashMap<SmolStr, Span>, merged: Vec<(Span, Rc<Node>)>, key: Option<Key> },
}

/// A key whose value has not come yet.
enum Key {
    Name(Name),
    Merge(Span),
    /// Not usable, which has been reported.
    Broken,
}

impl Reader<'_> {
    /// The span of an event, white space at its end left out.
    fn span(&self, span: &yaml::Span) -> Span {
        let range = span.byte_range().unwrap_or_default();
        let text = self.source.text().get(range.clone()).unwrap_or_default();
        Span::new(self.source.id(), range.start, range.start + text.trim_end().len())
    }

    fn refuse(&mut self, error: &ScanError) {
        let text = self.source.text();
        let start = error.marker().byte_offset().unwrap_or(0).min(text.len());
        let width = text.get(start..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
        let span = Span::new(self.source.id(), start, start + width);
        self.findings.push(error::not_yaml(span, self.source.position(span.start), &error.info()));
        self.document.broken = Some(span);
        self.abandon(span);
    }

    /// Closes what is open. A map inside another value may lack anything, so nothing is said of it.
    fn abandon(&mut self, at: Span) {
        let nowhere = Span { end: at.start, ..at };
        if self.open.len() > 1 && matches!(self.open.last(), Some(Open { holder: Holder::Map { .. }, .. })) {
            self.open.pop();
            self.place(Rc::new(Node::leaf(Value::Broken, nowhere)), nowhere);
        }
        while !self.open.is_empty() {
            self.close(nowhere);
        }
    }

    fn take(&mut self, event: Event<'_>, span: &yaml::Span) {
        let at = self.span(span);
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let is_text = tag.is_some_and(|tag| tag.core_suffix() == Some("str"));
                let plain = style == ScalarStyle::Plain && !is_text;
                self.scalar(&text, plain, anchor, at);
            }
            Event::SequenceStart(_, anchor, _) => {
                self.open.push(Open { start: at, anchor, holder: Holder::List(Vec::new()) });
            }
            Event::MappingStart(_, anchor, _) => {
                let holder = Holder::Map { entries: Vec::new(), seen: HashMap::new(), merged: Vec::new(), key: None };
                self.open.push(Open { start: at, anchor, holder });
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(at),
            Event::Alias(id) => self.alias(id, at),
            _ => {}
        }
    }

    /// Whether what comes next is a key.
    fn wants_key(&self) -> bool {
        matches!(self.open.last(), Some(Open { holder: Holder::Map { key: None, .. }, .. }))
    }

    fn scalar(&mut self, text: &str, plain: bool, anchor: usize, at: Span) {
        let value = if plain { scalar::plain(text) } else { Value::Text(text.into()) };
        let node = Rc::new(Node::leaf(value, at));
        if anchor > 0 {
            self.anchors.insert(anchor, Rc::clone(&node));
        }
        if !self.wants_key() {
            return self.place(node, at);
        }
        let merges = plain && text == "<<";
        self.set_key(if merges { Key::Merge(at) } else { Key::Name(Spanned::new(text.into(), at)) }, at);
    }

    fn set_key(&mut self, new: Key, at: Span) {
        self.end = at.end;
        if let Some(Open { holder: Holder::Map { key, .. }, .. }) = self.open.last_mut() {
            *key = Some(new);
        }
    }

    fn alias(&mut self, id: usize, at: Span) {
        let node = match self.anchors.get(&id) {
            None => Err(error::endless_alias(at)),
            Some(node) => {
                self.by_alias = self.by_alias.saturating_add(node.size);
                let fits = self.by_alias <= MOST_BY_ALIAS && self.open.len() + node.depth <= DEEPEST;
                if fits { Ok(Rc::clone(node)) } else { Err(error::runaway_alias(at)) }
            }
        };
        let node = node.unwrap_or_else(|finding| {
            self.findings.push(finding);
            Rc::new(Node::leaf(Value::Broken, at))
        });
        self.place(node, at);
    }

    fn close(&mut self, at: Span) {
        let Some(Open { start, anchor, holder }) = self.open.pop() else { return };
        let closed = self.source.slice(at).ends_with([']', '}']);
        let end = if closed { at.end } else { self.end.max(start.start) };
        let span = Span { end, ..start };
        let value = match holder {
            Holder::List(nodes) => Value::List(nodes),
            Holder::Map { entries, seen, merged, .. } => Value::Map(self.merge(entries, seen, merged)),
        };
        let node = Rc::new(Node::branch(value, span));
        if anchor > 0 {
            self.anchors.insert(anchor, Rc::clone(&node));
        }
        self.place(node, span);
    }

    /// Puts a finished value where it belongs; `at` is where it is written, which for an alias is not its own place.
    fn place(&mut self, node: Rc<Node>, at: Span) {
        self.end = at.end;
        let Some(open) = self.open.last_mut() else {
            self.document.root = Some(node);
            return;
        };
        match &mut open.holder {
            Holder::List(nodes) => nodes.push(node),
            Holder::Map { entries, seen, merged, key } => match key.take() {
                Some(Key::Name(name)) => {
                    if let Some(&first) = seen.get(&name.node) {
                        self.findings.push(error::said_twice("key", &name, first));
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

    /// The key that a whole value makes: the text behind an alias, or nothing usable.
    fn key_of(&mut self, node: &Node, at: Span) -> Key {
        if let Some(text) = node.text() {
            return Key::Name(Spanned::new(text.clone(), at));
        }
        if !node.is_broken() {
            self.findings.push(error::wrong_type(at, "a key", "a string", node.noun()));
        }
        Key::Broken
    }

    /// The entries of a map with those of its merged maps behind them; what is there already wins.
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
