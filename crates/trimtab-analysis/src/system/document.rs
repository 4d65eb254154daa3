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
use super::syntax::Syntax;
pub(super) use path::{Place, find, sections};

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
