//! `trimtab explain`.

use super::{Run, shape};

#[test]
fn each_kind_of_thing_is_explained() {
    let ids = [
        ("context.ratio", "fact"),
        ("mask", "effect"),
        ("once per", "guard"),
        ("request", "phase"),
        ("when", "keyword"),
        ("tokens", "unit"),
        ("keep", "label"),
        ("within", "label"),
        ("E301", "code"),
        ("E608", "code"),
    ];
    for (id, kind) in ids {
        let done = Run::new(["explain"]).arg(id).done().ends(0);
        assert!(done.out.starts_with(&format!("{kind} {id}\n")), "{}", done.out);
        assert!(done.out.lines().count() > 2, "{}", done.out);
    }
}

#[test]
fn words_of_an_id_may_be_given_one_by_one_and_in_any_case() {
    let one = Run::new(["explain", "once per"]).done().ends(0).out;
    assert_eq!(Run::line("explain once per").done().ends(0).out, one);
    assert_eq!(Run::line("explain ONCE per").done().ends(0).out, one);
    assert_eq!(Run::line("explain e301").done().ends(0).out, Run::line("explain E301").done().out);
}

#[test]
fn an_unknown_id_ends_with_2_and_a_suggestion() {
    let done = Run::line("explain maks").done().ends(2);
    assert!(done.err.contains("did you mean `mask`?"), "{}", done.err);
    assert_eq!(done.out, "");
    let done = Run::line("explain something_far_away").done().ends(2);
    assert!(done.err.contains("--all"), "{}", done.err);
}

#[test]
fn a_kind_is_a_list_with_a_line_for_each() {
    let count = |kind: &str| Run::line(&format!("explain {kind}")).done().ends(0).out.lines().count();
    assert_eq!(Run::line("explain facts --width 400").done().ends(0).out.lines().count(), trimtab::fact::FACTS.len());
    for kind in ["keywords", "effects", "guards", "phases", "units", "lints", "codes"] {
        assert!(count(kind) > 5, "{kind}");
        let singular = kind.strip_suffix('s').unwrap();
        assert_eq!(count(singular), count(kind));
        let json = Run::line(&format!("explain {kind} --format json")).done().ends(0).json();
        assert!(json["entries"].as_array().unwrap().iter().all(|one| one["kind"] == singular), "{kind}");
    }
    let out = Run::line("explain effects --width 80").done().ends(0).out;
    assert!(out.contains("\nmask ") || out.starts_with("mask "), "{out}");
    assert!(Run::line("explain fcts").done().ends(2).err.contains("did you mean `facts`?"));
}

#[test]
fn a_label_is_told_of_at_each_that_takes_it() {
    let out = Run::line("explain keep").done().ends(0).out;
    for text in ["\n  mask\n", "\n  summarise\n", "\n  on_failure\n    Nothing changes. This is the default.\n"] {
        assert!(out.contains(text), "{out}");
    }
}

#[test]
fn nothing_at_all_is_a_usage_error() {
    Run::line("explain").done().ends(2);
    Run::line("explain mask --all").done().ends(2);
}

#[test]
fn the_json_form_lists_entries() {
    let json = Run::line("explain mask --format json").done().ends(0).json();
    assert_eq!(
        shape(&json),
        "{schema_version: int, entries: [{kind: text, id: text, form: text, summary: text, parts: [{name: text, \
         summary: text}], examples: [text], links: []}]}"
    );
}

#[test]
fn pages_keep_to_the_width() {
    for id in ["mask", "summarise", "repeats", "cooldown", "E301", "keep", "facts", "lints", "codes"] {
        let out = Run::new(["explain", id, "--width", "50"]).done().ends(0).out;
        // Examples are code and stand as they are, four columns in.
        let wide = out.lines().filter(|line| line.chars().count() > 50 && !line.starts_with("    "));
        assert_eq!(wide.collect::<Vec<_>>(), [""; 0], "{id}");
    }
}

#[test]
fn a_word_that_people_search_for_finds_its_topic() {
    for (word, topic) in [
        ("idle", "outcomes"),
        ("held", "outcomes"),
        ("due", "outcomes"),
        ("loop", "loops"),
        ("time", "time"),
        ("cost", "cost"),
        ("duplicate", "duplicates"),
        ("tests", "tests"),
        ("settings", "settings"),
    ] {
        let out = Run::new(["explain", word, "--width", "60"]).done().ends(0).out;
        assert!(out.lines().any(|line| line == format!("topic {topic}")), "{out}");
    }
    // A thing of the language comes before the topic of its name.
    assert!(Run::line("explain idle").done().ends(0).out.starts_with("fact idle\n"));
    let topics = Run::line("explain topics --format json").done().ends(0).json();
    assert_eq!(topics["entries"].as_array().unwrap().len(), trimtab::report::TOPICS.len());
}

#[test]
fn a_word_that_is_only_mentioned_says_where() {
    let done = Run::line("explain cache").done().ends(2);
    assert!(
        done.err.contains("no entry is called `cache`; it is mentioned in ") && done.err.contains(" and "),
        "{}",
        done.err
    );
}

#[test]
fn models_are_listed_with_windows_and_prices() {
    let out = Run::line("explain models --width 80").done().ends(0).out;
    let row: Vec<&str> =
        out.lines().find(|line| line.starts_with("claude-sonnet-4-5 ")).unwrap().split_whitespace().collect();
    assert_eq!(row, ["claude-sonnet-4-5", "200,000", "$3", "$0.3", "$15"]);
    let json = Run::line("explain models --format json").done().ends(0).json();
    assert_eq!(json["models"].as_array().unwrap().len(), trimtab::model::all().count());
    let one = Run::line("explain claude-haiku-4-5-20251001 --format json").done().ends(0).json();
    assert_eq!(
        (one["models"][0]["id"].as_str(), one["models"][0]["factor"].as_f64()),
        (Some("claude-haiku-4-5"), Some(1.2))
    );
    let narrow = Run::line("explain models --width 60").done().ends(0).out;
    assert!(narrow.lines().all(|line| line.chars().count() <= 60), "{narrow}");
}
