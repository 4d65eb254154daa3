//! Laws: whatever a settings file holds becomes a policy with a whole table or a located error, and what is written is read again.

#![expect(clippy::unwrap_used, clippy::panic, clippy::string_slice, reason = "a failure fails the test")]

mod generated;
mod meaning;
mod styled;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde_json::{Value as Json, json};
use trimtab_base::diagnostic::Severity;
use trimtab_base::source::{Source, SourceId};
use trimtab_language::check::{self, SourceUnit};
use trimtab_language::plan::{self, Plan};
use trimtab_syntax::syntax;
use trimtab_syntax::syntax::tree::File;

use super::*;
use document::has_same_values;
use generated::{file_name, invalid, text, valid};
use styled::{Style, notes, styled};

fn source(name: &str, text: &str) -> Source {
    Source::new(SourceId::default(), name, text)
}

fn lowered(tree: &File) -> Result<Plan, String> {
    let (checked, found) = check::check_all(&[SourceUnit { file: tree, uses: &[] }]);
    let errors: Vec<String> = found.iter().map(|finding| format!("{} {}", finding.code.id, finding.message)).collect();
    plan::lower(&checked.ok_or(errors.join(", "))?, None).map_err(|error| format!("{error:?}"))
}

/// What a plan does: what it says about the host, and its rules in order, without their names. Values of two options may become
/// rules that differ in their names alone, such as `recent` and `amortized` of OpenHands with 2 events.
fn meaning(plan: &Plan) -> (Json, Vec<Json>) {
    let unnamed = |rule| {
        let mut json = plan::meaning(rule);
        json["name"] = Json::Null;
        json
    };
    (plan.json()["agent"].take(), plan.rules.iter().map(unnamed).collect())
}

/// An import has a row for each option, which is not exact if a name has braces; without errors its text and its tree have the same
/// meaning.
fn check_import(import: &Import, source: &Source) {
    for setting in import.system.settings {
        let rows = import.rows.iter().filter(|row| row.option == setting.key).count();
        assert_eq!(rows, 1, "{} has {rows} rows\n{}", setting.key, source.text());
    }
    for row in &import.rows {
        let is_exact = row.fidelity == Fidelity::Exact;
        assert!(is_exact || !row.reason.is_empty(), "{} has no reason\n{}", row.option, source.text());
        let names =
            import.system.settings.iter().any(|setting| setting.key == row.option && takes_names(&setting.kind));
        let is_renamed = names && !row.became.is_empty() && row.value.contains('{');
        assert!(!is_renamed || !is_exact && row.reason.contains("braces"), "{row:?}\n{}", source.text());
    }
    let length = u32::try_from(source.text().len()).unwrap();
    for finding in &import.diagnostics {
        assert!(finding.primary.span.end <= length && !finding.message.is_empty(), "{finding:?}");
    }
    if import.diagnostics.iter().any(|finding| finding.severity == Severity::Error) {
        return;
    }
    let (tree, found) = syntax::parse(&Source::new(SourceId::default(), "imported.trim", import.text.as_str()));
    assert!(found.is_empty(), "{}\n{found:?}", import.text);
    let plan = lowered(&tree).unwrap_or_else(|reason| panic!("{reason}\n{}", import.text));
    let direct = lowered(&import.tree).unwrap_or_else(|reason| panic!("{reason}\n{}", source.text()));
    assert_eq!(plan.hash, direct.hash, "{}", source.text());
}

/// Whether a value of this kind may be a list of names.
fn takes_names(kind: &Kind) -> bool {
    match kind {
        Kind::Names => true,
        Kind::AnyOf(kinds) => kinds.iter().any(takes_names),
        _ => false,
    }
}

#[test]
fn a_name_with_braces_is_approximate() {
    let row = |text: &str, system: &str, key: &str| {
        let system = SYSTEMS.iter().find(|other| other.name == system).unwrap();
        let import = import(&source(&file_name(system), text), system);
        assert!(!has_error(&import), "{:?}", import.diagnostics);
        let row = import.rows.into_iter().find(|row| row.option == key).unwrap();
        (import.text, row.fidelity, row.reason)
    };
    let (text, fidelity, reason) = row("model = 'a{b}'\n", "codex", "model");
    assert!(text.contains("model \"a*b*\""), "{text}");
    assert_eq!(
        (fidelity, reason.as_str()),
        (Fidelity::Approximate, "names have no braces here, so that `*` stands for each")
    );
    let (.., fidelity, reason) = row("model = 'a*b'\n", "codex", "model");
    assert_eq!((fidelity, reason.as_str()), (Fidelity::Exact, ""));
}

