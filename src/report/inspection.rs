//! A resolved policy: what it is in the end, and where each part of it comes from.
//!
//! In: a checked policy, its plan, and the texts that it was written in. Out: the same policy in the language's own
//! layout, which means the same when it is checked again; and JSON.

mod graph;
mod json;
mod need;
mod page;

use smol_str::SmolStr;

use self::need::{Need, Prompt, Threshold};
use crate::check::{Condition, Guard, Policy, Rule};
use crate::phase::Phase;
use crate::plan::Plan;
use crate::source::{SourceMap, Span, Spanned};

use super::policy_text;

/// A context window and how it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    /// Its size in tokens.
    pub tokens: u64,
    /// Who says so, such as `the agent block`.
    pub by: String,
}

/// A resolved policy on its way to a reader.
#[derive(Clone, Copy, Debug)]
pub struct Inspection<'a> {
    /// The texts that it was written in.
    pub sources: &'a SourceMap,
    /// The policy.
    pub policy: &'a Policy,
    /// Its plan.
    pub plan: &'a Plan,
    /// Where the prompts of its file are named.
    pub prompts: &'a [Spanned<SmolStr>],
    /// The window, when it is known.
    pub window: Option<&'a Window>,
    /// The profile of the project's settings that counts, if one does.
    pub profile: Option<&'a str>,
}

/// A clause as it is printed.
struct Clause {
    /// Its first word.
    word: &'static str,
    /// What stands behind it; with the word itself for guards that are two words.
    text: String,
    /// Where it was written.
    span: Span,
}

impl Clause {
    /// The clauses of a rule, in the order in which people read them.
    fn of(rule: &Rule, prompts: &[Prompt<'_>]) -> Vec<Self> {
        let prompt = |text: &str| need::name_of(prompts, text);
        let mut all = Vec::new();
        let mut push = |word, text: Option<String>| {
            if let (Some(text), Some(span)) = (text, rule.clause(word)) {
                all.push(Self { word, text, span });
            }
        };
        let (when, unless) = halves(rule);
        push("on", Some(rule.phase.word().to_owned()));
        push("when", when.map(policy_text::condition));
        push("unless", unless.map(policy_text::condition));
        push("do", Some(policy_text::actions(&rule.actions, &prompt)));
        push("on_failure", Some(policy_text::on_failure(&rule.on_failure, &prompt)));
        for guard in in_printed_order(&rule.guards) {
            let text = policy_text::guard(&guard.node);
            let (word, rest) = text.split_once(' ').unwrap_or((&text, ""));
            let word = rule.clauses.iter().map(|(word, _)| *word).find(|other| *other == word).unwrap_or("once");
            all.push(Self { word, text: rest.to_owned(), span: guard.span });
        }
        all
    }
}

/// Guards with `until` first: behind `once` it would be read as `once until`.
fn in_printed_order(guards: &[Spanned<Guard>]) -> impl Iterator<Item = &Spanned<Guard>> {
    let of = |is_until: bool| guards.iter().filter(move |guard| matches!(guard.node, Guard::Until(_)) == is_until);
    of(true).chain(of(false))
}

impl<'a> Inspection<'a> {
    /// A place as `file:line`.
    fn place(&self, span: Span) -> String {
        match self.sources.get(span.source) {
            Some(source) => format!("{}:{}", source.name(), source.position(span.start).line),
            None => String::new(),
        }
    }

    /// Where a prompt is named.
    fn prompt_at(&self, prompt: &Prompt<'_>) -> Option<Span> {
        self.prompts.iter().find(|one| one.node == prompt.name).map(|one| one.span)
    }

    /// What the policy needs to be run, gathered over its rules.
    fn need(&self) -> Need<'a> {
        Need::of(self.sources, self.policy, self.window.map(|window| window.tokens))
    }

    /// The phases that it runs in, each with its rules, in the order in which they come.
    fn phases(&self) -> Vec<(Phase, Vec<&'a SmolStr>)> {
        let rules = |phase| self.policy.rules.iter().filter(move |rule| rule.phase == phase).map(|rule| &rule.name);
        let all = crate::phase::PHASES.iter().map(|(phase, ..)| (*phase, rules(*phase).collect::<Vec<_>>()));
        all.filter(|(_, rules)| !rules.is_empty()).collect()
    }
}

/// What `when` and `unless` say; the checked condition holds both.
fn halves(rule: &Rule) -> (Option<&Condition>, Option<&Condition>) {
    let inner = |part: &'_ Condition| matches!(part, Condition::Not(_));
    match (rule.clause("when"), rule.clause("unless"), &rule.condition) {
        (Some(_), Some(_), Condition::All(parts)) if parts.len() == 2 && inner(&parts[1]) => {
            (Some(&parts[0]), negated(&parts[1]))
        }
        (None, Some(_), condition) => (None, negated(condition)),
        (_, _, condition) => (Some(condition), None),
    }
}

fn negated(condition: &Condition) -> Option<&Condition> {
    match condition {
        Condition::Not(inner) => Some(inner),
        _ => None,
    }
}

/// What the guards of a rule remember, each with the clause that makes it.
fn memory(rule: &Rule) -> Vec<(String, String)> {
    let remembered = |guard: &Guard| {
        Some(match guard {
            Guard::Once => "whether it has fired in this run".to_owned(),
            Guard::OncePer(reading) => format!("the value of `{}` at its last firing", reading.fact.name),
            Guard::OnceUntil(_) => "whether it has fired since the `until` condition was last true".to_owned(),
            Guard::Until(_) => "whether it has been due since the `until` condition was last true".to_owned(),
            Guard::Cooldown(_) => "the iteration of its last firing or failure".to_owned(),
            Guard::Limit(_) => "how often it has fired or failed in this run".to_owned(),
            Guard::Every(_) => return None,
        })
    };
    let each = rule.guards.iter();
    each.filter_map(|guard| Some((policy_text::guard(&guard.node), remembered(&guard.node)?))).collect()
}

/// Whether the rule asks a summariser.
fn asks(rule: &Rule) -> bool {
    rule.actions.iter().any(|action| action.effect.kind.can_fail())
}

/// The policy in the language's own layout, with the origin of each part behind it, and what it needs below it.
pub fn inspection(one: &Inspection<'_>) -> String {
    page::page(one)
}

/// The JSON form.
pub fn inspection_json(one: &Inspection<'_>) -> serde_json::Value {
    json::json(one)
}

/// How the policy hangs together with those that it builds on, as a graph in a language for graphs.
pub fn inspection_graph(one: &Inspection<'_>, is_dot: bool) -> String {
    graph::graph(one, is_dot)
}

/// A threshold as people read it: `80% = 160,000 tokens`.
fn spoken(threshold: &Threshold<'_>) -> String {
    use crate::quantity::{Decimal, Quantity, Unit, grouped};
    let share = Quantity::new(threshold.share, Unit::Share);
    match threshold.tokens {
        Some(tokens) => format!("{share} = {} tokens", grouped(Decimal::from(tokens))),
        None => share.to_string(),
    }
}
