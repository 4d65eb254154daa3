//! Arguments in the wrong place: one message with the cause and a suggestion.

use super::{Run, folder};

const POLICY: &str =
    "edition 2026\n\npolicy p {\n  rule a {\n    when iteration > 0\n    do notify \"x\"\n    once\n  }\n}\n";

#[test]
fn arguments_in_the_wrong_place_are_one_error_with_a_suggestion() {
    let folder = folder(&[("policies/p.trim", POLICY), ("p.trim", POLICY), ("r.jsonl", "{}")]);
    let error = |line: &str| Run::line(line).current_dir(folder.path()).output().exits_with(2).err;
    let cases = [
        ("simulate r.jsonl p.trim", "the policy comes before the recordings: trimtab simulate p.trim r.jsonl"),
        (
            "simulate r.jsonl r.jsonl",
            "r.jsonl is a recording; name the policy before it: trimtab simulate POLICY RECORDING",
        ),
        (
            "simulate policies r.jsonl",
            "policies is a directory, and a policy is one file; did you mean policies/p.trim?",
        ),
        ("simulate p.trim r.jsonl --explain b", "--explain: `p` has no rule `b`"),
        (
            "lint p.trim --select no-hysteresi",
            "`no-hysteresi` is neither a lint nor a category; did you mean `no-hysteresis`?",
        ),
        ("suggest r.jsonl -o x.trim", "`-o` names the file of the report; write the policy with `--write x.trim`"),
    ];
    for (line, message) in cases {
        let text = error(line);
        assert!(text.contains(message) && text.matches("error:").count() == 1, "{line}: {text}");
    }
    assert!(!folder.path().join("x.trim").exists());
}

#[test]
fn quiet_verbs_that_find_nothing_print_nothing() {
    let folder = folder(&[("p.trim", POLICY)]);
    for line in ["validate p.trim", "diff p.trim p.trim", "fmt --check p.trim"] {
        let output = Run::line(&format!("{line} --quiet")).current_dir(folder.path()).output().exits_with(0);
        assert_eq!((output.out.as_str(), output.err.as_str()), ("", ""), "{line}");
    }
    let output = Run::line("transcript validate -q policies/budget.jsonl").output().exits_with(0);
    assert_eq!(output.out, "");
}
