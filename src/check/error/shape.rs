//! E4xx: clauses, effects, labels, arguments.

use crate::diagnostic::{Code, Diagnostic, alternatives};
use crate::source::Span;

pub(in crate::check) static UNKNOWN_LABEL: Code = Code {
    id: "E401",
    title: "unknown word",
    why: "An effect takes its target and its labels, nothing else; a misspelt label would leave the default in force.",
    wrong: "edition 2026\npolicy p { rule r { do mask results kep 3 results } }",
    right: "edition 2026\npolicy p { rule r { do mask results keep 3 results } }",
};

pub(in crate::check) static TWICE: Code = Code {
    id: "E402",
    title: "given twice",
    why: "Of two values for one thing, one would have to lose.",
    wrong: "edition 2026\npolicy p { rule r { do mask results keep 3 results keep 4 results } }",
    right: "edition 2026\npolicy p { rule r { do mask results keep 3 results } }",
};

pub(in crate::check) static NO_VALUE: Code = Code {
    id: "E403",
    title: "label without a value",
    why: "A label takes what stands behind it.",
    wrong: "edition 2026\npolicy p { rule r { do mask results keep } }",
    right: "edition 2026\npolicy p { rule r { do mask results keep 3 results } }",
};

pub(in crate::check) static NO_TARGET: Code = Code {
    id: "E404",
    title: "something is missing",
    why: "The effect cannot know what it is to act on.",
    wrong: "edition 2026\npolicy p { rule r { do mask keep 3 results } }",
    right: "edition 2026\npolicy p { rule r { do mask results keep 3 results } }",
};

pub(in crate::check) static WRONG_VALUE: Code = Code {
    id: "E405",
    title: "wrong value",
    why: "Each label takes values of one kind; a number must have one of the label's units.",
    wrong: "edition 2026\npolicy p { rule r { do trim results to 5 iterations } }",
    right: "edition 2026\npolicy p { rule r { do trim results to 500 chars } }",
};

pub(in crate::check) static ARGUMENT: Code = Code {
    id: "E406",
    title: "wrong argument",
    why: "A fact takes the arguments that `trimtab explain` lists for it.",
    wrong: "edition 2026\npolicy p { rule r { when repeats(last: 5 calls) >= 3 do notify \"x\" } }",
    right: "edition 2026\npolicy p { rule r { when repeats(within: 5 calls) >= 3 do notify \"x\" } }",
};

pub(in crate::check) static NO_EFFECT: Code = Code {
    id: "E407",
    title: "rule that does nothing",
    why: "A rule says what to do with `do`.",
    wrong: "edition 2026\npolicy p { rule r { when failures >= 2 } }",
    right: "edition 2026\npolicy p { rule r { when failures >= 2 do notify \"x\" } }",
};

pub(in crate::check) static GUARD_NUMBER: Code = Code {
    id: "E408",
    title: "guard with a wrong number",
    why: "`every` and `cooldown` take a number of iterations, `limit` a count, each at least 1.",
    wrong: "edition 2026\npolicy p { rule r { do notify \"x\" every 0 iterations } }",
    right: "edition 2026\npolicy p { rule r { do notify \"x\" every 5 iterations } }",
};

pub(in crate::check) static CANNOT_FAIL: Code = Code {
    id: "E409",
    title: "on_failure that does not fit",
    why: "Only an effect that asks for a summary can fail, and `on_failure` says what happens then: keep, stop, ask, retry N, then EFFECT.",
    wrong: "edition 2026\npolicy p { rule r { do notify \"x\" on_failure keep } }",
    right: "edition 2026\npolicy p { rule r { do summarise all on_failure keep } }",
};

pub(in crate::check) static TWO_CAN_FAIL: Code = Code {
    id: "E410",
    title: "two effects that can fail",
    why: "`on_failure` belongs to one effect of a rule.",
    wrong: "edition 2026\npolicy p { rule r { do slide then summarise all } }",
    right: "edition 2026\npolicy p { rule r { do slide } rule s { do summarise all } }",
};

pub(in crate::check) static SIGNALS_ONLY: Code = Code {
    id: "E411",
    title: "edit in a phase for signals",
    why: "Only on `request` and `reply` does a rule edit the conversation; in the other phases it may notify and stop.",
    wrong: "edition 2026\npolicy p { rule r { on iteration_end do mask results } }",
    right: "edition 2026\npolicy p { rule r { on request do mask results } }",
};

pub(in crate::check) static AMBIGUOUS: Code = Code {
    id: "E412",
    title: "which instance is meant",
    why: "A bare fact in a guard or a text means the one in the rule's condition. When the condition holds two with different arguments, it does not say which.",
    wrong: "edition 2026\npolicy p { rule r { when repeats(within: 5 calls) >= 3 or repeats(within: 9 calls) >= 4 do notify \"x\" once per repeats } }",
    right: "edition 2026\npolicy p { rule r { when repeats(within: 5 calls) >= 3 or repeats(within: 9 calls) >= 4 do notify \"x\" once per repeats(within: 9 calls) } }",
};

