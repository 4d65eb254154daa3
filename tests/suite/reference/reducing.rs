//! `mask` and `trim` as the language documentation defines them: which parts they reduce, and to what.

use proptest::prelude::*;
use serde_json::json;
use trimtab::conversation::{Arguments, Body, Conversation, Counter, Entry, Level, MessageId, PartId, Role};
use trimtab::model::Estimate;
use trimtab::phase::Phase;

use super::redundant::{self, Answered};
use crate::{generated, laws};

pub(super) const WINDOW: u64 = 3000;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Target {
    Results,
    Calls,
    Thinking,
    Images,
    Offload,
    DropThinking,
    DropImages,
    /// `mask duplicates`.
    Duplicates,
    /// `mask superseded_reads`.
    SupersededReads,
    /// `trim results to N chars`, from the head, the tail or the middle.
    Trim(usize, &'static str),
}

#[derive(Clone, Debug)]
struct Reducing {
    target: Target,
    /// Results of the newest reply only; there is no `keep` then.
    arrivals: bool,
    over: Option<(u64, &'static str)>,
    keep: (usize, &'static str),
    preview: usize,
    errors: bool,
    only: Option<&'static str>,
    except: Option<&'static str>,
    down_to: Option<u64>,
    at_least: Option<u64>,
}

fn reducing() -> impl Strategy<Value = Reducing> {
    let target = prop_oneof![
        2 => Just(Target::Results),
        2 => Just(Target::Duplicates),
        2 => Just(Target::SupersededReads),
        1 => Just(Target::Calls),
        2 => Just(Target::Thinking),
        1 => Just(Target::Images),
        2 => Just(Target::Offload),
        1 => Just(Target::DropThinking),
        1 => Just(Target::DropImages),
        2 => (0usize..300, prop::sample::select(vec!["head", "tail", "middle"])).prop_map(|(to, from)| Target::Trim(to, from)),
    ];
    let keep = (0usize..8, prop::sample::select(vec!["messages", "results", "interactions"]));
    let tool = || prop::option::weighted(0.3, prop::sample::select(vec!["bash", "mcp__*", "read_file"]));
    let share = prop::option::weighted(0.4, 1u64..100);
    let gate = prop::option::weighted(0.4, 0u64..400);
    let limits = [(10u64..300, "chars"), (2u64..80, "tokens")].map(|(amount, unit)| (amount, Just(unit)));
    let over = prop::option::weighted(0.3, prop::strategy::Union::new(limits));
    let target = (target, prop::bool::weighted(0.3), over);
    (target, keep, 0usize..60, any::<bool>(), tool(), tool(), share, gate).prop_map(
        |((target, arrivals, over), keep, preview, errors, only, except, down_to, at_least)| Reducing {
            target,
            arrivals: arrivals && matches!(target, Target::Results | Target::Offload | Target::Trim(..)),
            over: over.filter(|_| !matches!(target, Target::Images | Target::DropImages)),
            keep,
            preview,
            errors: errors && target != Target::DropThinking,
            only: only.filter(|_| target != Target::DropThinking),
            except: except.filter(|_| target != Target::DropThinking),
            down_to,
            at_least,
        },
    )
}

impl Reducing {
    fn text(&self) -> String {
        let results = if self.arrivals { "arrivals" } else { "results" };
        let mut text = match self.target {
            Target::Results => format!("mask {results} preview {} chars", self.preview),
            Target::Duplicates => format!("mask duplicates preview {} chars", self.preview),
            Target::SupersededReads => format!("mask superseded_reads preview {} chars", self.preview),
            Target::Calls => format!("mask calls preview {} chars", self.preview),
            Target::Thinking => "mask thinking".to_owned(),
            Target::Images => "mask images".to_owned(),
            Target::Offload => format!("offload {results} preview {} chars", self.preview),
            Target::DropThinking => "drop thinking".to_owned(),
            Target::DropImages => "drop images".to_owned(),
            Target::Trim(to, from) => format!("trim {results} to {to} chars from {from}"),
        };
        if !self.arrivals {
            text += &format!(" keep {} {}", self.keep.0, self.keep.1);
        }
        text += &self.over.map_or_else(String::new, |(limit, unit)| format!(" over {limit} {unit}"));
        text += if self.errors { " including errors" } else { "" };
        for (word, tool) in [("only", self.only), ("except", self.except)] {
            text += &tool.map_or_else(String::new, |tool| format!(" {word} [{tool}]"));
        }
        text += &self.down_to.map_or_else(String::new, |share| format!(" down_to {share}%"));
        text + &self.at_least.map_or_else(String::new, |tokens| format!(" at_least {tokens} tokens"))
    }

    /// The messages that the effect may change.
    fn range(&self, messages: &[Kept]) -> std::ops::Range<usize> {
        if !self.arrivals {
            return 0..self.boundary(messages);
        }
        let newest_reply = messages.iter().rposition(|message| message.role == Role::Assistant);
        newest_reply.map_or(0, |reply| reply + 1)..messages.len()
    }

    fn boundary(&self, messages: &[Kept]) -> usize {
        let (count, unit) = self.keep;
        let counts = |kept: &Kept| match unit {
            "messages" => true,
            "results" => kept.role == Role::Tool,
            _ => kept.person,
        };
        let kept: Vec<usize> = (0..messages.len()).rev().filter(|&at| counts(&messages[at])).take(count).collect();
        match (count, kept.last()) {
            (0, _) => messages.len(),
            (count, Some(&last)) if kept.len() == count => last,
            _ => 0,
        }
    }

    fn takes_tool(&self, target: &Part, message: &Kept) -> bool {
        let tool = match &target.body {
            Body::ToolCall { name, .. } => Some(name.as_str()),
            Body::ToolResult(_) => message.tool.as_deref(),
            Body::Thinking { .. } => return true,
            _ => None,
        };
        let fits = |pattern: &str| match pattern.strip_suffix('*') {
            Some(start) => tool.is_some_and(|tool| tool.starts_with(start)),
            None => tool == Some(pattern),
        };
        self.only.is_none_or(fits) && !self.except.is_some_and(fits)
    }

    fn is_of_target(&self, body: &Body) -> bool {
        match self.target {
            Target::Calls => matches!(body, Body::ToolCall { .. }),
            Target::Thinking | Target::DropThinking => matches!(body, Body::Thinking { .. }),
            Target::Images | Target::DropImages => false,
            _ => matches!(body, Body::ToolResult(_)),
        }
    }

    /// What happens to a part.
    fn fate(&self, part: &Part, message: &Kept) -> Fate {
        let start = |text: &str| {
            let more = if text.chars().count() > self.preview { "…" } else { "" };
            text.chars().take(self.preview).collect::<String>() + more
        };
        let tool = message.tool.as_deref().unwrap_or("unknown");
        match (self.target, &part.body) {
            (Target::Results | Target::Duplicates | Target::SupersededReads, Body::ToolResult(result))
                if !is_gone(part) =>
            {
                let mut new = result.clone();
                new.text = format!("[tool result for {tool}: {}]", start(&result.text)).into();
                new.attachments.clear();
                Fate::Becomes(Body::ToolResult(new), Level::Masked)
            }
            (Target::Offload, Body::ToolResult(result)) if !is_gone(part) => {
                let mut new = result.clone();
                let id = message.id.0;
                let summary = start(&result.text);
                new.text = format!("[offloaded: use recall(\"r{id}\") to retrieve. Summary: {summary}]").into();
                Fate::Becomes(Body::ToolResult(new), Level::Offloaded)
            }
            (Target::Calls, Body::ToolCall { id, name, arguments }) if !is_gone(part) => {
                let masked = json!({ "masked": format!("[arguments for {name}: {}]", start(&arguments.text())) });
                let new = Body::ToolCall { id: id.clone(), name: name.clone(), arguments: Arguments::Json(masked) };
                Fate::Becomes(new, Level::Masked)
            }
            (Target::Thinking | Target::DropThinking, Body::Thinking { .. })
            | (Target::DropImages, Body::Image { .. }) => Fate::Goes,
            (Target::DropImages, Body::ToolResult(result)) if !result.attachments.is_empty() => {
                let mut new = result.clone();
                new.attachments.retain(|attachment| !matches!(attachment, Body::Image { .. }));
                Fate::Becomes(Body::ToolResult(new), part.level)
            }
            (Target::Images, Body::Image { .. }) => {
                Fate::Becomes(Body::Text("[image: image/png]".into()), Level::Masked)
            }
            (Target::Images, Body::ToolResult(result)) if !result.attachments.is_empty() => {
                let mut new = result.clone();
                for attachment in &mut new.attachments {
                    *attachment = Body::Text("[image: image/png]".into());
                }
                Fate::Becomes(Body::ToolResult(new), part.level)
            }
            (Target::Trim(to, from), Body::ToolResult(result)) if !is_gone(part) => {
                let limit = u32::try_from(to).unwrap_or(u32::MAX);
                if matches!(part.level, Level::Trimmed { limit: old } if limit >= old) {
                    return Fate::Stays;
                }
                let chars: Vec<char> = result.text.chars().collect();
                let marker = "… [trimmed]";
                if chars.len() <= to + marker.chars().count() {
                    return Fate::Stays;
                }
                let text = |part: &[char]| part.iter().collect::<String>();
                let back = if from == "middle" { to / 2 } else { to };
                let end = text(&chars[chars.len() - back..]);
                let cut = match from {
                    "head" => format!("{marker}{end}"),
                    "middle" => format!("{}{marker}{end}", text(&chars[..to - back])),
                    _ => format!("{}{marker}", text(&chars[..to])),
                };
                let mut new = result.clone();
                new.text = cut.into();
                Fate::Becomes(Body::ToolResult(new), Level::Trimmed { limit })
            }
            _ => Fate::Stays,
        }
    }

    /// Applies the effect to the messages; returns whether it changed any.
    fn apply(&self, messages: &mut Vec<Kept>, calls: &[Option<Answered>]) -> bool {
        let before = messages.clone();
        let is_redundant = |at: usize| match self.target {
            Target::Duplicates => redundant::is_redundant(at, &before, calls, redundant::duplicates),
            Target::SupersededReads => redundant::is_redundant(at, &before, calls, redundant::supersedes),
            _ => true,
        };
        let total: u64 = before.iter().map(|part| part.tokens).sum();
        let mut saved = 0i128;
        let goal = self.down_to.map(|share| i128::from(WINDOW * share / 100));
        for at in self.range(&before).filter(|at| is_redundant(*at)) {
            for id in before[at].parts.iter().map(|part| part.id) {
                if goal.is_some_and(|goal| i128::from(total) - saved <= goal) {
                    continue;
                }
                let live = matches!(self.target, Target::Thinking | Target::DropThinking) && is_live(&before, at);
                if !live {
                    saved += self.part(&mut messages[at], id);
                }
            }
        }
        if self.at_least.is_some_and(|gate| saved < i128::from(gate)) {
            *messages = before;
            return false;
        }
        *messages != before
    }

    /// Reduces one part; returns the tokens that this saves.
    fn part(&self, message: &mut Kept, id: PartId) -> i128 {
        let Some(place) = message.parts.iter().position(|part| part.id == id) else { return 0 };
        let old = message.parts[place].clone();
        let failed = matches!(&old.body, Body::ToolResult(result) if result.is_error);
        if failed && !self.errors || !self.takes_tool(&old, message) {
            return 0;
        }
        let size = |body: &Body| Estimate::default().body(body);
        let chars = |body: &Body| match body {
            Body::ToolResult(result) => result.text.chars().count(),
            Body::ToolCall { arguments, .. } => arguments.text().chars().count(),
            Body::Thinking { text, .. } => text.chars().count(),
            _ => unreachable!("no other part is measured"),
        };
        let is_short = |(limit, unit): (u64, &str)| match unit {
            _ if !self.is_of_target(&old.body) => true,
            "chars" => chars(&old.body) as u64 <= limit,
            _ => size(&old.body) <= limit,
        };
        if self.over.is_some_and(is_short) {
            return 0;
        }
        match self.fate(&old, message) {
            Fate::Stays => 0,
            Fate::Goes => {
                let kind = std::mem::discriminant(&old.body);
                let has_content = |part: &Part| std::mem::discriminant(&part.body) != kind && part.body.chars() > 0;
                if old.body.chars() == 0 || !message.parts.iter().any(has_content) {
                    return 0;
                }
                message.parts.remove(place);
                message.tokens -= size(&old.body);
                i128::from(size(&old.body))
            }
            Fate::Becomes(body, _) if body.chars() >= old.body.chars() => 0,
            Fate::Becomes(body, level) => {
                let gain = i128::from(size(&old.body)) - i128::from(size(&body));
                message.tokens = message.tokens - size(&old.body) + size(&body);
                message.parts[place] = Part { id, body, level };
                gain
            }
        }
    }
}

/// Whether a placeholder stands for a part.
fn is_gone(part: &Part) -> bool {
    matches!(part.level, Level::Masked | Level::Offloaded)
}

/// What happens to a part.
enum Fate {
    Stays,
    Goes,
    Becomes(Body, Level),
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Part {
    id: PartId,
    pub(super) body: Body,
    pub(super) level: Level,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Kept {
    id: MessageId,
    pub(super) role: Role,
    pub(super) person: bool,
    pub(super) tool: Option<String>,
    pub(super) tokens: u64,
    pub(super) parts: Vec<Part>,
    calls: bool,
}

impl Kept {
    pub(super) fn of(entry: &Entry) -> Self {
        let parts = entry.parts().map(|(id, part)| Part { id, body: part.body.clone(), level: part.level });
        Self {
            id: entry.id(),
            role: entry.role(),
            person: entry.message().is_person(),
            tool: entry.tool().map(ToString::to_string),
            tokens: entry.tokens(),
            parts: parts.collect(),
            calls: entry.message().calls().next().is_some(),
        }
    }
}

/// Whether a message belongs to the tool loop that is open: after the last user message, when the last reply called tools.
pub(super) fn is_live(messages: &[Kept], at: usize) -> bool {
    let reply = messages.iter().rev().find(|message| message.role == Role::Assistant);
    let newest_prompt = messages.iter().rposition(|message| message.role == Role::User);
    reply.is_some_and(|reply| reply.calls) && newest_prompt.is_none_or(|newest_prompt| at > newest_prompt)
}

proptest! {
    #![proptest_config(generated::cases(300))]

    #[test]
    fn mask_and_trim_agree_with_the_reference(
        events in generated::events(),
        effects in prop::collection::vec(reducing(), 1..5),
    ) {
        let mut conversation = Conversation::with_invariant_checks();
        for message in generated::transcript(&events).messages {
            conversation.push(message, &Estimate::default());
        }
        conversation.abandon_open_calls(&Estimate::default());
        let calls = redundant::answered(&conversation);
        let mut model: Vec<Kept> = conversation.entries().iter().map(Kept::of).collect();
        for effect in &effects {
            let text = effect.text();
            let plan = laws::plan(&format!("edition 2026\npolicy p {{ rule a {{ do {text} }} }}"));
            let outcome = laws::once(&plan, &mut conversation, Phase::Request);
            prop_assert_eq!(outcome.edited(), effect.apply(&mut model, &calls), "{}", text);
            let kept: Vec<Kept> = conversation.entries().iter().map(Kept::of).collect();
            prop_assert_eq!(&kept, &model, "{}", text);
            for message in kept.iter().filter(|message| message.parts.iter().any(|part| part.level == Level::Offloaded)) {
                let at = conversation.index(message.id).expect("a message");
                let arrived = conversation.entries()[at].recorded().results().next().map(|result| result.text.clone());
                prop_assert_eq!(conversation.recall(&format!("r{}", message.id.0)).ok(), arrived.as_deref());
            }
        }
    }
}
