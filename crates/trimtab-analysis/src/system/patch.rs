//! Changes options in the text of a settings file. Everything else stays as it is, byte for byte.

mod insert;
mod json;
mod literal;
mod place;
mod toml;
mod yaml;

use std::rc::Rc;

use serde_json::Value as Json;
use trimtab_base::diagnostic::TextEdit;
use trimtab_base::source::{Source, slice, starting_at};
use trimtab_syntax::syntax::yaml::node::Node;

use super::descriptor::System;
use super::document::{self, find, has_same_values, path_of, with_value};
use super::setting::Setting;
use super::syntax::Syntax;

/// Values of options, which the file may lack or set to other values.
pub(super) type Assignment = Vec<(&'static Setting, Json)>;

/// A name for a new file.
pub(super) fn file_name(system: &System) -> String {
    match system.syntax {
        Syntax::Json => "settings.json",
        Syntax::Toml => "settings.toml",
        Syntax::Yaml => "settings.yaml",
    }
    .to_owned()
}

/// The text with these values.
///
/// # Errors
/// The text has a syntax error, or no place for an option.
pub(super) fn patched(file: &Source, system: &System, assignment: &Assignment) -> Result<String, String> {
    let mut text = file.text().to_owned();
    for (setting, value) in assignment {
        text = with_option(&Source::new(file.id(), file.name(), text), system, setting, value)?;
        let inside = |part: &&(&str, &str)| setting.key.strip_prefix(part.0).is_some_and(|rest| rest.starts_with('.'));
        if let Some((part, kind)) = system.typed_parts.iter().find(inside) {
            text = with_type(&Source::new(file.id(), file.name(), text), system, part, kind)?;
        }
    }
    Ok(text)
}

/// The text with a `type` in a part of the settings, unless the part has one.
fn with_type(source: &Source, system: &System, part: &str, kind: &str) -> Result<String, String> {
    let root = tree(source, system.syntax)?;
    let key = format!("{part}.type");
    let is_there = root.as_ref().is_some_and(|root| !find(&document::with_block(root, system), &key).is_empty());
    if is_there { Ok(source.text().to_owned()) } else { with_key(source, system, &key, &Json::from(kind)) }
}

/// The text with a value of one option. An option that has this value already stays as it is written.
fn with_option(source: &Source, system: &System, setting: &Setting, value: &Json) -> Result<String, String> {
    let root = tree(source, system.syntax)?;
    let key = match root.as_ref().map(|root| document::with_block(root, system)) {
        Some(root) => path_of(&root, setting),
        None => setting.key,
    };
    with_key(source, system, key, value)
}

/// The text with a value at a path.
fn with_key(source: &Source, system: &System, key: &str, value: &Json) -> Result<String, String> {
    let root = tree(source, system.syntax)?;
    let is_block = root.as_ref().is_some_and(|root| document::is_block(root, system));
    let value = written(system, key, value);
    let key =
        if is_block { key.strip_prefix(system.block).map_or(key, |key| key.trim_start_matches('.')) } else { key };
    let nowhere = || format!("the file has no place for `{key}`");
    let wanted = with_value(root.as_ref(), key, &value, source.span()).ok_or_else(nowhere)?;
    if root.as_ref().is_some_and(|root| has_same_values(root, &wanted)) {
        return Ok(source.text().to_owned());
    }
    let candidates = match root.as_ref().map(|root| find(root, key)).unwrap_or_default().first() {
        Some(place) => vec![vec![TextEdit { span: place.node.span, text: literal::value(&value, system.syntax) }]],
        None => insert::candidates(source, root.as_ref(), system.syntax, key, &value),
    };
    let texts = candidates.iter().map(|edits| edited(source, edits));
    // The option is written at the first possible place where no other value changes. There is no such place if the
    // value is shared, such as by an anchor in YAML.
    let has_wanted_values = |text: &String| {
        let changed = tree(&Source::new(source.id(), source.name(), text.as_str()), system.syntax);
        changed.ok().flatten().is_some_and(|root| has_same_values(&root, &wanted))
    };
    texts
        .into_iter()
        .find(has_wanted_values)
        .ok_or_else(|| format!("`{key}` cannot be written without a change of other values"))
}

/// The tree of a file.
fn tree(source: &Source, syntax: Syntax) -> Result<Option<Rc<Node>>, String> {
    let (root, errors) = document::read(source, syntax);
    match errors.first() {
        Some(error) => {
            let place = source.position(error.primary.span.start);
            Err(format!("{}:{}:{}: {}", source.name(), place.line, place.column, error.message))
        }
        None => Ok(root),
    }
}

/// A value as it is written in the file: in an environment, as a string.
fn written(system: &System, key: &str, value: &Json) -> Json {
    let has_strings = system.sections.iter().any(|section| {
        section.has_strings && !section.path.is_empty() && key.starts_with(&format!("{}.", section.path))
    });
    if has_strings && !value.is_string() { Json::String(literal::plain(value)) } else { value.clone() }
}

/// The text with edits that do not overlap, in the order of the text.
fn edited(source: &Source, edits: &[TextEdit]) -> String {
    let (mut out, mut end) = (String::with_capacity(source.text().len() + 64), 0);
    for edit in edits {
        let range = edit.span.range();
        out += slice(source.text(), end..range.start);
        out += &edit.text;
        end = range.end;
    }
    out + starting_at(source.text(), end)
}
