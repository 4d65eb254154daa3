//! Lists of content blocks, such as `[{"type": "text", "text": …}]`.

use serde_json::{Value as Json, json};

/// The texts of a list of content blocks, joined as recordings of results join them. Returns `None` if it has no text,
/// or if it is not such a list.
pub(super) fn text(blocks: &Json) -> Option<String> {
    let blocks = blocks.as_array()?;
    let texts: Vec<&str> = blocks.iter().filter_map(block_text).collect();
    let is_list = blocks.iter().all(|block| block.get("type").is_some_and(Json::is_string));
    (is_list && !texts.is_empty()).then(|| texts.join("\n"))
}

/// The blocks with this text in place of their texts. Other blocks, such as images, stay.
pub(super) fn with_text(blocks: &Json, text: &str) -> Json {
    let mut text = Some(text);
    let mut replaced = Vec::new();
    for block in blocks.as_array().into_iter().flatten() {
        if block_text(block).is_none() {
            replaced.push(block.clone());
        } else if let Some(text) = text.take() {
            let mut block = block.clone();
            block["text"] = json!(text);
            replaced.push(block);
        }
    }
    Json::Array(replaced)
}

fn block_text(block: &Json) -> Option<&str> {
    (block.get("type")? == "text").then(|| block.get("text")?.as_str())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_texts_of_blocks_are_replaced_by_one() {
        let blocks = json!([
            {"type": "text", "text": "a", "annotations": {}},
            {"type": "image", "data": "…"},
            {"type": "text", "text": "b"},
        ]);
        assert_eq!(text(&blocks).as_deref(), Some("a\nb"));
        let expected = json!([{"type": "text", "text": "c", "annotations": {}}, {"type": "image", "data": "…"}]);
        assert_eq!(with_text(&blocks, "c"), expected);
    }

    #[test]
    fn other_lists_have_no_text() {
        for other in [json!([]), json!("a"), json!([{"text": "a"}]), json!([{"type": "image"}]), json!(["a"])] {
            assert_eq!(text(&other), None, "{other}");
        }
    }
}
