//! Files that were changed before a compaction, and used again after it.

use std::collections::BTreeSet;
use std::ops::AddAssign;

use smol_str::SmolStr;
use trimtab_base::conversation::Message;
use trimtab_base::tool_use::{classify, file_name};
use trimtab_recordings::transcript::Transcript;

/// Files that the agent had changed when the recorded harness compacted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChangedFiles {
    /// The compactions before which files had been changed.
    pub compactions: usize,
    /// The changed files; each counts once for each compaction.
    pub changed: usize,
    /// How many of them calls read or changed again before the next compaction.
    pub used_again: usize,
}

impl ChangedFiles {
    /// The files of a transcript.
    pub(super) fn of(transcript: &Transcript) -> Self {
        let mut files = Self::default();
        let mut changed: BTreeSet<SmolStr> = BTreeSet::new();
        // Those that no call has used since the compaction.
        let mut unused: BTreeSet<SmolStr> = BTreeSet::new();
        for message in transcript.messages.iter().filter(|message| !message.kept) {
            if is_compaction(message) && !changed.is_empty() {
                files += Self { compactions: 1, changed: changed.len(), used_again: 0 };
                unused.clone_from(&changed);
            }
            for (_, tool, arguments) in message.calls() {
                let json = arguments.json();
                let call = classify(tool, &json);
                files.used_again += call.paths.iter().filter(|path| unused.remove(file_name(path))).count();
                changed.extend(call.changed_files().into_iter().map(SmolStr::from));
            }
        }
        files
    }
}

/// Whether the recorded harness compacted before a message. A person who clears the context begins something else.
fn is_compaction(message: &Message) -> bool {
    message.resets && (message.compaction().is_some() || message.run.is_none())
}

impl AddAssign for ChangedFiles {
    fn add_assign(&mut self, other: Self) {
        self.compactions += other.compactions;
        self.changed += other.changed;
        self.used_again += other.used_again;
    }
}
