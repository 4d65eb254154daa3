//! `trimtab lints`: the list of lints.

use clap::{ArgMatches, Args, Command, FromArgMatches, ValueEnum};
use serde_json::{Value as Json, json};
use trimtab_lint::lint::{CATEGORIES, FixAvailability, LINTS, Lint};
use trimtab_report::report::{self, Encoding, TerminalStyle};

use super::console::{Console, Failure, OutputArguments};
use super::{Exit, Subcommand};

/// The least columns of a title; with fewer it is printed below.
const MIN_WIDTH: usize = 22;

pub(super) static SUBCOMMAND: Subcommand =
    Subcommand { name: "lints", about: "List lints by category", arguments, run };

/// The arguments, and the former name, which stays valid.
fn arguments(command: Command) -> Command {
    Lints::augment_args(command).alias("rules")
}

#[derive(Args, Debug)]
struct Lints {
    /// List only this category
    #[arg(long, value_name = "CATEGORY", value_parser = category)]
    category: Option<String>,
    /// The output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
    #[command(flatten)]
    output_options: OutputArguments,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For a terminal
    Human,
    /// One JSON object
    Json,
    /// A page with one table per category
    Markdown,
}

fn category(word: &str) -> Result<String, String> {
    let words: Vec<&str> = CATEGORIES.iter().map(|(_, word, _)| *word).collect();
    if words.contains(&word) { Ok(word.to_owned()) } else { Err(format!("expected one of {}", words.join(", "))) }
}

fn run(matches: &ArgMatches) -> Result<Exit, Failure> {
    let arguments = Lints::from_arg_matches(matches).map_err(|error| error.to_string())?;
    let mut console = Console::open(&arguments.output_options)?;
    let wanted = |lint: &&&Lint| arguments.category.as_ref().is_none_or(|word| lint.category.word() == word);
    let lints: Vec<&Lint> = LINTS.iter().filter(wanted).copied().collect();
    let text = match arguments.format {
        Format::Human => human(&lints, console.style),
        Format::Json => json(&lints),
        Format::Markdown => {
            format!("# Lints\n\n{}", report::lint_tables(&lints, |name| format!("`{name}`")))
        }
    };
    let encoding = if arguments.format == Format::Json { Encoding::Json } else { Encoding::Text };
    console.write(encoding.finish(text))?;
    console.close()?;
    Ok(Exit::Success)
}

fn human(lints: &[&Lint], style: TerminalStyle) -> String {
    let mut out = String::new();
    for (category, word, about) in CATEGORIES {
        let of_category: Vec<&Lint> = lints.iter().copied().filter(|lint| lint.category == *category).collect();
        if !of_category.is_empty() {
            out += &format!("{}{}\n", heading(word, about, style), rows(&of_category, style));
        }
    }
    let out = report::fold_lines(&out, style.width);
    let off = lints.iter().filter(|lint| lint.pedantic).count();
    let fixable = lints.iter().filter(|lint| lint.fix != FixAvailability::None).count();
    out + &style.wrap(
        &format!(
            "{} lints, {fixable} with a fix (*: safe, +: unsafe, ~: safe or unsafe, depending on the policy). {off} are off by default.",
            lints.len()
        ),
        0,
    )
}

/// The name of a category, and its description beside it or below.
fn heading(word: &str, about: &str, style: TerminalStyle) -> String {
    if word.len() + 2 + about.len() <= style.width {
        return format!("{}  {}\n", style.emphasis(word), style.dim(about));
    }
    format!("{}\n{}", style.emphasis(word), style.wrap(about, 2))
}

/// The lints of a category in columns: fix, name, severity and the folded title.
fn rows(lints: &[&Lint], style: TerminalStyle) -> String {
    let width = lints.iter().map(|lint| lint.name().len()).max().unwrap_or(0);
    let mut out = String::new();
    for lint in lints {
        let fix = match lint.fix {
            FixAvailability::None => " ",
            FixAvailability::Safe => "*",
            FixAvailability::Unsafe => "+",
            FixAvailability::Mixed => "~",
        };
        let (name, severity) = (lint.name(), lint.code.severity.word());
        let off = if lint.pedantic { " (off)" } else { "" };
        let title = format!("{}{off}", lint.code.title);
        let head = format!("  {fix} {name:width$}  {severity:<7}  ");
        if style.width < head.len() + MIN_WIDTH {
            out += &format!("{}\n{}", head.trim_end(), style.wrap(&title, 6));
        } else {
            let folded = style.wrap(&title, head.len());
            out += &format!("{head}{}", folded.trim_start());
        }
    }
    out
}

fn json(lints: &[&Lint]) -> String {
    let json_of = |lint: &&Lint| -> Json {
        let options = lint.options.iter().map(|option| {
            let value = trimtab_base::quantity::Quantity::new(option.default, option.unit).to_string();
            json!({ "name": option.name, "default": value, "summary": option.summary })
        });
        json!({
            "name": lint.name(),
            "title": lint.code.title,
            "why": lint.code.why,
            "category": lint.category.word(),
            "severity": lint.code.severity,
            "certainty": lint.certainty.word(),
            "fix": lint.fix.word(),
            "default": !lint.pedantic,
            "evidence": lint.evidence,
            "settings": options.collect::<Vec<_>>(),
        })
    };
    let rules: Vec<Json> = lints.iter().map(json_of).collect();
    format!("{:#}\n", json!({ "schema_version": 1, "rules": rules }))
}
