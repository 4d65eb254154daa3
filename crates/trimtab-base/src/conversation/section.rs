//! Named sections of the system prompt, which a policy can leave out of a request.
//!
//! A section is a system message whose recorded `name` is given, or a block of a system message: from a line that begins
//! with `<NAME>` to the next `</NAME>`.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use smol_str::SmolStr;

use super::Conversation;
use super::entry::Entry;
use super::message::{Body, Message};

/// A block `<NAME>…</NAME>` of a text.
#[derive(Debug, PartialEq, Eq)]
struct Section<'a> {
    name: &'a str,
    /// Its place with the line breaks after it.
    span: Range<usize>,
}

/// The blocks of a text in order. A block inside another one is not found.
fn sections(text: &str) -> Vec<Section<'_>> {
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        if let Some((name, length)) = section(rest) {
            let breaks = rest.bytes().skip(length).take_while(|byte| *byte == b'\n').count();
            let end = length + breaks;
            found.push(Section { name, span: at..at + end });
            at += end;
        } else {
            at += rest.find('\n').map_or(rest.len(), |end| end + 1);
        }
    }
    found
}

/// The name and the length of the block at the start of a text.
fn section(text: &str) -> Option<(&str, usize)> {
    let (name, _) = text.strip_prefix('<')?.split_once('>')?;
    let is_part = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-' | '.');
    if !name.starts_with(|char: char| char.is_ascii_alphabetic() || char == '_') || !name.chars().all(is_part) {
        return None;
    }
    let end = format!("</{name}>");
    let length = text.find(&end)? + end.len();
    Some((name, length))
}

impl Message {
    /// The name that the recording or the client gave a system message.
    fn section_name(&self) -> Option<&str> {
        self.extra.get("name")?.as_str()
    }

    /// The names of the sections in it.
    pub(super) fn section_names(&self) -> Vec<&str> {
        let texts = self.parts.iter().filter_map(|part| match &part.body {
            Body::Text(text) => Some(text),
            _ => None,
        });
        let blocks = texts.flat_map(|text| sections(text).into_iter().map(|section| section.name));
        self.section_name().into_iter().chain(blocks).collect()
    }
}

impl Entry {
    /// The message without the sections that are not shown. It is the same if it has none of them, and
    /// [`WithSections::Nothing`] if nothing is left.
    pub(super) fn with_sections(&self, is_shown: impl Fn(&str) -> bool) -> WithSections {
        if self.message.section_name().is_some_and(|name| !is_shown(name)) {
            return WithSections::Nothing;
        }
        let mut changed: Option<Self> = None;
        for at in (0..self.message.parts.len()).rev() {
            let Body::Text(text) = &self.message.parts[at].body else { continue };
            let hidden = sections(text).into_iter().filter(|section| !is_shown(section.name));
            let spans: Vec<Range<usize>> = hidden.map(|section| section.span).collect();
            if spans.is_empty() {
                continue;
            }
            let left = without(text, &spans);
            let body = (!left.trim().is_empty()).then(|| Body::Text(left.trim_end().into()));
            let level = self.message.parts[at].level;
            changed.get_or_insert_with(|| self.clone()).set_part(at, body, level, 0);
        }
        match changed {
            None => WithSections::Same,
            Some(entry) if entry.message.parts.is_empty() => WithSections::Nothing,
            Some(entry) => WithSections::Changed(Box::new(entry)),
        }
    }
}

/// What is left of a system message.
#[derive(Clone, Debug)]
pub(super) enum WithSections {
    /// All of it.
    Same,
    /// Some of its sections.
    Changed(Box<Entry>),
    /// Nothing.
    Nothing,
}

fn without(text: &Arc<str>, spans: &[Range<usize>]) -> String {
    let mut left = text.as_ref().to_owned();
    for span in spans.iter().rev() {
        left.replace_range(span.clone(), "");
    }
    left
}

impl Conversation {
    /// The names of the sections of the system prompt.
    pub fn section_names(&self) -> &BTreeSet<SmolStr> {
        let names = |entry: &Entry| entry.message.section_names().into_iter().map(SmolStr::from).collect::<Vec<_>>();
        self.sections.get_or_init(|| self.entries[..self.prompt_len()].iter().flat_map(names).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::{Bytes, Conversation, Role};

    fn names(text: &str) -> Vec<&str> {
        sections(text).into_iter().map(|section| section.name).collect()
    }

    #[test]
    fn a_section_begins_at_a_line_and_ends_with_its_name() {
        assert_eq!(names("<role>\nx\n</role>\n\n<extra-1>y</extra-1>\nrest"), ["role", "extra-1"]);
        assert_eq!(names("a <role>x</role>\n<open>\n<1>x</1>\n< b>x</ b>"), [""; 0]);
        assert_eq!(names("<a><b>x</b></a>\n<é>x</é>\n<_>y</_>"), ["a", "_"]);
    }

    #[test]
    fn hidden_sections_are_taken_out_and_the_others_keep_their_bytes() {
        let mut conversation = Conversation::default();
        let text = "Hello.\n<role>\nx\n</role>\n\n<extra>\ny\n</extra>\nEnd.\n";
        conversation.push(Message::text(Role::System, text), &Bytes);
        let entry = &conversation.entries()[0];
        let left = |hidden: &'static [&'static str]| entry.with_sections(|name| !hidden.contains(&name));
        assert!(matches!(left(&["other"]), WithSections::Same));
        let WithSections::Changed(changed) = left(&["extra"]) else { unreachable!("a section is hidden") };
        assert_eq!(changed.message.plain_text(), "Hello.\n<role>\nx\n</role>\n\nEnd.");
        conversation.push(Message::text(Role::System, "<role>\nx\n</role>"), &Bytes);
        let entry = &conversation.entries()[1];
        assert!(matches!(entry.with_sections(|_| false), WithSections::Nothing));
        assert_eq!(entry.message.section_names(), ["role"]);
    }
}
