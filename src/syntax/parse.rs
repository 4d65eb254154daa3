//! The way in: a source text into a file and what is wrong with it.
//!
//! It knows pest and the grammar; building the tree and reporting mistakes stand in the files beside it.

use pest::Parser;

use super::build::Builder;
use super::depth;
use super::error;
use super::tree::{Broken, File, Item};
use crate::diagnostic::{Diagnostic, sort};
use crate::source::{Source, Span};

// The derive makes a public enum of rules; a module of its own keeps it inside this room.
mod grammar {
    /// The parser that pest makes of the grammar.
    #[derive(pest_derive::Parser)]
    #[grammar = "../grammar/policy.pest"]
    pub(crate) struct Grammar;
}

pub(super) use grammar::{Grammar, Rule};

/// One node of pest's parse.
pub(super) type Pair<'t> = pest::iterators::Pair<'t, Rule>;
/// Nodes of pest's parse, side by side.
pub(super) type Pairs<'t> = pest::iterators::Pairs<'t, Rule>;

/// Parses a policy file. It never fails: what cannot be parsed is a broken stretch in the tree and a diagnostic.
pub fn parse(source: &Source) -> (File, Vec<Diagnostic>) {
    let mut builder = Builder::new(source);
    let items = match depth::too_deep(source.text()) {
        Some(at) => refuse(&mut builder, source, at),
        None => match Grammar::parse(Rule::file, source.text()) {
            Ok(pairs) => builder.file(pairs),
            // The grammar takes any text; pest gives up only when the stack is short.
            Err(_) => refuse(&mut builder, source, 0),
        },
    };
    let mut diagnostics = builder.diagnostics;
    sort(&mut diagnostics);
    (File { source: source.id(), items }, diagnostics)
}

/// A file that is not parsed because something at this byte is nested too deep.
fn refuse(builder: &mut Builder<'_>, source: &Source, at: usize) -> Vec<Item> {
    let end = source.text()[at..].chars().next().map_or(at, |sign| at + sign.len_utf8());
    builder.diagnostics.push(error::too_deep(Span::new(source.id(), at, end)));
    vec![Item::Broken(Broken { name: None, span: source.span() })]
}
