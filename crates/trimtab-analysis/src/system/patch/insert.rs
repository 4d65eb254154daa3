//! Finds the places for an option that is not written yet.

use std::rc::Rc;

use serde_json::Value as Json;
use trimtab_base::diagnostic::TextEdit;
use trimtab_base::source::{Source, Span};
use trimtab_syntax::syntax::yaml::node::{Node, Value};

use super::place::{Gap, first, nested, with_break};
use super::{json, toml, yaml};
use crate::system::syntax::Syntax;

/// The edits that add an option, the best place first. Whether nothing else changes is for the caller to see.
pub(super) fn candidates(
    source: &Source,
    root: Option<&Rc<Node>>,
    syntax: Syntax,
    key: &str,
    value: &Json,
) -> Vec<Vec<TextEdit>> {
    let steps: Vec<&str> = key.split('.').collect();
    let Some(root) = root.filter(|root| matches!(root.value, Value::Map(_))) else {
        return vec![vec![whole(source, &steps, value, syntax)]];
    };
    let gap = Gap::find(root, &steps);
    match syntax {
        Syntax::Json => json::candidates(source, &gap, value),
        Syntax::Toml => toml::candidates(source, root, &steps, value),
        Syntax::Yaml => yaml::candidates(source, &gap, value),
    }
}

/// The text of a file without any value, which may have comments.
fn whole(source: &Source, steps: &[&str], value: &Json, syntax: Syntax) -> TextEdit {
    let text = source.text();
    let lines = match syntax {
        Syntax::Json => format!("{:#}\n", nested(steps, value, false)),
        Syntax::Toml => toml::lines(steps, value),
        Syntax::Yaml => {
            let (name, value) = first(steps, value);
            yaml::lines(&name, &value, "")
        }
    };
    TextEdit { span: Span::new(source.id(), text.len(), text.len()), text: with_break(text, text.len(), &lines) }
}
