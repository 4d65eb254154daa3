//! Errors in tests: statements, series, contradictions, and tests without effect.

use trimtab_base::diagnostic::{Code, Diagnostic, Severity, alternatives, nearest};
use trimtab_base::source::Span;

use super::suggest;
use crate::check::policy::Reading;
use crate::check::test_case::{ScriptedCall, TOTALS};
use crate::fact::{Fact, Topic};

pub(crate) static WORD: Code = Code::new("E421", Severity::Error, include_str!("test/E421.md"));
pub(crate) static STATEMENT: Code = Code::new("E422", Severity::Error, include_str!("test/E422.md"));
pub(crate) static SERIES: Code = Code::new("E423", Severity::Error, include_str!("test/E423.md"));
pub(crate) static CONTRADICTION: Code = Code::new("E424", Severity::Error, include_str!("test/E424.md"));
pub(crate) static NOTHING: Code = Code::new("E425", Severity::Error, include_str!("test/E425.md"));
pub(crate) static UNSENT: Code = Code::new("E426", Severity::Error, include_str!("test/E426.md"));
pub(crate) static POLICY: Code = Code::new("E427", Severity::Error, include_str!("test/E427.md"));
pub(crate) static UNREAD: Code = Code::new("E428", Severity::Error, include_str!("test/E428.md"));
pub(crate) static BEYOND: Code = Code::new("E429", Severity::Error, include_str!("test/E429.md"));

/// A `given` that does not begin with a fact or a keyword.
pub(crate) fn unknown_given(span: Span, word: &str, words: &[&str]) -> Diagnostic {
    let message = format!("unknown fact or keyword `{word}` after `given`");
    let finding = Diagnostic::new(&WORD, span, message, "not a fact or a keyword");
    let suggestion = nearest(word, words.iter().copied().chain(crate::fact::FACTS.iter().map(|fact| fact.name)));
    suggest(finding, span, suggestion, || {
        "write a fact and its values, `user \"…\"`, `result of TOOL 2k chars`, or `transcript \"…\"`".to_owned()
    })
}

/// An `expect` that does not begin with a rule, a fact or a keyword.
pub(crate) fn unknown_expect<'r>(
    span: Span,
    word: &str,
    words: &[&'static str],
    rules: impl Iterator<Item = &'r str>,
) -> Diagnostic {
    let finding = Diagnostic::new(
        &WORD,
        span,
        format!("unknown rule, fact or keyword `{word}` after `expect`"),
        "not a rule, a fact or a keyword",
    );
    let rules: Vec<&str> = rules.collect();
    let known = words.iter().copied().chain(TOTALS.iter().map(|total| total.word));
    let facts = crate::fact::FACTS.iter().map(|fact| fact.name);
    let suggestion = nearest(word, rules.iter().copied().chain(known).chain(facts));
    suggest(finding, span, suggestion, || {
        if rules.is_empty() {
            "write a rule, a fact or a total".to_owned()
        } else {
            format!("available rules: {}", alternatives(&rules))
        }
    })
}

/// A statement without what it `takes`; `here` describes what is there instead.
pub(crate) fn takes(span: Span, who: &str, takes: &str, here: &str) -> Diagnostic {
    Diagnostic::new(&STATEMENT, span, format!("`{who}` takes {takes}"), here).help(format!("write {takes}"))
}

/// An unknown outcome of a rule.
pub(crate) fn unknown_outcome(span: Span, word: &str, rule: &str, words: &[&str]) -> Diagnostic {
    let finding = Diagnostic::new(&STATEMENT, span, format!("unknown outcome `{word}`"), "not an outcome of a rule");
    suggest(finding, span, nearest(word, words.iter().copied()), || {
        format!("write `{rule} fires at 2`, `{rule} never fires` or `{rule} fires 3 times`")
    })
}

/// Terms after a complete statement.
pub(crate) fn left_over(span: Span) -> Diagnostic {
    Diagnostic::new(&STATEMENT, span, "unexpected value after a complete statement", "not expected here")
        .help("remove it, or begin a new statement with `given` or `expect`")
}

/// A second value of a setting that has one.
pub(crate) fn one_value(span: Span, setting: &str) -> Diagnostic {
    let message = format!("`given {setting}` takes one value, which holds for the whole test");
    Diagnostic::new(&STATEMENT, span, message, "a second value").help("write a test for each value")
}

/// A fact without a choice among its values.
pub(crate) fn which_value(span: Span, fact: &str) -> Diagnostic {
    let message = format!("`{fact}` has a value at every call; choose one");
    Diagnostic::new(&STATEMENT, span, message, "which value?")
        .help(format!("write `peak {fact}`, `mean {fact}`, `final {fact}` or `{fact} at 3`"))
}

/// An order, or a peak, mean or least, of a fact that is not a number.
pub(crate) fn no_order(span: Span, reading: &Reading) -> Diagnostic {
    let name = reading.name();
    let message = format!("`{name}` is {}, which cannot be ordered", reading.fact.ty);
    Diagnostic::new(&STATEMENT, span, message, "requires a number").help(format!("write `{name} at 3 == …`"))
}

/// An invalid series.
pub(crate) fn series(span: Span, why: impl Into<String>, help: impl Into<String>) -> Diagnostic {
    Diagnostic::new(&SERIES, span, why, "invalid series").help(help)
}

