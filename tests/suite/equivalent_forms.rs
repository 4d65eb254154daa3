//! Lints report what a policy means: each example of each lint, written in another form, has the same findings.
//!
//! A form rewrites a text at the places of its tree. Lints about the form itself are listed with the forms that they are
//! about.

use std::collections::BTreeSet;
use std::fs;

use trimtab::check::Comparison;
use trimtab::lint::{Category, Check, LINTS, Lint, Settings};
use trimtab::quantity::{Decimal, share_of};
use trimtab::source::{Source, SourceId, Span};
use trimtab::syntax::tree::{
    Clause, ClauseKind, Expr, ExprKind, File, Item, Number, Operator, Policy, PolicyItem, Rule,
};
use trimtab::syntax::{self, walk};

use crate::{golden, lint};

/// A policy text with its tree.
struct Text<'a> {
    content: &'a str,
    file: File,
    /// The window and the reserve of its `agent` block.
    window: Option<u64>,
    reserve: u64,
}

/// A comparison of a fact with a constant.
struct Compared<'t> {
    whole: Span,
    fact: &'t Expr,
    operator: Comparison,
    constant: &'t Expr,
}

/// Another form of a text; none if it is the same.
type Form = (&'static str, fn(&Text<'_>) -> Option<String>);

const FORMS: [Form; 10] = [
    ("not", negated),
    ("let", named),
    ("unless", as_unless),
    ("extends", extended),
    ("override", overridden),
    ("tokens", in_tokens),
    ("share of tokens", as_share_of_tokens),
    ("context.free", as_free_room),
    ("not not", doubly_negated),
    ("equalities", as_equalities),
];

/// Lints about a form, each with the forms that it is about and the reason.
const ABOUT_FORM: [(&str, &[&str], &str); 5] = [
    ("suspicious-magnitude", &["tokens"], "a share of a tiny window is fewer tokens than any prompt has"),
    ("repeated-threshold", &["let"], "a `let` is what it asks for"),
    ("repeated-name", &["equalities"], "it is about a list"),
    ("single-use-let", &["let"], "it is about the `let` of this form"),
    ("no-minimum-saving", &["override"], "the base without a condition has a finding of a stricter lint at this place"),
];

impl<'a> Text<'a> {
    fn of(text: &'a str) -> Self {
        let (file, _) = syntax::parse(&Source::new(SourceId(0), "case.trim", text));
        let checked = trimtab::pipeline::compile("case.trim", text).checked;
        let agent = checked.map(|checked| checked.agent).unwrap_or_default();
        Self {
            content: text,
            file,
            window: agent.window.map(|window| window.node),
            reserve: agent.reserve.unwrap_or(0),
        }
    }

    fn slice(&self, span: Span) -> &'a str {
        &self.content[span.range()]
    }

    fn policies(&self) -> impl Iterator<Item = &Policy> {
        self.file.items.iter().filter_map(|item| match item {
            Item::Policy(policy) => Some(policy),
            _ => None,
        })
    }

    fn rules(&self) -> impl Iterator<Item = &Rule> {
        self.policies().flat_map(|policy| &policy.items).filter_map(|item| match item {
            PolicyItem::Rule(rule) => Some(rule),
            _ => None,
        })
    }

    /// The comparisons of all rules.
    fn comparisons(&self) -> Vec<Compared<'_>> {
        let expressions = walk::expressions(|each| self.rules().for_each(|rule| walk::rule(rule, each)));
        expressions.into_iter().filter_map(compared).collect()
    }

    fn edited(&self, edits: Vec<(Span, String)>) -> Option<String> {
        if edits.is_empty() {
            return None;
        }
        let (mut edits, mut text) = (edits, self.content.to_owned());
        edits.sort_by_key(|(span, _)| std::cmp::Reverse(span.start));
        for (span, new) in edits {
            text.replace_range(span.range(), &new);
        }
        Some(text)
    }
}

