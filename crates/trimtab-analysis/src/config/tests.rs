use trimtab_base::source::SourceId;

use super::*;

fn read_text(text: &str) -> (Config, Vec<String>) {
    let source = Source::new(SourceId(0), NAME, text);
    let (config, found) = read(&source);
    let line = |finding: &Diagnostic| {
        format!("{}: {} {}", source.position(finding.primary.span.start).line, finding.code.id, finding.message)
    };
    (config, found.iter().map(line).collect())
}

const WHOLE: &str = r#"
profile = "coder"

[profiles.coder]
model    = "claude-sonnet-4-5"
window   = "200k tokens"
reserve  = "16k tokens"
overhead = "30k tokens"
tools    = ["bash", "read_file"]

[lint]
extend = ["style"]
ignore = ["double-negation"]
certainty = "structural"

[lint.severity]
unused-let = "error"

[[lint.files]]
paths  = ["examples/**"]
ignore = ["definitions"]

[[simulate]]
policy      = "policies/coder.trim"
transcripts = ["recordings/*.jsonl"]
profile     = "coder"
expect      = ["peak context.ratio <= 90%"]

[[recordings]]
transcripts        = ["recordings/*.jsonl"]
max_avoidable_cost = "$0.50"

[ci]
fail_level = "warning"
coverage   = "90%"
"#;

#[test]
fn everything_is_read() {
    let (config, found) = read_text(WHOLE);
    assert_eq!(found, [""; 0]);
    let agent = config.profile_agent(None).expect("a known profile").expect("a profile");
    assert_eq!(agent.window.map(|window| window.node), Some(200_000));
    assert_eq!(agent.tools.as_ref().map(Vec::len), Some(2));
    assert_eq!(config.profile_agent(Some("other")), Err(vec!["coder".into()]));
    assert_eq!(config.files.len(), 1);
    assert_eq!(config.simulations[0].expect[0].node, "peak context.ratio <= 90%");
    assert_eq!(config.recordings[0].max_avoidable_cost.node, Decimal::new(5, 1));
    assert_eq!(config.named_paths().filter(|path| path.node == "recordings/*.jsonl").count(), 2);
    assert_eq!((config.fail_level, config.coverage), (Some(Severity::Warning), Some(Decimal::new(9, 1))));
    let mut settings = Settings::default();
    config.lint.apply_to(&mut settings);
    let wants = |name: &str| settings.is_enabled(trimtab_lint::lint::find(name).expect("a lint"));
    assert!(wants("unused-let") && !wants("double-negation"));
}

#[test]
fn all_errors_of_the_settings_are_reported_in_one_run() {
    let (_, found) = read_text(
        "profile = \"x\"\nlnit = 1\n[profiles.coder]\nwindow = 200\ntools = \"bash\"\n[lint]\nselect = [\"stile\", 3]\n\
         [lint.severity]\nunused-let = \"loud\"\nnope = \"error\"\n[[lint.files]]\nignore = []\n[[simulate]]\n",
    );
    let codes: Vec<(&str, &str)> = found.iter().filter_map(|finding| finding.split_once(": ")).collect();
    let codes: Vec<String> =
        codes.iter().map(|(line, rest)| format!("{line} {}", rest.get(..4).expect("a code"))).collect();
    assert_eq!(
        codes,
        [
            "1 E708", "2 E702", "4 E704", "5 E703", "7 E706", "7 E703", "9 E705", "10 E706", "11 E707", "13 E707",
            "13 E707"
        ],
        "{found:#?}"
    );
}

#[test]
fn limits_on_recordings_have_recordings_and_an_amount() {
    let text = "[[recordings]]\n[[recordings]]\ntranscripts = [\"a\"]\nmax_avoidable_cost = \"5 tokens\"\n";
    let (config, found) = read_text(text);
    let codes: Vec<_> = found.iter().map(|finding| finding.get(..7).unwrap_or_default()).collect();
    assert_eq!((config.recordings.len(), codes), (0, vec!["1: E707", "1: E707", "4: E704"]), "{found:?}");
}

#[test]
fn text_that_is_not_toml_is_reported_with_its_position() {
    let (_, found) = read_text("profile = \"a\nlint = [\n");
    assert!(!found.is_empty() && found.iter().all(|finding| finding.contains("E701")), "{found:?}");
}

#[test]
fn limits_of_lints_are_set_with_their_unit() {
    for lint in trimtab_lint::lint::LINTS {
        for option in lint.options {
            let sample = option.unit.sample();
            let text = format!("[lint.settings.{}]\n{} = \"{sample}\"\n", lint.name(), option.name);
            let (config, found) = read_text(&text);
            assert_eq!((found, config.lint.settings.len()), (Vec::<String>::new(), 1), "{text}");
        }
    }
}

