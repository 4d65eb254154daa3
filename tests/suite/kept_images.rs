//! `keep N images`: which images stay when messages and results have several.

use serde_json::{Value as Json, json};
use trimtab::conversation::{Body, Message};
use trimtab::effect::IdleReason;
use trimtab::simulate::{ConstantSummariser, Options, Trace, replay};
use trimtab::transcript::{self, Transcript};

use crate::laws::plan;

fn image(number: u64) -> Json {
    json!({ "type": "image", "media_type": "image/png", "bytes": 3000 * number })
}

/// A message of a person with images.
fn user(text: &str, images: &[u64]) -> Json {
    let parts = [json!({ "type": "text", "text": text })].into_iter().chain(images.iter().copied().map(image));
    json!({ "role": "user", "content": parts.collect::<Vec<_>>() })
}

/// A call of a tool, and its result with images.
fn shot(id: &str, images: &[u64]) -> [Json; 2] {
    let call = json!({ "type": "tool_call", "id": id, "name": "screenshot", "arguments": {} });
    let parts = [json!({ "type": "text", "text": "a page" })].into_iter().chain(images.iter().copied().map(image));
    let result = json!({ "type": "tool_result", "id": id, "content": parts.collect::<Vec<_>>() });
    [json!({ "role": "assistant", "content": [call] }), json!({ "role": "tool", "content": [result] })]
}

fn reply() -> Json {
    json!({ "role": "assistant", "content": "Done." })
}

fn transcript(lines: &[Json]) -> Transcript {
    let header = json!({ "trimtab": 1, "window": 100_000 });
    let text: String = [&header].into_iter().chain(lines).map(|line| format!("{line}\n")).collect();
    transcript::read(text.as_bytes(), Some("trimtab")).expect("a recording").transcripts.remove(0)
}

/// The numbers of the images of a message.
fn images(message: &Message) -> Vec<u64> {
    let number = |body: &Body| match body {
        Body::Image { bytes, .. } => Some(bytes / 3000),
        _ => None,
    };
    let of = |body: &Body| match body {
        Body::ToolResult(result) => result.attachments.iter().filter_map(number).collect::<Vec<_>>(),
        body => number(body).into_iter().collect(),
    };
    message.parts.iter().flat_map(|part| of(&part.body)).collect()
}

/// What an effect does when it is due at each call, and the images that the last request has.
fn run(effect: &str, lines: &[Json]) -> (Trace, Vec<u64>) {
    let plan = plan(&format!("edition 2026\npolicy p {{ rule r {{ do {effect} }} }}"));
    let options = Options { explain_all: true, ..Options::default() };
    let mut left = Vec::new();
    let trace = replay(&plan, &transcript(lines), &options, &mut ConstantSummariser(String::new()), &mut |context| {
        left = context.messages().iter().flat_map(|message| images(message)).collect();
    });
    (trace, left)
}

fn lines() -> Vec<Json> {
    [
        vec![user("Compare these.", &[1, 2, 3]), reply(), user("And the page?", &[])],
        shot("a", &[4, 5]).to_vec(),
        shot("b", &[6]).to_vec(),
        vec![reply()],
    ]
    .concat()
}

#[test]
fn just_the_newest_images_stay_also_of_a_message_with_several() {
    for effect in ["drop", "mask"] {
        let left = |count: usize| run(&format!("{effect} images keep {count} images"), &lines()).1;
        assert_eq!(left(1), [6], "{effect}");
        assert_eq!(left(2), [5, 6], "{effect}");
        assert_eq!(left(3), [4, 5, 6], "{effect}");
        assert_eq!(left(4), [3, 4, 5, 6], "{effect}");
        assert_eq!(left(9), [1, 2, 3, 4, 5, 6], "{effect}");
        assert_eq!(run(&format!("{effect} images keep 2 images only [screenshot]"), &lines()).1, [1, 2, 3, 5, 6]);
    }
    // Another target has whole messages in its tail.
    assert_eq!(run("mask results keep 2 images", &lines()).1, [1, 2, 3, 4, 5, 6]);
}

#[test]
fn a_goal_and_a_minimum_count_the_older_images_of_a_message() {
    let dropped = |labels: &str| run(&format!("drop images keep 2 images {labels}"), &lines());
    let saved = |trace: &Trace| match trace.rules[0].idle.last().map(|idle| idle.reason) {
        Some(IdleReason::TooLittle { saved, .. }) => saved,
        other => panic!("{other:?}"),
    };
    let (trace, left) = dropped("at_least 90k tokens");
    assert_eq!(left, [1, 2, 3, 4, 5, 6]);
    let minimum = saved(&trace);
    assert_eq!(dropped(&format!("at_least {minimum} tokens")).1, [5, 6]);
    assert_eq!(dropped(&format!("at_least {} tokens", minimum + 1)).1, [1, 2, 3, 4, 5, 6]);
    assert_eq!(dropped("down_to 1 tokens").1, [5, 6]);
}

#[test]
fn images_of_the_request_are_the_reason_why_nothing_is_dropped() {
    let skipped = |count: usize, lines: &[Json]| {
        let (trace, _) = run(&format!("drop images keep {count} images"), lines);
        match trace.rules[0].idle.last().map(|idle| idle.reason) {
            Some(IdleReason::NothingToReduce(Some(skipped))) => (skipped.request, skipped.short),
            other => panic!("{other:?}"),
        }
    };
    let one = [user("Look.", &[1, 2, 3]), reply()];
    assert_eq!((skipped(0, &one), skipped(1, &one)), ((3, 0), (2, 0)));
    let more = [vec![user("Look.", &[1])], shot("a", &[2]).to_vec(), vec![reply()]].concat();
    assert_eq!(skipped(1, &more), (1, 0));
    assert_eq!(run("drop images keep 3 images", &one).0.rules[0].idle[0].reason, IdleReason::AllKept);
    // In the next run they can go.
    let next = [vec![user("Look.", &[1, 2, 3]), reply(), user("On.", &[])], vec![reply()]].concat();
    assert_eq!(run("drop images keep 1 images", &next).1, [3]);
}

#[test]
fn an_image_that_is_all_of_its_message_is_the_reason_why_it_is_not_dropped() {
    let alone = json!({ "role": "user", "content": [image(1)] });
    let lines = [vec![user("Look.", &[]), reply(), alone, reply(), user("On.", &[]), reply()]].concat();
    let (trace, left) = run("drop images keep 0 images", &lines);
    let Some(IdleReason::NothingToReduce(Some(skipped))) = trace.rules[0].idle.last().map(|idle| idle.reason) else {
        panic!("{:?}", trace.rules[0])
    };
    assert_eq!((left, skipped.required, skipped.short), (vec![1], 1, 0));
    assert_eq!(run("mask images keep 0 images", &lines).1, [0; 0]);
}
