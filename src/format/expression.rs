//! Expressions: broken before `and` and `or`, with the author's parentheses.

use super::document::Part;
use super::walk::Walk;
use crate::source::up_to;
use crate::syntax::tree::{Argument, Expr, ExprKind};

impl<'t> Walk<'t> {
    /// An expression, in a group that its caller opens.
    pub(super) fn expression(&mut self, value: &'t Expr) {
        if !self.is_in_parentheses(value) {
            return self.inside(value);
        }
        let (start, end) = (value.span.start as usize, value.span.end as usize);
        self.enclosed(|walk| {
            walk.placed(start..start + 1, "(");
            walk.nest(|walk| {
                walk.parts.push(Part::Edge);
                walk.group(|walk| walk.inside(value));
                walk.remarks(end - 1);
            });
            walk.parts.push(Part::Edge);
            walk.placed(end - 1..end, ")");
        });
    }

    /// Whether an expression stands in parentheses of its own; its span holds them, its shape does not.
    fn is_in_parentheses(&self, value: &Expr) -> bool {
        match &value.kind {
            ExprKind::Or(all) | ExprKind::And(all) => all.first().is_some_and(|one| starts_later(value, one)),
            ExprKind::Compare(first, _) | ExprKind::Default(first, _) | ExprKind::Of(first, _) => {
                starts_later(value, first)
            }
            _ => self.slice(value.span).starts_with('('),
        }
    }

    /// An expression without its parentheses.
    fn inside(&mut self, value: &'t Expr) {
        match &value.kind {
            ExprKind::Or(all) => self.joined(all, "or"),
            ExprKind::And(all) => self.joined(all, "and"),
            ExprKind::Compare(first, rest) => {
                self.expression(first);
                for (sign, value) in rest {
                    self.space();
                    self.token(sign.span);
                    self.space();
                    self.expression(value);
                }
            }
            ExprKind::Default(left, right) => self.pair(left, "??", right),
            ExprKind::Of(left, right) => self.pair(left, "of", right),
            _ => {
                // More parentheses than one pair say nothing more.
                while self.slice(value.span).starts_with('(') && self.pass('(') {}
                self.operand(value);
            }
        }
    }

    fn joined(&mut self, all: &'t [Expr], word: &'t str) {
        for (at, one) in all.iter().enumerate() {
            if at > 0 {
                self.parts.push(Part::Line);
                self.word(word);
                self.space();
            }
            if matches!(one.kind, ExprKind::And(_)) {
                self.group(|walk| walk.nest(|walk| walk.expression(one)));
            } else {
                self.expression(one);
            }
        }
    }

    fn pair(&mut self, left: &'t Expr, sign: &'t str, right: &'t Expr) {
        self.expression(left);
        self.space();
        self.word(sign);
        self.space();
        self.expression(right);
    }

    fn operand(&mut self, value: &'t Expr) {
        match &value.kind {
            ExprKind::Not(inner) => {
                self.word("not");
                self.space();
                self.expression(inner);
            }
            ExprKind::Name(name) => self.word(name),
            ExprKind::Bool(truth) => self.word(if *truth { "true" } else { "false" }),
            ExprKind::Text(text) => self.literal(text),
            ExprKind::List(terms) => self.list(terms),
            ExprKind::Call(name, arguments) => {
                self.token(name.span);
                self.arguments(arguments);
            }
            ExprKind::Number(_, unit) => {
                self.number(value.span.end as usize);
                if let Some(unit) = unit {
                    self.space();
                    self.token(unit.span);
                }
            }
            _ => {}
        }
    }

    /// A number: what comes next, up to a space, a comment or a closing parenthesis.
    fn number(&mut self, end: usize) {
        let start = self.next();
        let written = self.text.get(start..end).unwrap_or_default();
        let length = written.find([' ', '\t', '\r', '\n', '#', ')']).unwrap_or(written.len());
        self.placed(start..start + length, up_to(written, length));
    }

    /// The arguments of a fact, in their parentheses.
    fn arguments(&mut self, arguments: &'t [Argument]) {
        self.listed("(", ")", arguments.is_empty(), |walk| {
            for (at, one) in arguments.iter().enumerate() {
                if at > 0 {
                    walk.parts.extend([Part::Token(","), Part::Line]);
                }
                if let Some(name) = &one.name {
                    walk.token(name.span);
                    walk.word(":");
                    walk.space();
                }
                walk.expression(&one.value);
            }
        });
    }

    /// What stands between two signs; each part on a line of its own, with a comma behind the last, if it must be broken.
    pub(super) fn listed(&mut self, open: &'t str, close: &'t str, empty: bool, inside: impl FnOnce(&mut Self)) {
        self.enclosed(|walk| {
            walk.word(open);
            walk.nest(|walk| {
                walk.parts.push(Part::Edge);
                inside(walk);
                if !empty {
                    walk.parts.push(Part::Comma);
                }
                walk.pass(',');
                walk.remarks(walk.next());
            });
            walk.parts.push(Part::Edge);
            walk.word(close);
        });
    }
}

fn starts_later(whole: &Expr, first: &Expr) -> bool {
    whole.span.start < first.span.start
}
