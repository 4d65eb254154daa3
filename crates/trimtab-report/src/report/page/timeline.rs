//! The compact JSON form of a timeline: arrays, in which the page knows the places.

use std::collections::BTreeMap;
use std::ops::Range;

use serde_json::{Value as Json, json};
use trimtab_base::conversation::{Level, Role};
use trimtab_simulate::simulate::{
    AddedMessage, PartChange, PartKind, Timeline, TimelineMessage, TimelinePart, TimelineRequest,
};

/// The recorded messages by number; null for those that no request contains.
pub(super) fn messages(timeline: &Timeline) -> Json {
    (0..timeline.messages).map(|at| timeline.recorded.get(&at).map_or(Json::Null, message)).collect()
}

/// The added messages, `[rule, is a summary, message]`, and the requests.
pub(super) fn json(timeline: &Timeline) -> Json {
    let added = |one: &AddedMessage| json!([one.rule, u8::from(one.is_summary), message(&one.message)]);
    json!({
        "added": timeline.added.iter().map(added).collect::<Vec<_>>(),
        "requests": timeline.requests.iter().map(request).collect::<Vec<_>>(),
    })
}

/// `[role, [part, …]]`.
fn message(message: &TimelineMessage) -> Json {
    json!([role(message.role), message.parts.iter().map(part).collect::<Vec<_>>()])
}

const fn role(role: Role) -> u8 {
    match role {
        Role::System => 0,
        Role::User => 1,
        Role::Assistant => 2,
        Role::Tool => 3,
    }
}

/// `[kind, tokens, tool, text]`, without what is missing at the end.
fn part(part: &TimelinePart) -> Json {
    let kind = match part.kind {
        PartKind::Text => 0,
        PartKind::Call => 1,
        PartKind::Result => 2,
        PartKind::Reasoning => 3,
        PartKind::Image => 4,
        PartKind::Other => 5,
    };
    trimmed(vec![json!(kind), json!(part.tokens), json!(part.tool), json!(part.text)])
}

/// `[call, kept, tail, left, changes, left out, once]`, without what is missing at the end. `left` has
/// `[rule, ranges]`, `left out` has `[messages, rule]`, `once` has `[rule, message]`. Ranges are flat: start, end, start, …
fn request(request: &TimelineRequest) -> Json {
    let mut left: BTreeMap<Option<usize>, Vec<Range<usize>>> = BTreeMap::new();
    for (number, rule) in &request.left {
        let ranges = left.entry(*rule).or_default();
        match ranges.last_mut() {
            Some(last) if last.end == *number => last.end += 1,
            _ => ranges.push(*number..number + 1),
        }
    }
    let left: Vec<Json> = left.into_iter().map(|(rule, ranges)| json!([rule, flat(&ranges)])).collect();
    let changes: Vec<Json> = request.changes.iter().map(change).collect();
    let once: Vec<Json> = request.once.iter().map(|(one, rule)| json!([rule, message(one)])).collect();
    let some = |list: Vec<Json>| if list.is_empty() { Json::Null } else { Json::Array(list) };
    let left_out = request.left_out.as_ref();
    let left_out = left_out.map_or(Json::Null, |one| json!([one.before, one.rule, one.pinned]));
    let head = [json!(request.call), json!(request.kept), json!(flat(&request.tail))];
    trimmed(head.into_iter().chain([some(left), some(changes), left_out, some(once)]).collect())
}

/// `[message, part, level, tokens, rule, text]`, without what is missing at the end.
fn change(change: &PartChange) -> Json {
    let level = match change.level {
        Some(Level::Whole) => 0,
        Some(Level::Trimmed { .. }) => 1,
        Some(Level::Masked) => 2,
        Some(Level::Offloaded) => 3,
        None => 4,
    };
    let PartChange { message, part, tokens, rule, text, .. } = change;
    trimmed(vec![json!(message), json!(part), json!(level), json!(tokens), json!(rule), json!(text)])
}

fn flat(ranges: &[Range<usize>]) -> Vec<usize> {
    ranges.iter().flat_map(|range| [range.start, range.end]).collect()
}

/// An array without nulls at the end.
fn trimmed(mut values: Vec<Json>) -> Json {
    while values.pop_if(|value| value.is_null()).is_some() {}
    Json::Array(values)
}
