//! Errors in the clauses of a rule.

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_base::source::Span;
use trimtab_syntax::syntax::tree::Name;

pub(crate) static TWICE: Code = Code {
    id: "E401",
    severity: Severity::Error,
    title: "clause given twice",
    why: "A rule has at most one clause of each kind; `once`, `once per` and `once until` are the same kind. Join \
          conditions with `and` and effects with `then`.",
    wrong: "edition 2026\npolicy p {\n  rule a { when iteration > 0 when run > 0 do notify \"x\" }\n}\n",
    right: "edition 2026\npolicy p {\n  rule a { when iteration > 0 and run > 0 do notify \"x\" }\n}\n",
};

pub(crate) static NO_DO: Code = Code {
    id: "E402",
    severity: Severity::Error,
    title: "rule without an effect",
    why: "A rule needs a `do` clause. Without one it does nothing.",
    wrong: "edition 2026\npolicy p {\n  rule a { when iteration > 0 }\n}\n",
    right: "edition 2026\npolicy p {\n  rule a { when iteration > 0 do notify \"x\" }\n}\n",
};

pub(crate) static AMBIGUOUS: Code = Code {
    id: "E403",
    severity: Severity::Error,
    title: "ambiguous fact",
    why: "A fact without arguments in a guard or a text takes the arguments that it has in the rule's condition. If \
          the condition contains the fact with different arguments, they must be written here too.",
    wrong: "edition 2026\npolicy p {\n  rule a {\n    when repeats(within: 5 calls) >= 3 or repeats(within: 20 calls) >= 9\n    do notify \"x\"\n    once per repeats\n  }\n}\n",
    right: "edition 2026\npolicy p {\n  rule a {\n    when repeats(within: 5 calls) >= 3 or repeats(within: 20 calls) >= 9\n    do notify \"x\"\n    once per repeats(within: 5 calls)\n  }\n}\n",
};

pub(crate) static ARGUMENT: Code = Code {
    id: "E404",
    severity: Severity::Error,
    title: "wrong argument of a fact",
    why: "An argument is unknown, missing, given twice, or of the wrong kind. Only the first argument may be written \
          without its name.",
    wrong: "edition 2026\npolicy p {\n  rule a { when repeats(withn: 5 calls) >= 3 do notify \"x\" }\n}\n",
    right: "edition 2026\npolicy p {\n  rule a { when repeats(within: 5 calls) >= 3 do notify \"x\" }\n}\n",
};

pub(crate) static SAFE: Code = Code {
    id: "E411",
    severity: Severity::Error,
    title: "`on_failure` without an effect that can fail",
    why: "`on_failure` handles a failed summary. No effect of this rule requests a summary.",
    wrong: "edition 2026\npolicy p {\n  rule a { do mask results on_failure keep }\n}\n",
    right: "edition 2026\npolicy p {\n  rule a { do summarise all on_failure keep }\n}\n",
};

pub(crate) static TWO_FAIL: Code = Code {
    id: "E412",
    severity: Severity::Error,
    title: "two effects that can fail",
    why: "At most one effect of a rule may request a summary, since `on_failure` applies to that one. The effect \
          after `on_failure then` must not request one either.",
    wrong: "edition 2026\npolicy p {\n  rule a { do summarise older then slide recent 4 messages }\n}\n",
    right: "edition 2026\npolicy p {\n  rule a { do summarise older }\n  rule b { do slide recent 4 messages }\n}\n",
};

pub(crate) static ON_FAILURE: Code = Code {
    id: "E413",
    severity: Severity::Error,
    title: "invalid `on_failure`",
    why: "`on_failure` is followed by `keep`, `stop` or `ask`, or by `then` and an effect. `retry N` may come first \
          or be the only word.",
    wrong: "edition 2026\npolicy p {\n  rule a { do summarise all on_failure kep }\n}\n",
    right: "edition 2026\npolicy p {\n  rule a { do summarise all on_failure keep }\n}\n",
};

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

/// `retry` without its number.
pub(crate) fn retry_how_often(span: Span) -> Diagnostic {
    Diagnostic::new(&ON_FAILURE, span, "`retry` takes a number from 1 to 100", "number of retries")
        .help("write `retry 2`")
}
