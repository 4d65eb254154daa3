//! `tool-not-declared`

use smol_str::SmolStr;
use trimtab_base::conversation::overlap;
use trimtab_base::diagnostic::{Code, Diagnostic, Severity};

use crate::lint::analysis::recall;
use crate::lint::analysis::tool_name::{ToolNameUse, tool_names};
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("tool-not-declared", Severity::Warning, include_str!("tool_not_declared.md")),
    category: Category::Effects,
    certainty: Certainty::Heuristic,
    fix: FixAvailability::Unsafe,
    evidence: &["https://github.com/SWE-agent/SWE-agent/pull/1538"],
    check: Check::File(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    let Some(declared) = &subject.checked.agent.tools else { return };
    for tool_name in tool_names(subject).into_iter().filter(|tool| tool.place != ToolNameUse::Called) {
        if declared.iter().any(|tool| overlap(tool, tool_name.name)) || recall::is_declared(subject, tool_name.name) {
            continue;
        }
        let message = format!("`{}` is not a tool of the agent", tool_name.name);
        let finding = LINT.finding(tool_name.span, message, "not declared in the `agent` block");
        findings.push(match tool_name.nearest(declared.iter().map(SmolStr::as_str)) {
            Some((near, fix)) => Diagnostic { fixes: vec![fix], ..finding.help(format!("did you mean `{near}`?")) },
            None => finding.help("add it to `tools` in the `agent` block, or remove the name"),
        });
    }
}
