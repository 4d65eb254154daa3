//! What is found, and where.

use trimtab_base::source::{Source, SourceId};
use trimtab_syntax::syntax;

use super::{checked, codes, fixed, messages};
use crate::check;

const NONE: [String; 0] = [];

/// Clauses and their findings.
fn each(cases: &[(&str, &[&str])]) {
    for (clauses, expected) in cases {
        assert_eq!(codes(clauses), *expected, "{clauses}");
    }
}

/// Conditions and their findings.
fn conditions(cases: &[(&str, &[&str])]) {
    for (condition, expected) in cases {
        assert_eq!(codes(&format!("when {condition} do notify \"x\"")), *expected, "{condition}");
    }
}

#[test]
fn five_mistakes_in_one_file_are_five_findings() {
    let text = "edition 2026\n\npolicy p \"five mistakes\" {\n  \
        rule share_without_unit { on request when context.ratio >= 80 do notify \"x\" }\n  \
        rule unknown_fact { when contxt.ratio >= 80% do notify \"x\" }\n  \
        rule unknown_effect { when iteration > 0 do maks results keep 3 results }\n  \
        rule broken syntax here {{{\n  \
        rule wrong_unit { do trim results to 5 iterations keep 4 results }\n  \
        rule good { when iteration > 0 do notify \"fine\" }\n}\n";
    let source = Source::new(SourceId(0), "x.trim", text);
    let (file, _) = syntax::parse(&source);
    let (checked, found) = check::check(&file);
    let messages: Vec<_> = found
        .iter()
        .map(|finding| {
            (source.position(finding.primary.span.start).line, finding.code.id, source.slice(finding.primary.span))
        })
        .collect();
    let expected = [(4, "E301", "80"), (5, "E201", "contxt.ratio"), (6, "E202", "maks"), (8, "E302", "5 iterations")];
    assert_eq!(messages, expected);
    assert!(checked.is_none());
}

#[test]
fn a_share_without_a_unit_says_what_to_write() {
    let found = checked(&super::file("when context.ratio >= 80 do notify \"x\"")).1;
    let finding = &found[0];
    assert_eq!(finding.message, "`80` has no unit, but `context.ratio` is a share of the window");
    assert_eq!(finding.labels[0].message, "`context.ratio` is a share of the window");
    assert_eq!(finding.help.as_deref(), Some("write a percentage: `80%`"));
    assert!(finding.fixes[0].safe && finding.fixes[0].edits[0].text == "80%");
}

#[test]
fn the_fix_of_an_error_writes_the_intended_text() {
    let cases = [
        ("when context.ratio >= 0.8 do notify \"x\"", "when context.ratio >= 80% do notify \"x\""),
        ("when context.ratio >= 80 do notify \"x\"", "when context.ratio >= 80% do notify \"x\""),
        ("when context.tokens >= 150k do notify \"x\"", "when context.tokens >= 150k tokens do notify \"x\""),
        ("when (budget.cost ?? $0) > 2 do notify \"x\"", "when (budget.cost ?? $0) > $2 do notify \"x\""),
        ("when iteratoin > 0 do notify \"x\"", "when iteration > 0 do notify \"x\""),
        ("when has_tool(\"x\") == false do notify \"x\"", "when not has_tool(\"x\") do notify \"x\""),
        ("when true == has_tool(\"x\") do notify \"x\"", "when has_tool(\"x\") do notify \"x\""),
        ("when reported.ratio > 8% do notify \"x\"", "when (reported.ratio ?? 0%) > 8% do notify \"x\""),
        ("when (run ?? 0) > 8 do notify \"x\"", "when (run) > 8 do notify \"x\""),
        ("when call.name == \"x\" do notify \"x\"", "when (call.name ?? \"\") == \"x\" do notify \"x\""),
        ("when (call.name ?? \"\") == bash do notify \"x\"", "when (call.name ?? \"\") == \"bash\" do notify \"x\""),
        ("when failures >= 2 messages do notify \"x\"", "when failures >= 2 results do notify \"x\""),
        ("do notify \"at {contxt.ratio}\"", "do notify \"at {context.ratio}\""),
        ("do trim results 500 chars", "do trim results to 500 chars"),
        ("do mask results kep 3 results", "do mask results keep 3 results"),
        ("do mask results keep 3 mesages", "do mask results keep 3 messages"),
    ];
    for (wrong, right) in cases {
        assert_eq!(fixed(wrong), right);
        assert_eq!(codes(right), NONE, "{right}");
    }
}

