//! Settings files as trees with places.

mod json;
mod path;
mod toml;

use std::rc::Rc;

use trimtab_base::diagnostic::Diagnostic;
use trimtab_base::source::{Source, Span, Spanned};
use trimtab_syntax::syntax::yaml;
use trimtab_syntax::syntax::yaml::node::{Entry, Node, Value};

use super::error;
pub(super) use path::{Place, find, sections};

/// How a settings file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// JSON with comments and trailing commas.
    Json,
    /// TOML.
    Toml,
    /// YAML.
    Yaml,
}

impl Syntax {
    /// The syntax of a file with this name, or else with this text.
    pub(super) fn of(source: &Source) -> Self {
        let ending = source.name().rsplit_once('.').map_or("", |(_, ending)| ending).to_ascii_lowercase();
        match ending.as_str() {
            "json" | "jsonc" => Self::Json,
            "toml" => Self::Toml,
            "yaml" | "yml" => Self::Yaml,
            _ if source.text().trim_start_matches('\u{FEFF}').trim_start().starts_with(['{', '/']) => Self::Json,
            _ if source.text().lines().any(|line| line.contains('=')) => Self::Toml,
            _ => Self::Yaml,
        }
    }
}

/// The tree of a settings file, and its errors; no tree if it is empty or has syntax errors.
pub(super) fn read(source: &Source, syntax: Syntax) -> (Option<Rc<Node>>, Vec<Diagnostic>) {
    match syntax {
        Syntax::Json => split(json::read(source), |(span, reason)| error::not_readable(span, "JSON", &reason)),
        Syntax::Toml => split(toml::read(source), |(span, reason)| error::not_readable(span, "TOML", &reason)),
        Syntax::Yaml => yaml::document(source),
    }
}

/// The tree of a file that may consist of a block alone, as if the block stood in a larger file.
pub(super) fn with_block(root: &Rc<Node>, block: &str) -> Rc<Node> {
    if block.is_empty() || root.get(block).is_some() {
        return Rc::clone(root);
    }
    let key = Spanned::new(block.into(), Span { end: root.span.start, ..root.span });
    let value = Value::Map(vec![Entry { key, value: Rc::clone(root) }]);
    Rc::new(Node::branch(value, root.span))
}

/// A tree, or what is wrong.
fn split<E>(
    read: Result<Option<Rc<Node>>, E>,
    diagnostic: impl Fn(E) -> Diagnostic,
) -> (Option<Rc<Node>>, Vec<Diagnostic>) {
    match read {
        Ok(root) => (root, Vec::new()),
        Err(error) => (None, vec![diagnostic(error)]),
    }
}
