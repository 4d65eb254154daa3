//! The resolved policy as policy text.

use smol_str::SmolStr;
use trimtab_base::quantity::{Decimal, Quantity, Type, Unit, grouped};
use trimtab_language::check::Rule;

use super::need::{Need, Prompt};
use super::{Inspection, PrintedClause, format_threshold, memory, policy_text, requests_summary};
use crate::report::table::{Table, display_width};

/// A line of the policy and its origin.
struct Line {
    text: String,
    origin: String,
}

/// The maximum column at which origins are aligned.
const MAX_COLUMN: usize = 72;

pub(super) fn page(inspection: &Inspection<'_>) -> String {
    let need = inspection.need();
    let mut out = head(inspection);
    out.push_str("\nedition 2026\n\n");
    out.push_str(&agent(inspection));
    for prompt in &need.prompts {
        let origin =
            inspection.prompt_at(prompt).map(|span| format!("  # {}", inspection.place(span))).unwrap_or_default();
        out += &format!("prompt {} {}{origin}\n\n", prompt.name, policy_text::literal(&prompt.text));
    }
    out.push_str(&policy(inspection, &need.prompts));
    out.push_str(&foot(inspection, &need));
    out
}

fn head(inspection: &Inspection<'_>) -> String {
    let policy = inspection.policy;
    let mut out = format!("# policy {} ({})\n", policy.name, inspection.place(policy.span));
    for base in &policy.bases {
        out += &format!("# extends {} ({})\n", base.node, inspection.place(base.span));
    }
    out + &format!("# plan hash {}\n", inspection.plan.hash)
}

fn agent(inspection: &Inspection<'_>) -> String {
    let agent = &inspection.plan.agent;
    let tokens = |count: u64| Quantity::whole(count, Unit::Tokens).to_string();
    let values = [
        ("model", agent.model.as_ref().map(|model| policy_text::quoted(&model.node))),
        ("window", agent.window.map(|window| tokens(window.node))),
        ("reserve", agent.reserve.map(tokens)),
        ("overhead", agent.overhead.map(tokens)),
        ("tools", agent.tools.as_ref().map(|tools| format!("[{}]", policy_text::list(tools)))),
    ];
    let lines: Vec<Line> = values
        .into_iter()
        .filter_map(|(word, value)| {
            let profile = || inspection.profile.map(|name| format!("profile {name}"));
            let origin = agent.place(word).map(|span| inspection.place(span)).or_else(profile).unwrap_or_default();
            Some(Line { text: format!("  {word} {}", value?), origin })
        })
        .chain(agent.facts.iter().map(|fact| Line {
            text: format!("  {}", policy_text::host_fact(fact)),
            origin: inspection.place(fact.span),
        }))
        .collect();
    if lines.is_empty() { String::new() } else { format!("agent {{\n{}}}\n\n", align_origins(&lines)) }
}

fn policy(inspection: &Inspection<'_>, prompts: &[Prompt<'_>]) -> String {
    let policy = inspection.policy;
    let title = policy.title.as_ref().map(|title| format!(" {}", policy_text::quoted(title))).unwrap_or_default();
    let mut lines = vec![plain(format!("policy {}{title} {{", policy.name))];
    for rule in &policy.rules {
        lines.push(plain(String::new()));
        lines.extend(notes(inspection, rule).into_iter().map(|note| plain(format!("  # {note}"))));
        let sealed = if rule.sealed { "sealed " } else { "" };
        lines.push(Line { text: format!("  {sealed}rule {} {{", rule.name), origin: inspection.place(rule.head) });
        lines.extend(PrintedClause::of(rule, prompts).into_iter().map(|clause| Line {
            text: format!("    {}", format_clause(&clause)),
            origin: inspection.place(clause.span),
        }));
        lines.push(plain("  }".to_owned()));
    }
    for disabled in &policy.disabled {
        lines.push(plain(String::new()));
        let why = disabled.why.as_ref().map_or_else(|| "no reason given".to_owned(), |why| policy_text::quoted(why));
        lines.push(plain(format!("  # rule {} of {} is disabled: {why}", disabled.rule, disabled.origin)));
        lines.push(plain(format!("  #   by {} ({})", disabled.policy, inspection.place(disabled.span))));
    }
    lines.push(plain("}".to_owned()));
    align_origins(&lines)
}