#[test]
fn numbers_have_the_unit_of_the_fact_they_are_compared_with() {
    conditions(&[
        ("failures >= 2 and failures >= 2 results and failures.steps > 1", &[]),
        ("failures >= 2 messages", &["E302 2 messages"]),
        ("failures.steps >= 2 results", &["E302 2 results"]),
        ("context.tokens >= 80%", &[]),
        ("context.ratio >= 150k tokens and context.ratio < cap", &[]),
        ("context.ratio >= 5 messages", &["E302 5 messages"]),
        ("context.tokens >= 180%", &["E303 180%"]),
        ("budget.tokens >= 300%", &[]),
        ("context.ratio >= 180%", &["E303 180%"]),
        ("context.ratio >= 0.8% and context.ratio < 150%", &[]),
        ("(budget.time ?? 0s) > 90", &["E301 90"]),
        ("(budget.time ?? 0) > 90s", &["E301 0"]),
        ("failures >= 1.5", &["E305 1.5"]),
        ("context.tokens >= 1.5k tokens", &[]),
        ("context.tokens >= 20% tokens", &["E302 tokens"]),
        ("context.tokens >= 20 tokns", &["E304 tokns"]),
        ("context.ratio >= busy and context.tokens > 50% of cap", &[]),
        ("context.ratio >= 50% of 3", &["E301 50% of 3"]),
        ("context.ratio in [50%, busy, 3]", &["E301 3"]),
        ("failures in [1, 2 results, 3 calls]", &["E302 3 calls"]),
    ]);
}

#[test]
fn a_comparison_needs_a_fact_and_a_constant_of_its_type() {
    conditions(&[
        ("80% <= context.ratio", &[]),
        ("60% < context.ratio < 80%", &["E309 60% < context.ratio < 80%"]),
        ("context.tokens > budget.tokens", &["E310 context.tokens > budget.tokens"]),
        ("busy > 40%", &["E311 busy > 40%"]),
        ("has_tool(\"x\") == true", &["E314 has_tool(\"x\") == true"]),
        ("(failures > 2) == true", &["E314 (failures > 2)"]),
        ("(call.name ?? \"\") > \"a\"", &["E313 >"]),
        ("failures contains \"a\"", &["E313 contains"]),
        ("\"a\" contains (call.name ?? \"\")", &["E313 \"a\" contains (call.name ?? \"\")"]),
        ("(call.name ?? \"\") in readers and (call.name ?? \"\") in [bash, \"x y\"]", &[]),
        ("(call.name ?? \"\") in \"bash\"", &["E313 \"bash\""]),
        ("(call.name ?? \"\") in []", &["E313 []"]),
        ("(call.name ?? \"\") == greeting", &[]),
        ("(call.name ?? \"\") == 3", &["E306 3"]),
        ("failures == \"3\"", &["E306 \"3\""]),
        ("(call.name ?? 3) == \"x\"", &["E306 3"]),
        ("(reported.tokens ?? context.tokens) > 5 tokens", &["E307 context.tokens"]),
        ("(5 ?? 3) > 2", &["E312 5"]),
    ]);
}

