//! `trimtab explain`: pages on topics, keywords, facts, effects, guards, phases, units, codes, lints and models.

use std::path::{Path, PathBuf};

use clap::{ArgMatches, Args, FromArgMatches, ValueEnum};
use trimtab_base::diagnostic;
use trimtab_model::model::Model;
use trimtab_report::report::{self, Encoding, Entry};

use super::console::{Console, Failure, OutputArguments};
use super::project::{self, ProjectArguments};
use super::{Exit, Subcommand};

pub(super) static SUBCOMMAND: Subcommand = Subcommand {
    name: "explain",
    about: "Explain facts, effects, lints, error codes and other terms, or list them",
    arguments: Explain::augment_args,
    run,
};

#[derive(Args, Debug)]
struct Explain {
    /// A term, such as `context.ratio`, `mask`, `keep`, `once per`, `request`, `E301`, `unused-let` or `loops`; or a list:
    /// `topics`, `keywords`, `facts`, `effects`, `guards`, `phases`, `units`, `lints`, `codes`, `models`
    #[arg(required_unless_present = "all", value_name = "ID", num_args = 1..)]
    id: Vec<String>,
    /// Print all pages as one Markdown page
    #[arg(long, conflicts_with = "id")]
    all: bool,
    /// The output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
    /// The settings file whose models are listed too [default: the nearest trimtab.toml in the working directory or above]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(flatten)]
    output_options: OutputArguments,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For a terminal
    Human,
    /// Sections of a page
    Markdown,
    /// One JSON object
    Json,
}

fn run(matches: &ArgMatches) -> Result<Exit, Failure> {
    let arguments = Explain::from_arg_matches(matches).map_err(|error| error.to_string())?;
    let mut console = Console::open(&arguments.output_options)?;
    let entries = report::entries();
    let id = arguments.id.join(" ");
    // A fact that a policy declares is explained by the entry for all of them.
    let id = trimtab_language::fact::host_fact_name(&id)
        .map_or(id.clone(), |_| trimtab_language::fact::host_fact_entry().to_owned());
    let models = models(&id, &entries, arguments.config.as_deref(), &console)?;
    let text = match (arguments.all, arguments.format) {
        (false, Format::Human | Format::Markdown) if !models.is_empty() => report::models(&models, console.style),
        (false, Format::Json) if !models.is_empty() => format!("{:#}\n", report::models_json(&models)),
        (true, Format::Human | Format::Markdown) => report::reference(&entries),
        (true, Format::Json) => json(&entries),
        (false, format) => {
            let (mut found, kind) = (report::find(&id, &entries), report::kind(&id, &entries));
            // A label with the name of a kind is less likely meant than the kind.
            found.retain(|entry| kind.is_none() || entry.kind != "label");
            match (format, kind) {
                (_, None) if found.is_empty() => return Err(Failure::Message(unknown(&id, &entries))),
                (Format::Human, Some(all)) if found.is_empty() => report::listing(&all, console.style),
                (Format::Human, _) => {
                    found.iter().map(|entry| entry.page(console.style)).collect::<Vec<_>>().join("\n")
                }
                (Format::Markdown, Some(all)) if found.is_empty() => report::markdown_of_kind(&all),
                (Format::Markdown, _) => report::markdown_pages(&found),
                (Format::Json, Some(all)) if found.is_empty() => json(&all.into_iter().cloned().collect::<Vec<_>>()),
                (Format::Json, _) => json(&found),
            }
        }
    };
    let encoding = if arguments.format == Format::Json { Encoding::Json } else { Encoding::Text };
    console.write(encoding.finish(text))?;
    console.close()?;
    Ok(Exit::Success)
}

/// All models for `models`, or the model with this name if no entry has it.
fn models(id: &str, entries: &[Entry], config: Option<&Path>, console: &Console) -> Result<Vec<Model>, Failure> {
    let lists_all = id.eq_ignore_ascii_case("models");
    if !lists_all && !report::find(id, entries).is_empty() {
        return Ok(Vec::new());
    }
    let project = match config {
        Some(file) => project::read(file, console)?,
        None => ProjectArguments::default().open(&[], console)?,
    };
    let models = project.config.models;
    Ok(if lists_all { models.all() } else { models.find(id).into_iter().collect() })
}

fn json(entries: &[Entry]) -> String {
    let json_of = |entry: &Entry| {
        let parts = entry.parts.iter().map(|(name, meaning)| serde_json::json!({ "name": name, "summary": meaning }));
        serde_json::json!({
            "kind": entry.kind,
            "id": entry.id,
            "form": entry.form,
            "summary": entry.summary,
            "parts": parts.collect::<Vec<_>>(),
            "examples": entry.examples,
            "links": entry.links,
        })
    };
    let all: Vec<serde_json::Value> = entries.iter().map(json_of).collect();
    format!("{:#}\n", serde_json::json!({ "schema_version": 1, "entries": all }))
}

/// Most entries that are listed for mentioning a word.
const MAX_LISTED: usize = 8;

fn unknown(id: &str, entries: &[Entry]) -> String {
    let kinds: Vec<String> = report::kinds().collect();
    let parts = entries.iter().filter(|entry| entry.kind == "effect").flat_map(|entry| &entry.parts);
    let ids = entries.iter().map(|entry| entry.id.as_str()).chain(kinds.iter().map(String::as_str));
    let aliases = report::TOPICS.iter().flat_map(|topic| topic.aliases).copied();
    let ids = ids.chain(aliases).chain(["models"]);
    match diagnostic::nearest(id, ids.chain(parts.map(|(name, _)| name.as_str()))) {
        Some(near) => format!("no entry is called `{id}`; did you mean `{near}`?"),
        None => mentioned(id, entries),
    }
}

/// The entries that mention an unknown word.
fn mentioned(id: &str, entries: &[Entry]) -> String {
    let mentions = report::mentions(id, entries);
    if mentions.is_empty() {
        return format!("no entry is called `{id}`; `trimtab explain --all` lists all entries");
    }
    format!("no entry is called `{id}`; it is mentioned in {}", report::list(mentions, MAX_LISTED))
}
