use trimtab_base::source::{Source, SourceId};

use super::*;

const POLICY: &str = r#"edition 2026

let busy = 60%
let size = 2k tokens # kept
prompt handover "go on"

policy coder {
  rule mask_old {
    when context.ratio >= busy and context.tokens > 30k tokens
    do mask results keep 10 results down_to 35% then trim results to 400 chars
    cooldown 3 iterations
  }
  rule hand_over {
    when context.ratio >= 80%
    do summarise older keep 6 messages
    on_failure retry 2 then trim results to 200 chars keep 20
    limit 2
  }
  rule twice { do mask results keep 3 then mask thinking keep 4 }
}
"#;

fn found() -> Vec<Parameter> {
    let source = Source::new(SourceId(0), "p.trim", POLICY);
    let (file, diagnostics) = trimtab_syntax::syntax::parse(&source);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    parameters(&file, POLICY)
}

#[test]
fn constants_labels_guards_and_thresholds_are_parameters() {
    let all: Vec<String> = found().iter().map(|one| format!("{} {}", one.names[0], one.written)).collect();
    assert_eq!(
        all,
        [
            "busy 60%",
            "size 2k tokens",
            "mask_old.context.tokens 30k tokens",
            "mask_old.keep 10 results",
            "mask_old.down_to 35%",
            "mask_old.to 400 chars",
            "mask_old.cooldown 3 iterations",
            "hand_over.context.ratio 80%",
            "hand_over.keep 6 messages",
            "hand_over.retry 2",
            "hand_over.to 200 chars",
            "hand_over.keep 20",
            "hand_over.limit 2",
            "twice.keep 3",
            "twice.keep 4",
        ]
    );
}

#[test]
fn a_name_may_say_more_than_it_must() {
    let all = found();
    let short = find(&all, "mask_old.keep").expect("found");
    assert_eq!(find(&all, "mask_old.mask.keep"), Ok(short));
    assert_eq!(find(&all, "coder.mask_old.mask.keep"), Ok(short));
    assert!(find(&all, "hand_over.when.context.ratio").is_ok());
    assert!(find(&all, "hand_over.summarise.keep").is_ok());
}

#[test]
fn unknown_and_ambiguous_names_are_reported_with_a_way_out() {
    let all = found();
    let error = |name| match find(&all, name) {
        Err(ParameterError::Unknown(help) | ParameterError::Ambiguous(help)) => help,
        Ok(one) => one.written.clone(),
    };
    assert_eq!(error("bussy"), "did you mean `busy`?");
    assert_eq!(error("mask_old.kep"), "did you mean `mask_old.keep`?");
    assert!(error("something_else_entirely").starts_with("it has `busy`, `size`"));
    assert_eq!(error("hand_over.keep"), "write `coder.hand_over.summarise.keep` or `coder.hand_over.trim.keep`");
    assert_eq!(error("twice.keep"), "define it with a `let` and vary that");
}

#[test]
fn a_plain_number_keeps_the_unit_and_the_rest_of_the_text_stays() {
    let all = found();
    let values = [("mask_old.keep", "5"), ("size", "4k"), ("busy", "50%"), ("mask_old.to", "1k tokens")];
    let edits = values.map(|(name, value)| find(&all, name).expect("found").edit(value));
    let apply = |edits: &[TextEdit]| trimtab_lint::lint::apply_edits(POLICY, SourceId(0), edits);
    let expected = POLICY
        .replace("keep 10 results", "keep 5 results")
        .replace("size = 2k tokens # kept", "size = 4k tokens # kept")
        .replace("busy = 60%", "busy = 50%")
        .replace("400 chars", "1k tokens");
    assert_eq!(apply(&edits), Some(expected));
    let twice = [find(&all, "busy").expect("found").edit("1%"), find(&all, "busy").expect("found").edit("2%")];
    assert_eq!(apply(&twice), None, "the same literal twice");
}
