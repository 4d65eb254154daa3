//! The resolved policy as a text of the language.

use smol_str::SmolStr;

use super::need::{Need, Prompt};
use super::{Clause, Inspection, asks, memory, policy_text, spoken};
use crate::check::Rule;
use crate::quantity::{Decimal, Quantity, Type, Unit, grouped};
use crate::report::table::{Table, display_width};

/// A line of the language and where it comes from.
struct Line {
    text: String,
    origin: String,
}

/// The farthest column at which origins are lined up.
const FARTHEST: usize = 72;

pub(super) fn page(one: &Inspection<'_>) -> String {
    let need = one.need();
    let mut out = head(one);
    out.push_str("\nedition 2026\n\n");
    out.push_str(&agent(one));
    for prompt in &need.prompts {
        let origin = one.prompt_at(prompt).map(|span| format!("  # {}", one.place(span))).unwrap_or_default();
        out += &format!("prompt {} {}{origin}\n\n", prompt.name, policy_text::literal(&prompt.text));
    }
    out.push_str(&policy(one, &need.prompts));
    out.push_str(&foot(one, &need));
    out
}

fn head(one: &Inspection<'_>) -> String {
    let policy = one.policy;
    let mut out = format!("# policy {} ({})\n", policy.name, one.place(policy.span));
    for base in &policy.bases {
        out += &format!("# extends {} ({})\n", base.node, one.place(base.span));
    }
    out + &format!("# plan hash {}\n", one.plan.hash)
}

fn agent(one: &Inspection<'_>) -> String {
    let agent = &one.plan.agent;
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
            let profile = || one.profile.map(|name| format!("profile {name}"));
            let origin = agent.place(word).map(|span| one.place(span)).or_else(profile).unwrap_or_default();
            Some(Line { text: format!("  {word} {}", value?), origin })
        })
        .collect();
    if lines.is_empty() { String::new() } else { format!("agent {{\n{}}}\n\n", lined_up(&lines)) }
}

fn policy(one: &Inspection<'_>, prompts: &[Prompt<'_>]) -> String {
    let policy = one.policy;
    let title = policy.title.as_ref().map(|title| format!(" {}", policy_text::quoted(title))).unwrap_or_default();
    let mut lines = vec![plain(format!("policy {}{title} {{", policy.name))];
    for rule in &policy.rules {
        lines.push(plain(String::new()));
        lines.extend(notes(one, rule).into_iter().map(|note| plain(format!("  # {note}"))));
        let sealed = if rule.sealed { "sealed " } else { "" };
        lines.push(Line { text: format!("  {sealed}rule {} {{", rule.name), origin: one.place(rule.head) });
        lines.extend(
            Clause::of(rule, prompts)
                .into_iter()
                .map(|clause| Line { text: format!("    {}", worded(&clause)), origin: one.place(clause.span) }),
        );
        lines.push(plain("  }".to_owned()));
    }
    for disabled in &policy.disabled {
        lines.push(plain(String::new()));
        let why = disabled.why.as_ref().map_or_else(|| "no reason given".to_owned(), |why| policy_text::quoted(why));
        lines.push(plain(format!("  # rule {} of {} is disabled: {why}", disabled.rule, disabled.origin)));
        lines.push(plain(format!("  #   by {} ({})", disabled.policy, one.place(disabled.span))));
    }
    lines.push(plain("}".to_owned()));
    lined_up(&lines)
}

/// A clause with its word.
fn worded(clause: &Clause) -> String {
    format!("{} {}", clause.word, clause.text).trim_end().to_owned()
}

fn plain(text: String) -> Line {
    Line { text, origin: String::new() }
}

/// Where a rule comes from, when that is not the policy itself alone.
fn notes(one: &Inspection<'_>, rule: &Rule) -> Vec<String> {
    let (origin, mut notes) = (&rule.origin, Vec::new());
    if origin.policy != one.policy.name {
        notes.push(format!("from {}", origin.policy));
    }
    for by in &origin.overrides {
        notes.push(format!("overridden by {} ({})", by.node, one.place(by.span)));
    }
    if let Some(placed) = origin.placed {
        let words = one.sources.get(placed.source).map(|source| source.slice(placed)).unwrap_or_default();
        let words: Vec<&str> = words.split_whitespace().collect();
        notes.push(format!("placed {} ({})", words.join(" "), one.place(placed)));
    }
    notes
}

/// Lines with their origins behind them, one below the other.
fn lined_up(lines: &[Line]) -> String {
    let with = lines.iter().filter(|line| !line.origin.is_empty()).map(|line| display_width(&line.text));
    let column = with.filter(|width| *width <= FARTHEST).max().unwrap_or(0);
    let print = |line: &Line| match line.origin.as_str() {
        "" => format!("{}\n", line.text),
        origin => {
            let blanks = " ".repeat(column.saturating_sub(display_width(&line.text)));
            format!("{}{blanks}  # {origin}\n", line.text)
        }
    };
    lines.iter().map(print).collect()
}

/// What the policy reads, remembers and needs.
fn foot(one: &Inspection<'_>, need: &Need<'_>) -> String {
    let mut out = String::new();
    let mut section = |title: &str, table: &Table| {
        if table.rows.len() > 1 {
            out += &format!("\n# {title}\n");
            let lines = table.lines(0);
            out.extend(lines.iter().skip(1).map(|line| format!("#   {line}\n")));
        }
    };
    let mut facts = left(3);
    for (fact, rules) in &need.facts {
        facts.row([fact.name.to_owned(), typed(fact.ty, fact.is_optional()), names(rules)]);
    }
    section("facts", &facts);
    let mut state = left(3);
    for rule in &one.policy.rules {
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
    let unprompted = |rule: &&Rule| asks(rule) && need.prompts.iter().all(|prompt| !prompt.rules.contains(&&rule.name));
    for rule in one.policy.rules.iter().filter(unprompted) {
        bare.row([rule.name.to_string()]);
    }
    section("summaries with the built-in prompt", &bare);
    let mut phases = left(2);
    for (phase, rules) in one.phases() {
        phases.row([phase.word().to_owned(), names(&rules)]);
    }
    section("phases", &phases);
    let mut shares = left(2);
    for threshold in &need.thresholds {
        shares.row([spoken(threshold), names(&threshold.rules)]);
    }
    let title = match one.window {
        Some(window) => {
            format!("shares of the window of {} tokens ({})", grouped(Decimal::from(window.tokens)), window.by)
        }
        None => "shares of the window, whose size is unknown: set --window, --model or an `agent` block".to_owned(),
    };
    section(&title, &shares);
    out
}

/// A table of texts under an empty head.
fn left(count: usize) -> Table {
    let mut table = Table::new(&vec![""; count]);
    table.is_text = true;
    table
}

pub(super) fn typed(ty: Type, optional: bool) -> String {
    format!("{ty}{}", if optional { ", may be unknown" } else { "" })
}

fn names(rules: &[&SmolStr]) -> String {
    rules.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(", ")
}