/// A clause with its keyword.
fn format_clause(clause: &PrintedClause) -> String {
    format!("{} {}", clause.word, clause.text).trim_end().to_owned()
}

fn plain(text: String) -> Line {
    Line { text, origin: String::new() }
}

/// The origin of a rule that is inherited, overridden or placed.
fn notes(inspection: &Inspection<'_>, rule: &Rule) -> Vec<String> {
    let (origin, mut notes) = (&rule.origin, Vec::new());
    if origin.policy != inspection.policy.name {
        notes.push(format!("from {}", origin.policy));
    }
    for by in &origin.overrides {
        notes.push(format!("overridden by {} ({})", by.node, inspection.place(by.span)));
    }
    if let Some(placed) = origin.placed {
        let words = inspection.sources.get(placed.source).map(|source| source.slice(placed)).unwrap_or_default();
        let words: Vec<&str> = words.split_whitespace().collect();
        notes.push(format!("placed {} ({})", words.join(" "), inspection.place(placed)));
    }
    notes
}

/// Lines with their origins as aligned comments.
fn align_origins(lines: &[Line]) -> String {
    let with = lines.iter().filter(|line| !line.origin.is_empty()).map(|line| display_width(&line.text));
    let column = with.filter(|width| *width <= MAX_COLUMN).max().unwrap_or(0);
    let print = |line: &Line| match line.origin.as_str() {
        "" => format!("{}\n", line.text),
        origin => {
            let blanks = " ".repeat(column.saturating_sub(display_width(&line.text)));
            format!("{}{blanks}  # {origin}\n", line.text)
        }
    };
    lines.iter().map(print).collect()
}

/// The comments after the policy: what it reads, remembers and needs.
fn foot(inspection: &Inspection<'_>, need: &Need<'_>) -> String {
    let mut out = String::new();
    let mut section = |title: &str, table: &Table| {
        if table.rows.len() > 1 {
            out += &format!("\n# {title}\n");
            let lines = table.lines(0);
            out.extend(lines.iter().skip(1).map(|line| format!("#   {line}\n")));
        }
    };
    let mut facts = left(3);
    for (reading, rules) in &need.facts {
        let fact = reading.fact;
        facts.row([reading.name().into(), format_type(fact.ty, fact.is_optional()), names(rules)]);
    }
    section("facts", &facts);
    let mut state = left(3);
    for rule in &inspection.policy.rules {
        for (guard, remembered) in memory(rule) {
            state.row([rule.name.to_string(), guard, remembered]);
        }
    }
    section("state of guards", &state);
    let mut prompts = left(2);
    for prompt in &need.prompts {
        prompts.row([prompt.name.to_string(), names(&prompt.rules)]);
    }
    section("prompts", &prompts);
    let mut bare = left(1);
    let unprompted =
        |rule: &&Rule| requests_summary(rule) && need.prompts.iter().all(|prompt| !prompt.rules.contains(&&rule.name));
    for rule in inspection.policy.rules.iter().filter(unprompted) {
        bare.row([rule.name.to_string()]);
    }
    section("summaries with the built-in prompt", &bare);
    let mut phases = left(2);
    for (phase, rules) in inspection.phases() {
        phases.row([phase.word().to_owned(), names(&rules)]);
    }
    section("phases", &phases);
    let mut shares = left(2);
    for threshold in &need.thresholds {
        shares.row([format_threshold(threshold), names(&threshold.rules)]);
    }
    let title = match inspection.window {
        Some(window) => {
            format!("shares of the window of {} tokens ({})", grouped(Decimal::from(window.tokens)), window.by)
        }
        None => "shares of the window, whose size is unknown: set --window, --model or an `agent` block".to_owned(),
    };
    section(&title, &shares);
    out
}

/// A table of texts without a head.
fn left(count: usize) -> Table {
    let mut table = Table::new(&vec![""; count]);
    table.is_text = true;
    table
}

fn format_type(ty: Type, optional: bool) -> String {
    format!("{ty}{}", if optional { ", may be unknown" } else { "" })
}

fn names(rules: &[&SmolStr]) -> String {
    rules.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(", ")
}
