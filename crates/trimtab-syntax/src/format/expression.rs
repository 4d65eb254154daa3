//! Formats expressions: lines break before `and` and `or`, and the author's parentheses are kept.

use trimtab_base::source::up_to;

use super::document::Part;
use super::formatter::Formatter;
use crate::syntax::Keyword;
use crate::syntax::tree::{Argument, Expr, ExprKind};

impl<'t> Formatter<'t> {
    /// Formats an expression inside a group that the caller opens.
    pub(super) fn expression(&mut self, value: &'t Expr) {
        if !self.has_parentheses(value) {
            return self.unparenthesized(value);
        }
        let (start, end) = (value.span.start as usize, value.span.end as usize);
        self.bracketed(|f| {
            f.token_at(start..start + 1, "(");
            f.indented(|f| {
                f.parts.push(Part::SoftLine);
                f.group(|f| f.unparenthesized(value));
                f.comments_before(end - 1);
            });
            f.parts.push(Part::SoftLine);
            f.token_at(end - 1..end, ")");
        });
    }

    /// Whether an expression has its own parentheses. They are part of its span but not of the tree.
    fn has_parentheses(&self, value: &Expr) -> bool {
        match &value.kind {
            ExprKind::Or(all) | ExprKind::And(all) => all.first().is_some_and(|first| starts_later(value, first)),
            ExprKind::Compare(first, _) | ExprKind::Default(first, _) | ExprKind::Of(first, _) => {
                starts_later(value, first)
            }
            _ => self.slice(value.span).starts_with('('),
        }
    }

    /// Formats an expression without its own parentheses.
    fn unparenthesized(&mut self, value: &'t Expr) {
        match &value.kind {
            ExprKind::Or(all) => self.operands(all, Keyword::Or),
            ExprKind::And(all) => self.operands(all, Keyword::And),
            ExprKind::Compare(first, rest) => {
                self.expression(first);
                for (operator, value) in rest {
                    self.space();
                    self.token(operator.span);
                    self.space();
                    self.expression(value);
                }
            }
            ExprKind::Default(left, right) => self.binary(left, "??", right),
            ExprKind::Of(left, right) => self.binary(left, "of", right),
            _ => {
                // Extra pairs of parentheses are removed.
                while self.slice(value.span).starts_with('(') && self.skip('(') {}
                self.operand(value);
            }
        }
    }

    fn operands(&mut self, all: &'t [Expr], keyword: Keyword) {
        for (at, part) in all.iter().enumerate() {
            if at > 0 {
                self.parts.push(Part::Line);
                self.keyword(keyword);
                self.space();
            }
            if matches!(part.kind, ExprKind::And(_)) {
                self.group(|f| f.indented(|f| f.expression(part)));
            } else {
                self.expression(part);
            }
        }
    }

    fn binary(&mut self, left: &'t Expr, operator: &'t str, right: &'t Expr) {
        self.expression(left);
        self.space();
        self.fixed_token(operator);
        self.space();
        self.expression(right);
    }

    fn operand(&mut self, value: &'t Expr) {
        match &value.kind {
            ExprKind::Not(inner) => {
                self.keyword(Keyword::Not);
                self.space();
                self.expression(inner);
            }
            ExprKind::Name(name) => self.fixed_token(name),
            ExprKind::Bool(truth) => self.keyword(if *truth { Keyword::True } else { Keyword::False }),
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

    /// Copies a number: the text up to a space, a comment or a closing parenthesis.
    fn number(&mut self, end: usize) {
        let start = self.next();
        let written = self.text.get(start..end).unwrap_or_default();
        let length = written.find([' ', '\t', '\r', '\n', '#', ')']).unwrap_or(written.len());
        self.token_at(start..start + length, up_to(written, length));
    }

    /// Formats the arguments of a fact, including the parentheses.
    fn arguments(&mut self, arguments: &'t [Argument]) {
        self.delimited("(", ")", arguments.is_empty(), |f| {
            for (at, argument) in arguments.iter().enumerate() {
                if at > 0 {
                    f.parts.extend([Part::Token(","), Part::Line]);
                    f.skip(',');
                }
                if let Some(name) = &argument.name {
                    f.token(name.span);
                    f.fixed_token(":");
                    f.space();
                }
                f.expression(&argument.value);
            }
        });
    }

    /// Formats something between two brackets. If it does not fit on a line, each part gets its own line and the last one a
    /// trailing comma.
    pub(super) fn delimited(&mut self, open: &'t str, close: &'t str, empty: bool, inside: impl FnOnce(&mut Self)) {
        self.bracketed(|f| {
            f.fixed_token(open);
            f.indented(|f| {
                f.parts.push(Part::SoftLine);
                inside(f);
                if !empty {
                    f.parts.push(Part::TrailingComma);
                }
                f.skip(',');
                f.comments_before(f.next());
            });
            f.parts.push(Part::SoftLine);
            f.fixed_token(close);
        });
    }
}

fn starts_later(whole: &Expr, first: &Expr) -> bool {
    whole.span.start < first.span.start
}