/// `unknown` for a fact that always has a value.
pub(crate) fn never_unknown(span: Span, reading: &Reading) -> Diagnostic {
    let message = format!("`{}` is never unknown", reading.name());
    Diagnostic::new(&SERIES, span, message, "always known").help("write a value")
}

/// Something that is given twice.
pub(crate) fn duplicate(span: Span, first: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(&CONTRADICTION, span, message, "given again")
        .label(first, "first given here")
        .help("remove one of them")
}

/// A fact that the test computes.
pub(crate) fn counted(span: Span, fact: &Fact) -> Diagnostic {
    let message = format!("`{}` is computed by the test", fact.name);
    let help = match fact.topic {
        Topic::Iteration => "remove it; set the number of iterations with `given iterations 12`",
        Topic::Run => "remove it; a new run begins with a user message after a finished reply",
        _ => "remove it; it follows from the rules that fire",
    };
    Diagnostic::new(&CONTRADICTION, span, message, "cannot be given").help(help)
}

/// A series that is longer than the test.
pub(crate) fn too_long(span: Span, values: usize, iterations: u64, place: Span) -> Diagnostic {
    let message = format!("{values} values for {iterations} iterations");
    Diagnostic::new(&CONTRADICTION, span, message, "the last values are never used")
        .label(place, "number of iterations")
        .help("remove values, or give more iterations")
}

/// A test without an expectation.
pub(crate) fn no_expectation(span: Span) -> Diagnostic {
    Diagnostic::new(&NOTHING, span, "this test has no expectation, so it cannot fail", "missing `expect`")
        .help("add an expectation, such as `expect RULE fires at 2`")
}

/// A test without input.
pub(crate) fn no_given(span: Span) -> Diagnostic {
    Diagnostic::new(&NOTHING, span, "this test has no input", "missing `given`")
        .help("give a series of a fact, a conversation, or `given iterations 5`")
}

/// An expectation that needs a conversation, in a test that gives only facts.
pub(crate) fn unsent(span: Span) -> Diagnostic {
    Diagnostic::new(&UNSENT, span, "this test gives only facts, so no request is sent", "needs a conversation")
        .help("give a conversation (`given user \"…\"`) or a transcript, or expect rules to fire")
}

/// No policy to test, or several.
pub(crate) fn which_policy(span: Span, names: &[&str]) -> Diagnostic {
    let finding = |message: String| Diagnostic::new(&POLICY, span, message, "unclear which policy is tested");
    match names {
        [] => finding("there is no policy to test".to_owned()).help("write the test in the file of its policy"),
        some => finding(format!("this file has {} policies", some.len()))
            .help(format!("add `given policy NAME` to the test; NAME is {}", alternatives(some))),
    }
}

/// An unknown policy.
pub(crate) fn unknown_policy(span: Span, name: &str, names: &[&str]) -> Diagnostic {
    let finding = Diagnostic::new(&POLICY, span, format!("unknown policy `{name}`"), "not a policy of this file");
    suggest(finding, span, nearest(name, names.iter().copied()), || {
        format!("available policies: {}", alternatives(names))
    })
}

/// A fact that neither the policy nor an expectation reads. `name` includes the arguments; `others` are the same fact with
/// the arguments that the policy reads.
pub(crate) fn unread(span: Span, fact: &str, name: &str, others: &[String]) -> Diagnostic {
    // Without arguments it has the default of each.
    let is_bare = usize::try_from(span.end - span.start) == Ok(fact.len());
    let here = if is_bare && name != fact { format!("means `{name}`") } else { "has no effect".to_owned() };
    let message = format!("nothing in this test reads `{}`", if is_bare { fact } else { name });
    let finding = Diagnostic::new(&UNREAD, span, message, here);
    match others {
        [] => finding.help("remove it; set the length of the test with `given iterations 12`"),
        [one] => finding.help(format!("write `{one}`, which the policy reads")).fix(
            format!("write `{one}`"),
            false,
            span,
            one.clone(),
        ),
        some => finding
            .help(format!("the policy reads {}", alternatives(&some.iter().map(String::as_str).collect::<Vec<_>>()))),
    }
}

/// A value above what a fact with these arguments can reach.
pub(crate) fn impossible(span: Span, name: &str, value: &str, largest: &str) -> Diagnostic {
    let message = format!("`{name}` can never reach {value}");
    Diagnostic::new(&SERIES, span, message, "out of range").help(format!("write {largest} or less"))
}

/// An expectation of a call after the last one.
pub(crate) fn beyond(span: Span, at: u64, calls: u64) -> Diagnostic {
    let message = format!("call {at} is out of range");
    let last = calls.saturating_sub(1);
    Diagnostic::new(&BEYOND, span, message, format!("the last call is {last}"))
        .help(format!("write a number from 0 to {last}, or add iterations"))
}

/// A second call in a line without a comma before it.
pub(crate) fn no_comma(span: Span, before: &ScriptedCall) -> Diagnostic {
    let tool = match &before.arguments {
        Some(arguments) => format!("{}({arguments:?})", before.tool),
        None => before.tool.to_string(),
    };
    Diagnostic::new(&STATEMENT, span, "unexpected value after a complete call", "missing comma?").help(format!(
        "write a comma before another call of the same reply; for a call that fails, write `given failure of {tool}`"
    ))
}
