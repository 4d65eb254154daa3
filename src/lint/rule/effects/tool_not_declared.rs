//! `tool-not-declared`

use smol_str::SmolStr;

use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::effect;
use crate::lint::analysis::tool_name::{Place, tool_names};
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "tool-not-declared",
        severity: Severity::Warning,
        title: "a tool that the agent does not declare",
        why: "The file lists the tools of the agent, and this name is none of them: an effect on its results finds \
              nothing, and a condition on it never holds. The list that a recording or a live host declares replaces that \
              of the file, so this is no proof.",
        wrong: "edition 2026\nagent { tools [bash, read_file] }\npolicy p {\n  rule hide { when context.ratio >= 60% do mask results except [red_file] }\n}\n",
        right: "edition 2026\nagent { tools [bash, read_file] }\npolicy p {\n  rule hide { when context.ratio >= 60% do mask results except [read_file] }\n}\n",
    },
    category: Category::Effects,
    certainty: Certainty::Heuristic,
    fix: FixAvailability::Unsafe,
    evidence: &["https://github.com/SWE-agent/SWE-agent/pull/1538"],
    check: Check::File(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, found: &mut Vec<Diagnostic>) {
    let Some(declared) = &subject.checked.agent.tools else { return };
    for one in tool_names(subject).into_iter().filter(|one| one.place != Place::Called) {
        if declared.iter().any(|tool| effect::overlap(tool, one.name)) {
            continue;
        }
        let message = format!("`{}` is no tool of the agent", one.name);
        let finding = LINT.finding(one.span, message, "`agent` does not declare it");
        found.push(match one.nearest(declared.iter().map(SmolStr::as_str)) {
            Some((near, fix)) => Diagnostic { fixes: vec![fix], ..finding.help(format!("did you mean `{near}`?")) },
            None => finding.help("add it to `tools` of the agent block, or take the name out"),
        });
    }
}
