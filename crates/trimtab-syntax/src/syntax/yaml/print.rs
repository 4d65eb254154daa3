//! Prints a tree as policy text with one clause on each line, for tests.

use trimtab_base::quantity::Decimal;

use crate::syntax::tree::{
    Agent, ClauseKind, EffectCall, Expr, ExprKind, File, Item, Number, PolicyItem, Rule, Term, TermKind,
};

pub(super) fn file(file: &File) -> String {
    let item = |item: &Item| match item {
        Item::Agent(agent) => block(agent),
        Item::Policy(policy) => {
            let items: Vec<String> = policy.items.iter().map(policy_item).collect();
            format!("policy {}\n{}", policy.name.node, items.concat())
        }
        Item::Broken(_) => "broken\n".to_owned(),
        Item::Edition(_) => String::new(),
        other => format!("{other:?}"),
    };
    file.items.iter().map(item).collect()
}

fn block(agent: &Agent) -> String {
    format!("agent {}\n", terms(&agent.terms))
}

fn policy_item(item: &PolicyItem) -> String {
    match item {
        PolicyItem::Rule(item) => rule(item),
        PolicyItem::Broken(broken) => {
            format!("  broken {}\n", broken.name.as_ref().map_or("?", |name| name.node.as_str()))
        }
        PolicyItem::Disable(_) => "disable\n".to_owned(),
    }
}

fn rule(rule: &Rule) -> String {
    let clauses: Vec<String> = rule.clauses.iter().map(|each| format!("    {}\n", clause(&each.kind))).collect();
    format!("  rule {}\n{}", rule.name.node, clauses.concat())
}

fn clause(kind: &ClauseKind) -> String {
    match kind {
        ClauseKind::On(phase) => format!("on {}", phase.node),
        ClauseKind::When(condition) => format!("when {}", expr(condition)),
        ClauseKind::Do(calls) => format!("do {}", calls.iter().map(call).collect::<Vec<_>>().join(" then ")),
        ClauseKind::OnFailure(words, None) => format!("on_failure {}", terms(words)),
        ClauseKind::OncePer(fact) => format!("once per {}", expr(fact)),
        ClauseKind::Every(count) => format!("every {}", expr(count)),
        other => format!("{other:?}"),
    }
}

fn call(call: &EffectCall) -> String {
    format!("{} {}", call.name.node, terms(&call.terms))
}

fn terms(terms: &[Term]) -> String {
    let term = |term: &Term| match &term.kind {
        TermKind::Number(value) => number(*value),
        TermKind::Word(word) => word.to_string(),
        TermKind::Text(text) => format!("{:?}", text.value),
        TermKind::List(items) => format!("[{}]", self::terms(items)),
        other => format!("{other:?}"),
    };
    terms.iter().map(term).collect::<Vec<_>>().join(" ")
}

fn number(number: Number) -> String {
    match number {
        Number::Percent(share) => format!("{}%", (share * Decimal::ONE_HUNDRED).normalize()),
        Number::Plain(plain) => plain.to_string(),
        other => format!("{other:?}"),
    }
}

pub(super) fn expr(printed: &Expr) -> String {
    match &printed.kind {
        ExprKind::And(all) => all.iter().map(expr).collect::<Vec<_>>().join(" and "),
        ExprKind::Compare(left, right) => {
            let comparisons =
                right.iter().map(|(operator, right)| format!(" {} {}", operator.node.symbol(), expr(right)));
            format!("{}{}", expr(left), comparisons.collect::<String>())
        }
        ExprKind::Default(value, fallback) => format!("{} ?? {}", expr(value), expr(fallback)),
        ExprKind::Name(name) => name.to_string(),
        ExprKind::Call(name, arguments) => {
            let argument = |argument: &crate::syntax::tree::Argument| {
                let label = argument.name.as_ref().map_or(String::new(), |name| format!("{}: ", name.node));
                format!("{label}{}", expr(&argument.value))
            };
            format!("{}({})", name.node, arguments.iter().map(argument).collect::<Vec<_>>().join(", "))
        }
        ExprKind::Number(value, unit) => {
            format!("{}{}", number(*value), unit.as_ref().map_or(String::new(), |unit| format!(" {}", unit.node)))
        }
        ExprKind::Text(text) => format!("{:?}", text.value),
        other => format!("{other:?}"),
    }
}
