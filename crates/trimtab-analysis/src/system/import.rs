//! A settings file as a policy.

use std::ops::Range;
use std::rc::Rc;

use trimtab_base::diagnostic::{self, Diagnostic, Severity};
use trimtab_base::source::{Source, SourceId, Span};
use trimtab_language::check::{self, SourceUnit};
use trimtab_language::plan::{self, Plan};
use trimtab_syntax::format::format_source;
use trimtab_syntax::syntax;
use trimtab_syntax::syntax::spans::change_spans;
use trimtab_syntax::syntax::tree::File;
use trimtab_syntax::syntax::yaml::node::Node;

use super::descriptor::System;
use super::document::{self};
use super::draft::{Draft, Drafted};
use super::row::Row;
use super::syntax::Syntax;
use super::values::{self, Values};

/// What a settings file became.
#[derive(Debug)]
pub struct Import {
    /// The system.
    pub system: &'static System,
    /// The policy as formatted text.
    pub text: String,
    /// The tree of the policy. Its spans point into the settings file.
    pub tree: File,
    /// What is wrong with the settings file.
    pub diagnostics: Vec<Diagnostic>,
    /// What each option became.
    pub rows: Vec<Row>,
}

/// The text of the policy that a settings file with this tree becomes; none if an option has an error.
pub(super) fn policy_text(source: &Source, system: &'static System, root: Option<&Rc<Node>>) -> Option<String> {
    let mut findings = Vec::new();
    let values = Values::read(system.options(), source, root, &mut findings);
    let is_wrong = findings.iter().any(|finding| finding.severity == Severity::Error);
    (!is_wrong).then(|| draft(&values, system).text)
}

/// The plan of such a text.
pub(super) fn plan(text: &str) -> Option<Plan> {
    let (tree, _) = syntax::parse(&Source::new(SourceId::default(), "imported.trim", text));
    let (checked, _) = check::check_all(&[SourceUnit { file: &tree, uses: &[] }]);
    plan::lower(&checked?, None).ok()
}

/// Reads a settings file. An option with an error counts as not written.
pub fn import(source: &Source, system: &'static System) -> Import {
    let (root, mut diagnostics) = document::read(source, Syntax::of(source));
    let root = root.map(|root| document::with_block(&root, system));
    let values = Values::read(system.options(), source, root.as_ref(), &mut diagnostics);
    let drafted = draft(&values, system);
    diagnostic::sort(&mut diagnostics);
    let first = values::first_place(&values, source);
    let text = formatted(&drafted.text);
    let tree = tree(source.id(), &drafted, first);
    Import { system, text, tree, diagnostics, rows: drafted.rows }
}

fn draft(values: &Values<'_>, system: &System) -> Drafted {
    let mut draft = Draft::new(values);
    (system.policy)(values, &mut draft);
    draft.finish()
}

/// The policy of a system's documented defaults, and what each option became.
pub fn defaults(system: &'static System) -> Import {
    let name = format!("{}{}", super::HARNESS, system.name);
    import(&Source::new(SourceId::default(), name, ""), system)
}

fn formatted(text: &str) -> String {
    let source = Source::new(SourceId::default(), "imported.trim", text);
    format_source(&source).unwrap_or_else(|_| text.to_owned())
}

/// The tree of a policy with the spans of the options that its parts come from. `first` is the place of everything else.
fn tree(id: SourceId, drafted: &Drafted, first: Span) -> File {
    let (mut tree, _) = syntax::parse(&Source::new(id, "imported.trim", drafted.text.as_str()));
    let rules = rules(&drafted.text);
    change_spans(&mut tree, &mut |span| {
        let range = span.range();
        let rule = rules.iter().find(|rule| rule.start <= range.start && range.end <= rule.end);
        *span = origin(&drafted.origins, &range)
            .or_else(|| origin(&drafted.origins, rule?))
            .unwrap_or(Span { source: id, ..first });
    });
    tree
}

/// The ranges of the rules in the text of a policy.
fn rules(text: &str) -> Vec<Range<usize>> {
    let starts: Vec<usize> = text.match_indices("\n  rule ").map(|(at, _)| at).collect();
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts.iter().copied().zip(ends).map(|(start, end)| start..end).collect()
}

/// The span of the option that a part of the text is in, or of the first one in it.
fn origin(origins: &[(Range<usize>, Span)], part: &Range<usize>) -> Option<Span> {
    let around = origins.iter().find(|(range, _)| range.start <= part.start && part.end <= range.end);
    let inside = || origins.iter().filter(|(range, _)| part.start <= range.start && range.end <= part.end);
    around.or_else(|| inside().min_by_key(|(range, _)| range.start)).map(|(_, span)| *span)
}
