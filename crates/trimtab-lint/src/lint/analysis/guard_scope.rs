//! The scopes of guards.

use trimtab_language::check::{Guard, RuleGuard};
use trimtab_language::fact::Memory;

use super::reduction::limits_repetition;

/// The scope of a guard behind its words; empty for the run, which is not written.
pub(crate) fn scope_text(guard: &RuleGuard) -> String {
    match guard.memory {
        Memory::Run => String::new(),
        Memory::Session => format!(" in {}", guard.memory.word()),
    }
}

/// Whether a guard relies on what happened before in the same run.
pub(crate) fn remembers_run(guard: &RuleGuard) -> bool {
    guard.memory == Memory::Run && (limits_repetition(&guard.node) || matches!(guard.node, Guard::Until(_)))
}
