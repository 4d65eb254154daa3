//! Streams of Anthropic Messages.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json, json};

use crate::request::json::{Node, literal};
use crate::request::layout::valid;
use crate::request::stream::assembler::{Assembled, Assembler};
use crate::request::stream::value::{append, error, field, index, kind, merge};

/// The message, which the first event has, and the blocks that follow one after the other.
#[derive(Debug, Default)]
pub(super) struct AnthropicStream {
    message: Option<Json>,
    blocks: BTreeMap<u64, Block>,
    is_complete: bool,
    error: Option<String>,
}

/// A block, and what its deltas have added to it.
#[derive(Debug, Default)]
struct Block {
    fields: Map<String, Json>,
    /// The arguments of a call, as far as they have come.
    arguments: String,
    has_ended: bool,
}

impl Assembler for AnthropicStream {
    fn add(&mut self, event: Json) -> bool {
        let kind = kind(&event);
        match kind {
            "message_start" => self.message = field(&event, "message").filter(|message| message.is_object()).cloned(),
            "content_block_start" => {
                if let (Some(at), Some(Json::Object(fields))) = (index(&event, "index"), field(&event, "content_block"))
                {
                    self.blocks.insert(at, Block { fields: fields.clone(), ..Block::default() });
                }
            }
            "content_block_delta" => {
                if let (Some(block), Some(delta)) = (self.block(&event), field(&event, "delta")) {
                    block.add(delta);
                }
            }
            "content_block_stop" => {
                if let Some(block) = self.block(&event) {
                    block.has_ended = true;
                }
            }
            "message_delta" => self.end(&event),
            "message_stop" => self.is_complete = true,
            "error" => self.error = error(&event).or(Some(String::new())),
            _ => {}
        }
        matches!(kind, "message_stop" | "error")
    }

    fn finish(self: Box<Self>) -> Assembled {
        let Self { message, blocks, is_complete, error } = *self;
        // A provider that says that the message is complete has ended its blocks.
        let blocks = blocks.into_values().filter(|block| block.has_ended || is_complete).map(Block::into_json);
        let blocks = format!("[{}]", blocks.collect::<Vec<_>>().join(","));
        let body = message.map(|message| Node::of(&message.to_string()).with_fields(&[("content", Some(blocks))]));
        Assembled { body, is_complete, error }
    }
}

impl AnthropicStream {
    fn block(&mut self, event: &Json) -> Option<&mut Block> {
        self.blocks.get_mut(&index(event, "index")?)
    }

    /// Records what is known only at the end. Its usage counts from the beginning of the message.
    fn end(&mut self, event: &Json) {
        let Some(message) = &mut self.message else { return };
        if let Some(delta) = field(event, "delta") {
            merge(message, delta);
        }
        let Some(newer) = field(event, "usage") else { return };
        match message.get_mut("usage") {
            Some(usage) if usage.is_object() => merge(usage, newer),
            _ => merge(message, &json!({ "usage": newer })),
        }
    }
}

impl Block {
    /// Each text of a delta goes on with the text of the same name in the block, and each object is one more in a list.
    fn add(&mut self, delta: &Json) {
        for (key, value) in delta.as_object().into_iter().flatten() {
            match (key.as_str(), value) {
                ("type", _) => {}
                ("partial_json", Json::String(text)) => self.arguments.push_str(text),
                (_, Json::String(text)) => append(&mut self.fields, key, text),
                ("citation", Json::Object(_)) => {
                    let citations = self.fields.entry("citations").or_insert_with(|| json!([]));
                    if citations.is_null() {
                        *citations = json!([]);
                    }
                    citations.as_array_mut().into_iter().for_each(|list| list.push(value.clone()));
                }
                _ => {}
            }
        }
    }

    fn into_json(self) -> String {
        let block = Json::Object(self.fields).to_string();
        let arguments = self.arguments.trim();
        if arguments.is_empty() {
            return block;
        }
        // What is no JSON stays a text, so that nothing is lost.
        let arguments = if valid(arguments).is_ok() { arguments.to_owned() } else { literal(arguments) };
        Node::of(&block).with_fields(&[("input", Some(arguments))])
    }
}