#[test]
fn a_condition_is_true_or_false() {
    conditions(&[
        ("true and yes and has_tool(bash) and not used_tool(\"x\")", &[]),
        ("failures", &["E312 failures"]),
        ("busy", &["E312 busy"]),
        ("5 or greeting and not failures", &["E312 5", "E312 greeting", "E312 failures"]),
        ("result.error", &["E315 result.error"]),
        ("result.error ?? false", &[]),
        ("result.error ?? 0", &["E306 0"]),
        ("known(result.error) and result.error", &[]),
    ]);
}

#[test]
fn an_optional_fact_needs_known_or_a_default() {
    conditions(&[
        ("reported.tokens > 5 tokens", &["E315 reported.tokens"]),
        ("known(reported.tokens) and reported.tokens > 5 tokens", &[]),
        ("known(reported.tokens) or reported.tokens > 5 tokens", &["E315 reported.tokens"]),
        ("not known(reported.tokens) or reported.tokens > 5 tokens", &[]),
        ("not (not known(reported.tokens) or failures > 3) and reported.tokens > 5 tokens", &[]),
        ("not (known(reported.tokens) and failures > 3) and reported.tokens > 5 tokens", &["E315 reported.tokens"]),
        ("reported.tokens > 5 tokens and known(reported.tokens)", &["E315 reported.tokens"]),
        ("known(reported.tokens) and (failures > 3 or reported.tokens > 5 tokens)", &[]),
        ("known(reported.ratio) and reported.tokens > 5 tokens", &["E315 reported.tokens"]),
        ("(known(call.name) and run > 1 or failures > 2 and known(call.name)) and call.name == \"x\"", &[]),
        ("known(since(a)) and since(a) >= 5", &[]),
        ("known(context.ratio)", &["E316 known(context.ratio)"]),
        ("(run ?? 1) > 2", &["E316 1"]),
        ("known()", &["E404 known()"]),
        ("known(5)", &["E404 5"]),
        ("known(contxt.ratio) and reported.tokens > 5 tokens", &["E201 contxt.ratio"]),
    ]);
    each(&[
        ("when reported.tokens > 5 tokens unless not known(reported.tokens) do notify \"x\"", &[]),
        ("unless not known(reported.tokens) or reported.tokens > 5 tokens do notify \"x\"", &[]),
        ("when known(reported.tokens) unless reported.tokens > 5 tokens do notify \"x\"", &[]),
        ("unless known(reported.tokens) when reported.tokens > 5 tokens do notify \"x\"", &["E315 reported.tokens"]),
    ]);
}

#[test]
fn facts_take_their_own_arguments() {
    conditions(&[
        ("repeats(5, in: run) >= 3 and repeats(within: 5 calls) >= 2", &[]),
        ("repeats(withn: 5) >= 3", &["E404 withn"]),
        ("repeats(5, run) >= 3", &["E404 run"]),
        ("repeats(5, within: 6) >= 3", &["E404 within: 6"]),
        ("repeats(in: runs) >= 3", &["E404 runs"]),
        ("repeats(within: 5 messages) >= 3", &["E302 5 messages"]),
        ("repeats(within: 0) >= 3", &["E303 0"]),
        ("repeats(within: failures) >= 3", &["E307 failures"]),
        ("context.ratio(5) >= 3%", &["E404 5"]),
        ("has_tool", &["E404 has_tool"]),
        ("has_tool()", &["E404 has_tool()"]),
        ("has_tool(5)", &["E404 5"]),
        ("fired(a) > 1 and (since(a) ?? 100) >= 2", &[]),
        ("fired(b) > 1", &["E204 b"]),
    ]);
}

