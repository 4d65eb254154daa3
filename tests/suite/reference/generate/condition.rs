//! Random conditions.

use trimtab::quantity::Decimal;

use super::TOOLS;
use crate::reference::condition::{Comparison, Condition, Constant};
use crate::reference::fact::{Fact, HOST_FACTS, Kind, Scope};
use crate::reference::recent::Recent;
use crate::rng::Rng;

/// How many facts there are to choose from.
const FACTS: usize = 66;

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
    let within = 1 + rng.below(6);
    let of = tools(rng);
    let (rule, scope) = (rng.below(rules), scope(rng));
    match rng.below(FACTS) {
        0 => Fact::ContextTokens,
        1 => Fact::ContextRatio,
        2 => Fact::ContextFree,
        3 => Fact::ContextMessages,
        4 => Fact::ContextResults,
        5 => Fact::ContextInteractions,
        6 => Fact::SharePersona,
        7 => Fact::ShareTools,
        8 => Fact::ShareHistory,
        9 => Fact::ReportedTokens,
        10 => Fact::ReportedRatio,
        11 => Fact::BudgetTokens,
        12 => Fact::BudgetCost,
        13 => Fact::BudgetTime,
        14 => Fact::BudgetCalls,
        15 => Fact::SessionTokens,
        16 => Fact::SessionCost,
        17 => Fact::SessionTime,
        18 => Fact::SessionCalls,
        19 => Fact::Idle,
        20 => Fact::Iteration,
        21 => Fact::Run,
        22 => Fact::Failures(of),
        23 => Fact::FailuresSteps(of),
        24 => Fact::FailuresTotal(of, scope),
        25 => Fact::Repeats(within, rng.percent(50)),
        26 => Fact::Occurrences(within, rng.percent(50)),
        27 => Fact::Misses(scope),
        28 => Fact::MissedTool,
        29 => Fact::Cycles(within, within * 2),
        30 => Fact::Stall(within.max(2)),
        31 => Fact::CallName,
        32 => Fact::CallArguments,
        33 => Fact::ResultTokens,
        34 => Fact::ResultText,
        35 => Fact::ResultError,
        36 => Fact::RequestWords,
        37 => Fact::RequestMentions(vec![rng.choose(&["REFACTOR", "design doc", "ok"]), "漢字"]),
        38 => Fact::HasTool(rng.choose(&TOOLS)),
        39 => Fact::UsedTool(rng.choose(&TOOLS), rng.percent(50).then(|| 1 + rng.below_u64(3)), scope),
        40 => Fact::Var(rng.choose(&VARIABLES)),
        41 => Fact::ToolsUsed(scope),
        42 => Fact::PlaybookSize,
        43 => Fact::Fired(rule, scope),
        44 => Fact::Since(rule, scope),
        45 => Fact::Failed(rule, scope),
        46 => Fact::ToolsCalls(of, scope),
        47 => Fact::Model,
        48 => Fact::Window,
        49 => Fact::ContextLargest,
        50 => Fact::FailuresTools(of),
        51 => Fact::FailuresSame(of),
        52 => Fact::AgentName,
        53 => Fact::AgentDepth,
        54 => Fact::Calls(of, scope, recent(rng)),
        55 => Fact::Cost(rng.choose(&[20, 100, 600])),
        56 => Fact::Tokens(rng.choose(&[20, 100, 600])),
        57 => Fact::Edits(within, scope, of),
        58 => Fact::EditsPath(within, scope, of),
        59 => Fact::FilesChanged(scope),
        60 => Fact::Compactions,
        61 => Fact::SinceCompaction,
        62 => Fact::CacheWarm,
        63 => Fact::SinceUserMessage,
        _ => Fact::Host(rng.choose(&HOST_FACTS).0),
    }
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
