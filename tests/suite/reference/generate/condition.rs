//! Random conditions.

use trimtab::quantity::Decimal;

use super::TOOLS;
use crate::reference::condition::{Comparison, Condition, Constant};
use crate::reference::fact::{Fact, HOST_FACTS, Kind, Scope};
use crate::reference::recent::Recent;
use crate::rng::Rng;

/// What a fact may take as arguments.
struct Arguments {
    within: usize,
    of: Vec<&'static str>,
    rule: usize,
    scope: Scope,
}

/// The facts to choose from, each with the arguments that it takes.
const FACTS: &[fn(&mut Rng, Arguments) -> Fact] = &[
    |_, _| Fact::ContextTokens,
    |_, _| Fact::ContextRatio,
    |_, _| Fact::ContextFree,
    |_, _| Fact::ContextMessages,
    |_, _| Fact::ContextResults,
    |_, _| Fact::ContextInteractions,
    |_, _| Fact::SharePersona,
    |_, _| Fact::ShareTools,
    |_, _| Fact::ShareHistory,
    |_, _| Fact::ReportedTokens,
    |_, _| Fact::ReportedRatio,
    |_, _| Fact::BudgetTokens,
    |_, _| Fact::BudgetCost,
    |_, _| Fact::BudgetTime,
    |_, _| Fact::BudgetCalls,
    |_, _| Fact::SessionTokens,
    |_, _| Fact::SessionCost,
    |_, _| Fact::SessionTime,
    |_, _| Fact::SessionCalls,
    |_, _| Fact::Idle,
    |_, _| Fact::Iteration,
    |_, _| Fact::Run,
    |_, given| Fact::Failures(given.of),
    |_, given| Fact::FailuresSteps(given.of),
    |_, given| Fact::FailuresTotal(given.of, given.scope),
    |rng, given| Fact::Repeats(given.within, rng.percent(50)),
    |rng, given| Fact::Occurrences(given.within, rng.percent(50)),
    |_, given| Fact::Misses(given.scope),
    |_, _| Fact::MissedTool,
    |_, given| Fact::Cycles(given.within, given.within * 2),
    |_, given| Fact::Stall(given.within.max(2)),
    |_, _| Fact::CallName,
    |_, _| Fact::CallArguments,
    |_, _| Fact::ResultTokens,
    |_, _| Fact::ResultText,
    |_, _| Fact::ResultError,
    |_, _| Fact::RequestWords,
    |rng, _| Fact::RequestMentions(vec![rng.choose(&["REFACTOR", "design doc", "ok"]), "漢字"]),
    |rng, _| Fact::HasTool(rng.choose(&TOOLS)),
    |rng, given| Fact::UsedTool(rng.choose(&TOOLS), rng.percent(50).then(|| 1 + rng.below_u64(3)), given.scope),
    |rng, _| Fact::Var(rng.choose(&VARIABLES)),
    |_, given| Fact::ToolsUsed(given.scope),
    |_, _| Fact::PlaybookSize,
    |_, given| Fact::Fired(given.rule, given.scope),
    |_, given| Fact::Since(given.rule, given.scope),
    |_, given| Fact::Failed(given.rule, given.scope),
    |_, given| Fact::ToolsCalls(given.of, given.scope),
    |_, _| Fact::Model,
    |_, _| Fact::Window,
    |_, _| Fact::ContextLargest,
    |_, given| Fact::FailuresTools(given.of),
    |_, given| Fact::FailuresSame(given.of),
    |_, _| Fact::AgentName,
    |_, _| Fact::AgentDepth,
    |rng, given| Fact::Calls(given.of, given.scope, recent(rng)),
    |rng, _| Fact::Cost(rng.choose(&[20, 100, 600])),
    |rng, _| Fact::Tokens(rng.choose(&[20, 100, 600])),
    |_, given| Fact::Edits(given.within, given.scope, given.of),
    |_, given| Fact::EditsPath(given.within, given.scope, given.of),
    |_, given| Fact::FilesChanged(given.scope),
    |_, _| Fact::Compactions,
    |_, _| Fact::SinceCompaction,
    |_, _| Fact::CacheWarm,
    |_, _| Fact::SinceUserMessage,
    // Twice, because each policy declares several.
    |rng, _| Fact::Host(rng.choose(&HOST_FACTS).0),
    |rng, _| Fact::Host(rng.choose(&HOST_FACTS).0),
];

/// The variables that rules set and read.
pub(super) const VARIABLES: [&str; 2] = ["mode", "plan"];

fn tools(rng: &mut Rng) -> Vec<&'static str> {
    match rng.below(5) {
        0 => vec!["bash"],
        1 => vec!["mcp__*", "read_file"],
        2 => vec!["write_note"],
        _ => Vec::new(),
    }
}

/// How far back to look.
fn recent(rng: &mut Rng) -> Option<Recent> {
    match rng.below(6) {
        0 | 1 => Some(Recent::Calls(1 + rng.below(6))),
        2 => Some(Recent::Iterations(1 + rng.below_u64(3))),
        3 | 4 => Some(Recent::Seconds(rng.choose(&[20, 100, 600]))),
        _ => None,
    }
}

