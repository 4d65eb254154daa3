//! A resolved policy: inherited rules included, with the origin of each part.
//!
//! In: a checked policy, its plan and its sources. Out: a formatted policy
//! with the same meaning, a graph, or JSON.

mod graph;
mod json;
mod need;
mod page;
mod source;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;
use trimtab_base::source::{Source, SourceMap, Span, Spanned};
use trimtab_language::check::{CheckedFile, Guard, Policy, Rule, RuleGuard};
use trimtab_language::phase::Phase;
use trimtab_language::plan::Plan;
use trimtab_syntax::syntax::tree::Comment;

use self::need::Need;
pub(super) use self::need::{Prompt, Threshold};
use super::policy_text;

/// A context window and its source.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
pub struct Window {
    /// Its size in tokens.
    pub tokens: u64,
    /// The source of the size, such as `the agent block`.
    pub by: String,
}

/// The input of the reports on a resolved policy.
#[derive(Clone, Copy, Debug)]
pub struct Inspection<'a> {
    /// The sources of the policy.
    pub sources: &'a SourceMap,
    /// The policy.
    pub policy: &'a Policy,
    /// Its plan.
    pub plan: &'a Plan,
    /// The names of the prompts that its file defines.
    pub prompts: &'a [Spanned<SmolStr>],
    /// The window, if it is known.
    pub window: Option<&'a Window>,
    /// The name of the active profile.
    pub profile: Option<&'a str>,
}

/// A clause to print.
pub(super) struct PrintedClause {
    /// Its keyword.
    pub(super) word: &'static str,
    /// The text after the keyword.
    pub(super) text: String,
    /// Where it was written.
    pub(super) span: Span,
}

impl PrintedClause {
    /// The clauses of a rule, in the usual order.
    pub(super) fn of(rule: &Rule, prompts: &[Prompt<'_>]) -> Vec<Self> {
        let prompt = |text: &str| need::name_of(prompts, text);
        let mut all = Vec::new();
        let mut push = |word, text: Option<String>| {
            if let (Some(text), Some(span)) = (text, rule.clause(word)) {
                all.push(Self { word, text, span });
            }
        };
        push("on", Some(rule.phase.word().to_owned()));
        push("when", Some(policy_text::condition(&rule.when)));
        push("unless", rule.unless.as_ref().map(policy_text::condition));
        push("confirm", rule.confirm.as_ref().map(policy_text::template));
        push("do", Some(policy_text::actions(&rule.actions, &prompt)));
        push("on_failure", Some(policy_text::on_failure(&rule.on_failure, &prompt)));
        for guard in in_printed_order(&rule.guards) {
            let text = policy_text::guard(guard);
            let (word, rest) = text.split_once(' ').unwrap_or((&text, ""));
            let word = rule.clauses.iter().map(|(word, _)| *word).find(|other| *other == word).unwrap_or("once");
            all.push(Self { word, text: rest.to_owned(), span: guard.span });
        }
        all
    }
}

/// Guards with `until` first, because `once` followed by `until` is parsed as `once until`.
fn in_printed_order(guards: &[RuleGuard]) -> impl Iterator<Item = &RuleGuard> {
    let of = |is_until: bool| guards.iter().filter(move |guard| matches!(guard.node, Guard::Until(_)) == is_until);
    of(true).chain(of(false))
}

impl<'a> Inspection<'a> {
    /// A location as `file:line`.
    fn place(&self, span: Span) -> String {
        match self.sources.get(span.source) {
            Some(source) => format!("{}:{}", source.name(), source.position(span.start).line),
            None => String::new(),
        }
    }

    /// The span of the name of a prompt.
    pub(super) fn prompt_at(&self, prompt: &Prompt<'_>) -> Option<Span> {
        self.prompts.iter().find(|name| name.node == prompt.name).map(|prompt| prompt.span)
    }

    /// The facts, prompts and thresholds of all rules.
    pub(super) fn need(&self) -> Need<'a> {
        Need::of(self.sources, self.policy, self.window.map(|window| window.tokens))
    }

    /// The phases in which it runs, in order, each with its rules.
    pub(super) fn phases(&self) -> Vec<(Phase, Vec<&'a SmolStr>)> {
        let rules = |phase| self.policy.rules.iter().filter(move |rule| rule.phase == phase).map(|rule| &rule.name);
        let all = trimtab_language::phase::PHASES.iter().map(|(phase, ..)| (*phase, rules(*phase).collect::<Vec<_>>()));
        all.filter(|(_, rules)| !rules.is_empty()).collect()
    }
}

/// The state of the guards of a rule: each guard with what it remembers.
pub(super) fn memory(rule: &Rule) -> Vec<(String, String)> {
    let remembered = |guard: &RuleGuard| {
        let period = guard.scope.word();
        Some(match &guard.node {
            Guard::Once => format!("whether it has fired in this {period}"),
            Guard::OncePer(reading) => format!("the value of `{}` at its last firing", reading.name()),
            Guard::OnceUntil(_) => "whether it has fired since the `until` condition was last true".to_owned(),
            Guard::Until(_) => "whether it has been due since the `until` condition was last true".to_owned(),
            Guard::Cooldown(_) => "the iteration of its last firing or failure".to_owned(),
            Guard::Limit(_) => format!("how often it has fired or failed in this {period}"),
            Guard::Every(_) => return None,
        })
    };
    let each = rule.guards.iter();
    each.filter_map(|guard| Some((policy_text::guard(guard), remembered(guard)?))).collect()
}

/// Whether the rule requests a summary.
pub(super) fn requests_summary(rule: &Rule) -> bool {
    rule.actions.iter().any(|action| action.effect.kind.can_fail())
}

/// The formatted policy, with the origin of each part as a comment and its requirements after it.
pub fn inspection(inspection: &Inspection<'_>) -> String {
    page::page(inspection)
}

/// The same as one JSON object; `trimtab schema inspect` describes it.
pub fn inspection_json(inspection: &Inspection<'_>) -> String {
    json::json(inspection)
}

/// The policies of a file of another format as policy text, with the comments of the source.
pub fn policy_source(checked: &CheckedFile, source: &Source, comments: &[Comment]) -> String {
    source::source(checked, source, comments)
}

/// The policy and its bases as a graph in DOT or Mermaid.
pub fn inspection_graph(inspection: &Inspection<'_>, is_dot: bool) -> String {
    graph::graph(inspection, is_dot)
}

/// Formats a threshold: `80% = 160,000 tokens`.
fn format_threshold(threshold: &Threshold<'_>) -> String {
    use trimtab_base::quantity::{Decimal, Quantity, Unit, grouped};
    let share = Quantity::new(threshold.share, Unit::Share);
    match threshold.tokens {
        Some(tokens) => format!("{share} = {} tokens", grouped(Decimal::from(tokens))),
        None => share.to_string(),
    }
}
