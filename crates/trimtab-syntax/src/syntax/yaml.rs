//! Parses lists of effects in YAML into the same tree as policy text.
//!
//! Spans point into the YAML, and parsing never fails. The format is that of the first documented system, in the version
//! of its document. Each effect stands for a rule, whose clauses are a template of policy text in `yaml/kind.rs`.

mod comment;
mod effect;
mod error;
mod field;
mod host;
mod kind;
mod name;
pub mod node;
mod policy;
#[cfg(test)]
mod print;
mod read;
mod scalar;
mod template;
#[cfg(test)]
mod tests;
mod unmapped;

use std::rc::Rc;

use trimtab_base::diagnostic::{self, Diagnostic};
use trimtab_base::source::{Source, Span, Spanned};

use super::tree::{Broken, Comment, Edition, File, Item, Name};
pub use error::CODES;
pub use kind::{KINDS, Kind, Measure, Param};
pub use scalar::number;

/// The edition of the rules that effects stand for.
const EDITION: u32 = 2026;

/// The comments addressed to this tool: lines with nothing but `# trimtab: …`.
pub(super) fn comments(source: &Source) -> Vec<Comment> {
    let is_alone = |comment: &Comment| {
        let before = source.text().get(..usize::try_from(comment.span.start).unwrap_or(usize::MAX)).unwrap_or_default();
        before.rsplit('\n').next().is_none_or(|line| line.trim().is_empty())
    };
    let mut found = comment::all(source);
    found.retain(|comment| comment.text.starts_with("trimtab:") && is_alone(comment));
    found
}

/// All comments of a YAML source.
pub fn all_comments(source: &Source) -> Vec<Comment> {
    comment::all(source)
}

/// The keys of a YAML source, with their paths, that the policy has nothing of.
pub fn unmapped_keys(source: &Source) -> Vec<Name> {
    read::read(source, &mut Vec::new()).root.map(|root| unmapped::keys(&root)).unwrap_or_default()
}

/// The first document of a YAML source as a tree, and its errors.
pub fn document(source: &Source) -> (Option<Rc<node::Node>>, Vec<Diagnostic>) {
    let mut findings = Vec::new();
    let document = read::read(source, &mut findings);
    (document.root, findings)
}

/// Parses a YAML source into the tree of a policy file. A region that cannot be parsed becomes a broken item and a
/// diagnostic.
pub(super) fn parse(source: &Source) -> (File, Vec<Diagnostic>) {
    let mut findings = Vec::new();
    let document = read::read(source, &mut findings);
    let start = Span::new(source.id(), 0, 0);
    let mut items = vec![Item::Edition(Edition { year: Spanned::new(EDITION, start), span: start })];
    if let Some(root) = &document.root {
        items.extend(policy::items(root, document.broken.is_none(), &mut findings));
    } else if document.broken.is_none() {
        findings.push(error::no_policy(source.span(), "the file is empty"));
        items.push(Item::Broken(Broken { name: None, span: source.span() }));
    }
    items.extend(document.broken.map(|span| Item::Broken(Broken { name: None, span })));
    diagnostic::sort(&mut findings);
    (File { source: source.id(), items }, findings)
}
