//! The record tree of a session and its active branches.
//!
//! Records name their parents by UUID, also through records that are not conversation. The active branch is the path
//! from the last record of the main conversation up to the root. The records of parallel calls leave that path but
//! belong to it: further lines of a response on the path, and results of its calls. Where a link is missing (a
//! compaction whose parent is in another file, a parent that was never written), the path continues with the preceding
//! record in the file. A file without links is read in file order.
//!
//! A session may have several roots. A prompt without a parent begins a new root after the person or the harness has
//! cleared the context. Each root has an active branch of its own.

use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use serde::Deserialize;

use super::line::{Line, LineKind};
use crate::transcript::wire::{Content, Raw, Str};

/// The maximum number of ancestors searched for an earlier line of the same response. Hooks and progress records may
/// lie between the two.
const MAX_ANCESTORS: usize = 10_000;

/// The parent links between lines.
struct Tree {
    /// The index of each line's parent.
    parents: Vec<Option<usize>>,
    /// Whether the conversation is linked: at least a quarter of its lines name a parent in the file.
    is_linked: bool,
}

impl Tree {
    fn of(lines: &[Line<'_>], main: &[usize]) -> Self {
        let by_uuid = by_uuid(lines);
        let parent = |line: &Line<'_>| {
            let find = |uuid: &Str<'_>| by_uuid.get(uuid.get()?).copied();
            find(&line.parent_uuid).or_else(|| find(&line.logical_parent_uuid))
        };
        let parents: Vec<_> = lines.iter().map(parent).collect();
        let linked = main.iter().filter(|index| parents[**index].is_some()).count();
        Self { parents, is_linked: linked > 0 && linked * 4 >= main.len() }
    }
}