fn compared(expr: &Expr) -> Option<Compared<'_>> {
    let ExprKind::Compare(left, rest) = &expr.kind else { return None };
    let [(operator, right)] = rest.as_slice() else { return None };
    let Operator::Comparison(comparison) = operator.node else { return None };
    let is_fact = |expr: &Expr| fact_name(expr).is_some_and(trimtab::fact::is_fact_name);
    let (fact, constant, operator) = match (is_fact(left), is_fact(right)) {
        (true, false) => (&**left, right, comparison),
        (false, true) => (right, &**left, comparison.flipped()),
        _ => return None,
    };
    Some(Compared { whole: expr.span, fact, operator, constant })
}

/// The name of the fact that an expression reads.
fn fact_name(expr: &Expr) -> Option<&str> {
    match &expr.kind {
        ExprKind::Name(name) => Some(name),
        ExprKind::Call(name, _) => Some(&name.node),
        ExprKind::Default(inner, _) => fact_name(inner),
        _ => None,
    }
}

/// `a >= b` as `not (a < b)`.
fn negated(text: &Text<'_>) -> Option<String> {
    let edit = |one: Compared<'_>| {
        let (fact, constant) = (text.slice(one.fact.span), text.slice(one.constant.span));
        let fact = if matches!(one.fact.kind, ExprKind::Default(..)) { format!("({fact})") } else { fact.to_owned() };
        // Parentheses around the side of a fact are not part of its span.
        let whole = with_parentheses(text.content, one.fact.span).to(one.whole);
        (whole, format!("not ({fact} {} {constant})", one.operator.negated().symbol()))
    };
    text.edited(text.comparisons().into_iter().map(edit).collect())
}

/// A span with the parentheses around it.
fn with_parentheses(text: &str, span: Span) -> Span {
    let (before, behind) = (text[..span.start as usize].trim_end(), text[span.end as usize..].trim_start());
    let is_enclosed = before.ends_with('(') && behind.starts_with(')') && !before.ends_with("not (");
    if is_enclosed { Span::new(span.source, before.len() - 1, text.len() - behind.len() + 1) } else { span }
}

/// Constants of comparisons as names.
fn named(text: &Text<'_>) -> Option<String> {
    let comparisons = text.comparisons();
    let constants = comparisons.iter().map(|one| one.constant);
    let plain: Vec<&Expr> =
        constants.filter(|expr| matches!(expr.kind, ExprKind::Number(..) | ExprKind::Text(_))).collect();
    let first = text.file.items.iter().find_map(|item| match item {
        Item::Policy(policy) => Some(policy.span),
        _ => None,
    })?;
    let start = documented(text.content, first.start as usize);
    let lets = plain.iter().enumerate();
    let lets: String = lets.map(|(at, expr)| format!("let limit_{at} = {}\n", text.slice(expr.span))).collect();
    let mut edits: Vec<(Span, String)> =
        plain.iter().enumerate().map(|(at, expr)| (expr.span, format!("limit_{at}"))).collect();
    if edits.is_empty() {
        return None;
    }
    edits.push((Span::new(first.source, start, start), lets));
    text.edited(edits)
}

/// The start of the comments above an item.
fn documented(text: &str, mut start: usize) -> usize {
    while let Some(line) = text[..start].trim_end_matches('\n').rsplit('\n').next().filter(|line| line.starts_with('#'))
    {
        start = text[..start].trim_end_matches('\n').len() - line.len();
    }
    start
}

/// `when a >= b` as `unless a < b`.
fn as_unless(text: &Text<'_>) -> Option<String> {
    let edits = text.rules().filter(|rule| clause(rule, |kind| matches!(kind, ClauseKind::Unless(_))).is_none());
    let edits = edits.filter_map(|rule| {
        let when = clause(rule, |kind| matches!(kind, ClauseKind::When(_)))?;
        // `unless` also blocks a rule while `until` keeps it triggered.
        if clause(rule, |kind| matches!(kind, ClauseKind::Until(_))).is_some() {
            return None;
        }
        let ClauseKind::When(condition) = &when.kind else { return None };
        let one = compared(condition)?;
        let (fact, constant) = (text.slice(one.fact.span), text.slice(one.constant.span));
        let fact = if matches!(one.fact.kind, ExprKind::Default(..)) { format!("({fact})") } else { fact.to_owned() };
        Some((when.span, format!("unless {fact} {} {constant}", one.operator.negated().symbol())))
    });
    text.edited(edits.collect())
}

