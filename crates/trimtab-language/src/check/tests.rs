//! What is found in policies, and what checked policies hold.

mod case;
mod chain;
mod finding;
mod meaning;

use trimtab_base::diagnostic::Diagnostic;
use trimtab_base::source::{Source, SourceId};
use trimtab_syntax::syntax;

use super::check;
use super::checked::CheckedFile;
use super::policy::Rule;

/// A text parsed and checked; the parser must find nothing.
pub(super) fn checked(text: &str) -> (Option<CheckedFile>, Vec<Diagnostic>) {
    let source = Source::new(SourceId(0), "x.trim", text);
    let (file, found) = syntax::parse(&source);
    assert!(found.is_empty(), "{text}\n{found:#?}");
    check(&file)
}

/// What is found in a text: line, code and message.
pub(super) fn messages(text: &str) -> Vec<String> {
    let source = Source::new(SourceId(0), "x.trim", text);
    let say = |finding: &Diagnostic| {
        format!("{} {} {}", source.position(finding.primary.span.start).line, finding.code.id, finding.message)
    };
    checked(text).1.iter().map(say).collect()
}

/// A rule named `a`.
pub(super) fn rule(clauses: &str) -> String {
    format!("rule a {{ {clauses} }}")
}

/// A file with lets, a prompt and one rule.
fn file(clauses: &str) -> String {
    format!(
        "edition 2026\nlet busy = 60%\nlet cap = 200k tokens\nlet greeting = \"hello\"\nlet yes = true\n\
         let readers = [bash, read_file]\nprompt handover \"Sum up {{this}}.\"\npolicy p {{ {} }}",
        rule(clauses)
    )
}

/// The codes that a rule gives, each with the text that it points at.
fn codes(clauses: &str) -> Vec<String> {
    let text = file(clauses);
    let found = checked(&text).1;
    found
        .iter()
        .map(|finding| {
            format!("{} {}", finding.code.id, text.get(finding.primary.span.range()).expect("a place in the text"))
        })
        .collect()
}

/// The rule that clauses make, which must be without mistakes.
fn rule_from(clauses: &str) -> Rule {
    let (checked, found) = checked(&file(clauses));
    assert!(found.is_empty(), "{clauses}: {found:#?}");
    checked.and_then(|mut checked| checked.policies.pop()?.rules.pop()).expect("one rule")
}

/// The text after its first fix.
fn fixed(clauses: &str) -> String {
    let text = file(clauses);
    let mut after = text.clone();
    let found = checked(&text).1;
    let mut edits =
        found.iter().filter_map(|finding| finding.fixes.first()).flat_map(|fix| &fix.edits).collect::<Vec<_>>();
    edits.sort_by_key(|edit| std::cmp::Reverse(edit.span.start));
    for edit in edits {
        after.replace_range(edit.span.range(), &edit.text);
    }
    let clauses = after.split_once("rule a { ").map_or(after.as_str(), |(_, clauses)| clauses);
    clauses.trim_end_matches(" } }").to_owned()
}
