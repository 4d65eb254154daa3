//! Files of sub-agents of Claude Code among the inputs.
//!
//! A session's file may repeat what a sub-agent did that has a file of its own, `agent-ID.jsonl`. The harness starts such agents
//! for itself, too, for example to compact; their calls belong to the session.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use trimtab_recordings::transcript::{ReadFile, Transcript, is_internal_agent};

use super::file;

/// The sub-agents with files of their own among the inputs.
#[derive(Debug, Default)]
pub(in super::super) struct AgentFiles {
    agents: HashSet<String>,
    /// The files of agents that the harness has started for itself, by the file of the session without its extension.
    internal: HashMap<PathBuf, Vec<PathBuf>>,
    /// Those of them whose session is among the inputs.
    merged: HashSet<PathBuf>,
}

impl AgentFiles {
    /// Those among these paths.
    pub(in super::super) fn among(paths: &[PathBuf]) -> Self {
        let agents = paths.iter().filter_map(|path| own_agent(path)).map(str::to_owned).collect();
        let mut all = Self { agents, ..Self::default() };
        let sessions: HashSet<PathBuf> = paths.iter().map(|path| path.with_extension("")).collect();
        for path in paths {
            if let Some(session) = session_of_internal_agent(path).filter(|session| sessions.contains(*session)) {
                all.internal.entry(session.to_owned()).or_default().push(path.clone());
                all.merged.insert(path.clone());
            }
        }
        all
    }

    /// Leaves out the transcripts that another input contains, which count as skipped records, and adds the calls that the
    /// harness has made for itself to the session that they belong to.
    pub(in super::super) fn complete(&self, path: &Path, read: &mut ReadFile) {
        if self.merged.contains(path) {
            read.transcripts.clear();
            return;
        }
        let all = std::mem::take(&mut read.transcripts);
        let (repeated, kept): (Vec<_>, Vec<_>) = all.into_iter().partition(|one| self.repeats(path, one));
        read.transcripts = kept;
        let Some(first) = read.transcripts.first_mut() else { return };
        if !repeated.is_empty() {
            first.skipped.insert("sub-agent in a file of its own".to_owned(), repeated.len() as u64);
        }
        for path in self.internal.get(&path.with_extension("")).into_iter().flatten() {
            // A file that cannot be read is reported where it is an input of its own.
            let transcripts = file(path, None).into_iter().flat_map(|read| read.transcripts);
            transcripts.for_each(|one| first.add_harness_calls(one));
        }
    }

    /// Whether another input contains the transcript, too.
    fn repeats(&self, path: &Path, transcript: &Transcript) -> bool {
        let agent = transcript.agent.as_deref();
        agent.is_some_and(|id| own_agent(path) != Some(id) && self.agents.contains(id))
    }
}

/// The sub-agent whose file this is.
fn own_agent(path: &Path) -> Option<&str> {
    path.file_stem()?.to_str()?.strip_prefix("agent-")
}

/// The path of the session's file, without its extension, if this is the file of an agent that the harness has started for
/// itself: `SESSION/subagents/agent-acompact-ID.jsonl`.
fn session_of_internal_agent(path: &Path) -> Option<&Path> {
    own_agent(path).filter(|id| is_internal_agent(id))?;
    let folder = path.parent().filter(|folder| folder.file_name() == Some(OsStr::new("subagents")))?;
    folder.parent()
}