fn clause(rule: &Rule, is_it: impl Fn(&ClauseKind) -> bool) -> Option<&Clause> {
    rule.clauses.iter().find(|clause| is_it(&clause.kind))
}

/// The only policy as the base of another one.
fn extended(text: &Text<'_>) -> Option<String> {
    let policy = only_policy(text)?;
    let name = &policy.name.node;
    let heir = format!("\npolicy {name} extends {name}_base {{\n}}\n");
    text.edited(vec![(policy.name.span, format!("{name}_base")), (policy.span.after(), heir)])
}

/// The condition of each rule of the only policy in an override.
fn overridden(text: &Text<'_>) -> Option<String> {
    let policy = only_policy(text)?;
    let (mut edits, mut rules) = (Vec::new(), String::new());
    for rule in text.rules().filter(|rule| rule.sealed.is_none() && rule.overrides.is_none()) {
        let Some(when) = clause(rule, |kind| matches!(kind, ClauseKind::When(_))) else { continue };
        edits.push((when.span, String::new()));
        rules += &format!("  override rule {} {{ {} }}\n", rule.name.node, text.slice(when.span));
    }
    if edits.is_empty() {
        return None;
    }
    let name = &policy.name.node;
    edits.push((policy.name.span, format!("{name}_base")));
    edits.push((policy.span.after(), format!("\npolicy {name} extends {name}_base {{\n{rules}}}\n")));
    text.edited(edits)
}

fn only_policy<'t>(text: &'t Text<'_>) -> Option<&'t Policy> {
    let mut all = text.policies();
    all.next().filter(|policy| policy.base.is_none()).filter(|_| all.next().is_none())
}

/// Comparisons of a size with a share, with a function of the operator and the share.
fn of_shares(text: &Text<'_>, form: impl Fn(&Compared<'_>, Decimal) -> Option<String>) -> Option<String> {
    let edits = text.comparisons().into_iter().filter_map(|one| {
        let ExprKind::Number(Number::Percent(percent), None) = one.constant.kind else { return None };
        let is_ratio = matches!(&one.fact.kind, ExprKind::Name(name) if name == "context.ratio");
        let form = is_ratio.then(|| form(&one, percent)).flatten()?;
        Some((one.whole, form))
    });
    text.edited(edits.collect())
}

/// `context.ratio >= 60%` of a known window in tokens.
fn in_tokens(text: &Text<'_>) -> Option<String> {
    let window = text.window?;
    of_shares(text, |one, share| {
        Some(format!("context.tokens {} {} tokens", one.operator.symbol(), share_of(window, share)))
    })
}

/// `context.ratio >= 60%` as `context.tokens >= 60%`.
fn as_share_of_tokens(text: &Text<'_>) -> Option<String> {
    of_shares(text, |one, share| {
        Some(format!("context.tokens {} {}%", one.operator.symbol(), (share * Decimal::ONE_HUNDRED).normalize()))
    })
}

/// `context.ratio >= 60%` of a known window as the room that is free.
fn as_free_room(text: &Text<'_>) -> Option<String> {
    let window = text.window?;
    of_shares(text, |one, share| {
        let free = window.checked_sub(text.reserve)?.checked_sub(share_of(window, share))?;
        Some(format!("context.free {} {free} tokens", one.operator.flipped().symbol()))
    })
}

/// `a` as `not (not (a))`.
fn doubly_negated(text: &Text<'_>) -> Option<String> {
    let edits = text.rules().filter_map(|rule| {
        let when = clause(rule, |kind| matches!(kind, ClauseKind::When(_)))?;
        let written = text.slice(when.span).strip_prefix("when ")?;
        Some((when.span, format!("when not (not ({written}))")))
    });
    text.edited(edits.collect())
}

