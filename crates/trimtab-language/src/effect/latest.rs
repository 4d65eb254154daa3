//! `keep_latest`: the newest result of each of some tools, which effects leave as it is.
//!
//! A cache follows the results of each tool, so that a rule that is due at every call of a long session examines each
//! message once.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use foldhash::HashMap;
use smol_str::SmolStr;
use trimtab_base::conversation::{Body, Conversation, Mark, any_matches};

use super::label::Handle;
use super::reduction::{self, tools};
use super::{Arguments, Label, LabelRole, Shape, TargetKind};

pub(super) static KEEP_LATEST: Handle<Option<Vec<SmolStr>>> = Handle {
    label: Label {
        role: Some(LabelRole::KeepLatest),
        inert: reduction::no_tool,
        ..Label::new(
            "keep_latest",
            Shape::Tools,
            "Tools whose newest result without an error stays as it is, with its call: the last list of tasks, the last plan.",
        )
    },
    read: tools,
};

/// The tools, or patterns of tools, whose newest result stays. A pattern keeps one result of each matching tool.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct LatestTools(Arc<[SmolStr]>);

impl LatestTools {
    pub(super) fn new(arguments: &Arguments) -> Option<Arc<Self>> {
        let has_tools = !arguments.target_kind().is_some_and(TargetKind::has_no_tool);
        KEEP_LATEST.get(arguments).filter(|_| has_tools).map(|names| Arc::new(Self(names.into())))
    }

    /// Their names.
    pub(super) const fn names(&self) -> &Arc<[SmolStr]> {
        &self.0
    }
}

#[cfg(test)]
impl LatestTools {
    pub(super) fn named(names: &[&str]) -> Arc<Self> {
        Arc::new(Self(names.iter().map(|name| SmolStr::new(*name)).collect()))
    }
}

/// The results that stay.
#[derive(Clone, Debug, Default)]
pub(super) struct LatestResults {
    /// Their indices, in order.
    results: Vec<usize>,
    /// The calls that they answer: the index of the reply, and the id.
    calls: Vec<(usize, SmolStr)>,
}

impl LatestResults {
    fn of(conversation: &Conversation, results: Vec<usize>) -> Self {
        let call = |at: &usize| {
            let result = conversation.entries()[*at].message().results().next()?;
            Some((conversation.group_start(*at)?, result.id.clone()))
        };
        let calls = results.iter().filter_map(call).collect();
        Self { results, calls }
    }

    /// Whether a part of the message at an index is one of them, or the call of one.
    pub(super) fn contains(&self, at: usize, body: &Body) -> bool {
        match body {
            Body::ToolResult(_) => self.has(at),
            Body::ToolCall { id, .. } => self.calls.iter().any(|(reply, call)| *reply == at && call == id),
            _ => false,
        }
    }

    /// The indices of their messages and those of their calls, each once.
    pub(super) fn messages(&self) -> impl Iterator<Item = usize> {
        let mut all: Vec<usize> = self.results.iter().copied().chain(self.calls.iter().map(|(at, _)| *at)).collect();
        all.sort_unstable();
        all.dedup();
        all.into_iter()
    }

    /// Whether the message at an index has one of them.
    pub(super) fn has(&self, at: usize) -> bool {
        self.results.binary_search(&at).is_ok()
    }
}

/// The results of the tools whose newest result stays. A cache, which changes no result.
#[derive(Debug, Default)]
pub struct LatestCache(Mutex<HashMap<Arc<LatestTools>, Results>>);

impl Clone for LatestCache {
    /// A copy starts empty: it belongs to another session.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl LatestCache {
    /// The indices of the newest results, in order.
    pub(super) fn newest(&self, tools: &Arc<LatestTools>, conversation: &Conversation) -> Vec<usize> {
        self.with(tools, conversation, |results| {
            let mut newest: Vec<usize> = results.by_tool.values().filter_map(|all| all.last().copied()).collect();
            newest.sort_unstable();
            newest
        })
    }

    pub(super) fn newest_results(&self, tools: &Arc<LatestTools>, conversation: &Conversation) -> LatestResults {
        LatestResults::of(conversation, self.newest(tools, conversation))
    }

