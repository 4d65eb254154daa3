//! Laws of fixes, over policies and conversations made by chance.

use proptest::prelude::*;
use trimtab::diagnostic::{Diagnostic, Severity};
use trimtab::lint::{Settings, settle};
use trimtab::source::SourceId;

use crate::laws::{contexts, plan};
use crate::{lint, made};

/// What all lints say of a text.
fn found(text: &str) -> Vec<Diagnostic> {
    let mut settings = Settings::default();
    settings.extend("all").unwrap();
    lint::found(text, &settings)
}

/// A text after its fixes.
fn mended(text: &str, unsafe_too: bool) -> String {
    settle(text, SourceId(0), unsafe_too, &mut |text| found(text)).text
}

fn one_of(all: &'static [&'static str]) -> impl Strategy<Value = &'static str> {
    prop::sample::select(all)
}

/// A policy with much that lints speak of.
fn faulty() -> impl Strategy<Value = String> {
    let condition = one_of(&[
        "",
        "when (failures >= 1)",
        "when 10% <= context.ratio",
        "when context.ratio >= 10% and not (iteration < 2)",
        "when not (failures >= 2 or repeats >= 2)",
        "when not not failures >= 1",
        "when (call.name ?? \"\") == \"bash\" or (call.name ?? \"\") == \"read_file\"",
        "when (call.name ?? \"\") in [bash]",
        "unless not used_tool(bash)",
        "unless not (iteration < 3 and context.messages > 1 message)",
        "when ((iteration > 0) and (context.tokens >= 1000 tokens))",
        "when context.messages >= limit_of_messages",
    ]);
    let effect = one_of(&[
        "mask thinking keep 2 messages except [bash]",
        "mask results keep 2 message placeholder \"[{tool}]\" preview 9 chars",
        "mask results keep 1 results only [bash] except [read_file]",
        "mask results keep 10 messages preview 80 chars",
        "mask results keep 2 messages except [bash, bash]",
        "mask calls keep 2 messages including errors",
        "trim results to 500 chars from tail keep 4 results",
        "summarise older keep 3 messages",
        "slide recent 2 messages medium 2 messages trim 200 chars",
        "inject \"at {iteration}\" as user",
        "notify \"{context.messages}\"",
    ]);
    let guard = one_of(&[
        "",
        "once limit 2",
        "cooldown 3 iterations once",
        "every 2 iterations cooldown 2 iterations",
        "until (context.ratio < 5%)",
        "limit 4",
    ]);
    let phase = one_of(&["", "on request", "on reply"]);
    prop::collection::vec((phase, condition, effect, guard), 1..6).prop_map(|rules| {
        let mut text = "edition 2026\nlet limit_of_messages = 6 messages\npolicy made {\n".to_owned();
        for (at, (phase, condition, effect, guard)) in rules.iter().enumerate() {
            text += &format!("  rule r{at} {{\n    {phase}\n    {condition}\n    do {effect}\n    {guard}\n  }}\n");
        }
        text + "}\n"
    })
}

fn errors(text: &str) -> usize {
    found(text).iter().filter(|one| one.code.id.starts_with('E') && one.severity == Severity::Error).count()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_safe_fix_changes_nothing_that_is_sent(beats in made::beats(), policy in prop_oneof![faulty(), made::policy()], fails in any::<bool>()) {
        let mended = mended(&policy, false);
        let transcript = made::transcript(&beats);
        let [before, after] = [&policy, &mended].map(|text| contexts(&plan(text), &transcript, fails));
        prop_assert_eq!(before.1, after.1, "{}\n{}", policy, mended);
        let fired = |trace: &trimtab::simulate::Trace| format!("{:?}", trace.calls.iter().map(|call| call.after).collect::<Vec<_>>());
        prop_assert_eq!(fired(&before.0), fired(&after.0), "{}\n{}", policy, mended);
    }

    #[test]
    fn no_fix_brings_an_error_and_mending_ends(policy in faulty()) {
        let once = mended(&policy, true);
        prop_assert_eq!(errors(&once), 0, "{}\n{}", policy, once);
        prop_assert_eq!(&mended(&once, true), &once, "{}", policy);
    }
}

#[test]
fn fixes_that_must_be_tried_one_by_one_are_all_made() {
    let text = "edition 2026\nlet limit_of_messages = 6 messages\npolicy made {\n  \
                rule r0 { when 10% <= context.ratio do slide recent 2 messages medium 2 messages trim 200 chars }\n  \
                rule r1 { when not not failures >= 1 do mask thinking keep 2 messages except [bash] }\n  \
                rule r2 { unless not used_tool(bash) do summarise older keep 3 messages until (context.ratio < 5%) }\n}\n";
    let once = mended(text, true);
    assert_eq!(mended(&once, true), once);
}
