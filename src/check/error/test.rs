//! Tests in the language: statements, series, contradictions, tests that test nothing.

use super::suggest;
use crate::check::case::{Called, TOTALS};
use crate::diagnostic::{Code, Diagnostic, Severity, alternatives, nearest};
use crate::fact::{Fact, Topic};
use crate::source::Span;

pub(crate) static WORD: Code = Code {
    id: "E421",
    severity: Severity::Error,
    title: "statement that a test does not know",
    why: "A test gives facts by their names, `iterations`, `window`, `model`, `tools`, `policy`, `summary`, `transcript`, \
          and lines of a conversation. It expects something of a rule, of contexts, of facts, of totals, `stops` or \
          `invariants hold`.",
    wrong: "edition 2026\npolicy p {\n  rule a { when context.ratio >= 80% do notify \"x\" }\n}\ntest \"t\" {\n  given contxt.ratio 40%, 90%\n  expect a fires at 1\n}\n",
    right: "edition 2026\npolicy p {\n  rule a { when context.ratio >= 80% do notify \"x\" }\n}\ntest \"t\" {\n  given context.ratio 40%, 90%\n  expect a fires at 1\n}\n",
};

pub(crate) static STATEMENT: Code = Code {
    id: "E422",
    severity: Severity::Error,
    title: "incomplete statement of a test",
    why: "Something is missing from the statement, stands there twice, or is not what this statement takes.",
    wrong: "edition 2026\npolicy p {\n  rule a { when context.ratio >= 80% do notify \"x\" }\n}\ntest \"t\" {\n  given context.ratio 40%, 90%\n  expect a first fires\n}\n",
    right: "edition 2026\npolicy p {\n  rule a { when context.ratio >= 80% do notify \"x\" }\n}\ntest \"t\" {\n  given context.ratio 40%, 90%\n  expect a first fires at 1\n}\n",
};

pub(crate) static SERIES: Code = Code {
    id: "E423",
    severity: Severity::Error,
    title: "series of values",
    why: "A series is values with `,` between them, a value an iteration: `40%, 55%`, `40%..95% by 5%`, `40% x3`, and \
          `unknown` for a fact that may be unknown.",
    wrong: "edition 2026\npolicy p {\n  rule a { when context.ratio >= 80% do notify \"x\" }\n}\ntest \"t\" {\n  given context.ratio 40%..90% by 0%\n  expect a fires at 9\n}\n",
    right: "edition 2026\npolicy p {\n  rule a { when context.ratio >= 80% do notify \"x\" }\n}\ntest \"t\" {\n  given context.ratio 40%..90% by 5%\n  expect a fires at 9\n}\n",
};

pub(crate) static CONTRADICTION: Code = Code {
    id: "E424",
    severity: Severity::Error,
    title: "givens that contradict each other",
    why: "One thing is given twice, or two things that say the same of a moment: the size of the context as a share and \
          in tokens, a recording and a conversation, a series that is longer than the test, or what the test counts by \
          itself.",
    wrong: "edition 2026\npolicy p {\n  rule a { when context.ratio >= 80% do notify \"x\" }\n}\ntest \"t\" {\n  given context.ratio 40%, 90%\n  given context.tokens 10k tokens\n  expect a fires at 1\n}\n",
    right: "edition 2026\npolicy p {\n  rule a { when context.ratio >= 80% do notify \"x\" }\n}\ntest \"t\" {\n  given context.ratio 40%, 90%\n  expect a fires at 1\n}\n",
};

pub(crate) static NOTHING: Code = Code {
    id: "E425",
    severity: Severity::Error,
    title: "test that tests nothing",
    why: "A test without an expectation cannot fail, and in one where nothing is given nothing happens.",
    wrong: "edition 2026\npolicy p {\n  rule a { when context.ratio >= 80% do notify \"x\" }\n}\ntest \"t\" {\n  given context.ratio 40%, 90%\n}\n",
    right: "edition 2026\npolicy p {\n  rule a { when context.ratio >= 80% do notify \"x\" }\n}\ntest \"t\" {\n  given context.ratio 40%, 90%\n  expect a fires at 1\n}\n",
};

