//! JSON with comments and trailing commas, as a tree of places in the text.

use std::ops::Range;

use serde_json::Value as Json;

use super::SettingsError;

/// The maximum nesting depth of containers.
const MAX_DEPTH: usize = 100;

/// A value in a text.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// Its bytes.
    pub(super) span: Range<usize>,
    kind: Kind,
    /// The fields of an object, or the elements of an array.
    pub(super) children: Vec<Child>,
}

/// A field or an element.
#[derive(Clone, Debug)]
pub(super) struct Child {
    /// The bytes of its key, if it has one, and its value.
    pub(super) span: Range<usize>,
    pub(super) key: Option<String>,
    pub(super) value: Node,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    Object,
    Array,
    String(String),
    Other,
}

impl Node {
    /// The value of a text.
    pub(super) fn parse(text: &str) -> Result<Self, SettingsError> {
        let mut parser = Parser { text, at: 0 };
        if text.starts_with('\u{feff}') {
            parser.at = '\u{feff}'.len_utf8();
        }
        let root = parser.value(0).and_then(|root| parser.space().map(|()| root));
        match root {
            Some(root) if parser.at == text.len() => Ok(root),
            _ => {
                let before = text.as_bytes().iter().take(parser.at);
                Err(SettingsError::Syntax(before.filter(|byte| **byte == b'\n').count() + 1))
            }
        }
    }

    /// The value without comments and trailing commas.
    pub(super) fn value(&self, text: &str) -> Json {
        match &self.kind {
            Kind::Object => {
                let fields =
                    self.children.iter().map(|child| (child.key.clone().unwrap_or_default(), child.value.value(text)));
                Json::Object(fields.collect())
            }
            Kind::Array => self.children.iter().map(|child| child.value.value(text)).collect(),
            Kind::String(string) => string.as_str().into(),
            Kind::Other => {
                text.get(self.span.clone()).and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
            }
        }
    }

    pub(super) fn is_object(&self) -> bool {
        self.kind == Kind::Object
    }

    pub(super) fn is_array(&self) -> bool {
        self.kind == Kind::Array
    }

    pub(super) fn string(&self) -> Option<&str> {
        if let Kind::String(text) = &self.kind { Some(text) } else { None }
    }

    /// The index of a field.
    pub(super) fn position(&self, key: &str) -> Option<usize> {
        self.children.iter().position(|child| child.key.as_deref() == Some(key))
    }

    pub(super) fn field(&self, key: &str) -> Option<&Self> {
        self.position(key).map(|at| &self.children[at].value)
    }

    /// The field with a key that occurs at most once.
    pub(super) fn only_field(&self, key: &str) -> Result<Option<&Self>, SettingsError> {
        if self.children.iter().filter(|child| child.key.as_deref() == Some(key)).count() > 1 {
            return Err(SettingsError::Repeated(key.to_owned()));
        }
        Ok(self.field(key))
    }
}

/// Reads from an offset on. After an error, `at` is its offset.
struct Parser<'t> {
    text: &'t str,
    at: usize,
}

impl Parser<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn next(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Skips a byte if it is the next one.
    fn skip(&mut self, byte: u8) -> bool {
        let is_next = self.next() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    /// Skips white space and comments.
    fn space(&mut self) -> Option<()> {
        loop {
            if matches!(self.next(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
                self.at += 1;
            } else if self.rest().starts_with("//") {
                self.at += self.rest().find('\n').unwrap_or(self.rest().len());
            } else if self.rest().starts_with("/*") {
                self.at += self.rest().find("*/")? + 2;
            } else {
                return Some(());
            }
        }
    }

    fn value(&mut self, depth: usize) -> Option<Node> {
        self.space()?;
        let start = self.at;
        let (kind, children) = match self.next().filter(|_| depth < MAX_DEPTH)? {
            b'{' => (Kind::Object, self.children(b'}', depth, true)?),
            b'[' => (Kind::Array, self.children(b']', depth, false)?),
            b'"' => (Kind::String(self.string()?), Vec::new()),
            _ => {
                self.scalar()?;
                (Kind::Other, Vec::new())
            }
        };
        Some(Node { span: start..self.at, kind, children })
    }

    fn children(&mut self, end: u8, depth: usize, has_keys: bool) -> Option<Vec<Child>> {
        self.at += 1;
        let mut children = Vec::new();
        loop {
            self.space()?;
            if self.skip(end) {
                return Some(children);
            }
            let start = self.at;
            let key = if has_keys { Some(self.key()?) } else { None };
            let value = self.value(depth + 1)?;
            children.push(Child { span: start..self.at, key, value });
            self.space()?;
            if !self.skip(b',') && self.next() != Some(end) {
                return None;
            }
        }
    }

    fn key(&mut self) -> Option<String> {
        let key = (self.next() == Some(b'"')).then(|| self.string())??;
        self.space()?;
        self.skip(b':').then_some(key)
    }

    fn string(&mut self) -> Option<String> {
        let bytes = self.rest().as_bytes();
        let mut end = 1;
        while *bytes.get(end)? != b'"' {
            end += if bytes[end] == b'\\' { 2 } else { 1 };
        }
        let text = serde_json::from_str(self.rest().get(..=end)?).ok()?;
        self.at += end + 1;
        Some(text)
    }

    /// Skips a number, `true`, `false` or `null`.
    fn scalar(&mut self) -> Option<()> {
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '+' | '.');
        let length = self.rest().find(|c| !is_part(c)).unwrap_or(self.rest().len());
        serde_json::from_str::<serde_json::Value>(self.rest().get(..length)?).ok()?;
        self.at += length;
        Some(())
    }
}
