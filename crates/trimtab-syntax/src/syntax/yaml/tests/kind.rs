//! The kinds: their rules with defaults and with parameters, and their order.

use super::super::kind::Measure;
use super::{clean, findings, only};

/// The rules of one effect at the top, from its first line on.
fn rules(effect: &str) -> String {
    clean(&format!("effects:\n  - {effect}\n")).replace("policy effects\n", "")
}

const FULL: &str = "known(reported.ratio) and reported.ratio >=";

#[test]
fn compact_summarises_all_at_its_threshold() {
    let rule = |share: &str| {
        format!(
            "  rule compact\n    on request\n    when {FULL} {share} and iteration > 0\n    do summarise all pin none\n    \
             on_failure ask\n"
        )
    };
    assert_eq!(rules("kind: compact"), rule("80%"));
    assert_eq!(rules("{kind: compact, params: {threshold: 0.655}}"), rule("65.5%"));
    assert_eq!(rules("{kind: compact, params: {threshold: 1}}"), rule("100%"));
    assert_eq!(rules("{kind: compact, params: {threshold: 1.5}}"), rule("150%"));
}

#[test]
fn trim_tool_results_trims_on_every_reply() {
    let rule = |to: u32, keep: u32| {
        format!("  rule trim_tool_results\n    on reply\n    do trim results to {to} chars keep {keep} results\n")
    };
    assert_eq!(rules("kind: trim_tool_results"), rule(500, 4));
    assert_eq!(rules("{kind: trim_tool_results, params: {max_result_length: 10, preserve_recent: 1}}"), rule(10, 1));
    assert_eq!(rules("{kind: trim_tool_results, params: {max_result_length: -1, preserve_recent: 0}}"), rule(500, 4));
}

#[test]
fn offload_offloads_large_results_above_its_threshold() {
    let rule = |share: u32, over: u32, keep: u32| {
        format!(
            "  rule offload\n    on reply\n    when {FULL} {share}%\n    do offload results over {over} chars keep {keep} \
             results preview 200 chars\n"
        )
    };
    assert_eq!(rules("kind: offload"), rule(50, 2000, 6));
    let params = "{threshold: 0.4, min_result_len: 50, recent_window: 1}";
    assert_eq!(rules(&format!("{{kind: offload, params: {params}}}")), rule(40, 50, 1));
    assert_eq!(rules("{kind: offload, params: {recent_window: 0}}"), rule(50, 2000, 6));
    let params = "{threshold: -1, min_result_len: 0, recent_window: -1}";
    assert_eq!(rules(&format!("{{kind: offload, params: {params}}}")), rule(50, 2000, 6));
}

#[test]
fn sliding_window_slides_with_three_zones() {
    let rule = |share: &str, zones: &str| {
        format!(
            "  rule sliding_window\n    on request\n    when {FULL} {share} and iteration > 0\n    do slide {zones} pin none\n    \
             on_failure keep\n"
        )
    };
    let defaults = "recent 10 messages medium 10 messages trim 200 chars";
    assert_eq!(rules("kind: sliding_window"), rule("70%", defaults));
    let own = "{kind: sliding_window, params: {threshold: .5, recent_zone: 2, medium_zone: 3, trim_length: 20}}";
    assert_eq!(rules(own), rule("50%", "recent 2 messages medium 3 messages trim 20 chars"));
    let none = "{kind: sliding_window, params: {recent_zone: 0, medium_zone: -3, trim_length: 0}}";
    assert_eq!(rules(none), rule("70%", defaults));
}

#[test]
fn observation_mask_masks_old_results() {
    let rule = |share: &str, keep: u32| {
        format!(
            "  rule observation_mask\n    on request\n    when {FULL} {share} and iteration > 0\n    \
             do mask results keep {keep} messages preview 80 chars\n"
        )
    };
    assert_eq!(rules("kind: observation_mask"), rule("60%", 10));
    assert_eq!(rules("{kind: observation_mask, params: {threshold: 0.7, recent_window: 2}}"), rule("70%", 2));
    assert_eq!(rules("{kind: observation_mask, params: {threshold: 0, recent_window: -2}}"), rule("60%", 10));
    assert_eq!(rules("{kind: observation_mask, params: {threshold: -0.5}}"), rule("60%", 10));
}

#[test]
fn loop_detect_counts_in_its_window_everywhere() {
    let own = rules("{kind: loop_detect, params: {threshold: 2, window_size: 4}}");
    assert!(own.contains("when iteration > 0 and repeats(within: 4 calls) >= 2 calls\n"), "{own}");
    assert!(own.contains("{repeats(within: 4 calls)} times in a row"), "{own}");
    assert!(own.contains("{call.name ?? \\\"a tool\\\"}") && own.contains("different approach"), "{own}");
    assert!(own.contains("as user\n    once per repeats(within: 4 calls)\n"), "{own}");
    let defaults = rules("{kind: loop_detect, params: {threshold: 0}}");
    assert!(defaults.contains("repeats(within: 10 calls) >= 3 calls\n"), "{defaults}");
}

#[test]
fn reflection_asks_for_the_root_cause() {
    let own = rules("{kind: reflection, params: {failure_threshold: 3}}");
    assert!(own.contains("on request\n    when iteration > 0 and failures >= 3 results\n"), "{own}");
    assert!(own.contains("do inject \"{failures} consecutive tool failures") && own.contains("root cause"), "{own}");
    assert!(own.ends_with("as user\n    once per failures\n"), "{own}");
    assert!(rules("kind: reflection").contains("failures >= 2 results"));
    assert!(rules("{kind: reflection, params: {failure_threshold: -1}}").contains("failures >= 2 results"));
}