/// The first line with each UUID.
fn by_uuid<'l>(lines: &'l [Line<'_>]) -> HashMap<&'l str, usize> {
    let mut by_uuid = HashMap::with_capacity(lines.len());
    for (index, line) in lines.iter().enumerate() {
        if let Some(uuid) = line.uuid.get() {
            by_uuid.entry(uuid).or_insert(index);
        }
    }
    by_uuid
}

/// Returns the lines among `main` on the active branch of each root, in file order, including harness edits and
/// attachments.
pub(super) fn active_branches(lines: &[Line<'_>], main: &[usize]) -> Vec<Vec<usize>> {
    let is_attachment = |index: &usize| lines[*index].kind() == LineKind::Attachment;
    // Attachments neither begin roots nor end branches.
    let (attachments, main): (Vec<usize>, Vec<usize>) = main.iter().partition(|index| is_attachment(index));
    let mut tree = Tree::of(lines, &main);
    if !tree.is_linked {
        let mut all = [main, attachments].concat();
        all.sort_unstable();
        return vec![all];
    }
    let mut roots = group_by_root(lines, &main, &mut tree);
    let mut is_active = vec![false; lines.len()];
    for root in &roots {
        mark_path(&tree, root.last().copied(), &mut is_active);
    }
    if !main.iter().all(|index| is_active[*index]) {
        let mut filter = BranchFilter { lines, tree: &tree, is_active, calls: HashSet::new(), kept_previous: true };
        for root in &mut roots {
            root.retain(|index| filter.keeps(*index));
        }
        is_active = filter.is_active;
    }
    add_attachments(&tree, &attachments, &is_active, &mut roots);
    roots
}

/// Adds the attachments of active branches to the roots: those on a path, and those that nothing follows.
fn add_attachments(tree: &Tree, attachments: &[usize], is_active: &[bool], roots: &mut [Vec<usize>]) {
    if attachments.is_empty() {
        return;
    }
    let mut has_child = vec![false; is_active.len()];
    tree.parents.iter().flatten().for_each(|parent| has_child[*parent] = true);
    let mut root_of: HashMap<usize, usize> = HashMap::new();
    for (at, root) in roots.iter().enumerate() {
        root_of.extend(root.iter().map(|index| (*index, at)));
    }
    for &index in attachments {
        let parent = tree.parents[index];
        let is_last = !has_child[index] && parent.is_none_or(|parent| is_active[parent]);
        if !is_active[index] && !is_last {
            continue;
        }
        // The root of the nearest known ancestor, or that of the line that follows.
        let known = parent.and_then(|parent| root_of.get(&parent)).copied();
        let following = || roots.iter().position(|root| root.last().is_some_and(|last| *last > index));
        let Some(at) = known.or_else(following).or(roots.len().checked_sub(1)) else { return };
        root_of.insert(index, at);
        roots[at].push(index);
    }
    for root in roots {
        root.sort_unstable();
    }
}

/// Groups the lines of the conversation by root, each group in file order. A line whose chain of ancestors ends without
/// beginning a root is linked to the preceding line of the conversation.
fn group_by_root(lines: &[Line<'_>], main: &[usize], tree: &mut Tree) -> Vec<Vec<usize>> {
    let mut root_by_top: HashMap<usize, usize> = HashMap::new();
    // For the top of a chain that was linked to another line, the top of that line's chain.
    let mut linked_tops: HashMap<usize, usize> = HashMap::new();
    let mut roots: Vec<Vec<usize>> = Vec::new();
    let mut known_tops: Vec<Option<usize>> = vec![None; lines.len()];
    let mut previous: Option<(usize, usize)> = None;
    for &index in main {
        if let (Some((previous, _)), None, None) = (previous, lines[index].uuid.get(), tree.parents[index]) {
            tree.parents[index] = Some(previous);
        }
        let chain_top = find_top(tree, index, &mut known_tops);
        let mut top = linked_tops.get(&chain_top).copied().unwrap_or(chain_top);
        if let Some((previous, previous_top)) = previous.filter(|_| !root_by_top.contains_key(&top))
            && !begins_root(&lines[top], &lines[index])
        {
            tree.parents[top] = Some(previous);
            linked_tops.insert(top, previous_top);
            top = previous_top;
        }
        let root = *root_by_top.entry(top).or_insert_with(|| {
            roots.push(Vec::new());
            roots.len() - 1
        });
        roots[root].push(index);
        previous = Some((index, top));
    }
    roots
}

/// Returns whether the line at the top of a chain begins a root: it names no parent, and the first line of the
/// conversation in the chain is a prompt.
fn begins_root(top: &Line<'_>, first: &Line<'_>) -> bool {
    let names_parent = top.parent_uuid.get().is_some() || top.logical_parent_uuid.get().is_some();
    let is_prompt = first.kind() == LineKind::User && tool_ids(first, "tool_result").next().is_none();
    !names_parent && top.kind() != LineKind::Compaction && is_prompt
}

/// Returns the topmost ancestor of a line, and stores it in `known_tops` for all lines on the way.
fn find_top(tree: &Tree, index: usize, known_tops: &mut [Option<usize>]) -> usize {
    let (mut path, mut current) = (Vec::new(), index);
    let top = loop {
        if let Some(top) = known_tops[current] {
            break top;
        }
        path.push(current);
        // Marking the line ends the loop if the links form a cycle.
        known_tops[current] = Some(current);
        match tree.parents[current] {
            Some(parent) => current = parent,
            None => break current,
        }
    };
    for index in path {
        known_tops[index] = Some(top);
    }
    top
}

/// Marks the lines from `last` up to its root as active.
fn mark_path(tree: &Tree, last: Option<usize>, is_active: &mut [bool]) {
    let mut next = last;
    while let Some(index) = next {
        if std::mem::replace(&mut is_active[index], true) {
            break;
        }
        next = tree.parents[index];
    }
}

/// Decides line by line, in file order, which ones belong to an active branch.
struct BranchFilter<'l, 'a> {
    lines: &'l [Line<'a>],
    tree: &'l Tree,
    /// Whether each line is active: on a marked path, or kept as part of a parallel call.
    is_active: Vec<bool>,
    /// The ids of the calls that were kept.
    calls: HashSet<String>,
    /// Whether the preceding line was kept.
    kept_previous: bool,
}

impl BranchFilter<'_, '_> {
    /// Returns whether the line belongs to an active branch. Its ancestors were decided before it.
    fn keeps(&mut self, index: usize) -> bool {
        let line = &self.lines[index];
        let keeps = self.is_active[index]
            || match line.kind() {
                LineKind::Assistant => self.continues_response(index),
                LineKind::Compaction | LineKind::Clearing => false,
                // A prompt from the queue has no links.
                LineKind::QueuedPrompt if line.uuid.get().is_none() => self.kept_previous,
                _ => tool_ids(line, "tool_result").any(|id| self.calls.contains(&id)),
            };
        (self.is_active[index], self.kept_previous) = (keeps, keeps);
        if keeps && line.kind() == LineKind::Assistant {
            self.calls.extend(tool_ids(line, "tool_use"));
        }
        keeps
    }

    /// Returns whether the nearest reply among the ancestors is an active line of the same response.
    fn continues_response(&self, index: usize) -> bool {
        let Some(id) = self.lines[index].message.id.get() else { return false };
        let mut ancestor = self.tree.parents[index];
        for _ in 0..self.lines.len().min(MAX_ANCESTORS) {
            let Some(parent) = ancestor else { return false };
            let line = &self.lines[parent];
            if line.kind() == LineKind::Assistant {
                return self.is_active[parent] && line.message.id.get() == Some(id);
            }
            ancestor = self.tree.parents[parent];
        }
        false
    }
}

/// The ids of the calls (`tool_use`) or results (`tool_result`) on a line.
fn tool_ids(line: &Line<'_>, kind: &'static str) -> impl Iterator<Item = String> {
    #[derive(Deserialize, Default)]
    #[serde(default)]
    struct Ids<'a> {
        #[serde(borrow, rename = "type")]
        kind: Str<'a>,
        id: Str<'a>,
        tool_use_id: Str<'a>,
    }
    let mentions_kind = |raw: &Raw<'_>| raw.mentions(kind);
    let pieces = match &line.message.content {
        Content::List(pieces) => pieces.as_slice(),
        _ => &[],
    };
    let blocks = pieces.iter().copied().filter(mentions_kind).filter_map(Raw::object::<Ids<'_>>);
    let ids = blocks.filter(move |block| block.kind.as_str() == kind);
    let ids = ids.filter_map(|block| block.id.get().or(block.tool_use_id.get()).map(str::to_owned));
    ids.collect::<Vec<_>>().into_iter()
}

/// Returns for each line whether its context begins with a record of another file.
pub(super) fn begin_in_another_file(lines: &[Line<'_>]) -> Vec<bool> {
    let by_uuid = by_uuid(lines);
    let mut known: Vec<Option<bool>> = vec![None; lines.len()];
    let mut path = Vec::new();
    for index in 0..lines.len() {
        let mut current = index;
        let begins_elsewhere = loop {
            if let Some(known) = known[current] {
                break known;
            }
            path.push(current);
            // Marking the line ends the loop if the links form a cycle.
            known[current] = Some(false);
            let line = &lines[current];
            // A compaction begins the context anew.
            let parent = line.parent_uuid.get().filter(|id| !id.is_empty() && line.kind() != LineKind::Compaction);
            match parent.map(|parent| by_uuid.get(parent)) {
                Some(Some(parent)) => current = *parent,
                Some(None) => break true,
                None => break false,
            }
        };
        path.drain(..).for_each(|index| known[index] = Some(begins_elsewhere));
    }
    known.into_iter().map(|known| known == Some(true)).collect()
}

/// Returns for each line of a sub-agent the first line of its chain, and every other line itself.
pub(super) fn sub_agent_roots(lines: &[Line<'_>]) -> Vec<usize> {
    let mut roots: Vec<usize> = (0..lines.len()).collect();
    if !lines.iter().any(|line| line.is_sidechain.0) {
        return roots;
    }
    let tree = Tree::of(lines, &[]);
    for index in 0..lines.len() {
        // Following only parents that precede the line in the file rules out cycles.
        if let Some(parent) = tree.parents[index].filter(|parent| *parent < index && lines[*parent].is_sidechain.0) {
            roots[index] = roots[parent];
        }
    }
    roots
}
