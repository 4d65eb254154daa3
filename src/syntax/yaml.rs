//! Effect lists in YAML: a second way into the tree that policy texts become.
//!
//! In: a YAML text with `effects` or `agents`. Out: the same tree as of a `.trim` text, its spans pointing into the
//! YAML, and diagnostics; reading never fails. It follows the first of the documented systems at the version of its
//! document. It does not know what the rules it writes mean: the checker reads them like any others.
//! It is the one user of the YAML parser. A kind of effect is one file and two adjacent lines in `yaml/kind.rs`.

mod at;
mod effect;
mod error;
mod field;
mod host;
mod kind;
mod name;
mod node;
mod policy;
#[cfg(test)]
mod print;
mod read;
mod scalar;
#[cfg(test)]
mod tests;

pub use error::CODES;

use super::tree::{Broken, Comment, Edition, File, Item};
use crate::diagnostic::{self, Diagnostic};
use crate::source::{Source, Span, Spanned};

/// The edition in which the rules are written that YAML stands for.
const EDITION: u32 = 2026;

/// The comments of a YAML text that are for this tool: lines that hold nothing but `# trimtab: …`.
pub(super) fn comments(source: &Source) -> Vec<Comment> {
    let mut start = 0;
    let mut found = Vec::new();
    for line in source.text().split_inclusive('\n') {
        let text = line.trim();
        if let Some(behind) = text.strip_prefix('#').map(str::trim)
            && behind.starts_with("trimtab:")
        {
            let from = start + line.len() - line.trim_start().len();
            let span = Span::new(source.id(), from, from + text.len());
            found.push(Comment { doc: false, text: behind.to_owned(), span });
        }
        start += line.len();
    }
    found
}

/// Reads a YAML text into the tree of a policy file. What cannot be read is a broken item and a diagnostic.
pub(super) fn parse(source: &Source) -> (File, Vec<Diagnostic>) {
    let mut findings = Vec::new();
    let document = read::read(source, &mut findings);
    let start = Span::new(source.id(), 0, 0);
    let mut items = vec![Item::Edition(Edition { year: Spanned::new(EDITION, start), span: start })];
    if let Some(root) = &document.root {
        items.extend(policy::items(root, document.broken.is_none(), &mut findings));
    } else if document.broken.is_none() {
        findings.push(error::nothing_here(source.span(), "the text is empty"));
        items.push(Item::Broken(Broken { name: None, span: source.span() }));
    }
    items.extend(document.broken.map(|span| Item::Broken(Broken { name: None, span })));
    diagnostic::sort(&mut findings);
    (File { source: source.id(), items }, findings)
}
