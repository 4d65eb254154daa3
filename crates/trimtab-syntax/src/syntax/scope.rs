//! The scope of a guard: `in session` after its value.
//!
//! The grammar reads it as an operator with its operand, since a condition may end in `in NAME`. So a list of this name needs
//! parentheses at the end of a condition: `until (call.name in session)`.

use super::operator::Operator;
use super::tree::{Expr, ExprKind, Name};

/// The only name that is a scope after a condition.
const SESSION: &str = "session";

/// Takes the scope from the end of a value that is no condition: any name, since nothing else can follow there.
pub(super) fn take_scope(value: Expr) -> (Expr, Option<Name>) {
    take(value, |_| true)
}

/// Takes the scope from the end of a condition.
pub(super) fn take_scope_of_condition(condition: Expr) -> (Expr, Option<Name>) {
    take(condition, |name| name == SESSION)
}

fn take(mut value: Expr, is_scope: impl Fn(&str) -> bool) -> (Expr, Option<Name>) {
    let end = value.span.end;
    let scope = last(&value).filter(|name| name.span.end == end && is_scope(&name.node));
    if scope.is_some() {
        remove_last(&mut value);
    }
    (value, scope)
}

/// The name after the last `in`, if nothing but parentheses follows it.
fn last(value: &Expr) -> Option<Name> {
    match &value.kind {
        ExprKind::Or(parts) | ExprKind::And(parts) => last(parts.last()?),
        ExprKind::Not(inner) => last(inner),
        ExprKind::Compare(_, rest) => match rest.last()? {
            (operator, Expr { kind: ExprKind::Name(name), span }) if operator.node == Operator::In => {
                Some(Name::new(name.clone(), *span))
            }
            _ => None,
        },
        _ => None,
    }
}

/// Removes the last `in` with its name.
fn remove_last(value: &mut Expr) {
    let end = match &mut value.kind {
        ExprKind::Or(parts) | ExprKind::And(parts) => parts.last_mut().map(|part| {
            remove_last(part);
            part.span.end
        }),
        ExprKind::Not(inner) => {
            remove_last(inner);
            Some(inner.span.end)
        }
        ExprKind::Compare(first, rest) => {
            rest.pop();
            let Some((_, last)) = rest.last() else {
                *value = std::mem::replace(&mut **first, Expr { kind: ExprKind::Bool(true), span: value.span });
                return;
            };
            Some(last.span.end)
        }
        _ => None,
    };
    value.span.end = end.unwrap_or(value.span.end);
}

#[cfg(test)]
mod tests {
    use super::super::parse::tests::clauses;
    use super::super::tree::{Clause, ClauseKind};

    /// The clause without its scope, and the scope.
    fn parts(text: &str) -> (String, Option<String>) {
        let all = clauses(text);
        let [Clause { kind, scope, word, span }] = all.as_slice() else { unreachable!("one clause: {all:#?}") };
        let value = match kind {
            ClauseKind::OncePer(value)
            | ClauseKind::OnceUntil(value)
            | ClauseKind::Until(value)
            | ClauseKind::Every(value)
            | ClauseKind::Cooldown(value)
            | ClauseKind::Limit(value) => value.span,
            _ => *word,
        };
        let offset = span.start;
        let part = |start: u32, end: u32| {
            text.get((start - offset) as usize..(end - offset) as usize).unwrap_or_default().to_owned()
        };
        (part(value.start, value.end), scope.as_ref().map(|name| part(name.span.start, name.span.end)))
    }

    #[test]
    fn the_scope_is_taken_from_the_end_of_a_guard() {
        let cases = [
            ("once in session", "once", Some("session")),
            ("once", "once", None),
            ("once in sesion", "once", Some("sesion")),
            ("once per failures in session", "failures", Some("session")),
            ("once per failures(of: bash) in day", "failures(of: bash)", Some("day")),
            ("every 5 iterations in session", "5 iterations", Some("session")),
            ("cooldown 3 in session", "3", Some("session")),
            ("limit few in session", "few", Some("session")),
            ("until a > 3 in session", "a > 3", Some("session")),
            ("until not a in session", "not a", Some("session")),
            ("until a or b and not c < 3 in session", "a or b and not c < 3", Some("session")),
            ("until a in [x, y] in session", "a in [x, y]", Some("session")),
            ("until (a or b) in session", "(a or b)", Some("session")),
            ("once until a in session", "a", Some("session")),
        ];
        for (text, value, scope) in cases {
            assert_eq!(parts(text), (value.to_owned(), scope.map(str::to_owned)), "{text}");
        }
    }

    #[test]
    fn a_list_is_no_scope() {
        let cases = [
            "until (a in session)",
            "until not (a in session)",
            "until a or (a in session)",
            "until a in session and b",
            "until a in some",
            "once until a in [x]",
        ];
        for text in cases {
            let (value, scope) = parts(text);
            assert!(text.ends_with(&value) && scope.is_none(), "{text}: {value}");
        }
        let when = clauses("when a in session");
        assert!(when[0].scope.is_none());
    }
}
