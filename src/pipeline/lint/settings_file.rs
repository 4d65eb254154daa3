//! Lints of settings of other systems.
//!
//! The lints read the policy that the settings become, so that they quote and fix it. What they find is then moved to the options in
//! the settings file, and a fix becomes a patch of the options, if options say what it changes.

use trimtab_analysis::system::{self, Import, Recognition};
use trimtab_base::diagnostic::{Diagnostic, Fix, TextEdit};
use trimtab_base::source::{Source, SourceFormat, SourceId, Span};
use trimtab_language::check::{self, CheckedFile, SourceUnit};
use trimtab_language::plan::{self, Plan};
use trimtab_lint::lint::{self, Day, LintOutcome, Settings, Subject};
use trimtab_simulate::simulate::Trace;
use trimtab_syntax::syntax;
use trimtab_syntax::syntax::tree::Comment;

/// The id of the policy that settings become. No file has it.
const POLICY: SourceId = SourceId(u32::MAX);
/// Its name, by which lints know that its author wrote settings.
const NAME: &str = "imported.json";

/// What comments that allow findings contain.
const SUPPRESSION: &str = "trimtab:";

/// Returns the findings on a settings file, or `None` if it is another kind of file. `checked` has the host, as far as
/// it is known.
pub(super) fn run_lints(
    source: &Source,
    checked: &CheckedFile,
    settings: &Settings,
    traces: Option<&[Trace]>,
    today: Option<Day>,
) -> Option<LintOutcome> {
    if !matches!(source.format(), SourceFormat::Yaml | SourceFormat::SystemSettings) {
        return None;
    }
    // Comments that allow findings stand beside options, which is where the lints must then look.
    let is_suppression = |comment: &Comment| comment.text.contains(SUPPRESSION);
    if syntax::comments(source).iter().any(is_suppression) {
        return None;
    }
    let Recognition::Of(system) = system::recognise(source) else { return None };
    let import = system::import(source, system);
    let policy = Source::new(POLICY, NAME, import.draft());
    let (tree, _) = syntax::parse(&policy);
    let (known, _) = check::check_all(&[SourceUnit { file: &tree, uses: &[] }]);
    let known = CheckedFile { agent: checked.agent.clone(), ..known? };
    let subject = Subject::new(&policy, &tree, &[], &known, settings.options());
    let mut outcome = lint::run_lints(&subject, settings, traces, today);
    for finding in &mut outcome.findings {
        let fixes = std::mem::take(&mut finding.fixes);
        place(finding, &import);
        for fix in fixes {
            match patch(&fix, &import, source) {
                Some(patch) => finding.fixes.push(patch),
                None => finding.notes.push(format!("{} has no option for the fix: {}.", system.title, fix.title)),
            }
        }
    }
    outcome.findings.sort_by_key(|finding| (finding.primary.span, finding.code.id));
    Some(outcome)
}

/// Moves a finding to the options.
fn place(finding: &mut Diagnostic, import: &Import) {
    let spans = std::iter::once(&mut finding.primary).chain(&mut finding.labels).map(|label| &mut label.span);
    for span in spans.filter(|span| span.source == POLICY) {
        *span = import.place_of(span.range());
    }
    let primary = finding.primary.span;
    finding.labels.retain(|label| label.span != primary);
}

/// Returns a fix of the policy as a change of the settings file, or `None` if the settings cannot say it.
fn patch(fix: &Fix, import: &Import, source: &Source) -> Option<Fix> {
    let plan = fixed(fix, import.draft())?;
    let written = system::write(&plan, import.system, Some(source)).ok()?;
    if !written.losses.is_empty() || written.text == source.text() {
        return None;
    }
    let title = written.options.iter().map(|(key, value)| format!("`{key}` to `{value}`")).collect::<Vec<_>>();
    let title = if title.is_empty() { fix.title.clone() } else { format!("set {}", title.join(" and ")) };
    Some(Fix::new(title, fix.safe, vec![difference(source, &written.text)]))
}

/// The plan of a policy with a fix.
fn fixed(fix: &Fix, text: &str) -> Option<Plan> {
    let mut edits: Vec<&TextEdit> = fix.edits.iter().collect();
    edits.sort_by_key(|edit| std::cmp::Reverse(edit.span.start));
    let mut text = text.to_owned();
    for edit in edits {
        let range = edit.span.range();
        if edit.span.source != POLICY || text.get(range.clone()).is_none() {
            return None;
        }
        text.replace_range(range, &edit.text);
    }
    let (tree, _) = syntax::parse(&Source::new(POLICY, NAME, text));
    let (checked, _) = check::check_all(&[SourceUnit { file: &tree, uses: &[] }]);
    plan::lower(&checked?, None).ok()
}

/// The smallest edit that makes another text of a file.
fn difference(source: &Source, after: &str) -> TextEdit {
    let before = source.text();
    let same = |(first, second): &((usize, char), char)| first.1 == *second;
    let start =
        before.char_indices().zip(after.chars()).take_while(same).map(|((at, char), _)| at + char.len_utf8()).last();
    let start = start.unwrap_or_default();
    let (old, new) = (before.split_at(start).1, after.split_at(start).1);
    let tail: usize =
        old.chars().rev().zip(new.chars().rev()).take_while(|(a, b)| a == b).map(|(char, _)| char.len_utf8()).sum();
    let text = new.split_at(new.len() - tail).0.to_owned();
    TextEdit { span: Span::new(source.id(), start, before.len() - tail), text }
}
