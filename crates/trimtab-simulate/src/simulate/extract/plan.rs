//! Lists of tasks with their status, as tools for planning and Markdown write them.

use serde_json::{Map, Value as Json};

use super::quote::{first_line, lines};

/// The most tasks that are read. Longer lists are data.
const MAX_TASKS: usize = 100;
/// The longest task in characters.
const MAX_TASK: usize = 200;
/// How deep a list is searched in the arguments of a call.
const MAX_DEPTH: usize = 3;

/// Keys of a task's text and of its status.
const TEXT_KEYS: &[&str] = &["content", "step", "title", "task", "text", "description", "name", "subject"];
const STATUS_KEYS: &[&str] = &["status", "state", "done", "completed"];
/// Values of a status that say that a task is finished, and that nothing is left to do.
const DONE: &[&str] = &["completed", "complete", "done", "finished", "closed", "cancelled", "canceled", "skipped"];

/// The marks of tasks in Markdown, which also stand in summaries.
pub(super) const OPEN_MARK: &str = "[ ] ";
pub(super) const DONE_MARK: &str = "[x] ";

/// A list of tasks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Plan {
    /// With their marks.
    pub done: Vec<String>,
    pub open: Vec<String>,
}

impl Plan {
    /// The list that a call sets: a list of objects that all have a text and a status, or a text with check boxes. The
    /// check boxes of a call that names a file are the content of the file.
    pub(super) fn in_call(arguments: &Json, names_file: bool) -> Option<Self> {
        Self::in_value(arguments, names_file, MAX_DEPTH)
    }

    fn in_value(value: &Json, names_file: bool, depth: usize) -> Option<Self> {
        match value {
            Json::Array(items) => Self::in_list(items),
            Json::Object(fields) if depth > 0 => {
                fields.values().find_map(|value| Self::in_value(value, names_file, depth - 1))
            }
            Json::String(text) if !names_file => Self::in_text(text),
            _ => None,
        }
    }

    fn in_list(items: &[Json]) -> Option<Self> {
        let mut plan = Self::default();
        if items.is_empty() || items.len() > MAX_TASKS {
            return None;
        }
        for item in items {
            let fields = item.as_object()?;
            let text = TEXT_KEYS.iter().find_map(|key| fields.get(*key)?.as_str())?;
            plan.add(is_done(fields)?, text);
        }
        Some(plan)
    }

    /// The check boxes of a text in Markdown, if there are any.
    pub(super) fn in_text(text: &str) -> Option<Self> {
        let mut plan = Self::default();
        if !text.contains("[ ]") && !text.contains("[x]") && !text.contains("[X]") {
            return None;
        }
        for line in lines(text) {
            if plan.len() == MAX_TASKS {
                break;
            }
            let item = line.trim_start();
            let Some(item) = ["- ", "* ", "+ "].iter().find_map(|mark| item.strip_prefix(mark)) else { continue };
            if let Some(task) = item.strip_prefix(OPEN_MARK) {
                plan.add(false, task);
            } else if let Some(task) = item.strip_prefix(DONE_MARK).or_else(|| item.strip_prefix("[X] ")) {
                plan.add(true, task);
            }
        }
        (plan.len() > 0).then_some(plan)
    }

    const fn len(&self) -> usize {
        self.done.len() + self.open.len()
    }

    fn add(&mut self, is_done: bool, text: &str) {
        let text = first_line(text, MAX_TASK);
        let (list, mark) = if is_done { (&mut self.done, DONE_MARK) } else { (&mut self.open, OPEN_MARK) };
        if !text.is_empty() {
            list.push(format!("{mark}{text}"));
        }
    }
}

/// Returns whether a task is finished, or `None` if it has no status.
fn is_done(fields: &Map<String, Json>) -> Option<bool> {
    STATUS_KEYS.iter().find_map(|key| match fields.get(*key)? {
        Json::Bool(done) => Some(*done),
        Json::String(status) => Some(DONE.iter().any(|done| status.eq_ignore_ascii_case(done))),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn plan(done: &[&str], open: &[&str]) -> Plan {
        let owned = |tasks: &[&str]| tasks.iter().map(|&task| task.to_owned()).collect();
        Plan { done: owned(done), open: owned(open) }
    }

    #[test]
    fn lists_of_planning_tools_are_read() {
        let call =
            json!({"todos": [{"content": "读", "status": "completed"}, {"content": "写\n2", "status": "pending"}]});
        assert_eq!(Plan::in_call(&call, false), Some(plan(&["[x] 读"], &["[ ] 写…"])));
        let call = json!({"why": "x", "plan": [{"step": "a", "done": true}, {"step": "b", "done": false}]});
        assert_eq!(Plan::in_call(&call, true), Some(plan(&["[x] a"], &["[ ] b"])));
        for call in [json!({"edits": [{"title": "a"}]}), json!({"ids": [1]}), json!({"todos": []}), json!("a")] {
            assert_eq!(Plan::in_call(&call, false), None, "{call}");
        }
    }

    #[test]
    fn check_boxes_are_read_unless_they_are_the_content_of_a_file() {
        let text = "Plan:\n- [x] one\n  * [ ] two\n- [ ]\n[ ] three\n";
        assert_eq!(Plan::in_text(text), Some(plan(&["[x] one"], &["[ ] two"])));
        assert_eq!(Plan::in_call(&json!({ "progress": text }), false), Plan::in_text(text));
        assert_eq!(Plan::in_call(&json!({ "progress": text }), true), None);
        assert_eq!(Plan::in_text("a[x] = b [ ]"), None);
    }
}
