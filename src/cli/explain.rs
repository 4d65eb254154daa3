//! `trimtab explain`: what a topic, a word, a fact, an effect, a guard, a phase, a unit, a code or a lint means.

use clap::{ArgMatches, Args, FromArgMatches, ValueEnum};

use super::console::{Console, Failure, OutputArguments};
use super::{Exit, Verb};
use crate::diagnostic;
use crate::model::{self, Model};
use crate::report::{self, Entry};

pub(super) static VERB: Verb = Verb {
    name: "explain",
    about: "Explain a topic, a word, a fact, an effect, a guard, a phase, a unit, an error code or a lint, or list them",
    arguments: Explain::augment_args,
    run,
};

#[derive(Args, Debug)]
struct Explain {
    /// Such as `context.ratio`, `mask`, `keep`, `once per`, `request`, `E301`, `unused-let` or `loops`; or `topics`,
    /// `facts`, `effects`, `guards`, `phases`, `words`, `units`, `lints`, `codes`, `models` for a list
    #[arg(required_unless_present = "all", value_name = "ID", num_args = 1..)]
    id: Vec<String>,
    /// Everything, as one Markdown page
    #[arg(long, conflicts_with = "id")]
    all: bool,
    /// The form of the result
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
    #[command(flatten)]
    shown: OutputArguments,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For a terminal
    Human,
    /// One JSON object
    Json,
}

fn run(matches: &ArgMatches) -> Result<Exit, Failure> {
    let arguments = Explain::from_arg_matches(matches).map_err(|error| error.to_string())?;
    let mut console = Console::open(&arguments.shown)?;
    let entries = report::entries();
    let id = arguments.id.join(" ");
    let models = models(&id, &entries);
    let text = match (arguments.all, arguments.format) {
        (false, Format::Human) if !models.is_empty() => report::models(&models, console.style),
        (false, Format::Json) if !models.is_empty() => format!("{:#}\n", report::models_json(&models)),
        (true, Format::Human) => report::reference(&entries),
        (true, Format::Json) => json(&entries),
        (false, format) => {
            let (found, kind) = (report::find(&id, &entries), report::kind(&id, &entries));
            match (format, kind) {
                (_, None) if found.is_empty() => return Err(Failure::Message(unknown(&id, &entries))),
                (Format::Human, Some(all)) if found.is_empty() => report::listing(&all, console.style),
                (Format::Human, _) => {
                    found.iter().map(|entry| entry.page(console.style)).collect::<Vec<_>>().join("\n")
                }
                (Format::Json, Some(all)) if found.is_empty() => json(&all.into_iter().cloned().collect::<Vec<_>>()),
                (Format::Json, _) => json(&found),
            }
        }
    };
    console.write(&text)?;
    console.close()?;
    Ok(Exit::Success)
}

/// The models that an id asks for: all of them, or the one of this name when nothing else is called so.
fn models(id: &str, entries: &[Entry]) -> Vec<Model> {
    if ["model", "models"].iter().any(|word| word.eq_ignore_ascii_case(id)) {
        return model::all().collect();
    }
    if report::find(id, entries).is_empty() { model::find(id).into_iter().collect() } else { Vec::new() }
}

fn json(entries: &[Entry]) -> String {
    let one = |entry: &Entry| {
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
    let all: Vec<serde_json::Value> = entries.iter().map(one).collect();
    format!("{:#}\n", serde_json::json!({ "schema_version": 1, "entries": all }))
}

/// The longest list of entries that mention a word.
const MENTIONED: usize = 8;

fn unknown(id: &str, entries: &[Entry]) -> String {
    let kinds: Vec<String> = report::kinds().collect();
    let parts = entries.iter().filter(|entry| entry.kind == "effect").flat_map(|entry| &entry.parts);
    let ids = entries.iter().map(|entry| entry.id.as_str()).chain(kinds.iter().map(String::as_str));
    let aliases = report::TOPICS.iter().flat_map(|topic| topic.aliases).copied();
    let ids = ids.chain(aliases).chain(["models"]);
    match diagnostic::nearest(id, ids.chain(parts.map(|(name, _)| name.as_str()))) {
        Some(near) => format!("nothing is called `{id}`; did you mean `{near}`?"),
        None => mentioned(id, entries),
    }
}

/// What mentions a word that is the name of nothing.
fn mentioned(id: &str, entries: &[Entry]) -> String {
    let mut mentions = report::mentions(id, entries);
    let rest = mentions.len().saturating_sub(MENTIONED);
    mentions.truncate(MENTIONED);
    let more = if rest > 0 { format!(" and {rest} more") } else { String::new() };
    match mentions.as_slice() {
        [] => format!("nothing is called `{id}`; `trimtab explain --all` lists everything"),
        some => format!("nothing is called `{id}`; it is mentioned in {}{more}", some.join(", ")),
    }
}
