//! Where the values of a JSON text are, and how one is replaced without touching the bytes of the others.
//!
//! The text must be valid JSON. Nothing here recurses, so that values may nest to any depth.

use std::ops::Range;

use trimtab_recordings::transcript::api;

/// A range of bytes of a text.
pub(super) type Span = Range<usize>;

/// A value in a JSON text.
#[derive(Clone, Debug)]
pub(super) struct Node<'a> {
    text: &'a str,
    pub(super) span: Span,
}

/// A field of an object.
#[derive(Clone, Debug)]
pub(super) struct Field<'a> {
    pub(super) key: String,
    /// The place of key and value.
    pub(super) span: Span,
    pub(super) value: Node<'a>,
}

/// An item of a new list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Slot {
    /// The old item at this index.
    Keep(usize),
    /// Another text in place of the old item at this index.
    Changed(usize, String),
    /// A new item.
    New(String),
}

impl<'a> Node<'a> {
    /// The value of a whole text.
    pub(super) fn of(text: &'a str) -> Self {
        Self::starting_after(text, 0)
    }

    /// The value at this place.
    pub(super) const fn at(text: &'a str, span: Span) -> Self {
        Self { text, span }
    }

    /// The first value after an offset.
    fn starting_after(text: &'a str, offset: usize) -> Self {
        let start = skip_space(text, offset);
        Self { text, span: start..value_end(text.as_bytes(), start) }
    }

    /// The text of the value.
    pub(super) fn raw(&self) -> &'a str {
        slice(self.text, &self.span)
    }

    pub(super) fn is_string(&self) -> bool {
        self.raw().starts_with('"')
    }

    pub(super) fn is_array(&self) -> bool {
        self.raw().starts_with('[')
    }

    pub(super) fn is_object(&self) -> bool {
        self.raw().starts_with('{')
    }

    pub(super) fn is_null(&self) -> bool {
        self.raw() == "null"
    }

    /// Returns the text of a string, or `None` for any other value and for a string with a lone surrogate.
    pub(super) fn string(&self) -> Option<String> {
        self.is_string().then(|| serde_json::from_str(self.raw()).ok())?
    }

    /// The elements of an array; empty for any other value.
    pub(super) fn elements(&self) -> Vec<Self> {
        let (mut elements, mut at) = (Vec::new(), self.first_item('['));
        while let Some(start) = at {
            let element = Self::starting_after(self.text, start);
            at = self.next_item(element.span.end);
            elements.push(element);
        }
        elements
    }

    /// The fields of an object; empty for any other value.
    pub(super) fn fields(&self) -> Vec<Field<'a>> {
        let (mut fields, mut at) = (Vec::new(), self.first_item('{'));
        while let Some(start) = at {
            let key = Self::starting_after(self.text, start);
            let colon = skip_space(self.text, key.span.end);
            let value = Self::starting_after(self.text, colon + 1);
            at = self.next_item(value.span.end);
            let span = key.span.start..value.span.end;
            fields.push(Field { key: key.string().unwrap_or_default(), span, value });
        }
        fields
    }

    /// The offset of the value of the first field with a key. Fields before it are read, the value is not.
    pub(super) fn value_offset(&self, key: &str) -> Option<usize> {
        let mut at = self.first_item('{');
        while let Some(start) = at {
            let name = Self::starting_after(self.text, start);
            let colon = skip_space(self.text, name.span.end);
            if name.string().is_some_and(|name| name == key) {
                return Some(skip_space(self.text, colon + 1));
            }
            at = self.next_item(Self::starting_after(self.text, colon + 1).span.end);
        }
        None
    }

    /// The value of the first field with a key. What follows it is not read.
    pub(super) fn field_from(&self, key: &str) -> Option<Self> {
        Some(Self::starting_after(self.text, self.value_offset(key)?))
    }

    /// The value of a field other than `null`. Of several with the same key, the last one counts.
    pub(super) fn get(&self, key: &str) -> Option<Self> {
        let field = self.fields().into_iter().rfind(|field| field.key == key)?;
        Some(field.value).filter(|value| !value.is_null())
    }

    /// The text of a string field.
    pub(super) fn get_string(&self, key: &str) -> Option<String> {
        self.get(key)?.string()
    }

    /// The offset of the first item of a list that opens with a bracket.
    fn first_item(&self, bracket: char) -> Option<usize> {
        let first = self.raw().starts_with(bracket).then(|| skip_space(self.text, self.span.start + 1))?;
        (first + 1 < self.span.end).then_some(first)
    }

    /// The offset after the comma that follows an item.
    fn next_item(&self, end: usize) -> Option<usize> {
        let comma = skip_space(self.text, end);
        (self.text.as_bytes().get(comma) == Some(&b',') && comma < self.span.end).then_some(comma + 1)
    }

    /// The array with other items. Items that are kept keep their bytes and the white space before them.
    pub(super) fn with_items(&self, items: &[Span], slots: &[Slot]) -> String {
        let (open, close) = match items {
            [] => (self.span.start..self.span.start + 1, self.span.start + 1..self.span.end),
            [first, ..] => (self.span.start..first.start, items[items.len() - 1].end..self.span.end),
        };
        let mut out = slice(self.text, &open).to_owned();
        for (place, slot) in slots.iter().enumerate() {
            if place > 0 {
                out += match slot {
                    Slot::Keep(at) | Slot::Changed(at, _) if *at > 0 => {
                        slice(self.text, &(items[at - 1].end..items[*at].start))
                    }
                    _ => ",",
                };
            }
            out += match slot {
                Slot::Keep(at) => slice(self.text, &items[*at]),
                Slot::Changed(_, text) | Slot::New(text) => text,
            };
        }
        out + slice(self.text, &close)
    }

    /// The object with other values of some fields. A field with the value none is removed, a missing one is added.
    pub(super) fn with_fields(&self, values: &[(&str, Option<String>)]) -> String {
        let fields = self.fields();
        let last = |key: &str| fields.iter().rposition(|field| field.key == key);
        let mut slots = Vec::new();
        for (at, field) in fields.iter().enumerate() {
            match values.iter().find(|(key, _)| *key == field.key) {
                Some((_, None)) => {}
                Some((key, Some(value))) if last(key) == Some(at) => {
                    let key = slice(self.text, &(field.span.start..field.value.span.start));
                    slots.push(Slot::Changed(at, format!("{key}{value}")));
                }
                _ => slots.push(Slot::Keep(at)),
            }
        }
        for (key, value) in values {
            if let (Some(value), None) = (value, last(key)) {
                slots.push(Slot::New(format!("{}:{value}", literal(key))));
            }
        }
        let items: Vec<Span> = fields.into_iter().map(|field| field.span).collect();
        self.with_items(&items, &slots)
    }
}

