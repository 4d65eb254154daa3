//! Random recordings as lines: a header, messages and events of a host.

use serde_json::{Value as Json, json};

use super::bound::BINDING_MODEL;
use super::generate::TOOLS;
use crate::rng::Rng;

/// A recording as the values of its lines.
#[derive(Clone, Debug)]
pub(super) struct Recording {
    pub(super) header: Json,
    pub(super) lines: Vec<Json>,
}

impl Recording {
    pub(super) fn text(&self) -> String {
        [&self.header].into_iter().chain(&self.lines).map(|line| format!("{line}\n")).collect()
    }

    /// A recording of anything that a host can record.
    pub(super) fn random(rng: &mut Rng) -> Self {
        let mut header = json!({ "trimtab": 1, "id": "made" });
        match rng.below(10) {
            0..4 => header["model"] = "claude-sonnet-4-5".into(),
            4..7 => header["model"] = BINDING_MODEL.into(),
            7 => header["model"] = "home-made".into(),
            _ => {}
        }
        if rng.percent(85) {
            header["window"] = rng.choose(&[600, 1000, 1500, 2500, 4000]).into();
        }
        if rng.percent(40) {
            header["agent"] = rng.choose(&["explore", "review"]).into();
        }
        if rng.percent(15) {
            header["agent_depth"] = rng.choose(&[0, 1, 2, 5]).into();
        }
        if rng.percent(60) {
            header["tools"] = tools(rng);
        }
        let events = 6 + rng.below(26);
        // Where the header names no listed model, replies may.
        let names_models = header["model"] != "claude-sonnet-4-5" && header["model"] != BINDING_MODEL;
        Self { header, lines: Writer::write(rng, (events, names_models), Writer::event) }
    }

    /// A recording of one long run, whose context grows with every call.
    pub(super) fn of_one_run(rng: &mut Rng) -> Self {
        let mut header = json!({ "trimtab": 1, "id": "made", "window": rng.choose(&[1000, 2000, 4000]) });
        if rng.percent(30) {
            header["model"] = BINDING_MODEL.into();
        }
        let replies = 10 + rng.below(20);
        Self { header, lines: Writer::write(rng, (replies, false), Writer::reply) }
    }
}

fn tools(rng: &mut Rng) -> Json {
    let chosen: Vec<&str> = TOOLS.into_iter().filter(|_| rng.percent(70)).collect();
    let declared = chosen.into_iter().map(|tool| match rng.below(3) {
        0 => tool.into(),
        1 => json!({ "name": tool, "description": "Does what its name says, and nothing else." }),
        _ => json!({ "name": tool, "description": "Does it.", "schema": { "type": "object", "properties": { "path": { "type": "string" } } } }),
    });
    declared.collect()
}

struct Writer<'a> {
    rng: &'a mut Rng,
    lines: Vec<Json>,
    /// Seconds since the first timestamp; none without timestamps.
    clock: Option<usize>,
    /// The chance that a reply has usage.
    usage: Option<usize>,
    /// Whether replies name their models, which may change.
    names_models: bool,
    size: u64,
    number: usize,
    /// The calls so far, and for some the part of a result that they had.
    calls: Vec<(Json, Option<Json>)>,
    /// Calls whose results come later than the next reply.
    late: Vec<Json>,
}

const SENTENCES: [&str; 8] = [
    "Please refactor the parser and keep the API as it is.",
    "Look at the tests, then implement the design doc.",
    "ok",
    "",
    "Wörter, 漢字 und 🦀 sind auch ein Text, der einige Tokens hat; 目录 gehört dazu.",
    "As [err-00000] and cod-00000 say, [err-00001] too, not _err-00000.",
    "The first line is here.\nThe second line says a little more than the first one.\nThe third one ends it.",
    "fn main() {\n    println!(\"{}\", 1);\n}\nfn test() {\n    assert!(true);\n}\n",
];