#[test]
fn a_default_profile_fills_gaps_and_a_requested_profile_takes_precedence() {
    let text = "profile = \"a\"\n[profiles.a]\nwindow = \"1k tokens\"\nreserve = \"10 tokens\"\n\
                [profiles.b]\nwindow = \"2k tokens\"\n";
    let (config, found) = read_text(text);
    assert_eq!(found, [""; 0]);
    let place = Span::new(SourceId(0), 3, 9);
    let own = Agent { window: Some(Spanned::new(9, place)), overhead: Some(7), ..Agent::default() };
    let own = Agent { places: vec![("window", place), ("overhead", place)], ..own };
    let filled = config.agent(&own, None).expect("the own profile");
    assert_eq!((filled.window, filled.reserve, filled.overhead), (own.window, Some(10), Some(7)));
    let agent_of_b = config.agent(&own, Some("b")).expect("a profile");
    assert_eq!(
        (agent_of_b.window.map(|window| window.node), agent_of_b.reserve, agent_of_b.overhead),
        (Some(2_000), None, Some(7))
    );
    assert_eq!(agent_of_b.window.map(|window| window.span.source), Some(SourceId::SETTINGS));
    assert_eq!((agent_of_b.place("window"), agent_of_b.place("overhead")), (None, Some(place)));
    assert_eq!(config.agent(&own, Some("c")), Err(vec!["a".into(), "b".into()]));
    assert_eq!(Config::default().agent(&own, None), Ok(own));
}

#[test]
fn impossible_expectations_are_rejected() {
    let (config, found) = read_text("[ci]\ncoverage = \"200%\"\n[profiles.a]\nwindow = \"0 tokens\"\n");
    assert!(found.len() == 2 && found.iter().all(|finding| finding.contains("E709")), "{found:?}");
    assert_eq!((config.coverage, config.profiles[0].1.window), (None, None));
    assert_eq!(read_text("[ci]\ncoverage = \"100%\"\n").0.coverage, Some(Decimal::ONE));
}

#[test]
fn an_unknown_setting_is_reported_with_its_table() {
    let (_, found) = read_text("[lint.settings.steps-too-close]\npints = \"10%\"\n");
    assert!(found[0].contains("`[lint.settings.steps-too-close]` has no key `pints`"), "{found:?}");
}

const MODELS: &str = r#"
[models.my-finetune]
like = "gpt-5"
window = "64k tokens"
input = "$2.50"

[models."local/qwen"]
family = "qwen"
window = "128k tokens"
max_output = "8k tokens"
input = "$0.10"
cache_read = "$0.02"
cache_write = "$0.12"
cache_write_1h = "$0.2"
output = "$0.40"
cache_minimum = "256 tokens"
cache_lifetime = "10m"
surcharge = { above = "100k tokens", input = "200%", output = "150%" }
binds_reasoning = true
tokenizer = "o200k"
"#;

#[test]
fn models_of_the_project_are_read() {
    let (config, found) = read_text(MODELS);
    assert_eq!(found, [""; 0]);
    let like = config.models.find("openai/my-finetune").expect("a model");
    assert_eq!((like.window, like.tokenizer, like.family.as_str()), (64_000, Some("o200k"), "gpt"));
    let prices = like.prices.expect("prices").current;
    assert_eq!((prices.input, prices.output), (Decimal::new(25, 1), Decimal::TEN));
    let own = config.models.find("local/qwen").expect("a model");
    let prices = own.prices.expect("prices").current;
    assert_eq!([prices.cache_write, prices.hour_write], [Decimal::new(12, 2), Decimal::new(2, 1)]);
    assert_eq!(prices.at(100_001).output, Decimal::new(6, 1));
    assert_eq!(own.caching.map(|caching| (caching.minimum, caching.lifetime)), Some((256, 600)));
    assert!(own.binds_reasoning);
}

#[test]
fn values_of_a_cache_that_no_rule_applies_are_reported() {
    let own = "[models.acme]\nwindow = \"9k tokens\"\ninput = \"$2\"\noutput = \"$8\"\n";
    let cache = "cache_read = \"$0.5\"\ncache_lifetime = \"5m\"\n";
    let (config, found) = read_text(&format!("{own}{cache}"));
    assert!(found.len() == 1 && found[0].starts_with("6: E710"), "{found:#?}");
    assert!(config.models.find("acme").is_some());
    for sound in [
        own.to_owned(),
        format!("{own}{cache}family = \"claude\"\n"),
        "[models.gpt-5]\ncache_read = \"$0.1\"\n".to_owned(),
    ] {
        assert_eq!(read_text(&sound).1, [""; 0], "{sound}");
    }
    let (_, dear) = read_text(&format!("{own}cache_read = \"$3\"\nfamily = \"gpt\"\n"));
    assert!(dear[0].contains("E710"), "{dear:#?}");
}

#[test]
fn errors_of_models_are_reported_in_one_run() {
    let (config, found) = read_text(
        "[models.a]\ninput = \"$1\"\n[models.b]\nlike = \"gtp-5\"\n[models.c]\nwindow = \"1k tokens\"\noutput = \"$1\"\n\
         [models.d]\nlike = \"gpt-5\"\ninput = 3\nfamily = \"gpd\"\nbinds_reasoning = \"yes\"\nsurcharge = {}\nwindw = 1\n",
    );
    let codes: Vec<&str> = found.iter().filter_map(|finding| finding.get(..finding.find(' ')? + 5)).collect();
    assert_eq!(
        codes,
        ["1: E707", "4: E705", "5: E707", "10: E704", "11: E705", "12: E703", "13: E707", "14: E702"],
        "{found:#?}"
    );
    let kept = ["a", "b", "c", "d"].map(|id| config.models.find(id).is_some());
    assert_eq!(kept, [false, false, false, true]);
}