pub(in crate::check) fn unknown_label(
    span: Span,
    word: &str,
    owner: &str,
    near: Option<&str>,
    all: &[&str],
) -> Diagnostic {
    let one = Diagnostic::error(&UNKNOWN_LABEL, span, format!("{owner} takes no `{word}`"), "not known here");
    match near {
        Some(near) => one.help(format!("did you mean `{near}`?")).fix(format!("write `{near}`"), false, span, near),
        None if all.is_empty() => one.help("remove it"),
        None => one.help(format!("it takes {}", alternatives(all))),
    }
}

pub(in crate::check) fn stray(span: Span, owner: &str, all: &[&str]) -> Diagnostic {
    let help =
        if all.is_empty() { "remove it".to_owned() } else { format!("put a label before it: {}", alternatives(all)) };
    Diagnostic::error(&UNKNOWN_LABEL, span, format!("{owner} does not know what this is for"), "no label before it")
        .help(help)
}

pub(in crate::check) fn twice(span: Span, first: Span, what: &str) -> Diagnostic {
    Diagnostic::error(&TWICE, span, format!("{what} is given twice"), "again here")
        .label(first, "first here")
        .help("keep one of them")
}

pub(in crate::check) fn no_value(span: Span, label: &str, wanted: &str) -> Diagnostic {
    Diagnostic::error(&NO_VALUE, span, format!("`{label}` has no value"), "nothing behind it")
        .help(format!("write `{label} {wanted}`"))
}

pub(in crate::check) fn no_target(span: Span, owner: &str, wanted: &str) -> Diagnostic {
    Diagnostic::error(&NO_TARGET, span, format!("{owner} needs {wanted}"), "missing behind this")
        .help(format!("add {wanted}"))
}

pub(in crate::check) fn wrong_value(
    span: Span,
    label: &str,
    label_span: Span,
    found: &str,
    wanted: &str,
    sample: &str,
) -> Diagnostic {
    Diagnostic::error(&WRONG_VALUE, span, format!("`{label}` takes {wanted}, not {found}"), found)
        .label(label_span, format!("takes {wanted}"))
        .help(format!("write, for instance, `{label} {sample}`"))
}

pub(in crate::check) fn argument(span: Span, fact: &str, message: &str, help: &str) -> Diagnostic {
    Diagnostic::error(&ARGUMENT, span, format!("`{fact}`: {message}"), "this argument").help(help)
}

pub(in crate::check) fn no_effect(span: Span, rule: &str) -> Diagnostic {
    Diagnostic::error(&NO_EFFECT, span, format!("the rule `{rule}` does nothing"), "has no `do`")
        .help("add what it is to do, such as `do mask results keep 10 messages`")
}

pub(in crate::check) fn guard_number(span: Span, guard: &str, wanted: &str) -> Diagnostic {
    Diagnostic::error(&GUARD_NUMBER, span, format!("`{guard}` takes {wanted}"), "not that")
        .help(format!("write, for instance, `{guard} {}`", if guard == "limit" { "3" } else { "3 iterations" }))
}

pub(in crate::check) fn cannot_fail(span: Span) -> Diagnostic {
    Diagnostic::error(&CANNOT_FAIL, span, "no effect of this rule can fail", "never comes to this")
        .help("only `summarise` and `slide` can fail; remove the clause")
        .fix("remove the clause", true, span, "")
}

pub(in crate::check) fn wrong_failure(span: Span, found: &str) -> Diagnostic {
    Diagnostic::error(&CANNOT_FAIL, span, format!("`on_failure` does not take {found}"), "not that")
        .help("write `keep`, `stop`, `ask`, `retry 2`, `retry 2 keep` or `then EFFECT`")
}

pub(in crate::check) fn two_can_fail(span: Span, first: Span) -> Diagnostic {
    Diagnostic::error(&TWO_CAN_FAIL, span, "two effects of this rule can fail", "the second")
        .label(first, "the first")
        .help("make two rules of it, each with its `on_failure`")
}

pub(in crate::check) fn signals_only(span: Span, effect: &str, phase: &str) -> Diagnostic {
    Diagnostic::error(
        &SIGNALS_ONLY,
        span,
        format!("`{effect}` edits the conversation, which no rule may on `{phase}`"),
        "an edit",
    )
    .help("write `on request` or `on reply`, or use `notify` or `stop`")
}

pub(in crate::check) fn ambiguous(span: Span, fact: &str) -> Diagnostic {
    Diagnostic::error(
        &AMBIGUOUS,
        span,
        format!("the condition reads `{fact}` with different arguments"),
        "which of them?",
    )
    .help(format!("give the arguments here too: `{fact}(…)`"))
}
