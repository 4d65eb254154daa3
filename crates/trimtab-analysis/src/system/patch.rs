//! Changes options in the text of a settings file: only the values concerned, everything else byte for byte.

mod insert;
mod literal;

use serde_json::Value as Json;
use trimtab_base::diagnostic::TextEdit;
use trimtab_base::source::{Source, slice, starting_at};

use super::descriptor::System;
use super::document::{self, find};
use super::setting::Setting;
use super::syntax::Syntax;

/// Values of options, which may be none of those that the file has.
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
        text = with_option(&Source::new(file.id(), file.name(), text), system, setting.key, value)?;
    }
    Ok(text)
}

/// The text with a value of one option.
fn with_option(source: &Source, system: &System, key: &str, value: &Json) -> Result<String, String> {
    let (root, errors) = document::read(source, system.syntax);
    if let Some(error) = errors.first() {
        return Err(error.message.clone());
    }
    let is_block = !system.block.is_empty()
        && root.as_ref().is_some_and(|root| !root.entries().is_empty() && root.get(system.block).is_none());
    let key = if is_block {
        key.strip_prefix(system.block).and_then(|key| key.strip_prefix('.')).unwrap_or(key)
    } else {
        key
    };
    let written = root.as_ref().map(|root| find(root, key)).unwrap_or_default();
    let as_string = system.sections.iter().any(|section| {
        section.has_strings && !section.path.is_empty() && key.starts_with(&format!("{}.", section.path))
    });
    let value = if as_string && !value.is_string() { Json::String(literal::plain(value)) } else { value.clone() };
    let edit = match written.first() {
        Some(place) => TextEdit { span: place.node.span, text: literal::value(&value, system.syntax) },
        None => insert::edit(source, root.as_ref(), system.syntax, key, &value)?,
    };
    Ok(edited(source, &edit))
}

fn edited(source: &Source, edit: &TextEdit) -> String {
    let range = edit.span.range();
    format!("{}{}{}", slice(source.text(), 0..range.start), edit.text, starting_at(source.text(), range.end))
}