#[test]
fn effects_get_what_their_signature_says() {
    each(&[
        ("do mask", &["E405 mask"]),
        ("do mask reslts", &["E406 reslts"]),
        ("do mask results results", &["E407 results"]),
        ("do mask results keep", &["E405 keep"]),
        ("do mask results keep preview 80 chars", &["E405 keep"]),
        ("do mask results keep 10", &["E301 10"]),
        ("do mask results keep 10 results keep 3 results", &["E407 keep"]),
        ("do mask results keep ten", &["E408 ten"]),
        ("do mask results keep 10 mesages preview 80 chars", &["E304 mesages"]),
        ("do mask results kep 3 results preview 8 tokens", &["E406 kep", "E302 8 tokens"]),
        ("do mask results 3 results", &["E409 3 results"]),
        ("do mask results including everything", &["E408 everything"]),
        ("do mask results down_to busy at_least 5k tokens except readers only bash", &[]),
        ("do mask results down_to 150%", &["E303 150%"]),
        ("do mask results placeholder 5", &["E408 5"]),
        ("do mask results only [5]", &["E306 5"]),
        ("do mask results \"x\"", &["E409 \"x\""]),
        ("do trim results to 5 iterations", &["E302 5 iterations"]),
        ("do trim results from midle", &["E408 midle"]),
        ("do slide recent 4 medium 3 trim 20 chars pin first_user", &[]),
        ("do slide recent 4 medium 3 trim 20 chars pin [first_user]", &[]),
        ("do slide results", &["E406 results"]),
        ("do summarise all using handover", &[]),
        ("do summarise all using handovr", &["E205 handovr"]),
        ("do summarise all using \"x\"", &["E408 \"x\""]),
        ("do inject", &["E405 inject"]),
        ("do inject greeting as user for step", &[]),
        ("do inject busy", &["E409 busy"]),
        ("do inject \"x\" \"y\"", &["E407 \"y\""]),
        ("do notify \"x\" as user", &["E406 as"]),
        ("do maks results kep 5 then trm results", &["E202 maks", "E406 kep", "E202 trm"]),
    ]);
}

#[test]
fn only_signals_pass_outside_request_and_reply() {
    each(&[
        ("on iteration_end do notify \"x\" then stop \"y\"", &[]),
        ("on iteration_end do notify \"x\" then mask results", &["E410 mask"]),
        ("on iteration_end do inject \"x\" for step", &["E410 inject"]),
        ("on reply do mask results", &[]),
        ("on requst do mask results", &["E203 requst"]),
    ]);
}

#[test]
fn texts_may_contain_facts_lets_and_variables_of_the_effect() {
    each(&[
        ("do notify \"{busy} {cap} {greeting} {yes} {readers} {run} {{x}}\"", &[]),
        ("do mask results placeholder \"{tool} {preview} {run}\"", &[]),
        ("do notify \"{tool}\"", &["E201 tool"]),
        ("do notify \"{call.name}\"", &["E315 call.name"]),
        ("do notify \"{call.name ?? \\\"none\\\"} {budget.cost ?? \\\"?\\\"} {budget.cost ?? $0}\"", &[]),
        ("do notify \"{run ?? \\\"none\\\"}\"", &["E316 \\\"none\\\""]),
        ("when known(call.name) do notify \"{call.name}\"", &[]),
        ("when not known(call.name) do notify \"{call.name}\"", &["E315 call.name"]),
        ("when (call.name ?? \"\") == \"x\" do notify \"{call.name}\"", &[]),
        ("when known(call.name) until failures > 3 do notify \"{call.name}\"", &["E315 call.name"]),
        ("when contxt.ratio > 5% do notify \"{call.name} {repeats}\"", &["E201 contxt.ratio"]),
        ("when repeats(5) > 3 or repeats(6) > 4 do notify \"{repeats}\"", &["E403 repeats"]),
        ("when repeats(5) > 3 or repeats(6) > 4 do notify \"{repeats(6)}\"", &[]),
    ]);
}

