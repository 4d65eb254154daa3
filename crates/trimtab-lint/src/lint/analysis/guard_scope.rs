//! The scopes of guards.

use trimtab_language::check::{Guard, RuleGuard};
use trimtab_language::fact::Scope;

use super::reduction::limits_repetition;

/// The scope of a guard behind its words; empty for the run, which is not written.
pub(crate) fn scope_text(guard: &RuleGuard) -> String {
    match guard.scope {
        Scope::Run => String::new(),
        Scope::Session => format!(" in {}", guard.scope.word()),
    }
}

/// Whether a guard relies on what happened before in the same run.
pub(crate) fn remembers_run(guard: &RuleGuard) -> bool {
    guard.scope == Scope::Run && (limits_repetition(&guard.node) || matches!(guard.node, Guard::Until(_)))
}