#[test]
fn rules_that_differ_in_name_alone_stand_for_each_other() {
    let system = SYSTEMS.iter().find(|system| system.name == "openhands").unwrap();
    let plan = |text: &str| lowered(&import(&source(&file_name(system), text), system).tree).unwrap();
    let amortized = plan("[condenser]\ntype = 'amortized'\nmax_size = 2\n");
    let written = write(&amortized, system, None).unwrap();
    assert!(written.losses.is_empty(), "{:?}", written.losses);
    assert_eq!(meaning(&plan(&written.text)), meaning(&amortized));
    assert_ne!(meaning(&plan("[condenser]\ntype = 'amortized'\nmax_size = 4\n")), meaning(&amortized));
}

#[test]
fn an_option_with_an_effect_beside_a_switch_alone_is_found() {
    let system = SYSTEMS.iter().find(|system| system.name == "openhands").unwrap();
    let plan = |text: &str| lowered(&import(&source(&file_name(system), text), system).tree).unwrap();
    // `recent` with 3 events differs in one number, and `amortized` without its size in two.
    for text in ["[condenser]\ntype = 'amortized'\nmax_size = 3\n", "[condenser]\ntype = 'recent'\nmax_events = 3\n"] {
        let written = write(&plan(text), system, None).unwrap();
        assert!(written.losses.is_empty(), "{text}{}{:?}", written.text, written.losses);
        assert_eq!(meaning(&plan(&written.text)), meaning(&plan(text)));
    }
}

#[test]
fn a_limit_that_takes_the_place_of_a_default_is_found() {
    let system = find("swe-agent").unwrap();
    let plan = |text: &str| lowered(&import(&source(&file_name(system), text), system).tree).unwrap();
    let text = r#"{ "agent": { "model": { "per_instance_call_limit": 1, "per_instance_cost_limit": 0 } } }"#;
    let written = write(&plan(text), system, None).unwrap();
    assert!(written.losses.is_empty(), "{}{:?}", written.text, written.losses);
    assert_eq!(meaning(&plan(&written.text)), meaning(&plan(text)));
}

#[test]
fn two_options_whose_product_is_a_value_are_found() {
    let system = find("hermes").unwrap();
    let plan = |text: &str| lowered(&import(&source(&file_name(system), text), system).tree).unwrap();
    for options in [
        "threshold: 0.01\n  target_ratio: 0.01\n  idle_compact_after_seconds: 1\n",
        "threshold: 0.76\n  target_ratio: 0.11\n  idle_compact_after_seconds: 1\n",
        "threshold: 0.76\n  target_ratio: 0.11\n  abort_on_summary_failure: true\n",
        "threshold_tokens: 116223\n  target_ratio: 0.64\n",
        "threshold: 0.98\n  threshold_tokens: 173362\nmodel:\n  context_length: 203956\n",
        "threshold: 0.95\n  threshold_tokens: 204205\n  target_ratio: 0\nmodel:\n  context_length: 272274\n",
        "threshold_tokens: 116223\n  target_ratio: 0.64\nmodel:\n  context_length: 200000\n",
        "threshold: 0.96\n  target_ratio: 0.11\nmodel:\n  context_length: 70000\n",
    ] {
        let text = format!("compression:\n  {options}");
        let written = write(&plan(&text), system, None).unwrap();
        assert!(written.losses.is_empty(), "{}{:?}", written.text, written.losses);
        assert_eq!(meaning(&plan(&written.text)), meaning(&plan(&text)));
    }
}

#[test]
fn the_defaults_of_each_system_are_a_policy() {
    for system in SYSTEMS {
        let import = defaults(system);
        assert!(import.diagnostics.is_empty());
        check_import(&import, &source("defaults", ""));
    }
}

#[test]
fn the_descriptions_of_options_are_complete() {
    for system in SYSTEMS {
        for setting in system.settings {
            assert!(setting.about.ends_with('.') && setting.about.starts_with(char::is_uppercase), "{}", setting.key);
            let default = match setting.default {
                DefaultValue::Flag(flag) => json!(flag),
                DefaultValue::Whole(number) => json!(number),
                DefaultValue::Share(number) => json!(number.parse::<f64>().unwrap()),
                DefaultValue::Word(word) => json!(word),
                DefaultValue::Computed(_) | DefaultValue::Unset => continue,
            };
            let source = source(&file_name(system), &text(system, &[(setting.key, default)]));
            let import = import(&source, system);
            assert!(import.diagnostics.is_empty(), "{}: {:?}", setting.key, import.diagnostics);
        }
    }
}

