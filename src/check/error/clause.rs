//! Clauses of a rule, guards, and what happens on failure.

use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::source::Span;
use crate::syntax::tree::Name;

pub(crate) static TWICE: Code = Code {
    id: "E401",
    severity: Severity::Error,
    title: "clause given twice",
    why: "A rule has one of each clause; `once`, `once per` and `once until` are one kind. Several conditions are joined \
          with `and`, several effects with `then`.",
    wrong: "edition 2026\npolicy p {\n  rule a { when iteration > 0 when run > 0 do notify \"x\" }\n}\n",
    right: "edition 2026\npolicy p {\n  rule a { when iteration > 0 and run > 0 do notify \"x\" }\n}\n",
};

pub(crate) static NO_DO: Code = Code {
    id: "E402",
    severity: Severity::Error,
    title: "rule without an effect",
    why: "A rule says what to do with `do`; without it nothing can come of the rule.",
    wrong: "edition 2026\npolicy p {\n  rule a { when iteration > 0 }\n}\n",
    right: "edition 2026\npolicy p {\n  rule a { when iteration > 0 do notify \"x\" }\n}\n",
};

pub(crate) static AMBIGUOUS: Code = Code {
    id: "E403",
    severity: Severity::Error,
    title: "fact that could be either of two",
    why: "A fact without arguments in a guard or a text means the one in the rule's own condition. Where that holds the \
          fact with different arguments, the guard or text must say which.",
    wrong: "edition 2026\npolicy p {\n  rule a {\n    when repeats(within: 5 calls) >= 3 or repeats(within: 20 calls) >= 9\n    do notify \"x\"\n    once per repeats\n  }\n}\n",
    right: "edition 2026\npolicy p {\n  rule a {\n    when repeats(within: 5 calls) >= 3 or repeats(within: 20 calls) >= 9\n    do notify \"x\"\n    once per repeats(within: 5 calls)\n  }\n}\n",
};

pub(crate) static ARGUMENT: Code = Code {
    id: "E404",
    severity: Severity::Error,
    title: "argument of a fact",
    why: "An argument is unknown, missing, given twice, or not what the fact takes. Only the first may stand without its \
          name.",
    wrong: "edition 2026\npolicy p {\n  rule a { when repeats(withn: 5 calls) >= 3 do notify \"x\" }\n}\n",
    right: "edition 2026\npolicy p {\n  rule a { when repeats(within: 5 calls) >= 3 do notify \"x\" }\n}\n",
};

pub(crate) static SAFE: Code = Code {
    id: "E411",
    severity: Severity::Error,
    title: "nothing that can fail",
    why: "`on_failure` says what happens when a summary fails. No effect of this rule asks for one.",
    wrong: "edition 2026\npolicy p {\n  rule a { do mask results on_failure keep }\n}\n",
    right: "edition 2026\npolicy p {\n  rule a { do summarise all on_failure keep }\n}\n",
};

pub(crate) static TWO_FAIL: Code = Code {
    id: "E412",
    severity: Severity::Error,
    title: "two effects that can fail",
    why: "One effect of a rule may be one that asks for a summary, since `on_failure` belongs to it alone; the effect \
          that stands in for a failed one may not fail in its turn.",
    wrong: "edition 2026\npolicy p {\n  rule a { do summarise older then slide recent 4 messages }\n}\n",
    right: "edition 2026\npolicy p {\n  rule a { do summarise older }\n  rule b { do slide recent 4 messages }\n}\n",
};

pub(crate) static ON_FAILURE: Code = Code {
    id: "E413",
    severity: Severity::Error,
    title: "unclear what happens on failure",
    why: "Behind `on_failure` stands `keep`, `stop` or `ask`, or `then` and an effect; `retry N` may come before each of \
          them or stand alone.",
    wrong: "edition 2026\npolicy p {\n  rule a { do summarise all on_failure kep }\n}\n",
    right: "edition 2026\npolicy p {\n  rule a { do summarise all on_failure keep }\n}\n",
};

/// A second clause of one kind.
pub(crate) fn twice(word: &str, span: Span, first: Span) -> Diagnostic {
    let help = match word {
        "when" | "unless" => "join the conditions into one",
        "do" => "join the effects with `then`",
        _ => "leave one of them out",
    };
    Diagnostic::new(&TWICE, span, format!("this rule has two `{word}` clauses"), "the second")
        .label(first, "the first")
        .help(help)
}

/// A rule without `do`.
pub(crate) fn no_effect(name: &Name) -> Diagnostic {
    Diagnostic::new(&NO_DO, name.span, format!("rule `{}` does nothing", name.node), "has no `do`")
        .help("say what it does, such as `do mask results`")
}

/// `on_failure` where nothing fails.
pub(crate) fn nothing_fails(span: Span, effects: &[Span]) -> Diagnostic {
    let finding = Diagnostic::new(&SAFE, span, "no effect of this rule can fail", "never needed");
    let finding = effects.iter().fold(finding, |finding, effect| finding.label(*effect, "cannot fail"));
    finding.help("leave it out; only effects that ask for a summary fail").fix("leave it out", true, span, "")
}

/// A second effect that can fail.
pub(crate) fn two_fail(name: &Name, first: Span) -> Diagnostic {
    let message = format!("`{}` can fail, and so can an effect before it", name.node);
    Diagnostic::new(&TWO_FAIL, name.span, message, "asks for a second summary")
        .label(first, "asks for a summary")
        .help("give each its own rule")
}

/// An effect that can fail, in the place of one that has.
pub(crate) fn fails_again(name: &Name) -> Diagnostic {
    let message = format!("`{}` can fail too", name.node);
    Diagnostic::new(&TWO_FAIL, name.span, message, "asks for a summary itself")
        .help("take an effect that cannot fail, such as `mask results`")
}

/// A term that means nothing behind `on_failure`.
pub(crate) fn unclear(span: Span, word: Option<&str>) -> Diagnostic {
    let words = ["keep", "stop", "ask", "retry", "then"];
    let message = match word {
        Some(word) => format!("`{word}` does not fit here"),
        None => "this does not fit here".to_owned(),
    };
    let meant = word.and_then(|word| crate::diagnostic::nearest(word, words)).filter(|meant| Some(*meant) != word);
    let finding = Diagnostic::new(&ON_FAILURE, span, message, "not what `on_failure` takes");
    super::suggest(finding, span, meant, || {
        "write `keep`, `stop`, `ask`, `retry 2` and one of these, or `then` and an effect".to_owned()
    })
}

/// `retry` without its number.
pub(crate) fn retry_how_often(span: Span) -> Diagnostic {
    Diagnostic::new(&ON_FAILURE, span, "`retry` needs a number from 1 to 100", "how often?").help("write `retry 2`")
}