/// A text as a JSON string.
pub(super) fn literal(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The text with another text at a place.
pub(super) fn replaced(text: &str, span: &Span, new: &str) -> String {
    [slice(text, &(0..span.start)), new, slice(text, &(span.end..text.len()))].concat()
}

/// A part of a text.
pub(super) fn slice<'a>(text: &'a str, span: &Span) -> &'a str {
    text.get(span.clone()).unwrap_or_default()
}

fn skip_space(text: &str, from: usize) -> usize {
    let rest = text.as_bytes().get(from..).unwrap_or_default();
    from + rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count()
}

/// The offset after the value that starts at an offset.
fn value_end(json: &[u8], start: usize) -> usize {
    let (mut depth, mut at) = (0_usize, start);
    while let Some(byte) = json.get(at) {
        match byte {
            b'"' => at = api::string_end(json, at),
            b'[' | b'{' => depth += 1,
            b']' | b'}' if depth > 0 => depth -= 1,
            b']' | b'}' | b',' | b':' | b' ' | b'\n' | b'\r' | b'\t' if depth == 0 => return at,
            _ => {}
        }
        at += 1;
        if depth == 0 && matches!(byte, b'"' | b']' | b'}') {
            return at;
        }
    }
    json.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = " { \"a\" : [1 , \"x\\\"]\" ,{\"b\":[]}, true ] ,\n\"c\":null, \"a\":{ } } ";

    #[test]
    fn the_places_of_all_values_are_found() {
        let node = Node::of(TEXT);
        let fields: Vec<_> = node.fields().into_iter().map(|field| (field.key, field.value.raw())).collect();
        assert_eq!(fields[0], ("a".to_owned(), "[1 , \"x\\\"]\" ,{\"b\":[]}, true ]"));
        assert_eq!(fields[1..], [("c".to_owned(), "null"), ("a".to_owned(), "{ }")]);
        let elements = node.fields()[0].value.elements();
        assert_eq!(elements.iter().map(Node::raw).collect::<Vec<_>>(), ["1", "\"x\\\"]\"", "{\"b\":[]}", "true"]);
        assert_eq!(node.get("a").expect("the last one").raw(), "{ }");
        assert!(node.get("c").is_none() && Node::of("[ ]").elements().is_empty() && Node::of("{}").fields().is_empty());
    }

    #[test]
    fn a_removed_item_goes_with_its_comma() {
        let node = Node::of("[ 1,  2 , 3 ]");
        let items: Vec<Span> = node.elements().into_iter().map(|item| item.span).collect();
        let rebuilt = |slots: &[Slot]| node.with_items(&items, slots);
        assert_eq!(rebuilt(&[Slot::Keep(0), Slot::Keep(1), Slot::Keep(2)]), "[ 1,  2 , 3 ]");
        assert_eq!(rebuilt(&[Slot::Keep(0), Slot::Keep(2)]), "[ 1 , 3 ]");
        assert_eq!(rebuilt(&[Slot::Keep(2)]), "[ 3 ]");
        assert_eq!(rebuilt(&[Slot::New("0".into()), Slot::Keep(0), Slot::Changed(1, "x".into())]), "[ 0,1,  x ]");
        assert_eq!(Node::of("[ ]").with_items(&[], &[Slot::New("1".into())]), "[1 ]");
    }

    #[test]
    fn fields_are_replaced_removed_and_added() {
        let node = Node::of(r#"{ "a" : 1, "b":2 , "a":3}"#);
        assert_eq!(node.with_fields(&[("a", Some("9".into()))]), r#"{ "a" : 1, "b":2 , "a":9}"#);
        assert_eq!(node.with_fields(&[("a", None), ("c", Some("4".into()))]), r#"{ "b":2,"c":4}"#);
    }
}
