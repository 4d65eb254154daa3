//! The comparison of two policies in every output format of `trimtab diff`, one file a format.
//!
//! A format is one file and two lines here: `mod` and the entry in [`COMPARISON_FORMATS`]. Formats for people leave
//! out rules that have not changed.

mod human;
mod json;
mod markdown;
mod replays;

use trimtab_analysis::diff::{Change, Difference, Fires, FiringLimit, ReplayDifference, RuleDifference};
use trimtab_language::plan::Plan;

use super::context_charts::ContextCharts;
use super::encoding::{Encoding, Rendered};
use super::findings::UnreadFile;
use super::number::count;
use super::policy_text;
use super::style::TerminalStyle;

/// One of the two policies.
#[derive(Clone, Copy, Debug)]
pub struct ComparedPolicy<'a> {
    /// The file as the user named it.
    pub file: &'a str,
    /// Its plan.
    pub plan: &'a Plan,
}

/// Everything that the formats read.
#[derive(Clone, Copy, Debug)]
pub struct Comparison<'a> {
    /// The old policy.
    pub before: ComparedPolicy<'a>,
    /// The new policy.
    pub after: ComparedPolicy<'a>,
    /// How they differ in meaning.
    pub difference: &'a Difference,
    /// How they differ on recordings, if any were named, the largest difference first.
    pub replays: Option<&'a [ReplayDifference]>,
    /// The contexts of the recordings as recorded and with both policies.
    pub charts: &'a ContextCharts,
    /// The recordings that could not be replayed.
    pub unread: &'a [UnreadFile],
    /// What the reader's terminal can show.
    pub style: TerminalStyle,
}

/// An output format of a comparison.
#[derive(Debug)]
pub struct ComparisonFormat {
    /// Its name on the command line.
    pub name: &'static str,
    /// Who it is for.
    pub summary: &'static str,
    /// How it writes characters that act on what displays them.
    encoding: Encoding,
    /// The comparison in this format.
    render: fn(&Comparison<'_>) -> String,
}

impl ComparisonFormat {
    /// The final form of everything in this format.
    pub fn render(&self, all: &Comparison<'_>) -> Rendered {
        self.encoding.finish((self.render)(all))
    }
}

/// The formats, in the order of the help; the first is the default.
pub static COMPARISON_FORMATS: &[&ComparisonFormat] = &[&human::FORMAT, &json::FORMAT, &markdown::FORMAT];

impl Comparison<'_> {
    /// Whether nothing differs.
    pub fn is_same(&self) -> bool {
        self.difference.is_none() && self.replays.into_iter().flatten().all(ReplayDifference::is_same)
    }

    /// Why the policies are the same.
    fn format_equality(&self) -> String {
        if self.before.plan.hash == self.after.plan.hash {
            return format!("no differences: both compile to the plan with the hash {}", self.after.plan.hash);
        }
        "no differences: every rule fires in the same states, in the same order, with the same effects".to_owned()
    }
}

/// The changes of a rule in words.
struct RuleChange {
    /// `compact (request)`
    rule: String,
    /// What changed.
    changes: Vec<String>,
    /// Its old and its new effects, where they changed.
    before: Option<String>,
    after: Option<String>,
}

/// The rules that changed.
fn rule_changes(comparison: &Comparison<'_>) -> Vec<RuleChange> {
    let changed = comparison.difference.rules.iter().filter(|rule| !rule.change.is_none());
    changed.map(|change| rule_change(comparison, change)).collect()
}

fn rule_change(comparison: &Comparison<'_>, difference: &RuleDifference) -> RuleChange {
    let (did, does) =
        (effects(comparison.before.plan, &difference.name), effects(comparison.after.plan, &difference.name));
    let rule = format!("{} ({})", difference.name, difference.phase.word());
    match &difference.change {
        Change::Added => RuleChange { rule, changes: vec!["added".to_owned()], before: None, after: does },
        Change::Removed => RuleChange { rule, changes: vec!["removed".to_owned()], before: did, after: None },
        Change::Kept { phase, fires, effects, order } => {
            let mut changes = Vec::new();
            changes.extend(phase.map(|phase| format!("moved from phase {}", phase.word())));
            changes.extend(example(fires));
            changes.extend(order.as_ref().map(|other| format!("now tried before {other}")));
            if *effects {
                changes.push("effects changed".to_owned());
            }
            RuleChange { rule, changes, before: did.filter(|_| *effects), after: does.filter(|_| *effects) }
        }
    }
}

/// How its firing changed, with a state as an example.
fn example(fires: &Fires) -> Option<String> {
    let word = fires.word();
    match fires {
        Fires::Same => None,
        Fires::More(here) => Some(format!("{word}, e.g. {here}")),
        Fires::Less(here) => Some(format!("{word}, e.g. no longer {here}")),
        Fires::Earlier(here, most) => Some(format!("{word}, e.g. {here}; {}, as before", at_most(*most))),
        Fires::Later(here, most) => Some(format!("{word}, e.g. no longer {here}; {}, as before", at_most(*most))),
        Fires::Incomparable(new, no_longer) => Some(format!("{word}, e.g. now {new}; no longer {no_longer}")),
        Fires::Undecided(why) => Some(format!("{word}: {why}")),
    }
}

/// A limit of firings: `at most once a run`.
fn at_most(limit: FiringLimit) -> String {
    let times = match limit.times {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        times => format!("{times} times"),
    };
    format!("at most {times} a {}", limit.scope.word())
}

/// The effects of a rule as an author writes them.
pub(super) fn effects(plan: &Plan, name: &str) -> Option<String> {
    let rule = plan.rules.iter().find(|rule| rule.name == name)?;
    let prompt = |text: &str| policy_text::quoted(text);
    let can_fail = rule.actions.iter().any(|action| action.effect.kind.can_fail());
    let failing = if can_fail {
        format!(", on_failure {}", policy_text::on_failure(&rule.on_failure, &prompt))
    } else {
        String::new()
    };
    Some(format!("{}{failing}", policy_text::actions(&rule.actions, &prompt)))
}

/// A value of the host, a number of tokens with thousands separators.
fn format_host_value(value: &str) -> String {
    let tokens = value.strip_suffix(" tokens").and_then(|number| number.parse().ok());
    tokens.map_or_else(|| value.to_owned(), |number| format!("{} tokens", count(number)))
}
