//! Errors in the clauses of a rule.

use trimtab_base::diagnostic::{Code, Diagnostic, Label, Severity};
use trimtab_base::source::Span;
use trimtab_syntax::syntax::tree::Name;

use crate::fact::Scope;

pub(crate) static TWICE: Code = Code::new("E401", Severity::Error, include_str!("clause/E401.md"));
pub(crate) static NO_DO: Code = Code::new("E402", Severity::Error, include_str!("clause/E402.md"));
pub(crate) static AMBIGUOUS: Code = Code::new("E403", Severity::Error, include_str!("clause/E403.md"));
pub(crate) static ARGUMENT: Code = Code::new("E404", Severity::Error, include_str!("clause/E404.md"));
pub(crate) static SAFE: Code = Code::new("E411", Severity::Error, include_str!("clause/E411.md"));
pub(crate) static TWO_FAIL: Code = Code::new("E412", Severity::Error, include_str!("clause/E412.md"));
pub(crate) static ON_FAILURE: Code = Code::new("E413", Severity::Error, include_str!("clause/E413.md"));
pub(crate) static SCOPE: Code = Code::new("E415", Severity::Error, include_str!("clause/E415.md"));
pub(crate) static QUESTION: Code = Code::new("E416", Severity::Error, include_str!("clause/E416.md"));

/// A second clause of the same kind.
pub(crate) fn duplicate(word: &str, span: Span, first: Span) -> Diagnostic {
    let help = match word {
        "when" | "unless" => "join the conditions into one",
        "do" => "join the effects with `then`",
        _ => "remove one of them",
    };
    Diagnostic::new(&TWICE, span, format!("this rule has two `{word}` clauses"), "second clause")
        .label(first, "first clause")
        .help(help)
}

/// A rule without `do`.
pub(crate) fn no_effect(name: &Name) -> Diagnostic {
    Diagnostic::new(&NO_DO, name.span, format!("rule `{}` does nothing", name.node), "missing `do`")
        .help("add a `do` clause, such as `do mask results`")
}

/// `on_failure` in a rule without an effect that can fail.
pub(crate) fn nothing_fails(span: Span, effects: &[Span]) -> Diagnostic {
    let finding = Diagnostic::new(&SAFE, span, "no effect of this rule can fail", "has no effect");
    let finding = effects.iter().fold(finding, |finding, effect| finding.label(*effect, "cannot fail"));
    finding.help("remove it; only effects that request a summary can fail").fix("remove `on_failure`", true, span, "")
}

/// A second effect that can fail.
pub(crate) fn second_fallible_effect(name: &Name, first: Span) -> Diagnostic {
    let message = format!("only one effect of a rule may request a summary, and `{}` is the second", name.node);
    Diagnostic::new(&TWO_FAIL, name.span, message, "requests a second summary")
        .label(first, "requests a summary")
        .help("move one of them to a rule of its own")
}

/// An effect after `on_failure then` that can fail itself.
pub(crate) fn fails_again(name: &Name) -> Diagnostic {
    let message = format!("`{}` can fail itself", name.node);
    Diagnostic::new(&TWO_FAIL, name.span, message, "requests a summary")
        .help("use an effect that cannot fail, such as `mask results`")
}

/// An unexpected term after `on_failure`.
pub(crate) fn unclear(span: Span, word: Option<&str>) -> Diagnostic {
    let words = ["keep", "stop", "ask", "retry", "then"];
    let message = match word {
        Some(word) => format!("unexpected `{word}` after `on_failure`"),
        None => "unexpected value after `on_failure`".to_owned(),
    };
    let suggestion = word
        .and_then(|word| trimtab_base::diagnostic::nearest(word, words))
        .filter(|suggestion| Some(*suggestion) != word);
    let finding = Diagnostic::new(&ON_FAILURE, span, message, "not expected here");
    super::suggest(finding, span, suggestion, || {
        "write `keep`, `stop` or `ask`, optionally after `retry 2`, or `then` and an effect".to_owned()
    })
}

/// `confirm` with an empty text.
pub(crate) fn empty_question(span: Span) -> Diagnostic {
    Diagnostic::new(&QUESTION, span, "`confirm` asks an empty question", "empty")
        .help("write the question, such as `confirm \"Summarise now?\"`")
}

/// `retry` without its number.
pub(crate) fn retry_how_often(span: Span) -> Diagnostic {
    Diagnostic::new(&ON_FAILURE, span, "`retry` takes a number from 1 to 100", "number of retries")
        .help("write `retry 2`")
}

/// A word that is no scope of a guard; `is_default` if it is what a guard without a scope remembers.
pub(crate) fn scope_of_guard(name: &Name, is_default: bool) -> Diagnostic {
    let word = &name.node;
    if is_default {
        return Diagnostic::new(&SCOPE, name.span, format!("`in {word}` is not written behind a guard"), "the default")
            .help(format!("leave it out: without a scope, a guard remembers the {word}"));
    }
    let finding = Diagnostic::new(&SCOPE, name.span, format!("`{word}` is no scope of a guard"), "unknown scope");
    let session = Scope::Session.word();
    let suggestion = trimtab_base::diagnostic::nearest(word, [session]);
    super::suggest(finding, name.span, suggestion, || format!("write `in {session}`, or leave it out"))
}

/// Adds to an error in a guard with a scope that the file also has a constant of this name.
pub(crate) fn mention_constant(finding: &mut Diagnostic, scope: &Name) {
    let name = &scope.node;
    finding.labels.push(Label { span: scope.span, message: "read as the scope of the guard".to_owned() });
    finding.notes.push(format!("a condition that ends with the constant `{name}` needs parentheses: `(… in {name})`"));
}
