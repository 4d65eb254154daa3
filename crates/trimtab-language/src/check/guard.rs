//! Checks guards.

use trimtab_base::quantity::{Counted, Decimal, Type, Unit};
use trimtab_syntax::syntax::tree::{Clause, ClauseKind, Expr, Name};

use super::checker::Checker;
use super::error::{self, Wanted};
use super::policy::{Guard, Reading, RuleGuard};
use crate::fact::Scope;

impl<'a> Checker<'_, 'a> {
    /// Checks a guard with its scope.
    pub(super) fn rule_guard(&mut self, clause: &'a Clause) -> Option<RuleGuard> {
        let scope = clause.scope.as_ref().map_or(Some(Scope::Run), |name| self.scope_of_guard(name));
        let before = self.findings.len();
        let guard = self.guard(&clause.kind);
        if let Some(name) = clause.scope.as_ref().filter(|name| guard.is_none() && self.scope.has_let(&name.node)) {
            self.findings[before..].iter_mut().for_each(|finding| error::clause::mention_constant(finding, name));
        }
        Some(RuleGuard { node: guard?, scope: scope?, span: clause.span })
    }

    /// The scope of a guard that has one in the text.
    fn scope_of_guard(&mut self, name: &Name) -> Option<Scope> {
        match Scope::from_word(&name.node) {
            Some(Scope::Session) => Some(Scope::Session),
            other => self.fail(error::clause::scope_of_guard(name, other.is_some())),
        }
    }

    /// Checks what a guard requires.
    fn guard(&mut self, clause: &'a ClauseKind) -> Option<Guard> {
        const ITERATIONS: Unit = Unit::Counted(Counted::Iterations);
        self.known.clear();
        match clause {
            ClauseKind::Once => Some(Guard::Once),
            ClauseKind::OncePer(fact) => {
                self.narrow_by_own_condition(false);
                self.once_per(fact).map(Guard::OncePer)
            }
            ClauseKind::OnceUntil(end) => self.condition(end).map(Guard::OnceUntil),
            ClauseKind::Until(end) => self.condition(end).map(Guard::Until),
            ClauseKind::Every(number) => self.times("`every`", ITERATIONS, number).map(Guard::Every),
            ClauseKind::Cooldown(number) => self.times("`cooldown`", ITERATIONS, number).map(Guard::Cooldown),
            ClauseKind::Limit(number) => self.times("`limit`", Unit::Counted(Counted::Count), number).map(Guard::Limit),
            _ => None,
        }
    }

    fn once_per(&mut self, expr: &'a Expr) -> Option<Reading> {
        let reading = self.reading(expr)?;
        if !matches!(reading.fact.ty, Type::Number(_)) {
            return self.fail(error::fact::not_a_number(expr.span, &reading));
        }
        self.definite(reading)
    }

    /// A number that must be at least 1.
    fn times(&mut self, who: &str, unit: Unit, expr: &'a Expr) -> Option<u64> {
        let constant = self.constant(expr)?;
        let quantity = self.amount(constant, &[unit], &Wanted::new(&who), expr)?;
        if quantity.amount < Decimal::ONE {
            return self.fail(error::unit::too_small(expr.span, who, unit));
        }
        Some(quantity.to_u64())
    }
}
