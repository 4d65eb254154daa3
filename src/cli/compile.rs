//! `trimtab compile`: the plan of a policy as JSON.

pub(super) mod target;

use std::path::{Path, PathBuf};

use clap::{ArgMatches, Args, FromArgMatches};
use serde_json::Value as Json;
use trimtab_base::source::sanitize::one_line;
use trimtab_language::plan::{self, Plan};
use trimtab_report::report::Encoding;

use super::console::{Console, Failure, OutputArguments};
use super::project::ProjectArguments;
use super::{Exit, Subcommand, input, load};
use target::CompileTarget;

pub(super) static SUBCOMMAND: Subcommand = Subcommand {
    name: "compile",
    about: "Print the plan of a policy as JSON, or check that a compiled file is up to date",
    arguments: Compile::augment_args,
    run,
};

/// The number of differences that are listed.
const LISTED: usize = 5;

#[derive(Args, Debug)]
struct Compile {
    /// A policy file; `-` is standard input
    #[arg(value_name = "POLICY")]
    policy_file: PathBuf,
    /// The policy to compile, if the file or the files that it uses define several
    #[arg(long, value_name = "NAME")]
    policy: Option<String>,
    /// Write another format than the plan: a list of effects, or the settings of an agent
    #[arg(long, value_name = "FORMAT", value_parser = target::formats())]
    target: Option<CompileTarget>,
    /// Write what the target can express and report the rest, instead of failing
    #[arg(long, requires = "target")]
    allow_lossy: bool,
    /// Change this settings file in place: only the options concerned
    #[arg(long, value_name = "FILE", requires = "target", conflicts_with = "output")]
    patch: Option<PathBuf>,
    /// Write nothing; exit with 1 if this compiled file is not the plan of the policy
    #[arg(long, value_name = "FILE", conflicts_with_all = ["output", "target"])]
    check: Option<PathBuf>,
    /// The file name of standard input; files that it uses are resolved relative to it
    #[arg(long, value_name = "NAME")]
    stdin_filename: Option<String>,
    #[command(flatten)]
    project: ProjectArguments,
    #[command(flatten)]
    output_options: OutputArguments,
}

fn run(matches: &ArgMatches) -> Result<Exit, Failure> {
    let arguments = Compile::from_arg_matches(matches).map_err(|error| error.to_string())?;
    input::check_single_stdin(&[std::slice::from_ref(&arguments.policy_file), arguments.check.as_slice()])?;
    let mut console = Console::open(&arguments.output_options)?;
    let name = input::display_name(&arguments.policy_file, arguments.stdin_filename.as_deref());
    let project = arguments.project.open(std::slice::from_ref(&arguments.policy_file), &console)?;
    let chosen = arguments.policy.as_deref();
    let Some(plan) = load::plan(&arguments.policy_file, &name, chosen, &project, &console)? else {
        return Ok(Exit::Findings);
    };
    if arguments.patch.as_deref().is_some_and(input::is_stdin) {
        let reason = "--patch changes a file in place, and `-` is none; use -o to write to standard output";
        return Err(reason.to_owned().into());
    }
    if let Some(path) = &arguments.check {
        return arguments.check(&name, &plan, path, console);
    }
    let text = match arguments.target {
        Some(target) => {
            let Some(text) = target.write(&plan, arguments.patch.as_deref(), arguments.allow_lossy, &console)? else {
                return Ok(Exit::Findings);
            };
            if let Some(path) = &arguments.patch {
                target::patch(path, &text, &console)?;
                console.close_without_result()?;
                return Ok(Exit::Success);
            }
            Encoding::Data.finish(text)
        }
        None => Encoding::Json.finish(format!("{:#}\n", plan.json())),
    };
    console.write(text)?;
    console.close()?;
    Ok(Exit::Success)
}

impl Compile {
    /// Compares a compiled file with the plan.
    fn check(&self, name: &str, plan: &Plan, path: &Path, mut console: Console) -> Result<Exit, Failure> {
        let text = input::read_text(path).map_err(|reason| format!("cannot read {}: {reason}", path.display()))?;
        let problem = problem(&text, name, &plan.json());
        if problem.is_some() && !is_plan(&text) {
            return Err(Failure::Message(format!("{} is not a compiled plan", path.display())));
        }
        let exit = if problem.is_some() { Exit::Findings } else { Exit::Success };
        let shown = one_line(&path.display().to_string());
        match problem {
            Some(problem) => {
                console.write(&format!("{shown} {problem}renew it: {}\n", one_line(&self.renewal(path))))?;
            }
            None if !console.is_quiet() => console.write(&format!("{shown} is up to date\n"))?,
            None => {}
        }
        console.close()?;
        Ok(exit)
    }

    /// The command that writes the file again.
    fn renewal(&self, path: &Path) -> String {
        let policy = self.policy.as_ref().map_or_else(String::new, |name| format!(" --policy {name}"));
        let project = self.project.written();
        format!("trimtab compile {}{policy}{project} -o {}", self.policy_file.display(), path.display())
    }
}

/// Whether a text is a compiled plan, or what is left of one. Another file must not be written over.
fn is_plan(text: &str) -> bool {
    let text = text.trim();
    text.is_empty() || text.starts_with('{') && ["\"hash\"", "\"policy\""].iter().all(|key| text.contains(key))
}

/// Returns why a compiled file is not the plan, or `None` if it is.
fn problem(text: &str, name: &str, plan: &Json) -> Option<String> {
    let file = match plan::parse_json(text) {
        Ok(file) => file,
        Err(error) => return Some(format!("is damaged: it is not JSON: {error}\n")),
    };
    let differences = plan::differences(&file, plan);
    let recorded = file.get("hash").and_then(Json::as_str);
    if differences.is_empty() {
        return None;
    }
    let mut out = if recorded.is_some_and(|hash| hash != plan::hash_of_json(&file)) {
        "is damaged: its content does not match its hash\n".to_owned()
    } else {
        format!("is stale: {name} compiles to another plan\n")
    };
    let shown = differences.iter().filter(|one| one.path != "hash");
    for difference in shown.clone().take(LISTED) {
        out += &format!("  {difference}\n");
    }
    let more = shown.count().saturating_sub(LISTED);
    if more > 0 {
        out += &format!("  and {more} more\n");
    }
    Some(out)
}
