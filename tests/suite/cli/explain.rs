//! `trimtab explain`.

use super::{Run, folder, shape};

#[test]
fn each_kind_of_entry_is_explained() {
    let ids = [
        ("context.ratio", "fact"),
        ("host", "fact"),
        ("mask", "effect"),
        ("once per", "guard"),
        ("request", "phase"),
        ("when", "keyword"),
        ("chars", "unit"),
        ("keep", "label"),
        ("within", "label"),
        ("E301", "code"),
        ("E608", "code"),
    ];
    for (id, kind) in ids {
        let output = Run::new(["explain"]).arg(id).output().exits_with(0);
        assert!(output.out.starts_with(&format!("{kind} {id}\n")), "{}", output.out);
        assert!(output.out.lines().count() > 2, "{}", output.out);
    }
}

#[test]
fn an_id_may_be_several_arguments_in_any_case() {
    let one = Run::new(["explain", "once per"]).output().exits_with(0).out;
    assert_eq!(Run::line("explain once per").output().exits_with(0).out, one);
    assert_eq!(Run::line("explain ONCE per").output().exits_with(0).out, one);
    assert_eq!(Run::line("explain e301").output().exits_with(0).out, Run::line("explain E301").output().out);
}

#[test]
fn an_unknown_id_exits_with_2_and_a_suggestion() {
    let output = Run::line("explain maks").output().exits_with(2);
    assert!(output.err.contains("did you mean `mask`?"), "{}", output.err);
    assert_eq!(output.out, "");
    let output = Run::line("explain something_far_away").output().exits_with(2);
    assert!(output.err.contains("--all"), "{}", output.err);
}

#[test]
fn a_kind_is_explained_as_a_list_of_its_entries() {
    let count = |kind: &str| Run::line(&format!("explain {kind}")).output().exits_with(0).out.lines().count();
    assert_eq!(
        Run::line("explain facts --width 400").output().exits_with(0).out.lines().count(),
        trimtab::fact::FACTS.len()
    );
    for kind in ["keywords", "effects", "guards", "phases", "units", "lints", "codes"] {
        assert!(count(kind) > 5, "{kind}");
        let singular = kind.strip_suffix('s').unwrap();
        assert_eq!(count(singular), count(kind));
        let json = Run::line(&format!("explain {kind} --format json")).output().exits_with(0).json();
        assert!(json["entries"].as_array().unwrap().iter().all(|entry| entry["kind"] == singular), "{kind}");
    }
    let out = Run::line("explain effects --width 80").output().exits_with(0).out;
    assert!(out.contains("\nmask ") || out.starts_with("mask "), "{out}");
    assert!(Run::line("explain fcts").output().exits_with(2).err.contains("did you mean `facts`?"));
}

#[test]
fn a_label_is_explained_for_each_effect_that_has_it() {
    let out = Run::line("explain keep").output().exits_with(0).out;
    for text in ["\n  mask\n", "\n  summarise\n", "\n  on_failure\n    Nothing changes. This is the default.\n"] {
        assert!(out.contains(text), "{out}");
    }
}

#[test]
fn a_label_is_explained_once_with_what_differs_by_effect() {
    let out = Run::line("explain pin --width 400").output().exits_with(0).out;
    assert!(
        !out.contains("depends on the word") && out.matches("`first_user` the first message").count() == 1,
        "{out}"
    );
    assert!(out.contains("\n  drop\n    Only with `older`.\n") && !out.contains("\n  slide\n"), "{out}");
    let drop = Run::line("explain drop --width 400").output().exits_with(0).out;
    assert!(drop.contains("Default: `request`. Only with `older`."), "{drop}");
}

#[test]
fn explain_without_an_id_is_a_usage_error() {
    Run::line("explain").output().exits_with(2);
    Run::line("explain mask --all").output().exits_with(2);
}

#[test]
fn the_json_output_lists_entries() {
    let json = Run::line("explain mask --format json").output().exits_with(0).json();
    assert_eq!(
        shape(&json),
        "{schema_version: int, entries: [{kind: text, id: text, form: text, summary: text, parts: [{name: text, \
         summary: text}], examples: [text], links: []}]}"
    );
}

