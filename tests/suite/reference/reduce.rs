//! `mask`, `trim`, `offload` and the dropping of parts: which parts they take, and what they make of them.

use std::collections::BTreeSet;

use serde_json::json;

use super::act::{Applied, Filled, joined};
use super::machine::Machine;
use super::message::{Answer, Body, Level, Part, arguments_text, preview};
use super::rule::{Choice, Keep, Over, SOME_IMAGES, Side, Target};
use super::tail::images;
use super::views::fits;

/// What becomes of a part.
#[derive(Clone, Debug)]
pub(super) enum Fate {
    Becomes(Body, Level),
    Goes,
}

/// A part that is reduced: the message, its place in it, and what becomes of it.
pub(super) type Edit = (usize, usize, Fate);

impl Machine<'_> {
    /// The parts that an effect reduces, oldest first, and by how many tokens it misses its goal.
    pub(super) fn choose(
        &self,
        target: Target,
        choice: &Choice,
        keep: Keep,
        fate: impl Fn(usize, &Part) -> Option<Fate>,
    ) -> (Vec<Edit>, u64) {
        let goal = match choice.down_to.map(|goal| self.goal_tokens(goal)) {
            Some(None) => return (Vec::new(), 0),
            goal => goal.flatten(),
        };
        let (mut edits, mut saved) = (Vec::new(), 0i128);
        let left = |saved: i128| goal.map_or(0, |goal| (i128::from(self.tokens()) - saved - i128::from(goal)).max(0));
        let keep = choice.keep.unwrap_or(keep);
        let Some(end) = self.tail_of(keep, target, choice) else { return (Vec::new(), 0) };
        let stays = if target == Target::Images { self.newest_images(keep, choice) } else { BTreeSet::new() };
        let mut places = self.places(target, choice, end);
        // Of the message with the oldest image that stays, older ones go.
        places.extend(Some(end).filter(|&end| !stays.is_empty() && end >= self.first_sent()));
        for at in places {
            for part in &self.kept[at].message.parts {
                if goal.is_some() && left(saved) == 0 {
                    continue;
                }
                let fate = |part: &Part| self.may_take(target, choice, at, part).then(|| fate(at, part)).flatten();
                let Some(fate) = besides(at, part, &stays, fate) else { continue };
                let new = match &fate {
                    Fate::Goes if !self.may_go(at, part) => continue,
                    Fate::Goes => 0,
                    Fate::Becomes(body, _) if body.chars() >= part.body.chars() => continue,
                    // No provider takes a blank text.
                    Fate::Becomes(Body::Text(text), _) if text.trim().is_empty() => continue,
                    Fate::Becomes(body, _) => self.counter.body(body),
                };
                saved += i128::from(self.counter.body(&part.body)) - i128::from(new);
                // Parts of one kind that go together may not leave a message without content.
                edits.push((at, part.place, fate));
            }
        }
        if choice.at_least.is_some_and(|gate| saved < i128::from(gate)) {
            return (Vec::new(), 0);
        }
        let short = if edits.is_empty() { 0 } else { u64::try_from(left(saved)).unwrap_or(0) };
        (edits, short)
    }

    /// The messages that an effect looks at, which stand before a place.
    fn places(&self, target: Target, choice: &Choice, end: usize) -> Vec<usize> {
        let places = if target == Target::Arrivals {
            let newest = self.kept.iter().rposition(|entry| entry.message.is_reply());
            newest.map_or(0, |at| at + 1)..self.kept.len()
        } else {
            0..end
        };
        let is_sent = |at: usize| at >= self.first_sent();
        places.filter(|&at| is_sent(at) && self.is_redundant(target, choice, at)).collect()
    }

    /// Whether the labels select a part.
    fn may_take(&self, target: Target, choice: &Choice, at: usize, part: &Part) -> bool {
        let message = &self.kept[at].message;
        let is_of_target = match target {
            Target::Calls => matches!(part.body, Body::Call { .. }),
            Target::Thinking => part.body.is_thinking(),
            Target::Images => matches!(part.body, Body::Image(..) | Body::Result(_)),
            Target::UserMessages => part.body.text().is_some() && message.is_person() && at < self.first_of_run(),
            Target::Replies => part.body.text().is_some() && (message.is_reply() || message.is_kept_reply()),
            _ => matches!(part.body, Body::Result(_)),
        };
        let tool = match &part.body {
            Body::Call { tool, .. } => Some(tool.as_str()),
            Body::Result(_) => self.tool(at),
            _ => None,
        };
        let has = |patterns: &[&str]| tool.is_some_and(|tool| patterns.iter().any(|pattern| fits(pattern, tool)));
        let is_error = matches!(&part.body, Body::Result(answer) if answer.is_error);
        let has_errors = target.has_tools() && target != Target::Calls;
        let is_short = match choice.over {
            None => false,
            Some(Over::Chars(limit)) => part.body.own_chars() <= limit,
            Some(Over::Tokens(limit)) => self.counter.body(&part.body) <= limit,
        };
        let is_live = part.body.is_thinking() && at >= self.loop_start();
        let is_pinned = self.pinned.contains_key(&self.kept[at].id) && matches!(part.body, Body::Result(_));
        is_of_target
            && (choice.only.is_empty() || has(&choice.only))
            && !has(&choice.except)
            && (!has_errors || choice.takes_errors(is_error))
            && !is_short
            && !is_live
            && !is_pinned
            && !self.is_latest_part(at, part, &choice.latest)
            && !(part.body.is_image() && self.request_id == Some(self.kept[at].id))
    }

    /// The message with which the current run began, or the newest message of a person if that is not known.
    fn first_of_run(&self) -> usize {
        let request = self.kept.iter().position(|entry| Some(entry.id) == self.request_id);
        let newest = || self.kept.iter().rposition(|entry| entry.message.is_person());
        request.or_else(newest).unwrap_or(self.kept.len())
    }

    /// Whether a part is the newest result of one of these tools, or the call of it.
    fn is_latest_part(&self, at: usize, part: &Part, tools: &[&str]) -> bool {
        match &part.body {
            Body::Result(_) => self.is_latest(at, tools),
            Body::Call { id, .. } => {
                let answers = |later: &usize| {
                    self.group(*later) == at
                        && self.kept[*later].message.answer().is_some_and(|answer| answer.id == *id)
                };
                (at + 1..self.kept.len()).filter(answers).any(|later| self.is_latest(later, tools))
            }
            _ => false,
        }
    }

    /// Whether something of another kind is left of a message without a part, also after its last reasoning where there was
    /// something.
    fn may_go(&self, at: usize, part: &Part) -> bool {
        let kind = std::mem::discriminant(&part.body);
        let (mut is_left, mut after, mut left_behind) = (false, false, false);
        for other in &self.kept[at].message.parts {
            let (is_other, is_seen) = (std::mem::discriminant(&other.body) != kind, other.body.chars() > 0);
            if other.body.is_thinking() {
                (after, left_behind) = (false, false);
            } else {
                after |= is_seen;
                left_behind |= is_seen && is_other;
            }
            is_left |= is_seen && is_other;
        }
        let breaks = after && !left_behind && !part.body.is_thinking() && self.has_thinking(at);
        let is_signed =
            matches!(&part.body, Body::Thinking { signature: Some(signature), .. } if !signature.is_empty());
        (part.body.chars() > 0 || is_signed) && is_left && !breaks
    }

    fn has_thinking(&self, at: usize) -> bool {
        self.kept[at].message.parts.iter().any(|part| part.body.is_thinking())
    }

    /// Applies the edits.
    pub(super) fn replace(&mut self, edits: Vec<Edit>, short: u64) -> Applied {
        let count = edits.len();
        let images = |machine: &Self, at: usize| images(&machine.kept[at].message);
        let before: Vec<(usize, usize)> = edits.iter().map(|(at, ..)| (*at, images(self, *at))).collect();
        for (at, place, fate) in edits {
            let parts = &mut self.kept[at].message.parts;
            let index = parts.iter().position(|part| part.place == place).expect("a part");
            match fate {
                Fate::Goes => drop(parts.remove(index)),
                Fate::Becomes(body, level) => (parts[index].body, parts[index].level) = (body, level),
            }
            self.recount(at);
        }
        // Only some of the images of a message have gone.
        if before.into_iter().any(|(at, before)| (1..before).contains(&images(self, at))) {
            self.took_part.value(SOME_IMAGES);
        }
        Applied { acted: count > 0, edits: count, short: if count > 0 { short } else { 0 } }
    }

    /// The newest images, by their messages and places there, if an effect keeps a number of them.
    fn newest_images(&self, keep: Keep, choice: &Choice) -> BTreeSet<Place> {
        let Keep::Images(count) = keep else { return BTreeSet::new() };
        let of = |at: usize| self.kept[at].message.parts.iter().flat_map(move |part| places_of(at, part));
        let counted = (0..self.kept.len()).filter(|&at| self.counts(Target::Images, choice, at));
        let all: Vec<Place> = counted.flat_map(of).collect();
        all.into_iter().rev().take(count).collect()
    }

    /// What `mask` makes of a part.
    pub(super) fn masked(
        &self,
        target: Target,
        at: usize,
        part: &Part,
        show: usize,
        placeholder: Option<&[Filled]>,
    ) -> Option<Fate> {
        if target == Target::Images {
            return match &part.body {
                Body::Image(media, ..) => Some(Fate::Becomes(image_placeholder(media), Level::Masked)),
                Body::Result(answer) => {
                    let others = answer.others.iter().map(|other| match other {
                        Body::Image(media, ..) => image_placeholder(media),
                        other => other.clone(),
                    });
                    let others: Vec<Body> = others.collect();
                    let new = Body::Result(Answer { others, ..answer.clone() });
                    (new != part.body).then_some(Fate::Becomes(new, part.level))
                }
                _ => None,
            };
        }
        if part.level.is_replaced() {
            return None;
        }
        let text = |kind: &str, tool: Option<&str>, old: &str| {
            let shown = preview(old, show);
            let whose = tool.map(|tool| format!(" for {tool}")).unwrap_or_default();
            placeholder.map_or_else(
                || format!("[{kind}{whose}: {shown}]"),
                |text| joined(text, &[("tool", tool.unwrap_or("unknown")), ("preview", &shown)]),
            )
        };
        match &part.body {
            Body::Thinking { .. } => Some(Fate::Goes),
            Body::Call { id, tool, arguments } => {
                let masked = json!({ "masked": text("arguments", Some(tool), &arguments_text(arguments)) });
                let new = Body::Call { id: id.clone(), tool: tool.clone(), arguments: masked };
                Some(Fate::Becomes(new, Level::Masked))
            }
            Body::Result(answer) => {
                let text = text("tool result", Some(self.tool(at).unwrap_or("unknown")), &answer.text);
                let new = Answer { text, others: Vec::new(), ..answer.clone() };
                Some(Fate::Becomes(Body::Result(new), Level::Masked))
            }
            Body::Text(old) => {
                let kind = if target == Target::Replies { "reply" } else { "message" };
                Some(Fate::Becomes(Body::Text(text(kind, None, old)), Level::Masked))
            }
            _ => None,
        }
    }

    /// What `offload` makes of a result or a text. What `recall` returned stays.
    pub(super) fn offloaded(
        &self,
        at: usize,
        part: &Part,
        show: usize,
        placeholder: Option<&[Filled]>,
    ) -> Option<Fate> {
        let tool = self.tool(at).unwrap_or("unknown");
        if part.level.is_replaced() || tool == "recall" {
            return None;
        }
        let (id, shown) = (format!("r{}", self.kept[at].id), preview(part.body.text()?, show));
        let text = match placeholder {
            None => format!("[offloaded: use recall(\"{id}\") to retrieve. Summary: {shown}]"),
            Some(text) => {
                let has_id = text.iter().any(|piece| matches!(piece, Filled::Own("id")));
                let text = joined(text, &[("id", &id), ("tool", tool), ("preview", &shown)]);
                if has_id { text } else { format!("{text} [recall(\"{id}\")]") }
            }
        };
        Some(Fate::Becomes(part.body.with_text(text), Level::Offloaded))
    }

    /// What `trim` makes of a result or a text.
    pub(super) fn trimmed(
        &self,
        at: usize,
        part: &Part,
        to: Option<Over>,
        from: Option<Side>,
        marker: Option<&[Filled]>,
    ) -> Option<Fate> {
        let old = part.body.text()?;
        let tool = self.tool(at).unwrap_or("unknown");
        let marker = marker.map_or_else(|| "… [trimmed]".to_owned(), |text| joined(text, &[("tool", tool)]));
        let chars: Vec<char> = old.chars().collect();
        let length = |length: Over, sides: &dyn Fn(usize) -> (usize, usize)| match length {
            Over::Chars(limit) => usize::try_from(limit).expect("a short limit"),
            Over::Tokens(tokens) => self.trim_limit((at, part.place), tokens, sides),
        };
        let side = from.unwrap_or(Side::Tail);
        let to = to.unwrap_or(Over::Chars(500));
        let is_short = matches!(to, Over::Tokens(tokens) if self.counter.text(old) <= tokens);
        let middle = |limit: usize| (limit - limit / 2, limit / 2);
        let sides = match side {
            Side::Ends(head, tail) => (length(head, &|limit| (limit, 0)), length(tail, &|limit| (0, limit))),
            _ if is_short => return None,
            Side::Tail => (length(to, &|limit| (limit, 0)), 0),
            Side::Head => (0, length(to, &|limit| (0, limit))),
            Side::Middle => middle(length(to, &middle)),
        };
        let limit = sides.0 + sides.1;
        let is_deeper = Level::Trimmed(limit as u64).depth() > part.level.depth();
        if part.level.is_replaced() || !is_deeper || chars.len() <= limit {
            return None;
        }
        let (head, tail) = ends(&chars, sides);
        let new = part.body.with_text(format!("{head}{marker}{tail}"));
        Some(Fate::Becomes(new, Level::Trimmed(limit as u64)))
    }

    /// The most characters that have so many tokens, in the part as it arrived.
    fn trim_limit(&self, (at, place): (usize, usize), tokens: u64, sides: impl Fn(usize) -> (usize, usize)) -> usize {
        let arrived = self.kept[at].arrived.parts.iter().find(|part| part.place == place);
        let text = arrived.and_then(|part| part.body.text()).unwrap_or_default();
        let chars: Vec<char> = text.chars().collect();
        let fits = |limit: usize| {
            let (head, tail) = ends(&chars, sides(limit));
            (self.counter.text)(&head) + (self.counter.text)(&tail) <= tokens
        };
        // A longer end of a text can count one token less, so that bisection is part of the result.
        let (mut least, mut most) = (0, chars.len() + 1);
        while most - least > 1 {
            let middle = usize::midpoint(least, most);
            if fits(middle) { least = middle } else { most = middle }
        }
        least
    }
}