    /// The indices of the messages before `from` that an earlier search skipped and that a search must examine now:
    /// they had the newest results, or the calls of these, when the conversation had `seen` messages, and no longer do.
    pub(super) fn released(
        &self,
        tools: &Arc<LatestTools>,
        conversation: &Conversation,
        (from, seen): (usize, usize),
    ) -> Vec<usize> {
        let mut released = self.with(tools, conversation, |results| {
            let old = results.by_tool.values().flat_map(|all| {
                let seen_results = all.partition_point(|at| *at < seen);
                all[seen_results.saturating_sub(1)..].split_last().map_or(&[][..], |(_, old)| old).iter().copied()
            });
            old.collect::<Vec<usize>>()
        });
        let calls: Vec<usize> = released.iter().filter_map(|at| conversation.group_start(*at)).collect();
        released.extend(calls);
        released.retain(|at| *at < from);
        released.sort_unstable();
        released.dedup();
        released
    }

    fn with<T>(&self, tools: &Arc<LatestTools>, conversation: &Conversation, read: impl Fn(&Results) -> T) -> T {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let results = all.entry(Arc::clone(tools)).or_default();
        results.follow(tools, conversation);
        read(results)
    }
}

/// The indices of the results of each tool that are no errors, in order.
#[derive(Debug, Default)]
struct Results {
    mark: Option<Mark>,
    /// The number of messages that have been searched.
    searched: usize,
    by_tool: BTreeMap<SmolStr, Vec<usize>>,
}

impl Results {
    /// Follows the changes of the conversation. A result still belongs to its tool after its content is reduced.
    fn follow(&mut self, tools: &LatestTools, conversation: &Conversation) {
        let unmoved = self.mark.as_ref().map_or(0, |mark| conversation.unmoved_since(mark)).min(self.searched);
        for all in self.by_tool.values_mut() {
            all.truncate(all.partition_point(|at| *at < unmoved));
        }
        for (at, entry) in conversation.entries().iter().enumerate().skip(unmoved) {
            let Some(tool) = entry.tool() else { continue };
            let succeeded = entry.message().results().any(|result| !result.is_error);
            if succeeded && any_matches(tools.0.iter().map(SmolStr::as_str), tool) {
                self.by_tool.entry(tool.clone()).or_default().push(at);
            }
        }
        self.searched = conversation.entries().len();
        self.mark = Some(conversation.mark());
    }
}

#[cfg(test)]
mod tests {
    use trimtab_base::conversation::{Arguments, Bytes, Edit, Message, Part, Role};

    use super::*;

    /// A call of a tool, and its result.
    fn call(conversation: &mut Conversation, tool: &str, is_error: bool) {
        let id = format!("c{}", conversation.entries().len());
        let call = Part::call(id.as_str(), tool, Arguments::Text("{}".into()));
        conversation.push(Message::new(Role::Assistant, vec![call]), &Bytes);
        conversation.push(Message::new(Role::Tool, vec![Part::result(id.as_str(), "x", is_error)]), &Bytes);
    }

    #[test]
    fn the_newest_result_of_each_tool_stays_until_a_newer_one_succeeds() {
        let (mut conversation, cache) = (Conversation::default(), LatestCache::default());
        let tools = LatestTools::named(&["todo", "plan_*"]);
        conversation.push(Message::text(Role::User, "go"), &Bytes);
        for (tool, is_error) in [("todo", false), ("plan_a", false), ("plan_b", false), ("bash", false), ("todo", true)]
        {
            call(&mut conversation, tool, is_error);
        }
        assert_eq!(cache.newest(&tools, &conversation), [2, 4, 6]);
        let seen = conversation.entries().len();
        let released = |conversation: &Conversation| cache.released(&tools, conversation, (9, seen));
        assert_eq!(released(&conversation), [0; 0]);
        call(&mut conversation, "todo", false);
        assert_eq!((cache.newest(&tools, &conversation), released(&conversation)), (vec![4, 6, 12], vec![1, 2]));
        let latest = cache.newest_results(&tools, &conversation);
        let contains = |at: usize| latest.contains(at, &conversation.entries()[at].message().parts[0].body);
        assert_eq!((1..13).filter(|at| contains(*at)).collect::<Vec<_>>(), [3, 4, 5, 6, 11, 12]);
        let removed = [11, 12].map(|at| conversation.entries()[at].id()).to_vec();
        assert_eq!(conversation.apply(vec![Edit::Remove { messages: removed }], &Bytes).len(), 1);
        assert_eq!(cache.newest(&tools, &conversation), [2, 4, 6]);
        conversation.reset();
        assert_eq!(cache.newest(&tools, &conversation), [0; 0]);
    }
}
