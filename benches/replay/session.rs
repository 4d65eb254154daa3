//! Generated sessions of any length, the same each time: a coding agent that reads, greps, runs and edits.
//!
//! In: a number of model calls. Out: a recording in one of two formats.

use serde_json::{Value as Json, json};

/// Lines of tool results; `#` becomes a number.
const LINES: &[&str] = &[
    "    let found = rows.iter().filter(|row| row.id == #).collect::<Vec<_>>();",
    "src/store/table_#.rs:#: pub fn insert(&mut self, key: Key, value: Value) -> Result<(), Error> {",
    "2026-05-04T10:#:#Z INFO worker-# request id=# took #ms status=200 path=/api/v2/items",
    "  {\"id\": #, \"name\": \"item #\", \"tags\": [\"new\", \"sale\"], \"price\": #.95},",
    "The harbour office keeps the figures of the last # weeks in the annex, which nobody has read so far.",
    "test store::tests::a_row_of_#_columns_is_kept ... ok",
    "\tif (node->next != NULL && node->weight > #) { continue; }",
    "Größe: # Stück, geprüft am #. Mai – „ohne Mängel“",
    "",
    "| # | north basin | open since week # | depth #.4 m |",
];

/// Texts of the agent before a call.
const TEXTS: &[&str] = &[
    "I look at where this is used before I change it.",
    "The test still fails; the row is written twice. Next I read the writer.",
    "That was the wrong file. The same name stands in the other module too.",
    "Done with the parser. Now the printer, then the documentation.",
];

const TOOLS: &[&str] = &["bash", "read_file", "grep", "edit_file", "write_note"];

/// A call of the model: an optional user message, a reply with a tool call, and its result.
struct Turn {
    number: usize,
    request: Option<String>,
    thinking: Option<String>,
    remark: &'static str,
    tool: &'static str,
    arguments: Json,
    result: String,
    is_error: bool,
    /// Tokens of the context, about as a provider would count them.
    context: usize,
}

/// A random number generator.
struct Rng(u64);

impl Rng {
    fn below(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or_default() % sides
    }

    fn choose(&mut self, from: &[&'static str]) -> &'static str {
        from[self.below(from.len())]
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        for char in self.choose(LINES).chars() {
            if char == '#' { line += &self.below(10_000).to_string() } else { line.push(char) }
        }
        line
    }

    fn text(&mut self, lines: usize) -> String {
        (0..lines).map(|_| self.line() + "\n").collect()
    }
}

fn turns(calls: usize) -> impl Iterator<Item = Turn> {
    let mut rng = Rng(2026);
    let mut context = 6_000;
    (0..calls).map(move |number| {
        let request = number.is_multiple_of(30).then(|| format!("Task {number}: mend this.\n{}", rng.text(3)));
        let thinking = number.is_multiple_of(4).then(|| rng.text(4));
        // Some calls are identical.
        let place = if number % 10 < 3 { number / 10 } else { rng.below(1_000_000) };
        let tool = if number % 10 < 3 { "grep" } else { rng.choose(TOOLS) };
        let lines = 4 + rng.below(8) * rng.below(14);
        let (remark, result, is_error) = (rng.choose(TEXTS), rng.text(lines), number % 17 > 14);
        let arguments = json!({ "path": format!("src/part_{place}.rs"), "limit": 200, "note": "as before" });
        let before = context;
        context += (result.len() + remark.len() + request.as_ref().map_or(0, String::len)) / 3 + 90;
        Turn { number, request, thinking, remark, tool, arguments, result, is_error, context: before }
    })
}

fn time(seconds: usize) -> String {
    let (day, rest) = (1 + seconds / 86_400 % 28, seconds % 86_400);
    format!("2026-05-{day:02}T{:02}:{:02}:{:02}Z", rest / 3600, rest / 60 % 60, rest % 60)
}

/// A session in Trimtab JSONL.
pub(crate) fn own(calls: usize) -> String {
    let head = json!({ "trimtab": 1, "id": "bench", "model": "claude-sonnet-4-5", "window": 96_000, "tools": TOOLS });
    let system = json!({ "role": "system", "content": "You are a careful engineer." });
    let mut out = format!("{head}\n{system}\n");
    for turn in turns(calls) {
        let id = format!("call_{}", turn.number);
        let mut parts = vec![json!({ "type": "text", "text": turn.remark })];
        parts.extend(turn.thinking.map(|text| json!({ "type": "thinking", "text": text, "signature": "c2ln" })));
        parts.push(json!({ "type": "tool_call", "id": id, "name": turn.tool, "arguments": turn.arguments }));
        let usage = json!({ "input": 12, "cache_read": turn.context, "cache_write": 900, "output": 120 });
        let at = time(turn.number * 9);
        let request = turn.request.map(|text| json!({ "role": "user", "content": text, "at": at }));
        let reply =
            json!({ "role": "assistant", "content": parts, "usage": usage, "model": "claude-sonnet-4-5", "at": at });
        let result = json!({ "type": "tool_result", "id": id, "content": turn.result, "is_error": turn.is_error });
        let result = json!({ "role": "tool", "content": [result], "at": at });
        out.extend(request.into_iter().chain([reply, result]).map(|line| format!("{line}\n")));
    }
    out
}

/// The same session as a Claude Code session: one line per content block, each with its uuid and that of its parent.
pub(crate) fn claude_code(calls: usize) -> String {
    let mut lines = Lines::default();
    for turn in turns(calls) {
        let (id, at) = (format!("toolu_{}", turn.number), time(turn.number * 9));
        if let Some(text) = turn.request {
            lines.add("user", &at, &json!({ "role": "user", "content": text }), &Json::Null);
        }
        let mut blocks = vec![json!({ "type": "text", "text": turn.remark })];
        blocks.extend(turn.thinking.map(|text| json!({ "type": "thinking", "thinking": text, "signature": "c2ln" })));
        blocks.push(json!({ "type": "tool_use", "id": id, "name": turn.tool, "input": turn.arguments }));
        for block in blocks {
            let message = json!({
                "id": format!("msg_{}", turn.number), "type": "message", "role": "assistant",
                "model": "claude-sonnet-4-5", "content": [block], "stop_reason": null,
                "usage": { "input_tokens": 12, "cache_read_input_tokens": turn.context,
                    "cache_creation_input_tokens": 900, "output_tokens": 120, "service_tier": "standard" },
            });
            lines.add("assistant", &at, &message, &json!(format!("req_{}", turn.number)));
        }
        let result =
            json!({ "type": "tool_result", "tool_use_id": id, "content": turn.result, "is_error": turn.is_error });
        lines.add("user", &at, &json!({ "role": "user", "content": [result] }), &Json::Null);
    }
    lines.out
}

#[derive(Default)]
struct Lines {
    out: String,
    number: usize,
}

impl Lines {
    fn add(&mut self, kind: &str, at: &str, message: &Json, request: &Json) {
        let uuid = |number: usize| format!("00000000-0000-4000-8000-{number:012}");
        let parent = self.number.checked_sub(1).map(uuid);
        let line = json!({
            "parentUuid": parent, "isSidechain": false, "userType": "external", "cwd": "/home/user/project",
            "sessionId": "11111111-2222-4333-8444-555555555555", "version": "2.0.1", "gitBranch": "main",
            "type": kind, "message": message, "requestId": request, "uuid": uuid(self.number), "timestamp": at,
        });
        self.out += &format!("{line}\n");
        self.number += 1;
    }
}
