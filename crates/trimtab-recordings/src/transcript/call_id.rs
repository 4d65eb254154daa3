//! Ids of tool calls in recordings that repeat them.

use foldhash::HashMap;
use smol_str::{SmolStr, format_smolstr};

/// Gives each tool call of a recording an id of its own. For formats that record a call and its result together.
#[derive(Debug, Default)]
pub(super) struct CallIds {
    uses: HashMap<SmolStr, u64>,
}

impl CallIds {
    /// Returns the recorded id, with `.2`, `.3` and so on added to a repeated one.
    pub(super) fn next(&mut self, recorded: &str) -> SmolStr {
        let count = self.uses.entry(SmolStr::new(recorded)).or_default();
        *count += 1;
        if *count == 1 { SmolStr::new(recorded) } else { format_smolstr!("{recorded}.{count}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_ids_are_numbered() {
        let mut ids = CallIds::default();
        assert_eq!(["a", "b", "a", "a"].map(|id| ids.next(id)), ["a", "b", "a.2", "a.3"]);
    }
}