pub(crate) static UNSENT: Code = Code {
    id: "E426",
    severity: Severity::Error,
    title: "expectation of what is never sent",
    why: "A test that gives only facts asks which rules fire. No effect is carried out and nothing is sent, so nothing \
          can be expected of contexts, totals or stops. Give a conversation or a transcript for that.",
    wrong: "edition 2026\npolicy p {\n  rule a { when context.ratio >= 80% do notify \"x\" }\n}\ntest \"t\" {\n  given context.ratio 40%, 90%\n  expect notices == 1\n}\n",
    right: "edition 2026\npolicy p {\n  rule a { when context.ratio >= 80% do notify \"x\" }\n}\ntest \"t\" {\n  given context.ratio 40%, 90%\n  given user \"hello\"\n  expect notices == 1\n}\n",
};

pub(crate) static POLICY: Code = Code {
    id: "E427",
    severity: Severity::Error,
    title: "test of no policy, or of several",
    why: "A test belongs to the policy of its file that no other extends. Where there are several it says which: `given \
          policy NAME`.",
    wrong: "edition 2026\npolicy p {\n  rule a { do notify \"x\" }\n}\npolicy q {\n  rule a { do notify \"x\" }\n}\ntest \"t\" {\n  given iterations 2\n  expect a fires at 1\n}\n",
    right: "edition 2026\npolicy p {\n  rule a { do notify \"x\" }\n}\npolicy q {\n  rule a { do notify \"x\" }\n}\ntest \"t\" {\n  given policy q\n  given iterations 2\n  expect a fires at 1\n}\n",
};

pub(crate) static UNREAD: Code = Code {
    id: "E428",
    severity: Severity::Error,
    title: "given that nothing reads",
    why: "No rule of the tested policy and no expectation reads this fact with these arguments, so the values change \
          nothing and the test passes or fails for another reason. A fact with other arguments is another fact: \
          `repeats` means `repeats(within: 10 calls)`.",
    wrong: "edition 2026\npolicy p {\n  rule a { when repeats(within: 5 calls) >= 3 do notify \"x\" }\n}\ntest \"t\" {\n  given repeats 1, 2, 3\n  expect a never fires\n}\n",
    right: "edition 2026\npolicy p {\n  rule a { when repeats(within: 5 calls) >= 3 do notify \"x\" }\n}\ntest \"t\" {\n  given repeats(within: 5 calls) 1, 2, 3\n  expect a only fires at 2\n}\n",
};

pub(crate) static BEYOND: Code = Code {
    id: "E429",
    severity: Severity::Error,
    title: "expectation of a call that the test does not have",
    why: "Calls are counted from 0. An expectation of a call behind the last one cannot be met, or holds whatever the \
          policy does.",
    wrong: "edition 2026\npolicy p {\n  rule a { when context.ratio >= 80% do notify \"x\" }\n}\ntest \"t\" {\n  given context.ratio 40%, 90%\n  expect a not fires at 99\n}\n",
    right: "edition 2026\npolicy p {\n  rule a { when context.ratio >= 80% do notify \"x\" }\n}\ntest \"t\" {\n  given context.ratio 40%, 90%\n  expect a not fires at 0\n}\n",
};

/// A `given` that begins with no word of a test and no fact.
pub(crate) fn unknown_given(span: Span, word: &str, words: &[&str]) -> Diagnostic {
    let message = format!("`given` knows no `{word}`");
    let finding = Diagnostic::new(&WORD, span, message, "no fact, no word of a test");
    let meant = nearest(word, words.iter().copied().chain(crate::fact::FACTS.iter().map(|fact| fact.name)));
    suggest(finding, span, meant, || {
        "write a fact and its values, `user \"…\"`, `result of TOOL 2k chars`, or `transcript \"…\"`".to_owned()
    })
}