/// The run, or the session.
pub(super) fn scope(rng: &mut Rng) -> Scope {
    if rng.percent(50) { Scope::Session } else { Scope::Run }
}

/// A fact, in a policy of so many rules.
pub(super) fn fact(rng: &mut Rng, rules: usize) -> Fact {
    let given = Arguments { within: 1 + rng.below(6), of: tools(rng), rule: rng.below(rules), scope: scope(rng) };
    rng.choose(FACTS)(rng, given)
}

/// A fact with a number that is always known, for `once per`.
pub(super) fn rising(rng: &mut Rng, rules: usize) -> Fact {
    loop {
        let fact = fact(rng, rules);
        if !fact.is_optional() && !matches!(fact.kind(), Kind::Text | Kind::Truth) {
            return fact;
        }
    }
}

fn number(rng: &mut Rng, kind: Kind) -> Decimal {
    let choose = |rng: &mut Rng, few: &[u64]| Decimal::from(rng.choose(few));
    match kind {
        Kind::Tokens => choose(rng, &[0, 10, 40, 100, 200, 300, 450, 700, 1100, 2500]),
        Kind::Share => Decimal::new(rng.choose(&[0, 10, 20, 30, 40, 50, 60, 70, 80, 100, 125]), 2),
        Kind::Counted("messages") => choose(rng, &[0, 2, 4, 6, 9, 14]),
        Kind::Counted(_) => choose(rng, &[0, 1, 1, 2, 2, 3, 5, 9]),
        Kind::Money => Decimal::new(rng.choose(&[0, 5, 20, 60, 150]), 4),
        Kind::Duration => choose(rng, &[0, 5, 20, 60, 240, 900]),
        Kind::Text | Kind::Truth => unreachable!("these are no numbers"),
    }
}

/// What a number of tokens or a share is compared with, which may also be the other one of the two.
fn constant(rng: &mut Rng, fact: &Fact) -> Constant {
    match fact {
        Fact::ContextTokens | Fact::ReportedTokens | Fact::ContextLargest if rng.percent(30) => {
            Constant::ShareOfWindow(number(rng, Kind::Share))
        }
        Fact::ContextRatio if rng.percent(20) => Constant::Tokens(number(rng, Kind::Tokens)),
        // A part of a whole is never more than that.
        _ if fact.kind() == Kind::Share => Constant::Number(number(rng, Kind::Share).min(Decimal::ONE)),
        _ => Constant::Number(number(rng, fact.kind())),
    }
}

fn comparison(rng: &mut Rng) -> Comparison {
    use Comparison::{Above, AtLeast, AtMost, Below, Is, IsNot};
    rng.choose(&[AtLeast, AtLeast, AtLeast, Above, AtMost, Below, Below, Is, IsNot])
}

fn leaf(rng: &mut Rng, rules: usize) -> Condition {
    if rng.percent(7) {
        let count = rng.below(3);
        return Condition::Changed((0..count).map(|_| fact(rng, rules)).collect(), scope(rng));
    }
    let fact = fact(rng, rules);
    match fact.kind() {
        Kind::Truth => Condition::Truth(fact),
        Kind::Text => {
            let text = rng.choose(&[
                "bash",
                "read_file",
                "review",
                "path",
                "done",
                "漢字",
                "",
                "claude-sonnet-4-5",
                "explore",
                "notes.txt",
                "5",
            ]);
            match rng.below(5) {
                0 => Condition::Contains(fact, text),
                1 => Condition::In(fact, vec!["bash", "read_file", "plan 1"]),
                2 => Condition::Known(fact),
                3 => Condition::KnownAnd(fact, Comparison::IsNot, Constant::Text(text)),
                _ => Condition::Compare(fact, Some(Constant::Text("bash")), Comparison::Is, Constant::Text(text)),
            }
        }
        _ if fact.is_optional() => {
            let (comparison, constant) = (comparison(rng), constant(rng, &fact));
            match rng.below(5) {
                0 => Condition::Known(fact),
                1 => Condition::KnownAnd(fact, comparison, constant),
                _ => {
                    let default = Constant::Number(number(rng, fact.kind()));
                    Condition::Compare(fact, Some(default), comparison, constant)
                }
            }
        }
        _ => {
            let constant = constant(rng, &fact);
            Condition::Compare(fact, None, comparison(rng), constant)
        }
    }
}

pub(super) fn condition(rng: &mut Rng, rules: usize) -> Condition {
    let few = |rng: &mut Rng| (0..2 + rng.below(2)).map(|_| leaf(rng, rules)).collect::<Vec<_>>();
    match rng.below(12) {
        0 | 1 => Condition::All(few(rng)),
        2 | 3 => Condition::Any(few(rng)),
        4 => Condition::Not(Box::new(leaf(rng, rules))),
        5 => Condition::Not(Box::new(Condition::Any(few(rng)))),
        6 => Condition::Any(vec![Condition::All(few(rng)), leaf(rng, rules)]),
        _ => leaf(rng, rules),
    }
}
