//! Files touched: each path with the tools that were used on it.

use foldhash::HashMap;

use super::call::Call;

/// The most tools that are named for a path. A file sees a reader, an editor and a shell; more say nothing new.
const MAX_TOOLS: usize = 5;

/// Paths in the order in which they were last touched.
#[derive(Debug, Default)]
pub(super) struct Files {
    known: HashMap<String, Touched>,
    touches: usize,
}

#[derive(Debug, Default)]
struct Touched {
    /// The count of touches when it was last touched.
    last: usize,
    tools: Vec<String>,
}

impl Files {
    /// Reads an item of an earlier summary. What a foreign summary says of a file stays as it is.
    pub(super) fn add_item(&mut self, item: &str) {
        let (path, tools) = parts(item);
        self.touch(path, tools.split(", ").filter(|tool| !tool.is_empty()));
    }

    /// Adds what a call touched.
    pub(super) fn add_call(&mut self, call: &Call, failed: bool) {
        let tool = if failed { format!("{} failed", call.tool) } else { call.tool.clone() };
        for path in &call.paths {
            self.touch(path, [tool.as_str()]);
        }
    }

    fn touch<'a>(&mut self, path: &str, tools: impl IntoIterator<Item = &'a str>) {
        self.touches += 1;
        let touched = self.known.entry(path.to_owned()).or_default();
        touched.last = self.touches;
        for tool in tools {
            // A tool that succeeded once is no longer named as failed, and a failure after a success does not count.
            touched.tools.retain(|known| known.strip_suffix(" failed") != Some(tool));
            let succeeded =
                tool.strip_suffix(" failed").is_some_and(|tool| touched.tools.iter().any(|known| known == tool));
            if !succeeded && touched.tools.len() < MAX_TOOLS && !touched.tools.iter().any(|known| known == tool) {
                touched.tools.push(tool.to_owned());
            }
        }
    }

    /// The last of them as items: `src/a.rs (read_file, edit_file)`.
    pub(super) fn items(self, most: usize) -> Vec<String> {
        let mut known: Vec<(String, Touched)> = self.known.into_iter().collect();
        known.sort_unstable_by_key(|(_, touched)| touched.last);
        known.drain(..known.len().saturating_sub(most));
        let item = |(path, Touched { tools, .. })| {
            if tools.is_empty() { path } else { format!("{path} ({})", tools.join(", ")) }
        };
        known.into_iter().map(item).collect()
    }
}

/// The path of an item.
pub(super) fn path(item: &str) -> &str {
    parts(item).0
}

/// The path and the tools of an item.
fn parts(item: &str) -> (&str, &str) {
    item.strip_suffix(')').and_then(|item| item.rsplit_once(" (")).unwrap_or((item, ""))
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use trimtab_base::conversation::Arguments;

    use super::*;

    #[test]
    fn paths_are_in_the_order_of_their_last_use_with_their_tools() {
        let call = |tool: &str, path: &str| Call::read(tool, &Arguments::from(json!({ "path": path })));
        let mut files = Files::default();
        files.add_item("a (1).rs (read, edit failed)");
        files.add_item("b.rs: the parser");
        files.add_call(&call("read", "目录/c"), true);
        files.add_call(&call("edit", "a (1).rs"), false);
        files.add_call(&call("read", "a (1).rs"), true);
        assert_eq!(files.items(9), ["b.rs: the parser", "目录/c (read failed)", "a (1).rs (read, edit)"]);
    }

    #[test]
    fn the_newest_paths_are_kept() {
        let mut files = Files::default();
        for at in 0..9 {
            files.add_item(&format!("{at}"));
        }
        assert_eq!(files.items(2), ["7", "8"]);
    }
}
