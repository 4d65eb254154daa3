//! The files that the tool calls of a session change.

use std::collections::{BTreeMap, BTreeSet};

use foldhash::HashMap;
use smol_str::SmolStr;
use trimtab_base::tool_use::classify;

use crate::fact::recent::Recent;
use crate::fact::scope::Scope;
use crate::fact::session_log::SessionLog;

/// The number of a file, in the order in which files are first changed.
type FileId = usize;

/// The files that the calls of a session change, followed as it grows.
#[derive(Debug, Default)]
pub(super) struct Files {
    /// How many replies have been looked at.
    replies: usize,
    ids: HashMap<SmolStr, FileId>,
    paths: Vec<SmolStr>,
    /// For each call, the files that it changes.
    by_call: Vec<Vec<FileId>>,
    /// For each file, the last call that changes it and the position of the file there.
    last: Vec<(usize, usize)>,
    /// The files by that place.
    by_last: BTreeMap<(usize, usize), FileId>,
    /// The calls before the run, and the number of files that it has changed.
    of_run: (usize, usize),
    /// What the newest calls change, by their number, their scope and the tools after whose newest call they are counted.
    edits: BTreeMap<(u64, Scope, SmolStr), RecentEdits>,
}

/// The file that most of the newest calls change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::fact) struct Edits {
    /// How many of them change it.
    pub(in crate::fact) calls: usize,
    /// Its path. Of several such files, that of the one that was changed last.
    pub(in crate::fact) path: SmolStr,
}

impl Files {
    /// Looks at the calls that are new.
    fn update(&mut self, log: &SessionLog) {
        let earlier_calls = log.first_call(None, Scope::Run, None);
        if self.of_run.0 != earlier_calls {
            self.of_run = (earlier_calls, 0);
        }
        for reply in log.calling_from(self.replies) {
            self.replies += 1;
            for (_, tool, arguments) in reply.reply.calls() {
                let json = arguments.json();
                let files = classify(tool, &json).changed_files().into_iter().map(|path| self.id(path)).collect();
                self.add(files);
            }
        }
    }

    fn id(&mut self, path: &str) -> FileId {
        if let Some(id) = self.ids.get(path) {
            return *id;
        }
        let id = self.paths.len();
        self.ids.insert(path.into(), id);
        self.paths.push(path.into());
        id
    }

    /// Adds the next call, which changes these files.
    fn add(&mut self, files: Vec<FileId>) {
        let call = self.by_call.len();
        for (position, file) in files.iter().enumerate() {
            let before = self.last.get(*file).copied();
            if let Some(before) = before {
                self.by_last.remove(&before);
                self.last[*file] = (call, position);
            } else {
                self.last.push((call, position));
            }
            self.by_last.insert((call, position), *file);
            let is_new = before.is_none_or(|(call, _)| call < self.of_run.0);
            self.of_run.1 += usize::from(is_new && call >= self.of_run.0);
        }
        self.by_call.push(files);
    }

    /// The number of files that were changed.
    pub(super) fn changed(&mut self, log: &SessionLog, scope: Scope) -> usize {
        self.update(log);
        match scope {
            Scope::Run => self.of_run.1,
            Scope::Session => self.paths.len(),
        }
    }

    /// At most `most` of the files that were changed last, the newest change first.
    pub(super) fn newest(&mut self, log: &SessionLog, scope: Scope, most: usize) -> Vec<SmolStr> {
        self.update(log);
        let first = log.first_call(None, scope, None);
        let newest = self.by_last.range((first, 0)..).rev().take(most);
        newest.map(|(_, file)| self.paths[*file].clone()).collect()
    }

    /// Returns the file that most of the newest calls change, or `None` if they change none. Only calls from the index `first` on
    /// count, which follows from `after`.
    pub(super) fn edits(
        &mut self,
        log: &SessionLog,
        (calls, scope): (u64, Scope),
        (after, first): (&str, usize),
    ) -> Option<Edits> {
        self.update(log);
        let first = first.max(log.first_call(Some(Recent::Calls(calls)), scope, None));
        let edits = self.edits.entry((calls, scope, after.into())).or_default();
        edits.update(&self.by_call, first);
        let (calls, _, file) = edits.ranking.last()?;
        Some(Edits { calls: *calls, path: self.paths[*file].clone() })
    }
}

/// How many of the newest calls change each file, followed as calls are added and become old.
#[derive(Debug, Default)]
struct RecentEdits {
    /// The calls from the first to the last one that count.
    calls: std::ops::Range<usize>,
    /// For each file the calls that change it, and when it was changed last.
    files: HashMap<FileId, (usize, (usize, usize))>,
    /// The same, in order.
    ranking: BTreeSet<(usize, (usize, usize), FileId)>,
}

impl RecentEdits {
    fn update(&mut self, by_call: &[Vec<FileId>], first: usize) {
        for (call, files) in by_call.iter().enumerate().skip(self.calls.end) {
            for (position, file) in files.iter().enumerate() {
                self.change(*file, |count, _| (count + 1, (call, position)));
            }
        }
        let left = by_call.iter().take(first).skip(self.calls.start);
        for file in left.flatten() {
            self.change(*file, |count, last| (count - 1, last));
        }
        self.calls = first..by_call.len();
    }

    fn change(&mut self, file: FileId, next: impl Fn(usize, (usize, usize)) -> (usize, (usize, usize))) {
        let known = self.files.entry(file).or_default();
        self.ranking.remove(&(known.0, known.1, file));
        *known = next(known.0, known.1);
        if known.0 > 0 {
            self.ranking.insert((known.0, known.1, file));
        } else {
            self.files.remove(&file);
        }
    }
}

#[cfg(test)]
mod tests;
