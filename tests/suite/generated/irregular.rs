//! Generated conversations whose usage, timestamps and models are valid, missing or invalid.

use std::sync::Arc;

use proptest::prelude::*;
use trimtab::conversation::{Role, Service, Tier, Usage};
use trimtab::transcript::{HARNESS_CALL_KINDS, HarnessCall, Transcript};

use crate::generated;

/// The metadata of one message; the patches are used in turn.
#[derive(Clone, Debug)]
pub(crate) struct Patch {
    usage: Option<Usage>,
    at: Option<String>,
    /// The model of a reply, if it is another one.
    model: Option<&'static str>,
    /// Whether words of the assistant come from the harness.
    is_scripted: bool,
}

/// How a call was served: mostly as usual.
fn service() -> impl Strategy<Value = Service> {
    let tier = prop_oneof![3 => Just(Tier::Standard), 1 => Just(Tier::Priority), 1 => Just(Tier::Flex), 1 => Just(Tier::Batch)];
    let unusual = (any::<[bool; 2]>(), tier).prop_map(|([is_fast, is_us_only], tier)| Service {
        is_fast: is_fast && is_us_only,
        is_us_only,
        tier,
    });
    prop_oneof![8 => Just(Service::default()), 1 => unusual]
}

fn usage() -> impl Strategy<Value = Option<Usage>> {
    let hours = prop_oneof![3 => Just(0), 1 => Just(1), 1 => Just(2)];
    let known = (0u64..20_000, 0u64..20_000, 0u64..5_000, 0u64..2_000, hours, service()).prop_map(
        |(input, cache_read, cache_write, output, halves, service)| {
            let hour_write = cache_write * halves / 2;
            Usage { input, cache_read, cache_write, hour_write, output, service }
        },
    );
    prop_oneof![1 => Just(None), 1 => Just(Some(Usage::default())), 6 => known.prop_map(Some)]
}

fn at() -> impl Strategy<Value = Option<String>> {
    prop_oneof![
        1 => Just(None),
        1 => Just(Some("yesterday".to_owned())),
        8 => (0u8..24, 0u8..60, 0u8..60).prop_map(|(h, m, s)| Some(format!("2026-03-14T{h:02}:{m:02}:{s:02}Z"))),
    ]
}

/// A recording with gaps in its usage, timestamps and model.
pub(crate) fn transcript() -> impl Strategy<Value = Transcript> {
    varied().prop_map(|mut transcript| {
        for message in &mut transcript.messages {
            let message = Arc::make_mut(message);
            let usage = message.usage.map(|usage| Usage { hour_write: 0, ..usage });
            (message.usage, message.model) = (usage, None);
            message.harness &= message.role != Role::Assistant;
        }
        transcript
    })
}

/// The same with several models, cache writes for an hour and words of the assistant that a harness wrote.
pub(crate) fn varied() -> impl Strategy<Value = Transcript> {
    let other = prop_oneof![
        8 => Just(None),
        1 => Just(Some("claude-haiku-4-5")),
        1 => Just(Some("claude-sonnet-4-5")),
        1 => Just(Some("gpt-4o")),
    ];
    let patch = (usage(), at(), other, prop::bool::weighted(0.03)).prop_map(|(usage, at, model, is_scripted)| Patch {
        usage,
        at,
        model,
        is_scripted,
    });
    let model = prop_oneof![Just(None), Just(Some("claude-sonnet-4-5")), Just(Some("gpt-4o")), Just(Some("home-made"))];
    (generated::events(), prop::collection::vec(patch, 1..30), model, any::<bool>(), 0usize..4).prop_map(
        |(events, patches, model, grows, harness_calls)| {
            let mut transcript = generated::transcript(&events);
            let places = (0..=transcript.messages.len()).step_by(3);
            let kinds = HARNESS_CALL_KINDS.into_iter().cycle();
            let calls = places.zip(&patches).zip(kinds).filter_map(|((messages, patch), kind)| {
                Some(HarnessCall { messages, kind, usage: patch.usage?, model: None })
            });
            transcript.harness_calls = calls.take(harness_calls).collect();
            let mut size = 0;
            for (message, patch) in transcript.messages.iter_mut().zip(patches.iter().cycle()) {
                let message = Arc::make_mut(message);
                message.at = patch.at.as_deref().map(Into::into);
                let is_reply = message.role == Role::Assistant;
                message.harness |= patch.is_scripted && is_reply && message.calls().next().is_none();
                message.usage = patch.usage.filter(|_| message.is_reply());
                message.model = patch.model.filter(|_| message.is_reply()).map(Into::into);
                if let Some(usage) = message.usage.as_mut().filter(|usage| grows && usage.context() > 0) {
                    size += usage.cache_write;
                    *usage = Usage { input: 100, cache_read: size, ..*usage };
                }
            }
            transcript.model = model.map(Into::into);
            transcript
        },
    )
}
