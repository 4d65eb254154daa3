//! Settings files as trees with places.

mod changed;
mod json;
mod path;
mod toml;

use std::rc::Rc;

use trimtab_base::diagnostic::{Diagnostic, nearest};
use trimtab_base::source::{Source, Span, Spanned};
use trimtab_syntax::syntax::yaml;
use trimtab_syntax::syntax::yaml::node::{Entry, Node, Value};

use super::descriptor::System;
use super::error;
use super::setting::Setting;
use super::syntax::Syntax;
pub(super) use changed::{has_same_values, with_value};
pub(super) use path::{KeyedValue, children, find, is_of_type, sections, split};

/// The tree of a settings file, and the errors of the file; no tree if the file is empty or has syntax errors.
pub(super) fn read(source: &Source, syntax: Syntax) -> (Option<Rc<Node>>, Vec<Diagnostic>) {
    match syntax {
        Syntax::Json => tree_or_error(json::read(source), |(span, reason)| error::not_readable(span, "JSON", &reason)),
        Syntax::Toml => tree_or_error(toml::read(source), |(span, reason)| error::not_readable(span, "TOML", &reason)),
        Syntax::Yaml => yaml::document(source),
    }
}

/// The tree of a file. A file that consists of a block alone is read as if the block were in a larger file.
pub(super) fn with_block(root: &Rc<Node>, system: &System) -> Rc<Node> {
    if !is_block(root, system) {
        return Rc::clone(root);
    }
    let key = Spanned::new(system.block.into(), Span { end: root.span.start, ..root.span });
    let value = Value::Map(vec![Entry { key, value: Rc::clone(root) }]);
    Rc::new(Node::branch(value, root.span))
}

/// Whether a file consists of a block alone: it has one of the keys of the block, perhaps misspelt.
pub(super) fn is_block(root: &Node, system: &System) -> bool {
    let inside = system.settings.iter().filter_map(|setting| setting.key.strip_prefix(system.block)?.strip_prefix('.'));
    let keys: Vec<&str> = inside.filter_map(|key| key.split(['.', '[']).next()).collect();
    let is_key = |entry: &Entry| nearest(&entry.key.node, keys.iter().copied()).is_some();
    !system.block.is_empty() && root.get(system.block).is_none() && root.entries().iter().any(is_key)
}

/// The path at which an option is written: its own path, or its path in another version if only that is in the file.
pub(super) fn path_of(root: &Rc<Node>, setting: &Setting) -> &'static str {
    let is_written = |path: &&'static str| !find(root, path).is_empty();
    let paths = std::iter::once(setting.key).chain(setting.aliases.iter().copied());
    paths.into_iter().find(is_written).unwrap_or(setting.key)
}

/// A tree, or the diagnostic for the error.
fn tree_or_error<E>(
    read: Result<Option<Rc<Node>>, E>,
    diagnostic: impl Fn(E) -> Diagnostic,
) -> (Option<Rc<Node>>, Vec<Diagnostic>) {
    match read {
        Ok(root) => (root, Vec::new()),
        Err(error) => (None, vec![diagnostic(error)]),
    }
}
