//! Decisions about single facts.

use super::{all, decision, implied, known};
use crate::condition::Assumptions;

#[test]
fn shares_and_tokens_are_compared_in_truncated_tokens() {
    all(
        "never",
        &known(),
        &[
            "context.ratio > 90% and context.ratio < 80%",
            "context.ratio >= 80% and context.tokens < 160k tokens",
            "context.ratio >= 50% and context.free > 90k tokens",
            "context.ratio < 80% and context.tokens == 160k tokens",
        ],
    );
    all(
        "always",
        &known(),
        &[
            "context.ratio >= 80% or context.tokens < 160k tokens",
            "context.ratio >= 0%",
            "context.free < 190001 tokens",
            "context.free < 10% or context.tokens <= 170k tokens",
        ],
    );
    all(
        "sometimes",
        &known(),
        &[
            "context.ratio >= 80% and context.tokens <= 160k tokens",
            "context.free < 0 tokens or context.ratio in [80%]",
            "context.ratio <= 150%",
            "context.tokens >= 300001 tokens",
        ],
    );
    let odd = Assumptions { window: Some(999), ..Assumptions::default() };
    all("always", &odd, &["context.ratio >= 50% or context.tokens < 499 tokens"]);
    all("sometimes", &odd, &["context.ratio >= 50% and context.tokens == 499 tokens"]);
    all("never", &odd, &["context.ratio in [50%]"]);
}

#[test]
fn an_unknown_window_may_be_any_window() {
    let assumptions = Assumptions::default();
    all(
        "never",
        &assumptions,
        &[
            "context.ratio > 90% and context.ratio < 80%",
            "context.ratio >= 90% and context.ratio <= 80%",
            "context.ratio >= 80% and not known(context.ratio)",
            "context.ratio >= 50% and context.tokens >= 100k tokens and context.tokens >= 300k tokens and context.ratio < 40%",
            "context.free < 20% and context.ratio < 80%",
        ],
    );
    all(
        "always",
        &assumptions,
        &[
            "context.ratio >= 80% or context.ratio < 80%",
            "context.ratio >= 0%",
            "context.ratio in [80%] or context.ratio != 80% or context.ratio >= 80%",
        ],
    );
    all(
        "sometimes",
        &assumptions,
        &[
            "context.ratio >= 80% and context.tokens < 10k tokens",
            "context.tokens >= 1M tokens and context.ratio < 1%",
            "context.ratio in [80%]",
            "context.ratio in [80%] or context.ratio != 80%",
            "context.free <= 20% and context.ratio <= 80%",
        ],
    );
    let apart = "context.tokens >= 500k tokens and (reported.ratio ?? 0%) >= 80%";
    all("sometimes", &assumptions, &[apart]);
    // A context may be larger than the window.
    all("sometimes", &known(), &[apart]);
    assert!(implied("context.ratio > 80%", "context.tokens >= 60%", &assumptions));
    assert!(!implied("iteration > 5", "context.ratio >= 0%", &assumptions), "the window may stay unknown");
}

#[test]
fn a_window_of_0_is_rejected() {
    let off = Assumptions { window: Some(0), ..Assumptions::default() };
    all("never", &off, &["context.ratio >= 0%", "context.free < 9 tokens", "known(reported.ratio)"]);
    // It holds or is unknown, and never fails.
    all("always", &off, &["context.ratio >= 80% or iteration > 3"]);
}

#[test]
fn counts_are_whole_and_not_negative() {
    all("never", &known(), &["failures > 2 and failures < 3", "not iteration >= 0"]);
    all(
        "always",
        &known(),
        &["failures > 2 or failures < 3", "failures in [1, 2, 3] or failures > 3 or failures == 0"],
    );
    all(
        "sometimes",
        &known(),
        &["failures >= 2 and failures <= 3", "(budget.cost ?? $0) > $2 and (budget.cost ?? $0) < $2.01"],
    );
}

