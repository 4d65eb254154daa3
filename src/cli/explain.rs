//! `trimtab explain`: what a fact, an effect, a guard, a phase, a code or a lint means.

use clap::{ArgMatches, Args, FromArgMatches, ValueEnum};

use super::console::{Console, Failure, Shown};
use super::{Exit, Verb};
use crate::diagnostic;
use crate::report::{self, Entry};

pub(super) static VERB: Verb = Verb {
    name: "explain",
    about: "Say what a fact, an effect, a guard, a phase, an error code or a lint means",
    arguments: Explain::augment_args,
    run,
};

#[derive(Args, Debug)]
struct Explain {
    /// Such as `context.ratio`, `mask`, `once per`, `request`, `E301` or `unused-let`
    #[arg(required_unless_present = "all", value_name = "ID", num_args = 1..)]
    id: Vec<String>,
    /// Everything, as one Markdown page
    #[arg(long, conflicts_with = "id")]
    all: bool,
    /// The form of the result
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
    #[command(flatten)]
    shown: Shown,
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
    let text = match (arguments.all, arguments.format) {
        (true, Format::Human) => report::reference(&entries),
        (true, Format::Json) => json(&entries),
        (false, format) => {
            let found: Vec<Entry> =
                entries.iter().filter(|entry| entry.id.eq_ignore_ascii_case(&id)).cloned().collect();
            if found.is_empty() {
                return Err(Failure::Said(unknown(&id, &entries)));
            }
            match format {
                Format::Human => found.iter().map(|entry| entry.page(console.look)).collect::<Vec<_>>().join("\n"),
                Format::Json => json(&found),
            }
        }
    };
    console.result(&text)?;
    console.close()?;
    Ok(Exit::Fine)
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

fn unknown(id: &str, entries: &[Entry]) -> String {
    let ids = entries.iter().map(|entry| entry.id.as_str());
    match diagnostic::nearest(id, ids) {
        Some(near) => format!("nothing is called `{id}`; did you mean `{near}`?"),
        None => format!("nothing is called `{id}`; `trimtab explain --all` lists everything"),
    }
}
