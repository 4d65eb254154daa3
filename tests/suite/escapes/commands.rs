//! Every verb in every output format, on the files of a project.

/// What an output has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Text for people.
    Text,
    /// Text with workflow commands of GitHub.
    Commands,
    Markdown,
    Json,
    /// JSON, one value a line.
    Lines,
    Xml,
    Csv,
    Page,
}

/// The form of an output format.
fn form(format: &str) -> Form {
    match format {
        "human" | "plain" | "concise" => Form::Text,
        "github" => Form::Commands,
        "markdown" => Form::Markdown,
        "json" | "sarif" | "gitlab" => Form::Json,
        "jsonl" => Form::Lines,
        "junit" => Form::Xml,
        "csv" => Form::Csv,
        "html" => Form::Page,
        other => panic!("the output format {other} is unknown"),
    }
}

/// Verbs with their output formats. `P` and `Q` begin the names of files that contain the text, and `@` is a space.
const FORMATTED: &[(&str, &str)] = &[
    ("validate P.trim Pbad.trim Pbad.yaml", FINDINGS),
    ("validate Pbad.toml", FINDINGS),
    ("lint P.trim Pgood.yaml --select all", FINDINGS),
    ("test P.trim --coverage --min-coverage 100", "human plain concise json junit github markdown"),
    ("simulate P.trim P.jsonl Pskipped.jsonl Pbad.jsonl --playbook book.json", REPLAYS),
    ("simulate P.jsonl Pskipped.jsonl --policies P.trim Q.trim", REPLAYS),
    ("simulate P.trim P.jsonl", "human markdown"),
    ("transcript stat P.jsonl Pskipped.jsonl Pbad.jsonl", LISTINGS),
    ("transcript show P.jsonl", LISTINGS),
    ("transcript show P.jsonl --tools", LISTINGS),
    ("transcript show P.jsonl --largest", LISTINGS),
    ("transcript show P.jsonl --call 2", LISTINGS),
    ("transcript validate P.jsonl Pskipped.jsonl Pbad.jsonl", LISTINGS),
    ("calibrate P.jsonl Pbad.jsonl", LISTINGS),
    ("suggest P.jsonl Pbad.jsonl", LISTINGS),
    (
        "sweep P.trim P.jsonl Pbad.jsonl --vary hide.context.ratio=50%,90% --objective tokens-sent --held-out 0%",
        "human json markdown html",
    ),
    ("diff P.trim Q.trim --on P.jsonl Pbad.jsonl", "human json markdown"),
    ("ci", "human github markdown json"),
    ("inspect P.trim", "json"),
];

const FINDINGS: &str = "human plain concise json jsonl sarif junit github gitlab markdown";
const REPLAYS: &str = "human json jsonl csv markdown";
const LISTINGS: &str = "human plain json jsonl markdown";

/// Other outputs.
const OTHERS: &[(&str, Form)] = &[
    ("test P.trim --list", Form::Text),
    ("validate P.trim Pmissing.trim", Form::Text),
    ("lint P.trim --fix --diff", Form::Text),
    ("fmt P.trim --diff", Form::Text),
    ("fmt P.trim Pbad.trim --check", Form::Text),
    ("simulate P.trim P.jsonl --explain 2", Form::Text),
    ("simulate P.trim P.jsonl --explain hide", Form::Text),
    ("simulate P.trim P.jsonl --assert hide@never@fires --quotes", Form::Text),
    ("simulate P.trim P.jsonl --contexts -", Form::Lines),
    ("simulate P.trim P.jsonl --events -", Form::Lines),
    ("simulate P.trim P.jsonl --svg /dev/stdout -q --format csv -o /dev/null", Form::Xml),
    ("report P.trim P.jsonl Pbad.jsonl --with-texts -o -", Form::Page),
    ("compile P.trim", Form::Json),
    ("inspect P.trim --graph mermaid", Form::Text),
    ("inspect P.trim --graph dot", Form::Text),
    ("import Pbad.yaml", Form::Text),
    ("diff P.trim Pbad.trim", Form::Text),
    ("merge Pbad.jsonl", Form::Text),
    ("validate --config Pbad.toml P.trim", Form::Text),
    ("simulate missing/P.trim P.jsonl --nonsense", Form::Text),
    ("init --dry-run", Form::Text),
];

/// All commands with the form of their output.
pub(super) fn all() -> impl Iterator<Item = (String, Form)> {
    let formatted = FORMATTED.iter().flat_map(|(line, formats)| {
        formats.split(' ').map(move |format| (format!("{line} --format {format}"), form(format)))
    });
    formatted.chain(OTHERS.iter().map(|(line, form)| ((*line).to_owned(), *form)))
}