/// How an option stands in a file.
fn written(setting: &'static Setting, choice: u64, seed: u64) -> Option<(&'static str, Json, bool)> {
    if let Some((_, kind)) = setting.key.strip_suffix("].type").and_then(|key| key.rsplit_once('[')) {
        return (choice > 4).then_some((setting.key, json!(kind), false));
    }
    match choice {
        0..=4 => None,
        5 => invalid(&setting.kind, seed).map(|value| (setting.key, value, true)),
        6 => Some((setting.aliases.first().copied().unwrap_or(setting.key), valid(&setting.kind, seed), false)),
        _ => Some((setting.key, valid(&setting.kind, seed), false)),
    }
}

/// Some options, each with whether its value is wrong.
fn options(system: &'static System, choices: &[(u64, u64)]) -> Vec<(&'static str, Json, bool)> {
    let each = system.settings.iter().zip(choices);
    each.filter_map(|(setting, (choice, seed))| written(setting, *choice, *seed)).collect()
}

fn choices() -> impl Strategy<Value = Vec<(u64, u64)>> {
    prop::collection::vec((0..10u64, 0..1_000_000u64), 24)
}

/// The configuration of a property test with this number of cases, which are the same in every run. `TRIMTAB_CASES` sets
/// another number of random cases.
#[expect(clippy::disallowed_methods, reason = "the environment says how many cases a test has")]
fn cases(default: u32) -> ProptestConfig {
    let requested = std::env::var("TRIMTAB_CASES").ok().and_then(|cases| cases.parse().ok());
    let cases = requested.unwrap_or(default);
    let usual = ProptestConfig::default();
    let rng_seed = if requested.is_none() { RngSeed::Fixed(0) } else { usual.rng_seed };
    let max_global_rejects = cases.saturating_mul(50);
    ProptestConfig { cases, rng_seed, max_global_rejects, failure_persistence: None, ..usual }
}

#[test]
fn parts_that_need_a_type_get_one_and_keep_their_own() {
    let system = find("anthropic").unwrap();
    let edit = |text: &str| {
        let json: Json = serde_json::from_str(text).unwrap();
        json["context_management"]["edits"][0].clone()
    };
    let clearing = system.adjustments.iter().find(|adjustment| adjustment.name == "clear_tool_uses").unwrap();
    let options = &clearing.trials(None)[0];
    let new = edit(&adjusted(system, None, options).unwrap().text);
    assert_eq!(new["trigger"], json!({ "value": 100_000, "type": "input_tokens" }));
    assert_eq!(new["clear_at_least"], json!({ "value": 40_000, "type": "input_tokens" }));
    let own = r#"{"edits":[{"type":"clear_tool_uses_20250919","clear_at_least":{"type":"own","value":9}}]}"#;
    let own = format!("{{\"context_management\":{own}}}");
    let changed = edit(&adjusted(system, Some(&source("request.json", &own)), options).unwrap().text);
    assert_eq!(changed["clear_at_least"], json!({ "type": "own", "value": 40_000 }));
}

proptest! {
    #![proptest_config(cases(128))]

    #[test]
    fn generated_settings_become_a_policy_with_a_whole_table_or_a_located_error(
        at in 0..SYSTEMS.len(), choices in choices(), has_unknown in any::<bool>(),
    ) {
        let system = SYSTEMS[at];
        let options = options(system, &choices);
        let mut values: Vec<(&str, Json)> = options.iter().map(|(key, value, _)| (*key, value.clone())).collect();
        let unknown = format!("{}x", system.settings[0].key);
        if has_unknown {
            values.push((&unknown, json!(1)));
        }
        let source = source(&file_name(system), &text(system, &values));
        let import = import(&source, system);
        let errors = import.diagnostics.iter().filter(|finding| finding.severity == Severity::Error).count();
        let wrong = options.iter().filter(|(.., wrong)| *wrong).count();
        prop_assert!(errors >= wrong && (wrong > 0 || errors == 0), "{}\n{:?}", source.text(), import.diagnostics);
        check_import(&import, &source);
    }

    #[test]
    fn whatever_a_file_holds_is_no_panic(at in 0..SYSTEMS.len(), cut in 0..2_000usize, junk in "[\\PC\n]{0,12}") {
        let system = SYSTEMS[at];
        let all: Vec<(&str, Json)> = system.settings.iter().map(|setting| (setting.key, valid(&setting.kind, 3))).collect();
        let whole = text(system, &all);
        let cut = (0..=cut.min(whole.len())).rev().find(|at| whole.is_char_boundary(*at)).unwrap();
        let source = source(&file_name(system), &format!("{}{junk}{}", &whole[..cut], &whole[cut..]));
        check_import(&import(&source, system), &source);
        drop(recognise(&source));
    }
}

