//! Other formats: what is written in them means the same when it is read again, and what is imported keeps its hash.

use std::path::Path;

use proptest::prelude::*;
use trimtab::check::{CheckedFile, Policy};
use trimtab::plan::{self, Plan};
use trimtab::source::{Source, SourceId};
use trimtab::syntax::yaml::{KINDS, Measure};
use trimtab::target::{TARGETS, Written};
use trimtab::{format, pipeline, report, syntax};

use crate::generated;
use crate::laws::{contexts, plan};

fn write(plan: &Plan) -> Written {
    (TARGETS.iter().find(|target| target.name == "effects-yaml").unwrap().write)(plan)
}

fn read(text: &str) -> Plan {
    let compiled = pipeline::compile("read.yaml", text);
    assert!(compiled.diagnostics.is_empty(), "{text}\n{:#?}", compiled.diagnostics);
    plan::lower(&compiled.checked.unwrap(), None).unwrap()
}

/// The hashes of the plans of a YAML file, and those of its policy text.
fn imported(name: &str, yaml: &str) -> Option<(Vec<String>, Vec<String>)> {
    let compiled = pipeline::compile(name, yaml);
    let checked = compiled.checked?;
    let source = compiled.sources.get(SourceId::default()).unwrap();
    let comments = syntax::yaml::all_comments(source);
    let text = report::policy_source(&checked, source, &comments);
    let text = format::format_source(&Source::new(SourceId::default(), "p.trim", text.as_str())).unwrap_or(text);
    for comment in &comments {
        assert!(text.contains(format!("# {}", comment.text).trim_end()), "{text}");
    }
    let hashes = |checked: &CheckedFile| {
        let plan = |policy: &Policy| plan::lower(checked, Some(&policy.name)).unwrap();
        checked.policies.iter().map(|policy| plan(policy).hash).collect()
    };
    let again = pipeline::compile("p.trim", &text);
    Some((hashes(&checked), hashes(&again.checked.unwrap_or_else(|| panic!("{text}\n{:?}", again.diagnostics)))))
}

/// A list of effects of all kinds, each with some of its parameters.
fn list() -> impl Strategy<Value = String> {
    let effect = (
        prop::sample::select(KINDS.iter().filter(|kind| kind.is_one_rule()).collect::<Vec<_>>()),
        prop::collection::vec(0..60u32, 4),
    );
    let effect = effect.prop_map(|(kind, numbers)| {
        let params = kind
            .params
            .iter()
            .zip(&numbers)
            .filter(|(param, number)| **number > 3 || matches!(param.measure, Measure::Names));
        let params = params.map(|(param, number)| match param.measure {
            Measure::Names => format!("{}: [bash, t{number}]", param.name),
            Measure::Whole(_) => format!("{}: {}", param.name, number % 12),
            _ => format!("{}: 0.{number:02}5", param.name),
        });
        format!("  - {{kind: {}, params: {{{}}}}}\n", kind.name, params.collect::<Vec<_>>().join(", "))
    });
    let host = prop::sample::select(vec!["", "window: 3000\n", "model: gpt-4o\ntools: [bash, write_note, \"a b\"]\n"]);
    (host, prop::collection::vec(effect, 1..5))
        .prop_map(|(host, effects)| format!("{host}effects:\n{}", effects.concat()))
}

#[test]
fn rules_that_cannot_be_written_are_named_with_the_parts_that_differ() {
    let written = write(&plan(
        "edition 2026 agent { reserve 2k tokens } policy p {
           rule a { when known(reported.ratio) and reported.ratio >= 60% and iteration > 0
                    do mask results keep 10 messages only [bash] limit 3 }
           rule b { do notify \"{iteration}\" }
           rule c { on reply do trim results to 500 chars keep 4 results } }",
    ));
    let losses: Vec<String> = written.losses.iter().map(ToString::to_string).collect();
    assert_eq!(losses[0], "rule `a`: the nearest kind, `observation_mask`, differs in `only` of `do` and its guards");
    assert!(losses[1].starts_with("rule `b`: the nearest kind, ") && losses[1].contains("`do`"), "{}", losses[1]);
    assert_eq!(losses[2..], ["agent `reserve`: the format has no such key"]);
    assert!(written.text.contains(&format!("# not written: {}\n", losses[0])), "{}", written.text);
    assert_eq!(read(&written.text).rules.len(), 1);
}