/// An `expect` that begins with no rule, fact or word of a test.
pub(crate) fn unknown_expect<'r>(
    span: Span,
    word: &str,
    words: &[&'static str],
    rules: impl Iterator<Item = &'r str>,
) -> Diagnostic {
    let finding = Diagnostic::new(&WORD, span, format!("`expect` knows no `{word}`"), "no rule, no fact");
    let rules: Vec<&str> = rules.collect();
    let known = words.iter().copied().chain(TOTALS.iter().map(|total| total.word));
    let facts = crate::fact::FACTS.iter().map(|fact| fact.name);
    let meant = nearest(word, rules.iter().copied().chain(known).chain(facts));
    suggest(finding, span, meant, || {
        if rules.is_empty() {
            "write a rule, a fact or a total".to_owned()
        } else {
            format!("rules are {}", alternatives(&rules))
        }
    })
}

/// What a statement takes stands not there; `here` says what does.
pub(crate) fn takes(span: Span, who: &str, takes: &str, here: &str) -> Diagnostic {
    Diagnostic::new(&STATEMENT, span, format!("`{who}` takes {takes}"), here).help(format!("write {takes}"))
}

/// A word behind a rule that says nothing of it.
pub(crate) fn unknown_outcome(span: Span, word: &str, rule: &str, words: &[&str]) -> Diagnostic {
    let finding = Diagnostic::new(&STATEMENT, span, format!("a rule is never `{word}`"), "no outcome of a rule");
    suggest(finding, span, nearest(word, words.iter().copied()), || {
        format!("write `{rule} fires at 2`, `{rule} never fires` or `{rule} fires 3 times`")
    })
}

/// Something behind a statement that is complete.
pub(crate) fn left_over(span: Span) -> Diagnostic {
    Diagnostic::new(&STATEMENT, span, "the statement is complete before this", "too much")
        .help("leave it out, or begin another statement with `given` or `expect`")
}

/// A fact without saying which of its values.
pub(crate) fn which_value(span: Span, fact: &str) -> Diagnostic {
    let message = format!("`{fact}` has a value at every call");
    Diagnostic::new(&STATEMENT, span, message, "which of them?")
        .help(format!("write `peak {fact}`, `mean {fact}`, `final {fact}` or `{fact} at 3`"))
}

/// A peak, mean or least of a fact that is no number, or an order of one.
pub(crate) fn no_order(span: Span, fact: &Fact) -> Diagnostic {
    let message = format!("`{}` is {}, which has no order", fact.name, fact.ty);
    Diagnostic::new(&STATEMENT, span, message, "needs a number").help(format!("write `{} at 3 == …`", fact.name))
}

/// A series that cannot be made; `why` says so and `help` what to do.
pub(crate) fn series(span: Span, why: impl Into<String>, help: impl Into<String>) -> Diagnostic {
    Diagnostic::new(&SERIES, span, why, "here").help(help)
}

/// `unknown` for a fact that always has a value.
pub(crate) fn never_unknown(span: Span, fact: &Fact) -> Diagnostic {
    let message = format!("`{}` is never unknown", fact.name);
    Diagnostic::new(&SERIES, span, message, "always has a value").help("write a value")
}

/// The same given twice, or two that say the same.
pub(crate) fn twice(span: Span, first: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(&CONTRADICTION, span, message, "again").label(first, "given here").help("leave one of them out")
}

/// A fact that the test counts by itself.
pub(crate) fn counted(span: Span, fact: &Fact) -> Diagnostic {
    let message = format!("a test counts `{}` by itself", fact.name);
    let help = match fact.topic {
        Topic::Iteration => "leave it out; `given iterations 12` says how many there are",
        Topic::Run => "leave it out; a new run begins with a person's message after a finished reply",
        _ => "leave it out; it follows from the rules that fire",
    };
    Diagnostic::new(&CONTRADICTION, span, message, "cannot be given").help(help)
}

