use proptest::prelude::*;
use trimtab_base::conversation::{
    Arguments, Body, Bytes, Edit, Message, MessageId, Part, PartId, PinnedMessages, Role,
};
use trimtab_base::quantity::{Quantity, Unit};

use super::*;
use crate::effect::latest::LatestTools;
use crate::effect::part_filter::ToolFilter;
use crate::effect::reduction::Errors;
use crate::effect::{FileTools, LatestCache, Redundancy, TargetKind};

#[derive(Clone, Debug)]
enum Change {
    /// A call of a tool and its result.
    Call {
        tool: usize,
        path: u8,
        length: usize,
        is_error: bool,
    },
    /// A message of a person with images; whether it begins a run.
    Images(usize, bool),
    Mask(usize),
    Restore(usize),
    Unprotect(usize),
    Summarise(usize, usize),
    Reset,
}

fn change() -> impl Strategy<Value = Change> {
    let call = (0usize..3, 0u8..2, 0usize..40, prop::bool::weighted(0.2));
    prop_oneof![
        12 => call.prop_map(|(tool, path, length, is_error)| Change::Call { tool, path, length, is_error }),
        2 => (1usize..3, any::<bool>()).prop_map(|(images, begins)| Change::Images(images, begins)),
        4 => (0usize..40).prop_map(Change::Mask),
        1 => (0usize..40).prop_map(Change::Restore),
        1 => (0usize..40).prop_map(Change::Unprotect),
        1 => (1usize..40, 1usize..5).prop_map(|(first, count)| Change::Summarise(first, count)),
        1 => Just(Change::Reset),
    ]
}

fn make(conversation: &mut Conversation, change: &Change) {
    let at = |at: &usize| conversation.entries().get(*at).map(|entry| (entry.id(), entry.message().parts.clone()));
    match change {
        Change::Call { tool, path, length, is_error } => {
            let id = format!("c{}", conversation.entries().len());
            let arguments = Arguments::from(serde_json::json!({ "path": path.to_string() }));
            let call = Part::call(id.as_str(), ["read", "write", "bash"][*tool], arguments);
            conversation.push(Message::new(Role::Assistant, vec![call]), &Bytes);
            let result = Part::result(id.as_str(), "x".repeat(*length), *is_error);
            conversation.push(Message::new(Role::Tool, vec![result]), &Bytes);
        }
        Change::Images(images, begins) => {
            let image = || Part::new(Body::Image { media_type: "image/png".into(), bytes: 3000, size: None });
            let parts = std::iter::once(Part::text("look")).chain((0..*images).map(|_| image()));
            let id = conversation.push(Message::new(Role::User, parts.collect()), &Bytes).0;
            if *begins {
                conversation.set_request(Some(id));
            }
        }
        Change::Mask(message) => {
            let Some((message, parts)) = at(message) else { return };
            let Some(Body::ToolResult(mut result)) = parts.first().map(|part| part.body.clone()) else { return };
            result.text = "-".into();
            let (part, body) = (PartId(0), Some(Body::ToolResult(result)));
            conversation.apply(vec![Edit::Reduce { message, part, body, level: Level::Masked, errors: true }], &Bytes);
        }
        Change::Restore(message) => {
            let Some((message, _)) = at(message) else { return };
            if !conversation.apply(vec![Edit::Restore { message, part: PartId(0) }], &Bytes).is_empty() {
                conversation.protect(message, PartId(0));
            }
        }
        Change::Unprotect(message) => {
            let Some((message, _)) = at(message) else { return };
            conversation.unprotect(message, PartId(0));
        }
        Change::Summarise(first, count) => {
            let end = (first + count).min(conversation.entries().len());
            let removed =
                if *first < end { conversation.removable(*first..=end - 1, &PinnedMessages::NONE) } else { Vec::new() };
            let messages: Vec<MessageId> = removed.iter().map(|at| conversation.entries()[*at].id()).collect();
            let summary = Box::new(Message::text(Role::User, "s"));
            conversation.apply(vec![Edit::Summarise { messages, summary }], &Bytes);
        }
        Change::Reset => conversation.reset(),
    }
}

fn filters() -> Vec<Arc<PartFilter>> {
    let over = |chars| Some(Quantity::whole(chars, Unit::Chars));
    let tools = |names: &[&str]| (!names.is_empty()).then(|| names.iter().map(|name| (*name).into()).collect());
    let tools = |only: &[&str], except: &[&str]| ToolFilter { only: tools(only), except: tools(except) };
    let (target, errors) = (TargetKind::Results, Errors::Keep);
    let all = PartFilter { target, over: None, tools: ToolFilter::default(), errors, redundancy: None, removes: false };
    let reads = Redundancy::SupersededReads(FileTools::default());
    let filters = [
        PartFilter { over: over(9), tools: tools(&[], &["bash"]), ..all.clone() },
        PartFilter { target: TargetKind::Calls, tools: tools(&["re*"], &[]), errors: Errors::Include, ..all.clone() },
        PartFilter {
            target: TargetKind::Duplicates,
            redundancy: Some(Redundancy::Duplicates),
            errors: Errors::Include,
            ..all.clone()
        },
        PartFilter { errors: Errors::Only, ..all.clone() },
        PartFilter { target: TargetKind::UserMessages, over: over(2), errors: Errors::Include, ..all.clone() },
        PartFilter { target: TargetKind::Images, removes: true, ..all.clone() },
        PartFilter { target: TargetKind::Replies, errors: Errors::Include, ..all.clone() },
        PartFilter { target: TargetKind::SupersededReads, redundancy: Some(reads), ..all.clone() },
        all,
    ];
    filters.into_iter().map(Arc::new).collect()
}

proptest! {
    #[test]
    fn counts_that_follow_a_conversation_equal_new_ones(
        changes in prop::collection::vec((change(), 0usize..9, 0usize..9), 0..40),
    ) {
        let (mut conversation, filters) = (Conversation::default(), filters());
        conversation.push(Message::text(Role::System, "s"), &Bytes);
        let (cache, redundancy) = (SkippedCache::default(), RedundancyCache::default());
        for (change, first, kept) in &changes {
            make(&mut conversation, change);
            let range = (*first, conversation.entries().len().saturating_sub(*kept));
            for filter in &filters {
                let kept = LatestTools::named(&["read", "w*"]);
                let latest = LatestCache::default().newest_results(&kept, &conversation);
                let counts = cache.count(filter, (&conversation, &Bytes), (&redundancy, &latest), range);
                let mut fresh = SkippedParts::default();
                let all = filter.candidates(&conversation, &RedundancyCache::default(), (range.0, usize::MAX), range.1);
                all.for_each(|candidate| {
                    fresh = fresh + skipped(filter, (&conversation, &Bytes), candidate.at, Some(&latest));
                });
                prop_assert_eq!(counts, fresh);
            }
        }
    }
}
