//! Messages as the language page defines them, read from the lines of a recording and written back as JSON.

use serde_json::{Map, Value as Json, json};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    System,
    User,
    Assistant,
    Tool,
}

impl Role {
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
        }
    }
}

/// Who made a message of the kept conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    Recorded,
    Injected,
    Summary,
    RunningSummary,
}

/// How far a part is reduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    Whole,
    /// Cut to so many characters.
    Trimmed(u64),
    Masked,
    Offloaded,
}

impl Level {
    /// A number that is larger the further a part is reduced.
    pub(super) const fn depth(self) -> u64 {
        match self {
            Self::Whole => 0,
            Self::Trimmed(limit) => u64::MAX / 2 - limit,
            Self::Masked | Self::Offloaded => u64::MAX,
        }
    }

    pub(super) const fn is_replaced(self) -> bool {
        matches!(self, Self::Masked | Self::Offloaded)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Answer {
    pub(super) id: String,
    pub(super) text: String,
    /// Images and other parts that are no text.
    pub(super) others: Vec<Body>,
    pub(super) is_error: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Body {
    Text(String),
    Thinking {
        text: String,
        signature: Option<String>,
    },
    /// The media type, the bytes, and the width and height.
    Image(String, u64, Option<(u64, u64)>),
    Call {
        id: String,
        tool: String,
        arguments: Json,
    },
    Result(Answer),
    Other(Json),
}

/// The text of a call's arguments.
pub(super) fn arguments_text(arguments: &Json) -> String {
    arguments.as_str().map_or_else(|| arguments.to_string(), ToOwned::to_owned)
}

/// The value of a call's arguments: a text that is JSON is the value that it describes.
pub(super) fn arguments_value(arguments: &Json) -> Json {
    let parsed = arguments.as_str().and_then(|text| serde_json::from_str(text).ok());
    parsed.unwrap_or_else(|| arguments.clone())
}

impl Body {
    /// The characters that a model reads. An image is sent in base64.
    pub(super) fn chars(&self) -> u64 {
        match self {
            Self::Text(text) | Self::Thinking { text, .. } => count(text),
            Self::Call { tool, arguments, .. } => count(tool) + count(&arguments_text(arguments)),
            Self::Result(answer) => count(&answer.text) + answer.others.iter().map(Self::chars).sum::<u64>(),
            Self::Image(_, bytes, _) => (bytes / 3 * 4).max(256),
            Self::Other(json) => count(&json.to_string()),
        }
    }

    /// The characters that `over` measures: those of a text, of arguments, or of the text of a result.
    pub(super) fn own_chars(&self) -> u64 {
        match self {
            Self::Text(text) | Self::Thinking { text, .. } => count(text),
            Self::Call { arguments, .. } => count(&arguments_text(arguments)),
            Self::Result(answer) => count(&answer.text),
            Self::Image(..) | Self::Other(_) => 0,
        }
    }

    /// The text of a result, or of a part that is one.
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Result(answer) => Some(&answer.text),
            _ => None,
        }
    }

    /// The same with another text.
    pub(super) fn with_text(&self, text: String) -> Self {
        match self {
            Self::Result(answer) => Self::Result(Answer { text, ..answer.clone() }),
            _ => Self::Text(text),
        }
    }

    pub(super) const fn is_thinking(&self) -> bool {
        matches!(self, Self::Thinking { .. })
    }

    pub(super) const fn is_image(&self) -> bool {
        matches!(self, Self::Image(..))
    }

    fn json(&self) -> Json {
        match self {
            Self::Text(text) => json!({ "type": "text", "text": text }),
            Self::Thinking { text, signature: None } => json!({ "type": "thinking", "text": text }),
            Self::Thinking { text, signature: Some(signature) } => {
                json!({ "type": "thinking", "text": text, "signature": signature })
            }
            Self::Image(media, bytes, size) => {
                let mut json = json!({ "type": "image", "media_type": media, "bytes": bytes });
                if let Some((width, height)) = size {
                    json["width"] = (*width).into();
                    json["height"] = (*height).into();
                }
                json
            }
            Self::Call { id, tool, arguments } => {
                json!({ "type": "tool_call", "id": id, "name": tool, "arguments": arguments })
            }
            Self::Result(answer) => {
                let content: Json = if answer.others.is_empty() {
                    answer.text.as_str().into()
                } else {
                    let text = (!answer.text.is_empty()).then(|| Self::Text(answer.text.clone()));
                    text.iter().chain(&answer.others).map(Self::json).collect()
                };
                json!({ "type": "tool_result", "id": answer.id, "content": content, "is_error": answer.is_error })
            }
            Self::Other(json) => json.clone(),
        }
    }

    fn read(json: &Json) -> Self {
        let text = |key: &str| json[key].as_str().unwrap_or_default().to_owned();
        match json["type"].as_str().unwrap_or_default() {
            "text" => Self::Text(text("text")),
            "thinking" => {
                Self::Thinking { text: text("text"), signature: json["signature"].as_str().map(ToOwned::to_owned) }
            }
            "image" => {
                let size = json["width"].as_u64().zip(json["height"].as_u64());
                Self::Image(text("media_type"), json["bytes"].as_u64().unwrap_or(0), size)
            }
            "tool_call" => Self::Call { id: text("id"), tool: text("name"), arguments: json["arguments"].clone() },
            "tool_result" => {
                let parts = read_parts(&json["content"]);
                let (texts, others): (Vec<Self>, Vec<Self>) =
                    parts.into_iter().partition(|part| matches!(part, Self::Text(_)));
                let texts: Vec<&str> =
                    texts.iter().map(|part| if let Self::Text(text) = part { text } else { "" }).collect();
                let is_error = json["is_error"].as_bool().unwrap_or(false);
                Self::Result(Answer { id: text("id"), text: texts.join("\n"), others, is_error })
            }
            _ => Self::Other(json.clone()),
        }
    }
}

fn read_parts(content: &Json) -> Vec<Body> {
    match content {
        Json::String(text) => vec![Body::Text(text.clone())],
        Json::Array(parts) => parts.iter().map(Body::read).collect(),
        _ => Vec::new(),
    }
}

fn count(text: &str) -> u64 {
    text.chars().count() as u64
}

/// The first characters of a text, with `…` if there are more.
pub(super) fn preview(text: &str, chars: usize) -> String {
    let more = if text.chars().count() > chars { "…" } else { "" };
    text.chars().take(chars).collect::<String>() + more
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Part {
    pub(super) body: Body,
    pub(super) level: Level,
    /// Tells parts of one message apart when some of them are removed.
    pub(super) place: usize,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Usage {
    pub(super) input: u64,
    pub(super) cache_read: u64,
    pub(super) cache_write: u64,
    /// The part of it that is kept for an hour.
    pub(super) hour_write: u64,
    pub(super) output: u64,
}

impl Usage {
    pub(super) const fn context(self) -> u64 {
        self.input + self.cache_read + self.cache_write
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Message {
    pub(super) role: Role,
    pub(super) parts: Vec<Part>,
    pub(super) origin: Origin,
    pub(super) usage: Option<Usage>,
    pub(super) at: Option<String>,
    pub(super) model: Option<String>,
    pub(super) effort: Option<String>,
    pub(super) run: Option<bool>,
    pub(super) harness: bool,
    pub(super) resets: bool,
    /// Whether it is a copy that the harness kept when it compacted.
    pub(super) kept: bool,
    /// The name that a system message was given.
    pub(super) name: Option<String>,
}

impl Message {
    pub(super) fn new(role: Role, text: &str, origin: Origin) -> Self {
        let parts = vec![Part { body: Body::Text(text.to_owned()), level: Level::Whole, place: 0 }];
        let (usage, at, model, effort, run, name) = (None, None, None, None, None, None);
        let (harness, resets, kept) = (false, false, false);
        Self { role, parts, origin, usage, at, model, effort, run, harness, resets, kept, name }
    }

    /// Reads a line. A tool message holds one result, so a line with several results is several messages.
    pub(super) fn read(json: &Json) -> Vec<Self> {
        let role = [Role::System, Role::User, Role::Assistant, Role::Tool];
        let role = role.into_iter().find(|role| json["role"] == role.word()).expect("a role");
        let text = |key: &str| json[key].as_str().map(ToOwned::to_owned);
        let flag = |key: &str| json[key].as_bool();
        let number = |key: &str| json["usage"][key].as_u64().unwrap_or(0);
        let usage = json["usage"].is_object().then(|| Usage {
            input: number("input"),
            cache_read: number("cache_read"),
            cache_write: number("cache_write"),
            hour_write: number("cache_write_1h"),
            output: number("output"),
        });
        let message = |bodies: Vec<Body>| {
            let parts = bodies.into_iter().enumerate();
            let parts = parts.map(|(place, body)| Part { body, level: Level::Whole, place }).collect();
            Self {
                role,
                parts,
                origin: Origin::Recorded,
                usage,
                at: text("at"),
                model: text("model"),
                effort: text("effort"),
                run: flag("run"),
                harness: flag("harness").unwrap_or(false),
                resets: flag("resets").unwrap_or(false),
                kept: flag("kept").unwrap_or(false),
                name: text("name"),
            }
        };
        let bodies = read_parts(&json["content"]);
        if role == Role::Tool {
            let mut messages: Vec<Self> = bodies.into_iter().map(|body| message(vec![body])).collect();
            // The context starts over once.
            messages.iter_mut().skip(1).for_each(|later| later.resets = false);
            return messages;
        }
        vec![message(bodies)]
    }

    /// Its JSON as a line of a recording, with its content as a list of parts.
    pub(super) fn json(&self) -> Json {
        let mut map = Map::new();
        map.insert("role".into(), self.role.word().into());
        map.insert("content".into(), self.parts.iter().map(|part| part.body.json()).collect());
        if let Some(Usage { input, cache_read, cache_write, hour_write, output }) = self.usage {
            let mut usage =
                json!({ "input": input, "cache_read": cache_read, "cache_write": cache_write, "output": output });
            if hour_write > 0 {
                usage["cache_write_1h"] = hour_write.into();
            }
            map.insert("usage".into(), usage);
        }
        if let Some(at) = &self.at {
            map.insert("at".into(), at.as_str().into());
        }
        if let Some(model) = &self.model {
            map.insert("model".into(), model.as_str().into());
        }
        if let Some(effort) = &self.effort {
            map.insert("effort".into(), effort.as_str().into());
        }
        let origin = match self.origin {
            Origin::Recorded => None,
            Origin::Injected => Some("injected"),
            Origin::Summary => Some("summary"),
            Origin::RunningSummary => Some("running_summary"),
        };
        if let Some(origin) = origin {
            map.insert("origin".into(), origin.into());
        }
        if let Some(run) = self.run {
            map.insert("run".into(), run.into());
        }
        for (key, flag) in [("harness", self.harness), ("resets", self.resets), ("kept", self.kept)] {
            if flag {
                map.insert(key.into(), true.into());
            }
        }
        if let Some(name) = &self.name {
            map.insert("name".into(), name.as_str().into());
        }
        Json::Object(map)
    }

    /// Whether a person or a caller wrote it.
    pub(super) fn is_person(&self) -> bool {
        let is_summary = self.resets && !self.kept && self.run != Some(true);
        self.role == Role::User && !self.harness && !is_summary && self.origin == Origin::Recorded
    }

    /// Whether the model wrote it.
    pub(super) fn is_reply(&self) -> bool {
        self.role == Role::Assistant && !self.harness && self.origin == Origin::Recorded
    }

    /// Whether it is a copy of a reply that the harness kept.
    pub(super) fn is_kept_reply(&self) -> bool {
        self.role == Role::Assistant && self.kept
    }

    pub(super) fn calls(&self) -> impl DoubleEndedIterator<Item = (&str, &str, &Json)> {
        self.parts.iter().filter_map(|part| match &part.body {
            Body::Call { id, tool, arguments } => Some((id.as_str(), tool.as_str(), arguments)),
            _ => None,
        })
    }

    pub(super) fn answer(&self) -> Option<&Answer> {
        self.parts.iter().find_map(|part| if let Body::Result(answer) = &part.body { Some(answer) } else { None })
    }

    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| if let Body::Text(text) = &part.body { Some(text.as_str()) } else { None })
    }
}
