//! The tree of a session: which of its records lead to the last one.
//!
//! Records name their parents by uuid, also through records that are not conversation. The active branch is the
//! path from the last record of the main conversation up to the root. Parallel calls branch off that path without
//! being another branch: lines of a response on the path, and results of calls that were kept, stay. Where a link
//! is missing (a compaction whose parent is in another file, a parent that was never written) the path goes on
//! with the record before it in the file. A file without links is taken in file order.

use std::collections::{HashMap, HashSet};

use memchr::memmem;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::line::{Kind, Line};
use crate::transcript::wire::{self, Content, Str};

/// How far up a reply looks for the line of its response; hooks and progress stand between them.
const STEPS: usize = 10_000;

/// Which record each record follows.
struct Tree {
    parents: Vec<Option<usize>>,
    /// Whether any record names a parent that is in the file.
    any: bool,
}

impl Tree {
    fn of(lines: &[Line<'_>]) -> Self {
        let mut by_uuid: HashMap<&str, usize> = HashMap::new();
        for (place, line) in lines.iter().enumerate() {
            if let Some(uuid) = line.uuid.get() {
                by_uuid.entry(uuid).or_insert(place);
            }
        }
        let parent = |line: &Line<'_>| {
            let found = |uuid: &Str<'_>| by_uuid.get(uuid.get()?).copied();
            found(&line.parent_uuid).or_else(|| found(&line.logical_parent_uuid))
        };
        let parents: Vec<_> = lines.iter().map(parent).collect();
        let any = parents.iter().any(Option::is_some);
        Self { parents, any }
    }
}

/// The places among `main` that are on the active branch, in file order; compactions are among them.
pub(super) fn active(lines: &[Line<'_>], main: &[usize]) -> Vec<usize> {
    let tree = Tree::of(lines);
    let Some(&last) = main.last().filter(|_| tree.any) else { return main.to_vec() };
    let on_path = path(lines, main, &tree, last);
    if main.iter().all(|place| on_path[*place]) {
        return main.to_vec();
    }
    let mut kept = Kept { lines, tree: &tree, on_path, calls: HashSet::new() };
    main.iter().copied().filter(|place| kept.take(*place)).collect()
}

/// Whether each record lies on the path from `last` to the root.
fn path(lines: &[Line<'_>], main: &[usize], tree: &Tree, last: usize) -> Vec<bool> {
    let mut on_path = vec![false; lines.len()];
    let mut next = Some(last);
    while let Some(place) = next {
        if std::mem::replace(&mut on_path[place], true) {
            break;
        }
        next = tree.parents[place].or_else(|| before(&lines[place], main, place));
    }
    on_path
}

/// The record before one whose parent is not in the file; nothing before a root.
fn before(line: &Line<'_>, main: &[usize], place: usize) -> Option<usize> {
    let names_parent = line.parent_uuid.get().is_some() || line.logical_parent_uuid.get().is_some();
    if !names_parent && line.uuid.get().is_some() && line.kind() != Kind::Boundary {
        return None;
    }
    let at = main.partition_point(|other| *other < place);
    main.get(at.checked_sub(1)?).copied()
}

struct Kept<'l, 'a> {
    lines: &'l [Line<'a>],
    tree: &'l Tree,
    /// Grows by the lines that branch off for parallel calls.
    on_path: Vec<bool>,
    calls: HashSet<String>,
}

impl Kept<'_, '_> {
    /// Whether the record stays; records come in file order, so that what it hangs on was asked before.
    fn take(&mut self, place: usize) -> bool {
        let line = &self.lines[place];
        let stays = self.on_path[place]
            || match line.kind() {
                Kind::Assistant => self.continues_response(place),
                Kind::Boundary | Kind::Clearing => false,
                _ => tool_ids(line, "tool_result").any(|id| self.calls.contains(&id)),
            };
        self.on_path[place] = stays;
        if stays && line.kind() == Kind::Assistant {
            self.calls.extend(tool_ids(line, "tool_use"));
        }
        stays
    }

    /// Whether the nearest reply above is a line of the same response, and stays.
    fn continues_response(&self, place: usize) -> bool {
        let Some(id) = self.lines[place].message.id.get() else { return false };
        let mut above = self.tree.parents[place];
        for _ in 0..self.lines.len().min(STEPS) {
            let Some(parent) = above else { return false };
            let line = &self.lines[parent];
            if line.kind() == Kind::Assistant {
                return self.on_path[parent] && line.message.id.get() == Some(id);
            }
            above = self.tree.parents[parent];
        }
        false
    }
}

/// The ids of a line's calls or results.
fn tool_ids(line: &Line<'_>, kind: &'static str) -> impl Iterator<Item = String> {
    #[derive(Deserialize, Default)]
    #[serde(default)]
    struct Ids<'a> {
        #[serde(borrow, rename = "type")]
        kind: Str<'a>,
        #[serde(borrow)]
        id: Str<'a>,
        #[serde(borrow)]
        tool_use_id: Str<'a>,
    }
    let holds = |raw: &&RawValue| memmem::find(raw.get().as_bytes(), kind.as_bytes()).is_some();
    let pieces = match &line.message.content {
        Content::List(pieces) => pieces.as_slice(),
        _ => &[],
    };
    let blocks = pieces.iter().copied().filter(holds).filter_map(wire::object::<Ids<'_>>);
    let ids = blocks.filter(move |block| block.kind.word() == kind);
    let ids = ids.filter_map(|block| block.id.get().or(block.tool_use_id.get()).map(str::to_owned));
    ids.collect::<Vec<_>>().into_iter()
}

/// For each record of a sub-agent, the first record of its chain; for others, itself.
pub(super) fn side_roots(lines: &[Line<'_>]) -> Vec<usize> {
    let mut roots: Vec<usize> = (0..lines.len()).collect();
    if !lines.iter().any(|line| line.is_sidechain.0) {
        return roots;
    }
    let tree = Tree::of(lines);
    for place in 0..lines.len() {
        // A parent that comes later in the file is not followed, so there is no way round in circles.
        if let Some(parent) = tree.parents[place].filter(|parent| *parent < place && lines[*parent].is_sidechain.0) {
            roots[place] = roots[parent];
        }
    }
    roots
}
