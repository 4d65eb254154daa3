//! The playbook of the second interpreter: what is learned at the end of an iteration, and its text in a request.

use super::message::Message;

/// A strategy.
#[derive(Clone, Debug)]
struct Strategy {
    id: String,
    title: &'static str,
    content: &'static str,
    helpful: u64,
    harmful: u64,
    neutral: u64,
}

impl Strategy {
    /// Helpful minus harmful uses, and all uses; their quotient is the effectiveness.
    fn score(&self) -> (i128, i128) {
        let all = self.helpful + self.harmful + self.neutral;
        (i128::from(self.helpful) - i128::from(self.harmful), i128::from(all.max(1)))
    }
}

/// The strategies that calls of the generated tools can teach: category, content, and the tools of the calls that teach it.
type Pattern = (&'static str, &'static str, fn(tools: &[&str], failed: bool) -> bool);

const PATTERNS: [Pattern; 6] = [
    ("File Operations", "Read a file before changing it, so that the change fits what is there.", |tools, _| {
        tools.iter().position(|tool| *tool == READ).is_some_and(|at| tools[at..].contains(&WRITE))
    }),
    ("Code Navigation", "Read all files that belong to a question before answering it.", |tools, _| {
        count(tools, READ) > 2
    }),
    ("Code Navigation", "Search for a name first, then read only the files that contain it.", |tools, _| {
        tools.iter().position(|tool| *tool == SEARCH).is_some_and(|at| tools[at..].contains(&READ))
    }),
    (
        "Code Navigation",
        "Search for several spellings of a name before concluding that it does not occur.",
        |tools, _| count(tools, SEARCH) > 1,
    ),
    (
        "Error Handling",
        "When a file cannot be read, list its directory and check the path before trying again.",
        |tools, failed| failed && tools.contains(&READ),
    ),
    ("Error Handling", "When a command fails, read its whole output before running it again.", |tools, failed| {
        failed && tools.contains(&COMMAND)
    }),
];

const READ: &str = "read_file";
/// Its generated calls name a file.
const WRITE: &str = "write_note";
const SEARCH: &str = "mcp__web__search";
const COMMAND: &str = "bash";

fn count(tools: &[&str], tool: &str) -> usize {
    tools.iter().filter(|one| **one == tool).count()
}

/// The strategies in the order in which they were learned.
#[derive(Clone, Debug, Default)]
pub(super) struct Playbook {
    strategies: Vec<Strategy>,
    learned: u64,
}

impl Playbook {
    pub(super) fn size(&self) -> u64 {
        self.strategies.len() as u64
    }

    /// Learns from a reply and the results that arrived for it.
    pub(super) fn learn(&mut self, reply: &Message, results: &[Message]) {
        let calls: Vec<(&str, &str)> = reply.calls().map(|(id, tool, _)| (id, tool)).collect();
        let mut left: Vec<_> = results.iter().filter_map(Message::answer).collect();
        let mut answered = Vec::new();
        for (id, _) in &calls {
            let found = left.iter().position(|result| result.id == *id || result.id.is_empty());
            answered.extend(found.map(|at| left.remove(at).is_error));
        }
        let failed = answered.contains(&true);
        let text: String = reply.texts().collect();
        for strategy in self.strategies.iter_mut().filter(|strategy| cites(&text, &strategy.id)) {
            match (failed, !calls.is_empty() && answered.len() == calls.len()) {
                (true, _) => strategy.harmful += 1,
                (false, true) => strategy.helpful += 1,
                (false, false) => strategy.neutral += 1,
            }
        }
        if let Some((title, content)) = pattern(&calls, failed)
            && !self.strategies.iter().any(|strategy| strategy.content == content)
        {
            let id = format!("{}-{:05}", title[..3].to_lowercase(), self.learned);
            self.learned += 1;
            self.strategies.push(Strategy { id, title, content, helpful: 0, harmful: 0, neutral: 0 });
        }
        self.strategies.retain(|strategy| {
            let (score, uses) = strategy.score();
            strategy.helpful + strategy.harmful < 3 || score * 10 >= -3 * uses
        });
    }

    /// The text of the best strategies; none if there are none.
    pub(super) fn text(&self, at_most: usize) -> Option<String> {
        let mut best: Vec<&Strategy> = self.strategies.iter().collect();
        best.sort_by(|a, b| {
            let ((a_score, a_uses), (b_score, b_uses)) = (a.score(), b.score());
            (b_score * a_uses).cmp(&(a_score * b_uses)).then(b.helpful.cmp(&a.helpful))
        });
        best.truncate(at_most);
        best.sort_by_key(|strategy| strategy.title);
        let (mut text, mut title) = ("\n## Learned Strategies\n".to_owned(), "");
        for strategy in &best {
            if strategy.title != title {
                title = strategy.title;
                text += &format!("\n### {title}\n");
            }
            let Strategy { id, content, helpful, harmful, .. } = strategy;
            text += &format!("- [{id}] {content} (helpful={helpful}, harmful={harmful})\n");
        }
        (!best.is_empty()).then_some(text)
    }
}

/// Whether a text contains an id that no letter, digit, `-` or `_` continues.
fn cites(text: &str, id: &str) -> bool {
    text.match_indices(id).any(|(at, _)| {
        let continues =
            |char: Option<char>| char.is_some_and(|char| char.is_alphanumeric() || char == '-' || char == '_');
        !continues(text[..at].chars().next_back()) && !continues(text[at + id.len()..].chars().next())
    })
}

/// The first pattern that calls match. One call alone counts only if it failed and is not a read.
fn pattern(calls: &[(&str, &str)], failed: bool) -> Option<(&'static str, &'static str)> {
    let tools: Vec<&str> = calls.iter().map(|(_, tool)| *tool).collect();
    if tools.len() < 2 && (tools == [READ] || !failed) {
        return None;
    }
    let found = PATTERNS.iter().find(|(_, _, matches)| matches(&tools, failed));
    found.map(|(title, content, _)| (*title, *content))
}
