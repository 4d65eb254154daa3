//! `trimtab inspect`: a resolved policy, with the origin of each part.

use std::path::PathBuf;

use clap::{ArgMatches, Args, FromArgMatches, ValueEnum};
use trimtab_base::source::SourceMap;
use trimtab_language::check::Agent;
use trimtab_report::report::{self, Encoding, Inspection, Rendered, Window};

use super::console::{Console, Failure, OutputArguments};
use super::model::check_model;
use super::project::{Project, ProjectArguments};
use super::replay::window;
use super::{Exit, Subcommand, input, policy};

pub(super) static SUBCOMMAND: Subcommand = Subcommand {
    name: "inspect",
    about: "Print a policy with everything it inherits, the origin of each part, and the facts and state it uses",
    arguments: Inspect::augment_args,
    run,
};

#[derive(Args, Debug)]
struct Inspect {
    /// A policy file; `-` is standard input
    #[arg(value_name = "POLICY")]
    policy_file: PathBuf,
    /// The policy to print, if the file or the files that it uses define several
    #[arg(long, value_name = "NAME")]
    policy: Option<String>,
    /// The context window in tokens, such as 200000 or 200k
    #[arg(long, value_name = "N", value_parser = window)]
    window: Option<u64>,
    /// The model, for its window
    #[arg(long, value_name = "ID")]
    model: Option<String>,
    /// The file name of standard input; files that it uses are resolved relative to it
    #[arg(long, value_name = "NAME")]
    stdin_filename: Option<String>,
    /// The output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
    /// Print the policies that it extends as a graph
    #[arg(long, value_enum, value_name = "LANGUAGE", conflicts_with = "format")]
    graph: Option<Graph>,
    #[command(flatten)]
    project: ProjectArguments,
    #[command(flatten)]
    output_options: OutputArguments,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// An equivalent policy file, with origins as comments
    Human,
    /// One JSON object
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Graph {
    /// For Mermaid, which Markdown viewers render
    Mermaid,
    /// For Graphviz
    Dot,
}

fn run(matches: &ArgMatches) -> Result<Exit, Failure> {
    let arguments = Inspect::from_arg_matches(matches).map_err(|error| error.to_string())?;
    let mut console = Console::open(&arguments.output_options)?;
    let name = input::display_name(&arguments.policy_file, arguments.stdin_filename.as_deref());
    let project = arguments.project.open(std::slice::from_ref(&arguments.policy_file), &console)?;
    check_model(arguments.model.as_deref(), &project.config.models)?;
    let mut compiled = policy::compile(&arguments.policy_file, &name, &console)?;
    project.apply_profile(&mut compiled.checked);
    let Some(plan) = policy::plan(&compiled, &name, arguments.policy.as_deref())? else { return Ok(Exit::Findings) };
    let Some(checked) = &compiled.checked else { return Ok(Exit::Findings) };
    let mut policies = checked.policies.iter().chain(&checked.used);
    let Some(policy) = policies.find(|policy| policy.name == plan.policy) else { return Ok(Exit::Findings) };
    let window = arguments.known_window(&plan.agent, &compiled.sources, &project);
    let (sources, prompts) = (&compiled.sources, checked.prompts.as_slice());
    let inspection =
        Inspection { sources, policy, plan: &plan, prompts, window: window.as_ref(), profile: project.profile() };
    let text = match (arguments.graph, arguments.format) {
        (Some(language), _) => Rendered::from(&report::inspection_graph(&inspection, language == Graph::Dot)),
        (None, Format::Human) => Encoding::Text.finish(report::inspection(&inspection)),
        (None, Format::Json) => Encoding::Json.finish(report::inspection_json(&inspection)),
    };
    console.write(text)?;
    console.close()?;
    Ok(Exit::Success)
}

impl Inspect {
    /// The window and its origin: the command line, the agent block or the profile, the table of models.
    fn known_window(&self, agent: &Agent, sources: &SourceMap, project: &Project) -> Option<Window> {
        let flag = self.window.map(|tokens| Window { tokens, by: "--window".to_owned() });
        let block = || {
            let window = agent.window?;
            let by = match sources.get(window.span.source) {
                Some(source) => format!("{}:{}", source.name(), source.position(window.span.start).line),
                None => format!("profile {}", project.profile().unwrap_or_default()),
            };
            Some(Window { tokens: window.node, by })
        };
        let table = || {
            let id = self.model.as_deref().or_else(|| agent.model.as_ref().map(|model| model.node.as_str()))?;
            Some(Window { tokens: agent.models.find(id)?.window, by: format!("model {id}") })
        };
        flag.or_else(block).or_else(table)
    }
}