proptest! {
    // Each case reads hundreds of settings files.
    #![proptest_config(cases(32))]

    #[test]
    fn what_settings_mean_is_written_as_settings_of_the_same_meaning(at in 0..SYSTEMS.len(), choices in choices()) {
        let system = SYSTEMS[at];
        let valid = options(system, &choices).into_iter().filter(|(.., wrong)| !wrong);
        let values: Vec<(&str, Json)> = valid.map(|(key, value, _)| (key, value)).collect();
        prop_assume!(system.is_target && !values.iter().any(|(key, _)| key.contains('*')));
        let source = source(&file_name(system), &text(system, &values));
        let import = import(&source, system);
        prop_assume!(import.diagnostics.iter().all(|finding| finding.severity != Severity::Error));
        let plan = lowered(&import.tree).unwrap();
        let written = write(&plan, system, None).unwrap();
        prop_assert!(written.losses.is_empty(), "{}\n{}\n{:#?}", source.text(), written.text, written.losses);
        let again = Source::new(SourceId::default(), file_name(system), written.text.as_str());
        let read = lowered(&super::import(&again, system).tree).unwrap();
        prop_assert_eq!(meaning(&read), meaning(&plan), "{}\n{}", source.text(), written.text);
    }

    #[test]
    fn a_patch_changes_only_the_options_concerned(
        at in 0..SYSTEMS.len(), before in choices(), after in choices(), style in style(),
    ) {
        let system = SYSTEMS[at];
        let valid = |choices: &[(u64, u64)]| -> Vec<(&str, Json)> {
            let valid = options(system, choices).into_iter().filter(|(.., wrong)| !wrong);
            valid.map(|(key, value, _)| (key, value)).filter(|(key, _)| !key.contains('*')).collect()
        };
        prop_assume!(system.is_target);
        let (mut file, wanted) = (valid(&before), valid(&after));
        file.extend([("other.first", json!("kept")), ("other.second", json!([1, 2]))]);
        let file = source(&file_name(system), &styled(system, &file, style));
        let wanted = import(&source(&file_name(system), &text(system, &wanted)), system);
        prop_assume!([&wanted, &import(&file, system)].iter().all(|import| !has_error(import)));
        let plan = lowered(&wanted.tree).unwrap();
        let written = write(&plan, system, Some(&file)).unwrap_or_else(|reason| panic!("{reason}\n{}", file.text()));
        let again = source(&file_name(system), &written.text);
        let shown = || format!("{}\n{}", file.text(), again.text());
        prop_assert_eq!(notes(file.text()), notes(again.text()), "{}", shown());
        let others = [&file, &again].map(|source| document::read(source, system.syntax).0.unwrap());
        let [before, after] = others.map(|root| root.get("other").cloned().unwrap());
        prop_assert!(has_same_values(&before, &after), "{}", shown());
        prop_assert_eq!(again.text().starts_with('\u{FEFF}'), style.has_mark);
        let bare = again.text().replace("\r\n", "").contains('\n');
        prop_assert_eq!(bare, !style.has_carriage_returns, "{}", shown());
        prop_assert!(!has_error(&import(&again, system)), "{}", shown());
        if written.losses.is_empty() {
            let read = lowered(&import(&again, system).tree).unwrap();
            prop_assert_eq!(meaning(&read), meaning(&plan), "{}", shown());
        }
    }
}

fn has_error(import: &Import) -> bool {
    import.diagnostics.iter().any(|finding| finding.severity == Severity::Error)
}

fn style() -> impl Strategy<Value = Style> {
    any::<[bool; 3]>().prop_map(|[has_mark, has_carriage_returns, is_other]| Style {
        has_mark,
        has_carriage_returns,
        is_other,
    })
}