#[test]
fn pages_fit_the_width() {
    for id in ["mask", "summarise", "repeats", "cooldown", "E301", "keep", "facts", "lints", "codes"] {
        let out = Run::new(["explain", id, "--width", "50"]).output().exits_with(0).out;
        // Examples are code: they are indented by four columns and not wrapped.
        let wide = out.lines().filter(|line| line.chars().count() > 50 && !line.starts_with("    "));
        assert_eq!(wide.collect::<Vec<_>>(), [""; 0], "{id}");
    }
}

#[test]
fn a_search_term_finds_its_topic() {
    for (word, topic) in [
        ("idle", "outcomes"),
        ("blocked", "outcomes"),
        ("held", "outcomes"),
        ("due", "outcomes"),
        ("loop", "loops"),
        ("time", "time"),
        ("cost", "cost"),
        ("duplicate", "duplicates"),
        ("tests", "tests"),
        ("settings", "settings"),
        ("label", "labels"),
        ("invariants", "invariants"),
        ("trust", "accuracy"),
        ("harness", "agents"),
        ("passed", "markers"),
        ("in between", "markers"),
        ("steps", "steps"),
        ("person", "messages"),
        ("user", "messages"),
        ("todo", "protection"),
        ("first_message", "protection"),
        ("quoted", "regret"),
        ("cold", "cache"),
        ("left", "window"),
        ("block", "tools"),
        ("upper case", "tools"),
        ("screenshot", "images"),
        ("until next compaction", "summaries"),
    ] {
        let out = Run::new(["explain", word, "--width", "60"]).output().exits_with(0).out;
        assert!(out.lines().any(|line| line == format!("topic {topic}")), "{out}");
    }
    // An element of the language comes before the topic with the same name.
    assert!(Run::line("explain idle").output().exits_with(0).out.starts_with("fact idle\n"));
    // The last word of a fact finds it.
    assert!(Run::line("explain persona").output().exits_with(0).out.starts_with("fact share.persona\n"));
    let topics = Run::line("explain topics --format json").output().exits_with(0).json();
    assert_eq!(topics["entries"].as_array().unwrap().len(), trimtab::report::TOPICS.len());
}

#[test]
fn words_that_people_look_for_lead_to_topics() {
    for word in ["cache", "session", "regret", "image"] {
        let page = Run::line(&format!("explain {word}")).output().exits_with(0).out;
        assert!(page.starts_with("topic "), "{page}");
    }
}

#[test]
fn an_unknown_id_lists_the_entries_that_mention_it() {
    let output = Run::line("explain provider").output().exits_with(2);
    assert!(
        output.err.contains("no entry is called `provider`; it is mentioned in ") && output.err.contains(" and "),
        "{}",
        output.err
    );
}

#[test]
fn models_are_listed_with_windows_and_prices() {
    let out = Run::line("explain models --width 160").output().exits_with(0).out;
    let row: Vec<&str> =
        out.lines().find(|line| line.starts_with("claude-sonnet-4-5 ")).unwrap().split_whitespace().collect();
    assert_eq!(row[..7], ["claude-sonnet-4-5", "200,000", "$3", "$3.75", "$6", "$0.3", "$15"]);
    let json = Run::line("explain models --format json").output().exits_with(0).json();
    assert_eq!(json["models"].as_array().unwrap().len(), trimtab::model::all().count());
    let one = Run::line("explain claude-haiku-4-5-20251001 --format json").output().exits_with(0).json();
    assert_eq!(
        (one["models"][0]["id"].as_str(), one["models"][0]["factor"].as_f64()),
        (Some("claude-haiku-4-5"), Some(1.2))
    );
    let one = Run::line("explain gpt-5 --width 160").output().exits_with(0).out;
    assert!(one.contains("caches from 1,024 for 5 min") && one.contains("tokenizer o200k"), "{one}");
    let own = "[models.acme-9]\nwindow = \"64k tokens\"\ninput = \"$77\"\noutput = \"$8\"\n";
    let folder = folder(&[("own.toml", own)]);
    let file = folder.path().join("own.toml");
    let listed = Run::new(["explain", "models", "--width", "200", "--config", &file.display().to_string()])
        .output()
        .exits_with(0)
        .out;
    assert!(listed.lines().any(|line| line.starts_with("acme-9 ") && line.contains("$77")), "{listed}");
    let narrow = Run::line("explain models --width 60").output().exits_with(0).out;
    assert!(narrow.lines().all(|line| line.chars().count() <= 60), "{narrow}");
}
