//! Imports a settings file as a policy.

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

/// A settings file imported as a policy.
#[derive(Debug)]
pub struct Import {
    /// The system.
    pub system: &'static System,
    /// The policy as formatted text.
    pub text: String,
    /// The tree of the policy. Its spans point into the settings file.
    pub tree: File,
    /// The errors and warnings about the settings file.
    pub diagnostics: Vec<Diagnostic>,
    /// The translation of each option.
    pub rows: Vec<Row>,
    /// Where the parts of the draft come from.
    places: Places,
}

impl Import {
    /// The policy as text before it is formatted.
    pub fn draft(&self) -> &str {
        &self.places.text
    }

    /// The place in the settings file that a part of the draft comes from.
    pub fn place_of(&self, part: Range<usize>) -> Span {
        self.places.of(&part)
    }
}

/// Where the parts of the text of a policy come from.
#[derive(Debug)]
struct Places {
    text: String,
    /// The parts that come from options.
    origins: Vec<(Range<usize>, Span)>,
    /// The rules.
    rules: Vec<Range<usize>>,
    /// The place of the first option, for everything else.
    first: Span,
}

impl Places {
    fn of(&self, part: &Range<usize>) -> Span {
        let rule = self.rules.iter().find(|rule| rule.start <= part.start && part.end <= rule.end);
        origin(&self.origins, part).or_else(|| origin(&self.origins, rule?)).unwrap_or(self.first)
    }
}

/// Imports a settings file with this tree. Returns the text of the policy, or `None` if an option has an error.
pub(super) fn policy_text(source: &Source, system: &'static System, root: Option<&Rc<Node>>) -> Option<String> {
    let mut findings = Vec::new();
    let values = Values::read(system.options(), source, root, &mut findings);
    let is_wrong = findings.iter().any(|finding| finding.severity == Severity::Error);
    (!is_wrong).then(|| draft(&values, system).text)
}

/// The plan of an imported policy, from its text.
pub(super) fn plan(text: &str) -> Option<Plan> {
    let (tree, _) = syntax::parse(&Source::new(SourceId::default(), "imported.trim", text));
    let (checked, _) = check::check_all(&[SourceUnit { file: &tree, uses: &[] }]);
    plan::lower(&checked?, None).ok()
}

/// Imports a settings file. An option with an error counts as not written.
pub fn import(source: &Source, system: &'static System) -> Import {
    let (root, mut diagnostics) = document::read(source, Syntax::of(source));
    let root = root.map(|root| document::with_block(&root, system));
    let values = Values::read(system.options(), source, root.as_ref(), &mut diagnostics);
    let drafted = draft(&values, system);
    diagnostic::sort(&mut diagnostics);
    let first = Span { source: source.id(), ..values::first_place(&values, source) };
    let text = formatted(&drafted.text);
    let rules = rules(&drafted.text);
    let places = Places { text: drafted.text, origins: drafted.origins, rules, first };
    Import { system, text, tree: tree(source.id(), &places), diagnostics, rows: drafted.rows, places }
}

fn draft(values: &Values<'_>, system: &System) -> Drafted {
    let mut draft = Draft::new(values);
    (system.policy)(values, &mut draft);
    draft.finish()
}

/// Imports the documented defaults of a system.
pub fn defaults(system: &'static System) -> Import {
    let name = format!("{}{}", super::HARNESS, system.name);
    import(&Source::new(SourceId::default(), name, ""), system)
}

fn formatted(text: &str) -> String {
    let source = Source::new(SourceId::default(), "imported.trim", text);
    format_source(&source).unwrap_or_else(|_| text.to_owned())
}

/// The tree of a policy with the spans of the options that its parts come from.
fn tree(id: SourceId, places: &Places) -> File {
    let (mut tree, _) = syntax::parse(&Source::new(id, "imported.trim", places.text.as_str()));
    change_spans(&mut tree, &mut |span| *span = places.of(&span.range()));
    tree
}

/// The ranges of the rules in the text of a policy.
fn rules(text: &str) -> Vec<Range<usize>> {
    let starts: Vec<usize> = text.match_indices("\n  rule ").map(|(at, _)| at).collect();
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts.iter().copied().zip(ends).map(|(start, end)| start..end).collect()
}

/// The span of the option that contains a part of the text, or of the first option in the part.
fn origin(origins: &[(Range<usize>, Span)], part: &Range<usize>) -> Option<Span> {
    let around = origins.iter().find(|(range, _)| range.start <= part.start && part.end <= range.end);
    let inside = || origins.iter().filter(|(range, _)| part.start <= range.start && range.end <= part.end);
    around.or_else(|| inside().min_by_key(|(range, _)| range.start)).map(|(_, span)| *span)
}