impl Writer<'_> {
    /// A prompt and so many of what follows it.
    fn write<'r>(rng: &'r mut Rng, (count, names_models): (usize, bool), next: impl Fn(&mut Writer<'r>)) -> Vec<Json> {
        let usage = if rng.percent(60) { Some(rng.choose(&[60, 100])) } else { None };
        let (lines, calls, late) = Default::default();
        let mut writer = Writer { rng, lines, clock: None, usage, names_models, size: 100, number: 0, calls, late };
        writer.prompt();
        for _ in 0..count {
            writer.number += 1;
            next(&mut writer);
        }
        writer.lines
    }

    fn sentence(&mut self) -> String {
        let times = if self.rng.percent(25) { 1 + self.rng.below(8) } else { 1 };
        self.rng.choose(&SENTENCES).repeat(times)
    }

    /// Adds a line of a message, perhaps with a time.
    fn push(&mut self, mut line: Json) {
        if let Some(clock) = &mut self.clock {
            *clock += if self.rng.percent(15) { self.rng.below(900) } else { self.rng.below(40) };
            let (hours, minutes, seconds) = (10 + *clock / 3600, *clock / 60 % 60, *clock % 60);
            match self.rng.below(12) {
                0 => {}
                1 => line["at"] = "2026-01-02T09:00:00Z".into(),
                2 => line["at"] = "yesterday".into(),
                _ => line["at"] = format!("2026-01-02T{hours:02}:{minutes:02}:{seconds:02}Z").into(),
            }
        }
        self.lines.push(line);
    }

    fn prompt(&mut self) {
        self.clock = self.rng.percent(60).then_some(0);
        match self.rng.below(6) {
            0 => {}
            1 => self.push(json!({ "role": "system", "content": "You are a test." })),
            2 => {
                self.push(json!({ "role": "system", "content": "<role>\nYou are a test.\n</role>", "name": "extra" }));
                self.push(json!({ "role": "system", "content": "Hello.\n<rules>\nNone.\n</rules>\n\nEnd." }));
            }
            _ => {
                let text =
                    "You are a test.\n<role>\nA careful one.\n</role>\n\n<rules>Be brief.</rules>\nThat is all.\n";
                self.push(json!({ "role": "system", "content": text }));
            }
        }
        if self.rng.percent(85) {
            let text = self.sentence();
            self.push(json!({ "role": "user", "content": text }));
        }
    }

    fn event(&mut self) {
        match self.rng.below(40) {
            0..5 => {
                let mut line = json!({ "role": "user", "content": self.sentence() });
                if self.rng.percent(20) {
                    let text = json!({ "type": "text", "text": self.sentence() });
                    line["content"] = [vec![text], self.images()].concat().into();
                }
                if self.rng.percent(12) {
                    line["run"] = self.rng.percent(50).into();
                }
                self.push(line);
            }
            5 => {
                let text = self.sentence();
                let role = if self.rng.percent(25) { "assistant" } else { "user" };
                self.push(json!({ "role": role, "content": text, "harness": true }));
            }
            6 => {
                let text = self.sentence();
                self.push(json!({ "role": "system", "content": text }));
            }
            7 if self.rng.percent(60) => {
                let before = self.lines.len();
                if self.rng.percent(25) {
                    self.kept_copies(before);
                }
                let is_first = self.lines.len() == before;
                let text = self.sentence();
                if is_first && self.rng.percent(15) {
                    self.push(json!({ "role": "user", "content": text, "run": true }));
                } else {
                    self.push(json!({ "role": "user", "content": text, "harness": true }));
                }
                self.lines[before]["resets"] = true.into();
                self.size = 100;
                if is_first && self.rng.percent(50) {
                    self.kept_copies(before);
                }
            }
            8 => {
                let part = self.result("nobody");
                self.push(json!({ "role": "tool", "content": [part] }));
            }
            9..=12 => self.host_event(),
            13..=15 if !self.late.is_empty() => {
                let call = self.late.swap_remove(self.rng.below(self.late.len()));
                let part = self.answer(&call);
                self.push(json!({ "role": "tool", "content": [part] }));
            }
            _ => self.reply(),
        }
    }

    /// Copies of the newest messages before a compaction, which the harness kept.
    fn kept_copies(&mut self, before: usize) {
        let is_kept = |line: &&Json| line["role"].is_string() && line["role"] != "system";
        let number = 1 + self.rng.below(5);
        let mut copies: Vec<Json> = self.lines[..before].iter().rev().filter(is_kept).take(number).cloned().collect();
        copies.reverse();
        for line in copies {
            let mut copy = json!({ "role": line["role"], "content": line["content"], "kept": true });
            if line["role"] == "assistant" || line["harness"] == true {
                copy["harness"] = true.into();
            }
            self.push(copy);
        }
    }

    fn host_event(&mut self) {
        let mut line = match self.rng.below(13) {
            12 => json!({ "event": "overflow", "rejected": true, "moment": "during_call" }),
            4 => json!({ "fact": "load", "value": self.rng.choose(&["40%", "75%", "110%", "high"]) }),
            5 => json!({ "fact": "mode", "value": self.rng.choose(&[Some("bash"), Some("plan 1"), Some("7"), None]) }),
            6 => json!({ "fact": "jobs", "value": self.rng.choose(&[0, 2, 5]) }),
            7 => json!({ "fact": "ready", "value": self.rng.choose(&[Some(true), Some(false), None]) }),
            0 | 8 => json!({ "event": "tool_validation", "tool": "bash", "allowed": true, "reason": "" }),
            1 | 9 => json!({ "event": "reflection", "iteration": 0, "monologue": "Good.", "should_proceed": true }),
            2 | 10 => {
                json!({ "event": "dry_run", "planned_steps": 2, "tools_used": ["bash"], "estimated_cost": "$0.10" })
            }
            _ => {
                json!({ "event": "plan_execution", "flow": "sequence", "step_count": 1, "step_names": ["look"] })
            }
        };
        match self.rng.below(6) {
            _ if line["event"] == "overflow" => {}
            0 => line["moment"] = "after_iteration".into(),
            1 => line["moment"] = "during_call".into(),
            _ => {}
        }
        self.lines.push(line);
    }

    /// Mostly one image.
    fn images(&mut self) -> Vec<Json> {
        let count = self.rng.choose(&[1, 1, 1, 2, 3]);
        (0..count).map(|_| self.image()).collect()
    }

    fn image(&mut self) -> Json {
        match self.rng.below(4) {
            0 => json!({ "type": "image", "media_type": "image/png", "bytes": 3000 }),
            1 => json!({ "type": "image", "media_type": "image/jpeg", "bytes": 0, "width": 3000, "height": 400 }),
            _ => json!({ "type": "image", "media_type": "image/png", "bytes": 3000, "width": 200, "height": 200 }),
        }
    }

    fn call(&mut self, place: usize) -> Json {
        let id = format!("c{}_{place}", self.number);
        if self.rng.percent(42) && !self.calls.is_empty() {
            let mut again = self.calls[self.rng.below(self.calls.len())].0.clone();
            again["id"] = id.into();
            return again;
        }
        let tool = self.rng.choose(&[
            "bash",
            "bash",
            "read_file",
            "read_file",
            "read_file",
            "write_note",
            "mcp__web__search",
            "recall",
        ]);
        let small = self.rng.below(2);
        let arguments = match self.rng.below(8) {
            0 => json!(format!("{{\"path\":\"{small}\"}}")),
            1 => json!(format!("{{ \"path\": \"{small}\", \"long\": \"{}\" }}", "é".repeat(120))),
            2 => json!({ "path": "0", "offset": 4 * small, "limit": 6 }),
            3 => json!({ "path": "./0", "offset": small, "limit": 4 + 4 * small }),
            4 => json!(format!("not JSON {small} {}", "目录 µSv/h ".repeat(8))),
            5 => json!("notes.txt"),
            _ => json!({ "path": small.to_string() }),
        };
        let call = json!({ "type": "tool_call", "id": id, "name": tool, "arguments": arguments });
        self.calls.push((call.clone(), None));
        call
    }

    /// The result of a call, which is often the same as before if the call is.
    fn answer(&mut self, call: &Json) -> Json {
        let id = call["id"].as_str().unwrap_or_default();
        let same = |one: &Json| one["name"] == call["name"] && one["arguments"] == call["arguments"];
        let at = self.calls.iter().position(|(one, _)| same(one));
        let known = at.and_then(|at| self.calls[at].1.clone()).filter(|_| self.rng.percent(75));
        if let Some(mut known) = known {
            known["id"] = id.into();
            return known;
        }
        let part = self.result(id);
        if let Some(at) = at {
            self.calls[at].1 = Some(part.clone());
        }
        part
    }

    fn result(&mut self, id: &str) -> Json {
        let text = match self.rng.below(20) {
            0..6 => "done".to_owned(),
            6 => "The file is unchanged since it was last read.".to_owned(),
            _ => self.sentence(),
        };
        let is_error = self.rng.percent(30);
        let mut part = json!({ "type": "tool_result", "id": id, "content": text, "is_error": is_error });
        if self.rng.percent(20) {
            let mut parts = [vec![json!({ "type": "text", "text": text })], self.images()].concat();
            if self.rng.percent(30) {
                parts.push(json!({ "type": "citation", "of": [1, 2] }));
            }
            part["content"] = parts.into();
        }
        part
    }

    fn reply(&mut self) {
        let mut parts = Vec::new();
        if self.rng.percent(40) {
            let mut part = json!({ "type": "thinking", "text": self.sentence() });
            if self.rng.percent(50) {
                part["signature"] = "s".into();
                // Providers may return reasoning without its text.
                if self.rng.percent(30) {
                    part["text"] = "".into();
                }
            }
            parts.push(part);
        }
        if self.rng.percent(45) {
            parts.push(json!({ "type": "text", "text": self.sentence() }));
        }
        if self.rng.percent(4) {
            parts.push(self.image());
        }
        if self.rng.percent(4) {
            parts.push(json!({ "type": "citation", "of": [1, 2] }));
        }
        let calls = self.rng.choose(&[0, 0, 1, 1, 1, 1, 1, 2, 2, 3]);
        let mut made: Vec<Json> = (0..calls).map(|place| self.call(place)).collect();
        parts.extend(made.iter().cloned());
        let mut line = json!({ "role": "assistant", "content": parts });
        if self.names_models && self.rng.percent(40) {
            line["model"] = self.rng.choose(&["claude-sonnet-4-5", "gpt-5-mini", "home-made", BINDING_MODEL]).into();
        }
        if self.usage.is_some_and(|chance| self.rng.percent(chance)) {
            let added = 1 + self.rng.below_u64(150);
            self.size += added;
            let (third, output) = (self.size / 3, added / 4);
            line["usage"] =
                json!({ "input": third, "cache_read": third, "cache_write": self.size - 2 * third, "output": output });
            if self.rng.percent(25) {
                line["usage"]["cache_write_1h"] = (self.size - 2 * third).into();
            }
            if self.rng.percent(5) {
                line["usage"] = json!({ "input": 0, "cache_read": 0, "cache_write": 0, "output": 0 });
            }
        }
        self.push(line);
        if self.rng.percent(25) {
            made.reverse();
        }
        let answered = if self.rng.percent(85) { calls } else { self.rng.below(calls + 1) };
        let late = made.split_off(answered);
        if self.rng.percent(70) {
            self.late.extend(late);
        }
        if self.rng.percent(6) && !made.is_empty() {
            self.interruption();
        }
        if self.rng.percent(10) && !made.is_empty() {
            let results: Vec<Json> = made.iter().map(|call| self.answer(call)).collect();
            return self.push(json!({ "role": "tool", "content": results }));
        }
        for call in &made {
            let part = self.answer(call);
            self.push(json!({ "role": "tool", "content": [part] }));
            if self.rng.percent(4) {
                self.interruption();
            }
        }
    }

    /// A message within an open tool loop.
    fn interruption(&mut self) {
        match self.rng.below(3) {
            0 => self.host_event(),
            1 => self.push(json!({ "role": "user", "content": "Wait.", "harness": true })),
            _ => self.push(json!({ "role": "user", "content": "And one more thing." })),
        }
    }
}