#[test]
fn progress_asks_for_a_note_where_there_is_the_tool() {
    let own = rules("{kind: progress, params: {interval: 3}}");
    assert!(own.contains("when iteration > 0 and has_tool(\"write_note\")\n"), "{own}");
    assert!(own.contains("{iteration} iterations") && own.contains("with write_note"), "{own}");
    assert!(own.ends_with("as user\n    every 3 iterations\n"), "{own}");
    assert!(rules("kind: progress").ends_with("every 5 iterations\n"));
}

#[test]
fn whole_parameters_are_truncated_towards_zero() {
    assert!(rules("{kind: reflection, params: {failure_threshold: 7.9}}").contains("failures >= 7 results"));
    assert!(rules("{kind: progress, params: {interval: 0.9}}").contains("every 5 iterations"));
    assert!(rules("{kind: progress, params: {interval: -0.9}}").contains("every 5 iterations"));
    assert!(rules("{kind: compact, params: {threshold: 8e-1}}").contains(">= 80%"));
}

#[test]
fn empty_params_select_the_defaults() {
    let plain = rules("kind: compact");
    for effect in ["{kind: compact, params: {}}", "{kind: compact, params: }", "{kind: compact, params: null}"] {
        assert_eq!(rules(effect), plain);
    }
}

#[test]
fn a_value_that_means_the_default_is_reported_with_the_default() {
    for (effect, default) in [
        ("{kind: observation_mask, params: {recent_window: 0}}", "10"),
        ("{kind: observation_mask, params: {threshold: -1}}", "0.6"),
        ("{kind: progress, params: {interval: 0.5}}", "5"),
        ("{kind: stall_detect, params: {similarity_threshold: 1.5}}", "0.8"),
    ] {
        let (code, _, message) = only(&format!("effects: [{effect}]"));
        assert!(code == "E616" && message.ends_with(&format!(" means its default, {default}")), "{effect}: {message}");
    }
    let (_, findings) = super::read("effects: [{kind: observation_mask, params: {recent_window: 10, threshold: 0.6}}]");
    assert!(findings.is_empty(), "{findings:?}");
}

#[test]
fn a_threshold_of_zero_turns_compact_and_sliding_window_off() {
    for (kind, threshold) in [("compact", "0"), ("compact", "-0.5"), ("sliding_window", "0.0")] {
        let text = format!("effects:\n  - {{kind: {kind}, params: {{threshold: {threshold}}}}}\n  - kind: progress\n");
        let (code, place, message) = only(&text);
        assert_eq!((code, place.as_str()), ("E613", threshold));
        assert!(message.contains(kind), "{message}");
        let tree = super::print::file(&super::read(&text).0);
        assert!(!tree.contains(kind) && tree.contains("rule progress"), "{tree}");
    }
}

/// The names of the rules in order.
fn order(text: &str) -> Vec<String> {
    let rules = clean(text);
    rules.lines().filter_map(|line| line.strip_prefix("  rule ").map(str::to_owned)).collect()
}

#[test]
fn masks_run_before_compaction_and_both_before_the_others() {
    let text = "effects: [{kind: reflection}, {kind: compact}, {kind: progress}, {kind: sliding_window}, \
                {kind: observation_mask}, {kind: trim_tool_results}, {kind: loop_detect}]";
    let wanted =
        ["observation_mask", "compact", "sliding_window", "reflection", "progress", "trim_tool_results", "loop_detect"];
    assert_eq!(order(text), wanted);
    let same_class = "effects: [{kind: sliding_window}, {kind: compact}]";
    assert_eq!(order(same_class), ["sliding_window", "compact"]);
    let later = "effects: [{kind: stall_detect}, {kind: token_budget, params: {max_tokens: 9}}, {kind: offload}, \
                 {kind: time_budget, params: {max_duration: 5m}}, {kind: tool_scope, params: {exclude: [bash]}}, \
                 {kind: compact}, {kind: observation_mask}]";
    let wanted = [
        "observation_mask",
        "compact",
        "stall_detect",
        "stall_detect_stop",
        "token_budget",
        "token_budget_warning",
        "offload",
        "time_budget",
        "time_budget_warning",
        "tool_scope",
    ];
    assert_eq!(order(later), wanted);
}

#[test]
fn rules_of_the_same_kind_get_numbered_names() {
    let text = "effects: [{kind: progress}, {kind: compact}, {kind: progress, params: {interval: 9}}]";
    assert_eq!(order(text), ["compact", "progress", "progress_2"]);
    assert!(clean(text).ends_with("every 9 iterations\n"));
}

/// Two values that a parameter accepts.
const fn sample(measure: Measure) -> [&'static str; 2] {
    match measure {
        Measure::Names => ["[bash]", "[bash, 'a tool']"],
        Measure::Duration => ["5m", "1h30m"],
        Measure::Whole(_) | Measure::Tokens => ["7", "9"],
        Measure::Share(_) | Measure::OptionalWindowShare(_) | Measure::OtherShare(_) | Measure::BudgetShare(_) => {
            ["0.5", "0.7"]
        }
    }
}

#[test]
fn every_parameter_changes_the_rule_of_its_kind() {
    for kind in &super::super::kind::KINDS {
        for param in kind.params {
            let with = |value: &str| {
                let required =
                    kind.params.iter().filter(|other| other.measure.is_required() && other.name != param.name);
                let others: String =
                    required.map(|other| format!(", {}: {}", other.name, sample(other.measure)[0])).collect();
                rules(&format!("{{kind: {}, params: {{{}: {value}{others}}}}}", kind.name, param.name))
            };
            let [one, another] = sample(param.measure);
            assert_ne!(with(one), with(another), "{} {}", kind.name, param.name);
        }
    }
    assert_eq!(super::super::kind::KINDS.len(), 12);
    assert_eq!(findings("effects: [{kind: nonexistent}]").len(), 1);
}