#[test]
fn a_rule_that_the_format_would_run_earlier_is_not_written() {
    let list = "effects:\n  - kind: loop_detect\n  - kind: observation_mask\n  - kind: trim_tool_results\n";
    let mut plan = read(list);
    assert_eq!(write(&plan).losses, []);
    plan.rules.swap(0, 1);
    let losses = write(&plan).losses;
    let reason = "it is tried after `loop_detect`, but `observation_mask` runs first";
    assert_eq!((losses.len(), losses[0].reason.as_str()), (1, reason));
}

#[test]
fn every_yaml_policy_of_the_repository_is_written_and_read_as_the_same_plan() {
    let mut files = Vec::new();
    for folder in ["examples", "docs", "tests"] {
        crate::layers::files(Path::new(folder), &mut files);
    }
    let mut plans = 0;
    // Settings of other systems are no lists of effects.
    files.retain(|path| !path.starts_with("docs/settings") && !path.starts_with("tests/systems"));
    for path in files.iter().filter(|path| path.extension().is_some_and(|end| end == "yaml")) {
        let compiled = pipeline::compile("p.yaml", &std::fs::read_to_string(path).unwrap());
        let Some(checked) = compiled.checked else { continue };
        for policy in &checked.policies {
            let plan = plan::lower(&checked, Some(&policy.name)).unwrap();
            let written = write(&plan);
            assert_eq!(written.losses, [], "{}", path.display());
            assert_eq!(read(&written.text).hash, plan.hash, "{}\n{}", path.display(), written.text);
            plans += 1;
        }
        let (before, after) = imported("p.yaml", &std::fs::read_to_string(path).unwrap()).unwrap();
        assert_eq!(before, after, "{}", path.display());
    }
    assert!(plans > 3, "{plans}");
}

proptest! {
    #![proptest_config(generated::cases(60))]

    #[test]
    fn a_written_policy_makes_the_same_decisions(events in generated::events(), list in list(), fails in any::<bool>()) {
        let compiled = pipeline::compile("list.yaml", &list);
        prop_assume!(compiled.checked.is_some());
        let mut plan = plan::lower(&compiled.checked.unwrap(), None).unwrap();
        // Other names, and the phases in another order: neither matters.
        for (at, rule) in plan.rules.iter_mut().enumerate() {
            rule.name = format!("r{at}").into();
        }
        plan.rules.sort_by_key(|rule| std::cmp::Reverse(rule.phase));
        let written = write(&plan);
        prop_assert_eq!(&written.losses, &[], "{}", list);
        let (again, transcript) = (read(&written.text), generated::transcript(&events));
        let ((trace, sent), (other, sent_again)) = (contexts(&plan, &transcript, fails), contexts(&again, &transcript, fails));
        prop_assert_eq!(sent, sent_again, "{}\n{}", list, written.text);
        let firings = |trace: &trimtab::simulate::Trace| {
            let mut all: Vec<_> = trace.rules.iter().map(|rule| format!("{:?} {} {}", rule.calls, rule.edits, rule.saved)).collect();
            all.sort();
            all
        };
        prop_assert_eq!(firings(&trace), firings(&other), "{}", list);
    }

    #[test]
    fn an_imported_list_keeps_its_hash_and_its_comments(list in list(), comments in prop::collection::vec("[a-z#'\" ]{0,12}", 6)) {
        let mut comments = comments.iter().cycle();
        let list: String = list.lines().map(|line| {
            let (above, after) = (comments.next().unwrap(), comments.next().unwrap());
            format!("# {above}\n{line} # {after}\n")
        }).collect();
        if let Some((before, after)) = imported("list.yaml", &list) {
            prop_assert_eq!(before, after, "{}", list);
        }
    }

    #[test]
    fn a_policy_is_written_exactly_or_its_losses_are_named(events in generated::events(), policy in generated::policy()) {
        let plan = plan(&policy);
        let written = write(&plan);
        prop_assert!(written.losses.iter().all(|loss| written.text.contains(&loss.part)), "{}", written.text);
        // What a format cannot say is known before its text is read again.
        prop_assert!(!written.losses.iter().any(|loss| loss.reason.starts_with("read again")), "{:?}", written.losses);
        let text = written.text;
        prop_assert!(!text.contains("- kind") || pipeline::compile("read.yaml", &text).checked.is_some(), "{text}");
        if written.losses.is_empty() {
            let transcript = generated::transcript(&events);
            prop_assert_eq!(contexts(&plan, &transcript, false).1, contexts(&read(&text), &transcript, false).1);
        }
    }
}