/// The beginning and the end of a text.
fn ends(chars: &[char], (head, tail): (usize, usize)) -> (String, String) {
    (chars[..head].iter().collect(), chars[chars.len() - tail..].iter().collect())
}

/// An image: its message, the place of its part, and its place in a result.
type Place = (usize, usize, usize);

/// The images of a part.
fn places_of(at: usize, part: &Part) -> Vec<Place> {
    match &part.body {
        Body::Image(..) => vec![(at, part.place, 0)],
        Body::Result(answer) => {
            let others = answer.others.iter().enumerate().filter(|(_, other)| other.is_image());
            others.map(|(inner, _)| (at, part.place, inner)).collect()
        }
        _ => Vec::new(),
    }
}

/// What becomes of a part without the images that stay.
fn besides(at: usize, part: &Part, stays: &BTreeSet<Place>, fate: impl Fn(&Part) -> Option<Fate>) -> Option<Fate> {
    let kept: Vec<Place> = places_of(at, part).into_iter().filter(|place| stays.contains(place)).collect();
    let Some(&(.., oldest)) = kept.first() else { return fate(part) };
    let Body::Result(answer) = &part.body else { return None };
    // The images that stay are the last ones.
    let (others, last) = answer.others.split_at(oldest);
    let older = Part { body: Body::Result(Answer { others: others.to_vec(), ..answer.clone() }), ..part.clone() };
    Some(match fate(&older)? {
        Fate::Becomes(Body::Result(new), level) => {
            let others = [new.others.as_slice(), last].concat();
            Fate::Becomes(Body::Result(Answer { others, ..new }), level)
        }
        fate => fate,
    })
}

fn image_placeholder(media: &str) -> Body {
    Body::Text(format!("[image: {media}]"))
}
