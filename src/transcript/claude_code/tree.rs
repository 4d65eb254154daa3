//! The tree of a session: which of its records lead to the last one.
//!
//! Records name their parents by uuid, also through records that are not conversation. The active branch is the
//! path from the last record of the main conversation up to the root. Parallel calls branch off that path without
//! being another branch: lines of a response on the path, and results of calls that were kept, stay. Where a link
//! is missing (a compaction whose parent is in another file, a parent that was never written) the path goes on
//! with the record before it in the file. A file without links is taken in file order.
//!
//! A session may have several roots: a prompt without a parent begins one, after the person or the harness has cleared the
//! context. Each root has an active branch of its own.

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
    /// Whether the records are linked: at least a quarter of them name a parent that is in the file.
    linked: bool,
}

impl Tree {
    fn of(lines: &[Line<'_>], places: &[usize]) -> Self {
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
        let linked = places.iter().filter(|place| parents[**place].is_some()).count();
        Self { parents, linked: linked > 0 && linked * 4 >= places.len() }
    }
}

/// The places among `main` that are on the active branch of each root, in file order; compactions are among them.
pub(super) fn active(lines: &[Line<'_>], main: &[usize]) -> Vec<Vec<usize>> {
    let mut tree = Tree::of(lines, main);
    if !tree.linked {
        return vec![main.to_vec()];
    }
    let roots = roots(lines, main, &mut tree);
    let mut on_path = vec![false; lines.len()];
    for root in &roots {
        follow(&tree, root.last().copied(), &mut on_path);
    }
    if main.iter().all(|place| on_path[*place]) {
        return roots;
    }
    let mut kept = Kept { lines, tree: &tree, on_path, calls: HashSet::new(), before: true };
    roots.into_iter().map(|root| root.into_iter().filter(|place| kept.take(*place)).collect()).collect()
}

/// The records of the conversation by root, each in file order. Records that hang on nothing and begin with no prompt
/// belong to the record before them in the file; the tree links them then.
fn roots(lines: &[Line<'_>], main: &[usize], tree: &mut Tree) -> Vec<Vec<usize>> {
    // The roots by their topmost record, and what the others at the top of a chain hang on.
    let (mut of_top, mut linked): (HashMap<usize, usize>, HashMap<usize, usize>) = (HashMap::new(), HashMap::new());
    let mut roots: Vec<Vec<usize>> = Vec::new();
    let mut top_of: Vec<Option<usize>> = vec![None; lines.len()];
    let mut before: Option<(usize, usize)> = None;
    for &place in main {
        if let (Some((before, _)), None, None) = (before, lines[place].uuid.get(), tree.parents[place]) {
            tree.parents[place] = Some(before);
        }
        let found = top(tree, place, &mut top_of);
        let mut top = linked.get(&found).copied().unwrap_or(found);
        if let Some((before, its_top)) = before.filter(|_| !of_top.contains_key(&top))
            && !begins_root(&lines[top], &lines[place])
        {
            tree.parents[top] = Some(before);
            linked.insert(top, its_top);
            top = its_top;
        }
        let root = *of_top.entry(top).or_insert_with(|| {
            roots.push(Vec::new());
            roots.len() - 1
        });
        roots[root].push(place);
        before = Some((place, top));
    }
    roots
}

/// Whether a record without a parent in the file begins a root: it names none, and the first that is said is a prompt.
fn begins_root(top: &Line<'_>, first: &Line<'_>) -> bool {
    let names_parent = top.parent_uuid.get().is_some() || top.logical_parent_uuid.get().is_some();
    let is_prompt = first.kind() == Kind::User && tool_ids(first, "tool_result").next().is_none();
    !names_parent && top.kind() != Kind::Boundary && is_prompt
}

/// The record at the top of the chain that a record hangs on. What was found is noted for the records on the way.
fn top(tree: &Tree, place: usize, top_of: &mut [Option<usize>]) -> usize {
    let (mut way, mut at) = (Vec::new(), place);
    let top = loop {
        if let Some(top) = top_of[at] {
            break top;
        }
        way.push(at);
        // A circle ends where it is met again.
        top_of[at] = Some(at);
        match tree.parents[at] {
            Some(parent) => at = parent,
            None => break at,
        }
    };
    for at in way {
        top_of[at] = Some(top);
    }
    top
}

/// Marks the records from `last` up to its root.
fn follow(tree: &Tree, last: Option<usize>, on_path: &mut [bool]) {
    let mut next = last;
    while let Some(place) = next {
        if std::mem::replace(&mut on_path[place], true) {
            break;
        }
        next = tree.parents[place];
    }
}

struct Kept<'l, 'a> {
    lines: &'l [Line<'a>],
    tree: &'l Tree,
    /// Grows by the lines that branch off for parallel calls.
    on_path: Vec<bool>,
    calls: HashSet<String>,
    /// Whether the record before stayed.
    before: bool,
}

impl Kept<'_, '_> {
    /// Whether the record stays; records come in file order, so that what it hangs on was asked before.
    fn take(&mut self, place: usize) -> bool {
        let line = &self.lines[place];
        let stays = self.on_path[place]
            || match line.kind() {
                Kind::Assistant => self.continues_response(place),
                Kind::Boundary | Kind::Clearing => false,
                // A prompt from the queue has no links.
                Kind::Queued if line.uuid.get().is_none() => self.before,
                _ => tool_ids(line, "tool_result").any(|id| self.calls.contains(&id)),
            };
        (self.on_path[place], self.before) = (stays, stays);
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
    let tree = Tree::of(lines, &[]);
    for place in 0..lines.len() {
        // A parent that comes later in the file is not followed, so there is no way round in circles.
        if let Some(parent) = tree.parents[place].filter(|parent| *parent < place && lines[*parent].is_sidechain.0) {
            roots[place] = roots[parent];
        }
    }
    roots
}
