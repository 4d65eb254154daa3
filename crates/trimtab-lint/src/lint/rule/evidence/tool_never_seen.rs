//! `tool-never-seen`

use std::collections::BTreeSet;

use smol_str::SmolStr;
use trimtab_base::conversation::overlap;
use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_simulate::simulate::Trace;

use crate::lint::analysis::recall;
use crate::lint::analysis::replays::Replays;
use crate::lint::analysis::tool_name::{ToolName, ToolNameUse, tool_names};
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("tool-never-seen", Severity::Warning, include_str!("tool_never_seen.md")),
    category: Category::Evidence,
    certainty: Certainty::Heuristic,
    fix: FixAvailability::Unsafe,
    evidence: &["https://github.com/SWE-agent/SWE-agent/pull/1538"],
    supersedes: &["tool-not-declared"],
    check: Check::Evidence(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, traces: &[Trace], findings: &mut Vec<Diagnostic>) {
    let Some(replays) = Replays::of(subject, traces) else { return };
    let seen: BTreeSet<&str> = traces.iter().flat_map(|trace| &trace.observed.tools).map(SmolStr::as_str).collect();
    if seen.is_empty() {
        return;
    }
    let declared = subject.checked.agent.tools.as_deref().unwrap_or_default();
    let is_seen = |unseen: &ToolName<'_>| {
        seen.iter().any(|tool| overlap(tool, unseen.name)) || recall::is_declared(subject, unseen.name)
    };
    let all = tool_names(subject);
    // Recordings with none of the file's tools are from another agent.
    let is_its_own = all.iter().any(|tool| is_seen(tool) && !recall::is_declared(subject, tool.name));
    for unseen in all.iter().filter(|tool| !is_seen(tool)) {
        if !declared.iter().any(|tool| overlap(tool, unseen.name)) {
            findings.extend(finding(&replays, &seen, unseen, is_its_own));
        }
    }
}

fn finding(replays: &Replays<'_>, seen: &BTreeSet<&str>, tool: &ToolName<'_>, is_its_own: bool) -> Option<Diagnostic> {
    let message = format!("no recording calls or declares `{}`", tool.name);
    let here = match tool.place {
        ToolNameUse::Selection => "selects nothing",
        ToolNameUse::Had | ToolNameUse::Used | ToolNameUse::Counted | ToolNameUse::Called => {
            "no recorded tool has this name"
        }
    };
    let finding = LINT.finding(tool.span, message, here).note(replays.sample());
    match tool.nearest(seen.iter().copied()) {
        Some((near, fix)) => {
            let finding = finding.help(format!("did you mean `{near}`, which is recorded?"));
            Some(Diagnostic { fixes: vec![fix], ..finding })
        }
        None if tool.place == ToolNameUse::Had || !is_its_own => None,
        None => Some(finding.help(format!("the recorded tools are {}", known(seen)))),
    }
}

/// The tools of the recordings, or the first of them.
fn known(seen: &BTreeSet<&str>) -> String {
    const MAX_LISTED: usize = 8;
    let names: Vec<String> = seen.iter().take(MAX_LISTED).map(|name| format!("`{name}`")).collect();
    match seen.len().saturating_sub(MAX_LISTED) {
        0 => names.join(", "),
        rest => format!("{} and {rest} more", names.join(", ")),
    }
}
