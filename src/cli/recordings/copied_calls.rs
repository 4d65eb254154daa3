//! Model calls that several files contain, because a session was continued in a new file that begins with a copy.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Mutex;

use trimtab_recordings::transcript::Transcript;
use trimtab_report::report::plural;

/// The calls so far: the file that contains each first, and how often other files do.
#[derive(Debug, Default)]
pub(in super::super) struct CopiedCalls(Mutex<HashMap<u64, (u64, usize)>>);

impl CopiedCalls {
    /// Adds the calls of a transcript in a file. A call is known by its time, its usage and what it replied.
    pub(super) fn record(&self, file: &str, transcript: &Transcript) {
        let Ok(mut calls) = self.0.lock() else { return };
        let file = hash(&file);
        for message in transcript.messages.iter().filter(|message| message.is_reply()) {
            let (Some(at), Some(usage)) = (&message.at, message.usage) else { continue };
            let parts = (message.plain_text(), message.calls().map(|(id, ..)| id.as_str()).collect::<Vec<_>>());
            let call = hash(&(at, usage.context(), usage.output, parts));
            let (first, copies) = calls.entry(call).or_insert((file, 0));
            *copies += usize::from(*first != file);
        }
    }

    /// Returns a note on the copies, or `None` if there are none.
    pub(in super::super) fn note(&self) -> Option<String> {
        let calls = self.0.lock().ok()?;
        let copies: usize = calls.values().map(|(_, copies)| copies).sum();
        let calls = plural(copies, "model call");
        let (are, count) = if copies == 1 { ("is a copy of one", "counts") } else { ("are copies of calls", "count") };
        let text = format!("note: {calls} {are} in another file, as in resumed sessions, and {count} in both");
        (copies > 0).then_some(text)
    }
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use trimtab_recordings::transcript;

    use super::*;

    #[test]
    fn calls_are_copies_only_in_other_files() {
        let read = |second: u8| {
            let reply = format!(
                r#"{{"role":"assistant","content":"x","at":"2026-01-01T00:00:0{second}Z","usage":{{"input":5,"output":1}}}}"#
            );
            let text = format!("{{\"trimtab\":1}}\n{reply}\n{reply}\n");
            transcript::read(text.as_bytes(), None).expect("a recording").transcripts.remove(0)
        };
        let copied = CopiedCalls::default();
        copied.record("a", &read(1));
        copied.record("b", &read(2));
        assert_eq!(copied.note(), None);
        copied.record("c", &read(1));
        let note = copied.note().expect("a note");
        assert!(note.starts_with("note: 2 model calls are copies of calls in another file"), "{note}");
    }
}