#[test]
fn guards_count_in_iterations_and_once_has_one_form() {
    each(&[
        ("do notify \"x\" every 5 iterations cooldown 3 limit 2", &[]),
        ("do notify \"x\" every 0 iterations", &["E303 0 iterations"]),
        ("do notify \"x\" every 5 iterations in session cooldown 3 in session limit 2 in session", &[]),
        ("do notify \"x\" until failures > 3 in session once per failures in session", &[]),
        ("do notify \"x\" once in sesion", &["E415 sesion"]),
        ("do notify \"x\" once in run", &["E415 run"]),
        ("do notify \"x\" limit 3 in chat", &["E415 chat"]),
        ("do notify \"x\" limit 0 in session", &["E303 0"]),
        ("do notify \"x\" until call.name in session", &["E312 call.name"]),
        ("do notify \"x\" cooldown 0", &["E303 0"]),
        ("do notify \"x\" limit 0", &["E303 0"]),
        ("do notify \"x\" every 5 messages", &["E302 5 messages"]),
        ("do notify \"x\" every failures", &["E307 failures"]),
        ("do notify \"x\" limit 2.5", &["E305 2.5"]),
        ("do notify \"x\" once once per failures", &["E401 once"]),
        ("do notify \"x\" once per has_tool(\"x\")", &["E306 has_tool(\"x\")"]),
        ("do notify \"x\" once per busy", &["E312 busy"]),
        ("do notify \"x\" once per budget.cost", &["E315 budget.cost"]),
        ("when (budget.cost ?? $0) > $3 do notify \"x\" once per budget.cost", &[]),
        ("do notify \"x\" once until reported.ratio < 5%", &["E315 reported.ratio"]),
        ("when run > 0 when run > 1 do notify \"x\" do notify \"y\"", &["E401 when", "E401 do"]),
    ]);
}

#[test]
fn on_failure_is_for_the_one_effect_that_fails() {
    each(&[
        ("do summarise all on_failure retry 2", &[]),
        ("do summarise all on_failure retry 2 stop", &[]),
        ("do summarise all on_failure retry 2 then mask results", &[]),
        ("do mask results then summarise all on_failure ask", &[]),
        ("do summarise all on_failure then slide", &["E412 slide"]),
        ("do summarise all on_failure retry 0 keep", &["E413 0"]),
        ("do summarise all on_failure retry", &["E413 retry"]),
        ("do summarise all on_failure kep", &["E413 kep"]),
        ("do summarise all on_failure keep stop", &["E413 stop"]),
        ("do summarise all on_failure keep then mask results", &["E413 keep"]),
        ("do summarise all on_failure then maks results", &["E202 maks"]),
        ("do mask results on_failure keep", &["E411 on_failure keep"]),
        ("do maks results on_failure keep", &["E202 maks"]),
        ("do summarise all then slide", &["E412 slide"]),
    ]);
}

#[test]
fn names_are_defined_once() {
    let text = "edition 2026\nlet a = 1\nlet a = 2\nprompt q \"x\"\nprompt q \"y\"\nagent { }\nagent { }\n\
        policy p { rule r { do notify \"x\" } rule r { do notify \"y\" } }\npolicy p { }\n";
    assert_eq!(
        messages(text),
        [
            "3 E206 `let` `a` is defined twice",
            "5 E206 prompt `q` is defined twice",
            "7 E206 a file has at most one `agent` block",
            "8 E206 rule `r` is defined twice",
            "9 E206 policy `p` is defined twice",
        ]
    );
}

#[test]
fn lets_may_be_in_any_order_but_not_cyclic() {
    assert_eq!(messages("edition 2026\nlet a = 50% of b\nlet b = 80% of c\nlet c = 100k tokens\n"), NONE);
    assert_eq!(
        messages("edition 2026\nlet a = b\nlet b = c\nlet c = a\nlet d = 50% of a\n"),
        ["2 E208 the value of `a` depends on itself"]
    );
    let wrong = "edition 2026\nlet a = b\nlet c = 5 of 6\nlet d = 50% of \"x\"\nlet e = run > 3\nlet f = [x, f(3)]\n";
    let codes: Vec<String> =
        messages(wrong).iter().map(|message| message.get(..6).expect("a line and a code").to_owned()).collect();
    assert_eq!(codes, ["2 E201", "3 E307", "4 E307", "5 E307", "6 E306"]);
}

