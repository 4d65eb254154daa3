//! Models that a project defines in its settings.

use super::{Run, folder, policy};

const SETTINGS: &str =
    "[models.my-finetune]\nlike = \"gpt-5\"\nwindow = \"64k tokens\"\ninput = \"$2\"\noutput = \"$20\"\n";

const RECORDING: &str = r#"{"trimtab":1,"model":"my-finetune"}
{"role":"user","content":"Sum these."}
{"role":"assistant","content":"Done.","usage":{"input":500000,"cache_read":0,"cache_write":0,"output":50000}}
"#;

#[test]
fn a_model_of_the_project_has_a_window_and_prices() {
    let watch = policy("when context.ratio >= 60% do notify \"nearly full\"");
    let folder = folder(&[("p.trim", &watch), ("trimtab.toml", SETTINGS), ("r.jsonl", RECORDING)]);
    let run = |line: &str| Run::line(line).current_dir(folder.path()).output();
    let of_first = |line: &str| run(line).exits_with(0).json()["transcripts"][0].clone();
    let known = of_first("simulate p.trim r.jsonl --format json");
    assert_eq!((&known["window"], &known["window_source"]), (&64_000.into(), &"model".into()));
    // 0.5 million tokens at $2, and 0.05 million at $20.
    assert_eq!(known["money"]["before"]["cost"], 2.0);
    let unknown = of_first("simulate p.trim r.jsonl --format json --isolated");
    assert!(unknown["window"].is_null() && unknown["money"]["before"]["cost"].is_null(), "{unknown}");
    run("compile p.trim -o p.json").exits_with(0);
    assert_eq!(of_first("simulate p.json r.jsonl --format json")["money"]["before"]["cost"], 2.0);
    let shown = run("transcript show r.jsonl --format json").exits_with(0).out;
    assert!(shown.contains("64000"), "{shown}");
}

#[test]
fn the_option_model_and_explain_know_models_of_the_project() {
    let watch = policy("when context.ratio >= 60% do notify \"nearly full\"");
    let folder = folder(&[("p.trim", &watch), ("trimtab.toml", SETTINGS), ("r.jsonl", RECORDING)]);
    let run = |line: &str| Run::line(line).current_dir(folder.path()).output();
    let simulated = run("simulate p.trim r.jsonl --model my-finetune --format json").exits_with(0).json();
    assert_eq!(simulated["transcripts"][0]["model"], "my-finetune");
    let exact = run("simulate p.trim r.jsonl --tokens exact --format json");
    if cfg!(feature = "exact") {
        assert_eq!(exact.exits_with(0).json()["transcripts"][0]["counter"]["name"], "exact");
    }
    assert!(run("explain my-finetune").exits_with(0).out.contains("64,000"));
    assert!(run("explain models").exits_with(0).out.contains("my-finetune"));
    assert!(run("inspect p.trim --model my-finetune").exits_with(0).out.contains("window of 64,000 tokens"));
    for line in ["simulate p.trim r.jsonl", "inspect p.trim", "transcript show r.jsonl"] {
        let output = run(&format!("{line} --model my-finetun")).exits_with(2);
        assert!(output.err.contains("did you mean `my-finetune`?"), "{line}: {output:?}");
    }
}

#[test]
fn a_policy_may_name_a_model_of_the_project() {
    let named =
        format!("{}agent {{ model \"my-finetune\" }}\n", policy("when context.ratio >= 60% do notify \"full\""));
    let folder = folder(&[("p.trim", &named), ("trimtab.toml", SETTINGS)]);
    let run = |line: &str| Run::line(line).current_dir(folder.path()).output();
    assert!(run("lint p.trim --isolated").out.contains("unknown-model"));
    assert!(!run("lint p.trim").out.contains("unknown-model"));
}

#[test]
fn the_settings_of_the_docs_have_no_errors() {
    let page = std::fs::read_to_string("docs/settings.md").unwrap();
    let blocks = page.split("```toml\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let mut models = 0;
    for block in blocks {
        let folder = folder(&[("trimtab.toml", block)]);
        let output = Run::line("validate trimtab.toml").current_dir(folder.path()).output().exits_with(0);
        assert!(output.out.contains("0 errors") || output.out.contains("no problems"), "{output:?}");
        models += usize::from(block.contains("[models."));
    }
    assert_eq!(models, 1);
}