#[test]
fn an_optional_fact_may_be_unknown() {
    all("sometimes", &known(), &["known(result.error)", "result.error ?? false", "not (result.error ?? true)"]);
    all(
        "never",
        &known(),
        &[
            "known(result.tokens) and result.tokens > 5 tokens and result.tokens < 6 tokens",
            "not known(result.tokens) and (result.tokens ?? 0 tokens) > 0 tokens",
            "not known(result.tokens) and known(result.text)",
            "known(call.name) and not known(call.arguments)",
        ],
    );
    all("always", &known(), &["(reported.ratio ?? 0%) < 80% or known(reported.tokens)"]);
    assert!(implied("(reported.ratio ?? 100%) < 80%", "known(reported.ratio)", &known()));
    assert!(!implied("(reported.ratio ?? 0%) < 80%", "known(reported.ratio)", &known()));
}

#[test]
fn repeats_are_capped_at_the_number_of_calls() {
    all(
        "never",
        &known(),
        &[
            "repeats(within: 3 calls) >= 5",
            "repeats(within: 3 calls) >= 3 and repeats(within: 5 calls) < 3",
            "repeats(within: 3 calls) == 2 and repeats(within: 5 calls) == 3",
        ],
    );
    all("always", &known(), &["repeats <= 10"]);
    all(
        "sometimes",
        &known(),
        &["repeats(in: run) >= 5 and repeats < 2", "repeats(within: 3 calls) == 3 and repeats == 7"],
    );
}

#[test]
fn a_text_is_a_constant_or_something_else() {
    all(
        "never",
        &known(),
        &[
            "(call.name ?? \"\") == \"bash\" and (call.name ?? \"\") == \"edit\"",
            "(call.name ?? \"\") == \"bash\" and (call.name ?? \"\") contains \"x\"",
            "(result.text ?? \"\") contains \"abc\" and not (result.text ?? \"\") contains \"b\"",
            "not (result.text ?? \"\") contains \"\"",
            "not known(result.text) and (result.text ?? \"none\") contains \"some\"",
        ],
    );
    all("always", &known(), &["(call.name ?? \"\") in [bash, edit] or (call.name ?? \"\") != \"bash\""]);
    all(
        "sometimes",
        &known(),
        &[
            "(call.name ?? \"\") != \"bash\" and (call.name ?? \"\") != \"something else\"",
            "(result.text ?? \"\") contains \"a b\" and (result.text ?? \"\") contains \"c\" and not (result.text ?? \"\") contains \"bc\"",
            "(call.name ?? \"ab\") contains \"a\" and not (call.name ?? \"ab\") == \"ab\" and (call.name ?? \"ab\") contains \"b\"",
        ],
    );
    let many: Vec<String> = (0..40).map(|at| format!("(call.arguments ?? \"\") contains \"rm {at}\"")).collect();
    assert_eq!(decision(&many.join(" or "), &known()), "sometimes");
    assert_eq!(decision(&many.join(" and "), &known()), "sometimes");
}

#[test]
fn a_tool_may_be_declared_or_not() {
    all("sometimes", &known(), &["has_tool(\"bash\")", "used_tool(\"bash\") and not has_tool(\"bash\")"]);
    all("never", &known(), &["has_tool(\"bash\") and not has_tool(\"bash\")"]);
}

#[test]
fn since_is_known_once_a_rule_has_fired() {
    all(
        "never",
        &known(),
        &[
            "fired(b) == 0 and known(since(b))",
            "fired(b) > 0 and not known(since(b))",
            "(since(b) ?? 0) > 5 and iteration < 4",
            "(since(b) ?? 0) >= 5 and (since(c) ?? 9) >= 8 and iteration <= 4",
        ],
    );
    all(
        "sometimes",
        &known(),
        &[
            "fired(b) == 0 and known(since(c))",
            "(since(b) ?? 9) > 5 and iteration < 4",
            "(since(b) ?? 0) > 5 and iteration <= 6",
            "(since(b) ?? 0) >= 5 and (since(c) ?? 0) >= 8 and iteration <= 8",
        ],
    );
}

#[test]
fn a_run_uses_at_most_what_its_session_uses() {
    all(
        "never",
        &known(),
        &[
            "budget.tokens > 5M tokens and session.tokens < 5M tokens",
            "budget.tokens > 100% and session.tokens < 150k tokens",
            "budget.calls == 7 and session.calls < 7",
        ],
    );
    all("sometimes", &known(), &["budget.tokens < 5 tokens and session.tokens > 5 tokens"]);
}