#[test]
fn each_field_of_the_agent_block_is_checked() {
    let of = |block: &str| {
        let found = messages(&format!("edition 2026\nlet w = 200k tokens\nagent {{ {block} }}\n"));
        found.iter().map(|finding| finding.get(2..6).expect("a code").to_owned()).collect::<Vec<_>>()
    };
    for (block, expected) in [
        ("model \"m\" window w reserve 16k tokens overhead 2k tokens tools [bash, a/b.*]", &[] as &[&str]),
        ("windw 200k tokens reserve 3", &["E504", "E301"]),
        ("window 5 messages model m tools bash", &["E302", "E504", "E504"]),
        ("window window 5 tokens", &["E504", "E504"]),
        ("window 5 tokens window 6 tokens", &["E504"]),
        ("5 tokens model \"m\"", &["E504"]),
        ("window 5 tokens 6 tokens", &["E504"]),
        ("fact window tokens fact b text default \"x\" fact fact bool default true window 5 tokens", &[]),
        ("fact tier text fact tier text fact load percent fact rule text", &["E206", "E506", "E506"]),
        ("fact fact a window 5 tokens fact b text 3 fact c text default", &["E506", "E506", "E506", "E506"]),
        ("fact a share default 5 fact b bool default \"x\" fact c count default $3", &["E301", "E306", "E302"]),
        ("fact a tokens default w fact b tokens default iteration fact c text default w", &["E307", "E306"]),
        ("fact window 200k tokens fact 3 text fact a 3", &["E506", "E506", "E506"]),
    ] {
        assert_eq!(of(block), expected, "{block}");
    }
}

#[test]
fn clauses_that_need_a_base_are_errors_without_one() {
    let text = "edition 2026\nuse \"x.trim\"\npolicy p { rule r { do notify \"x\" } }\n\
        policy q {\n override rule r before s { no when do notify \"x\" }\n\
        disable rule t \"why\"\n rule u { no when do notify \"x\" } \n rule v after r { do notify \"y\" } }\n";
    assert_eq!(
        messages(text),
        [
            "2 E521 cannot import `x.trim`: this text was passed without access to other files",
            "5 E526 `override` changes an inherited rule, but `q` extends no policy",
            "6 E526 `disable` changes an inherited rule, but `q` extends no policy",
            "7 E529 `no when` removes nothing: only a rule with `override` inherits clauses",
            "8 E526 `after` changes an inherited rule, but `q` extends no policy",
        ]
    );
}

#[test]
fn broken_parts_cause_no_follow_up_errors() {
    let text = "edition 2026\nlet a = \nprompt q \npolicy p {\n rule b b { do }\n rule c { when a > 3 and fired(b) > 1 and context.ratio >= a do summarise all using q }\n\
        rule d { do notify \"{a}\" then mask results keep a down_to }\n rule e { when do mask results on_failure } }\n";
    let source = Source::new(SourceId(0), "x.trim", text);
    let (file, found) = syntax::parse(&source);
    assert!(!found.is_empty());
    let (checked, found) = check::check(&file);
    let messages: Vec<_> = found.iter().map(|finding| (finding.code.id, source.slice(finding.primary.span))).collect();
    assert_eq!(messages, [("E405", "down_to")], "{found:#?}");
    assert!(checked.is_none());
}

#[test]
fn names_that_a_failed_import_may_define_are_unknown_and_other_errors_are_reported() {
    let text = "edition 2026\nuse \"x.trim\"\nagent { window cap }\npolicy p extends q {\n  rule a { when context.ratio >= busy do notify greeting }\n  rule b { when failures >= \"2\" do summarise all using handover at_most room }\n}";
    let (checked, found) = checked(text);
    assert!(checked.is_none());
    assert_eq!(found.iter().map(|finding| finding.code.id).collect::<Vec<_>>(), ["E521", "E306"], "{found:#?}");
}