/// `a in ["x", "y"]` as `(a == "x" or a == "y")`.
fn as_equalities(text: &Text<'_>) -> Option<String> {
    let expressions = walk::expressions(|each| text.rules().for_each(|rule| walk::rule(rule, each)));
    let edits = expressions.into_iter().filter_map(|expr| {
        let ExprKind::Compare(fact, rest) = &expr.kind else { return None };
        let [(operator, list)] = rest.as_slice() else { return None };
        let (Operator::In, ExprKind::List(terms)) = (operator.node, &list.kind) else { return None };
        let inner = with_parentheses(text.content, fact.span);
        let fact = text.slice(inner);
        let fact = if fact.contains("??") && !fact.starts_with('(') { format!("({fact})") } else { fact.to_owned() };
        let equal = terms.iter().map(|term| {
            let written = text.slice(term.span);
            let is_value = written.starts_with('"') || text.content.contains(&format!("let {written} "));
            if is_value { format!("{fact} == {written}") } else { format!("{fact} == \"{written}\"") }
        });
        Some((inner.to(expr.span), format!("({})", equal.collect::<Vec<_>>().join(" or "))))
    });
    text.edited(edits.collect())
}

/// The rules that a lint reports in a text; an empty name stands for what is in no rule.
fn reported(lint: &Lint, text: &str) -> BTreeSet<String> {
    let parsed = Text::of(text);
    let mut settings = Settings::default();
    settings.extend(lint.name()).unwrap();
    let own = lint::found(text, &settings).into_iter().filter(|finding| finding.code.id == lint.name());
    let rule = |at: Span| parsed.rules().find(|rule| rule.span.contains(at)).map(|rule| rule.name.node.to_string());
    own.map(|finding| rule(finding.primary.span).unwrap_or_default()).collect()
}

/// The examples of a lint: those of its descriptor, and its cases.
fn examples(lint: &Lint) -> Vec<String> {
    let folder = format!("tests/lint/{}", lint.name().replace('-', "_"));
    let cases = fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path());
    let mut cases: Vec<_> = cases.filter(|path| path.extension().is_some_and(|end| end == "trim")).collect();
    cases.sort();
    let mut all = vec![lint.code.wrong.to_owned(), lint.code.right.to_owned()];
    all.extend(cases.iter().map(|path| fs::read_to_string(path).unwrap()));
    all.retain(|text| golden::texts("case.trim", text).len() == 1);
    all
}

fn is_about(lint: &Lint, form: &str) -> bool {
    ABOUT_FORM.iter().any(|(name, forms, _)| *name == lint.name() && (forms.is_empty() || forms.contains(&form)))
}

#[test]
fn a_lint_finds_the_same_in_every_form_of_its_examples() {
    let mut wrong = Vec::new();
    let mut count = 0;
    let about_meaning = |lint: &&&Lint| {
        !matches!(lint.category, Category::Style | Category::Suppression) && !matches!(lint.check, Check::Evidence(_))
    };
    for lint in LINTS.iter().filter(about_meaning) {
        for text in examples(lint) {
            let parsed = Text::of(&text);
            let before = reported(lint, &text);
            for (name, form) in FORMS {
                let Some(other) = form(&parsed).filter(|_| !is_about(lint, name)) else { continue };
                // A condition may be what makes a fact known that a text reads.
                if trimtab::pipeline::compile("case.trim", &other).checked.is_none() {
                    assert_eq!(name, "override", "{other}");
                    continue;
                }
                let after = reported(lint, &other);
                // The base of an override has no condition, so it may have findings of its own.
                let is_same = if name == "override" { before.is_subset(&after) } else { before == after };
                count += 1;
                if !is_same {
                    wrong.push(format!("{} as `{name}`: {before:?} became {after:?}\n{other}", lint.name()));
                }
            }
        }
    }
    assert!(count > 500, "{count} forms");
    assert!(wrong.is_empty(), "{} of {count}\n{}", wrong.len(), wrong.join("\n"));
}