/// A series that is longer than the test.
pub(crate) fn too_long(span: Span, values: usize, iterations: u64, place: Span) -> Diagnostic {
    let message = format!("{values} values for {iterations} iterations");
    Diagnostic::new(&CONTRADICTION, span, message, "the last ones are never seen")
        .label(place, "so many iterations")
        .help("take values out, or give more iterations")
}

/// A test without an expectation.
pub(crate) fn no_expectation(span: Span) -> Diagnostic {
    Diagnostic::new(&NOTHING, span, "this test expects nothing, so it cannot fail", "no `expect`")
        .help("write what should come of it, such as `expect RULE fires at 2`")
}

/// A test in which nothing is given.
pub(crate) fn no_given(span: Span) -> Diagnostic {
    Diagnostic::new(&NOTHING, span, "nothing is given in this test, so nothing happens", "nothing to go by")
        .help("write a series of a fact, a conversation, or `given iterations 5`")
}

/// An expectation of something sent where nothing is.
pub(crate) fn unsent(span: Span) -> Diagnostic {
    Diagnostic::new(&UNSENT, span, "this test gives only facts, so nothing is sent", "expects something sent")
        .help("give a conversation (`given user \"…\"`) or a transcript as well, or expect rules to fire")
}

/// No policy is said, and several could be meant; or there is none.
pub(crate) fn which_policy(span: Span, names: &[&str]) -> Diagnostic {
    let finding = |message: String| Diagnostic::new(&POLICY, span, message, "of which policy?");
    match names {
        [] => finding("there is no policy to test".to_owned()).help("a test stands in the file of its policy"),
        some => finding(format!("this file holds {} policies", some.len()))
            .help(format!("write `given policy NAME` in the test, where the name is {}", alternatives(some))),
    }
}

/// A policy that the file does not hold.
pub(crate) fn unknown_policy(span: Span, name: &str, names: &[&str]) -> Diagnostic {
    let finding = Diagnostic::new(&POLICY, span, format!("unknown policy `{name}`"), "no policy of this file");
    suggest(finding, span, nearest(name, names.iter().copied()), || format!("policies are {}", alternatives(names)))
}

/// A fact that neither the policy nor an expectation reads. `name` has its arguments, and `others` are the instances of
/// the same fact that the policy reads.
pub(crate) fn unread(span: Span, fact: &str, name: &str, others: &[String]) -> Diagnostic {
    // Bare, it stands for the instance with every default.
    let is_bare = usize::try_from(span.end - span.start) == Ok(fact.len());
    let here = if is_bare && name != fact { format!("this is `{name}`") } else { "changes nothing".to_owned() };
    let message = format!("nothing in this test reads `{}`", if is_bare { fact } else { name });
    let finding = Diagnostic::new(&UNREAD, span, message, here);
    match others {
        [] => finding.help("leave it out; `given iterations 12` says how long a test is"),
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

/// A value that a fact with these arguments cannot have.
pub(crate) fn impossible(span: Span, name: &str, value: &str, largest: &str) -> Diagnostic {
    let message = format!("`{name}` is never {value}");
    Diagnostic::new(&SERIES, span, message, "not possible").help(format!("write {largest} or less"))
}

/// An expectation of a call that does not come.
pub(crate) fn beyond(span: Span, at: u64, calls: u64) -> Diagnostic {
    let message = format!("this test has no call {at}");
    let last = calls.saturating_sub(1);
    Diagnostic::new(&BEYOND, span, message, format!("the last call is {last}"))
        .help(format!("write a number from 0 to {last}, or make the test longer"))
}

/// A second call in one line without a comma before it.
pub(crate) fn no_comma(span: Span, before: &Called) -> Diagnostic {
    let tool = match &before.arguments {
        Some(arguments) => format!("{}({arguments:?})", before.tool),
        None => before.tool.to_string(),
    };
    Diagnostic::new(&STATEMENT, span, "a call is complete before this", "no comma before it").help(format!(
        "for a call that fails write `given failure of {tool}`; another call of the same reply needs a comma before it"
    ))
}
