//! Recognises the system that a settings file belongs to.

use std::rc::Rc;

use trimtab_base::diagnostic::Diagnostic;
use trimtab_base::source::Source;
use trimtab_syntax::syntax::yaml::node::Node;

use super::SYSTEMS;
use super::descriptor::System;
use super::document::{self, find, with_block};
use super::syntax::Syntax;

/// The system that a settings file belongs to, as far as the file shows it.
#[derive(Clone, Debug)]
pub enum Recognition {
    /// This system.
    Of(&'static System),
    /// One of these systems: the file does not show which.
    Ambiguous(Vec<&'static System>),
    /// No known system.
    Unknown,
    /// Unknown because the file has syntax errors.
    Unreadable(Vec<Diagnostic>),
}

/// The weights of the evidence for a system: the `$schema` of the file, its path, and each key of the system.
const SCHEMA: usize = 100;
const PATH: usize = 10;
const KEY: usize = 1;

/// Recognises a settings file by its keys, its `$schema` and its name.
pub fn recognise(source: &Source) -> Recognition {
    let syntax = Syntax::of(source);
    let (root, errors) = document::read(source, syntax);
    let scores: Vec<(usize, &'static System)> = SYSTEMS
        .iter()
        .filter(|system| system.syntax == syntax)
        .map(|system| (score(system, source.name(), root.as_ref()), *system))
        .filter(|(score, _)| *score > 0)
        .collect();
    let best = scores.iter().map(|(score, _)| *score).max().unwrap_or(0);
    let best: Vec<&'static System> =
        scores.into_iter().filter(|(score, _)| *score == best).map(|(_, system)| system).collect();
    match best.as_slice() {
        [] if root.is_none() && !errors.is_empty() => Recognition::Unreadable(errors),
        [] => Recognition::Unknown,
        [system] => Recognition::Of(system),
        _ => Recognition::Ambiguous(best),
    }
}

fn score(system: &System, name: &str, root: Option<&Rc<Node>>) -> usize {
    let name = name.replace('\\', "/");
    let is_file = |end: &&&str| name.strip_suffix(**end).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'));
    let path = if system.files.iter().any(|end| is_file(&end)) { PATH } else { 0 };
    let Some(root) = root.map(|root| with_block(root, system)) else { return path };
    let schema = root.get("$schema").and_then(|value| value.text());
    let is_schema = schema.is_some_and(|text| system.schemas.iter().any(|part| text.contains(part)));
    let aliases = system.settings.iter().flat_map(|setting| setting.aliases);
    let keys = system.settings.iter().map(|setting| &setting.key).chain(aliases).chain(system.marks);
    let keys = keys.filter(|key| !find(&root, key).is_empty()).count();
    path + KEY * keys + if is_schema { SCHEMA } else { 0 }
}
