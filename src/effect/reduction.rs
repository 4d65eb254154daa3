//! Shared by effects that edit content: the labels that select parts, and the search for parts to reduce.

use std::ops::Range;

use smol_str::SmolStr;

use super::label::Handle;
use super::{
    Argument, Arguments, EffectContext, EffectOutput, IdleReason, Label, LabelDefault, LabelRole, Scope,
    SearchProgress, Shape, SkippedParts, Target, TextSlot,
};
use crate::conversation::{Body, Counter, Edit, Entry, Keep, Level, Origin, PartId, Role, any_matches, overlap};
use crate::quantity::{Counted, Quantity, Unit, share_of};

/// The units of `keep`.
pub(super) const KEEP_UNITS: &[Unit] =
    &[Unit::Counted(Counted::Messages), Unit::Counted(Counted::Results), Unit::Counted(Counted::Interactions)];

pub(super) const RESULTS: Target =
    Target { name: "results", scope: Scope::Results, summary: "The contents of tool results." };

pub(super) const ARRIVALS: Target = Target {
    name: "arrivals",
    scope: Scope::Arrivals,
    summary: "The contents of tool results that no request has contained yet. Changing them before they are first sent \
              costs neither prompt cache nor reasoning.",
};

/// `over` for these targets; for every target if there are none.
pub(super) const fn over(targets: &'static [&'static str]) -> Handle<Option<Quantity>> {
    Handle {
        label: Label {
            role: Some(LabelRole::MinimumLength),
            targets,
            ..Label::new(
                "over",
                Shape::Quantity(&[Unit::Chars, Unit::Tokens]),
                "Changes only parts that are longer than this, each by itself.",
            )
        },
        read: |value| value.and_then(Argument::quantity),
    }
}

/// `keep` with a default, for these targets.
pub(super) const fn keep(count: u32, counted: Counted, targets: &'static [&'static str]) -> Handle<Keep> {
    Handle {
        label: Label {
            targets,
            default: LabelDefault::Number(count, Unit::Counted(counted)),
            role: Some(LabelRole::Keep),
            ..Label::new("keep", Shape::Quantity(KEEP_UNITS), "How much of the tail stays as it is.")
        },
        read: |value| tail(value).unwrap_or(Keep::Messages(0)),
    }
}

pub(super) static EXCEPT: Handle<Option<Vec<SmolStr>>> = Handle {
    label: Label {
        role: Some(LabelRole::ExceptTools),
        inert: |arguments| no_tool(arguments).or_else(|| selects_none(arguments)),
        ..Label::new("except", Shape::Tools, "Tools whose calls and results are not changed.")
    },
    read: tools,
};

pub(super) static ONLY: Handle<Option<Vec<SmolStr>>> = Handle {
    label: Label {
        role: Some(LabelRole::OnlyTools),
        inert: no_tool,
        ..Label::new("only", Shape::Tools, "The only tools whose calls and results are changed.")
    },
    read: tools,
};

pub(super) static INCLUDING: Handle<bool> = Handle {
    label: Label {
        role: Some(LabelRole::IncludeErrors),
        inert: |arguments| {
            let never_fails = matches!(arguments.scope(), Some(Scope::Thinking | Scope::Calls));
            never_fails.then_some("only results can be errors")
        },
        ..Label::new(
            "including",
            Shape::Word(&["errors"]),
            "With `errors`, error results are changed too; otherwise they are kept.",
        )
    },
    read: |value| value.is_some(),
};

pub(super) static DOWN_TO: Handle<Option<Quantity>> = Handle {
    label: Label {
        role: Some(LabelRole::Goal),
        ..Label::new(
            "down_to",
            Shape::Quantity(&[Unit::Share, Unit::Tokens]),
            "Changes the oldest parts first and stops when the context is at or below this size.",
        )
    },
    read: |value| value.and_then(Argument::quantity),
};

pub(super) static AT_LEAST: Handle<Option<u64>> = Handle {
    label: Label {
        role: Some(LabelRole::MinimumSaving),
        ..Label::new(
            "at_least",
            Shape::Quantity(&[Unit::Tokens]),
            "Does nothing unless at least this many tokens are saved in total.",
        )
    },
    read: tokens,
};

/// Reads a label as a number of tokens.
pub(super) fn tokens(value: Option<&Argument>) -> Option<u64> {
    value.and_then(Argument::quantity).map(Quantity::to_u64)
}

/// Reads a label that has a default as a whole number.
pub(super) fn count(value: Option<&Argument>) -> usize {
    let quantity = value.and_then(Argument::quantity);
    quantity.map_or(0, |quantity| usize::try_from(quantity.to_u64()).unwrap_or(usize::MAX))
}

/// Reads a label as a text.
pub(super) fn text(value: Option<&Argument>) -> Option<TextSlot> {
    value.and_then(Argument::text).cloned()
}

/// Reads a label as the length of the kept tail.
pub(super) fn tail(value: Option<&Argument>) -> Option<Keep> {
    let unit = value.and_then(Argument::quantity)?.unit;
    Some(match unit {
        Unit::Counted(Counted::Results) => Keep::Results(count(value)),
        Unit::Counted(Counted::Interactions) => Keep::Interactions(count(value)),
        _ => Keep::Messages(count(value)),
    })
}

fn tools(value: Option<&Argument>) -> Option<Vec<SmolStr>> {
    value.and_then(Argument::names).map(<[SmolStr]>::to_vec)
}

fn no_tool(arguments: &Arguments) -> Option<&'static str> {
    (arguments.scope() == Some(Scope::Thinking)).then_some("reasoning belongs to no tool")
}

/// Whether `except` names only tools that `only` does not select.
fn selects_none(arguments: &Arguments) -> Option<&'static str> {
    let (only, except) = (ONLY.get(arguments)?, EXCEPT.get(arguments)?);
    let is_selected = |tool: &SmolStr| only.iter().any(|other| overlap(tool, other));
    (!except.iter().any(is_selected)).then_some("`only` selects none of these tools")
}

/// The parts that an effect reduces, as its arguments select them.
#[derive(Debug)]
pub(super) struct Selection {
    pub(super) scope: Scope,
    keep: Keep,
    over: Option<Quantity>,
    only: Option<Vec<SmolStr>>,
    except: Option<Vec<SmolStr>>,
    errors: bool,
    goal: Option<Quantity>,
    /// The tokens that must be saved for anything to be done. Without it a part is replaced whenever it becomes shorter,
    /// even if a counter finds more tokens in the new text.
    minimum_saving: Option<u64>,
}

/// The new content of a part, and how far the part is reduced by it.
pub(super) struct Reduced {
    pub(super) body: Option<Body>,
    pub(super) level: Level,
}

/// The result of a search.
struct Search {
    edits: Vec<Edit>,
    /// The tokens that the edits save.
    saved: i128,
    scanned_prefix: usize,
    /// The tokens by which the goal is missed.
    shortfall: u64,
}

impl Selection {
    pub(super) fn new(arguments: &Arguments, keep: &Handle<Keep>, over: &Handle<Option<Quantity>>) -> Self {
        Self {
            scope: arguments.scope().unwrap_or(Scope::Results),
            keep: keep.get(arguments),
            over: over.get(arguments),
            only: ONLY.get(arguments),
            except: EXCEPT.get(arguments),
            errors: INCLUDING.get(arguments),
            goal: DOWN_TO.get(arguments),
            minimum_saving: AT_LEAST.get(arguments),
        }
    }

    /// Searches the parts before the kept tail, oldest first, and reduces those that become shorter.
    /// `reduce` returns the new content of a part, or none when the part is not in scope.
    pub(super) fn reduce(
        &self,
        context: &EffectContext<'_>,
        reduce: impl Fn(&Entry, &Body, Level) -> Option<Reduced>,
    ) -> EffectOutput {
        let known = self.progress(context);
        let nothing =
            |progress, idle_reason| EffectOutput::Edits { edits: Vec::new(), shortfall: 0, progress, idle_reason };
        let goal = match self.goal(context) {
            Ok(goal) => goal,
            Err(idle_reason) => {
                let progress = SearchProgress { scanned_prefix: known.scanned_prefix, ..SearchProgress::default() };
                return nothing(progress, idle_reason);
            }
        };
        let boundary = self.boundary(context);
        // The search below the minimum saving continues where it ended. Edits are collected only when it is reached.
        if goal.is_none() && known.gated_prefix > known.scanned_prefix && known.gated_prefix <= boundary {
            let more = self.search(context, None, known.gated_prefix..boundary, &reduce);
            let saving = known.saving + more.saved;
            if let Some(idle_reason) = self.too_little(saving) {
                return nothing(SearchProgress { gated_prefix: boundary, saving, ..known }, idle_reason);
            }
        }
        let Search { edits, saved, scanned_prefix, shortfall } =
            self.search(context, goal, known.scanned_prefix..boundary, &reduce);
        let progress = SearchProgress { scanned_prefix, ..SearchProgress::default() };
        if edits.is_empty() {
            let skipped = || context.explain.then(|| self.skipped(context, boundary));
            let idle_reason = match self.scope {
                Scope::Arrivals if first_arrival(context) == boundary => IdleReason::NoArrivals,
                _ if boundary == 0 => IdleReason::AllKept,
                _ => IdleReason::NothingToReduce(skipped()),
            };
            return nothing(progress, idle_reason);
        }
        let gated = SearchProgress { gated_prefix: boundary, saving: saved, ..progress };
        let gated = if goal.is_none() { gated } else { progress };
        if let Some(idle_reason) = self.too_little(saved) {
            return nothing(gated, idle_reason);
        }
        EffectOutput::Edits { edits, shortfall, progress, idle_reason: IdleReason::AllKept }
    }

    fn too_little(&self, saved: i128) -> Option<IdleReason> {
        let wanted = self.minimum_saving.filter(|&wanted| saved < i128::from(wanted))?;
        Some(IdleReason::TooLittle { saved: u64::try_from(saved).unwrap_or(0), wanted })
    }

    /// Collects the edits of a range of messages until the context is down to the goal.
    fn search(
        &self,
        context: &EffectContext<'_>,
        goal: Option<u64>,
        range: Range<usize>,
        reduce: &impl Fn(&Entry, &Body, Level) -> Option<Reduced>,
    ) -> Search {
        let (mut edits, mut saved, mut scanned_prefix) = (Vec::new(), 0i128, range.start);
        let left = |saved: i128| u64::try_from((i128::from(context.tokens) - saved).max(0)).unwrap_or(u64::MAX);
        for (at, entry) in context.conversation.entries()[..range.end].iter().enumerate().skip(range.start) {
            for (part, old) in entry.parts() {
                if goal.is_some_and(|goal| left(saved) <= goal) {
                    return Search { edits, saved, scanned_prefix, shortfall: 0 };
                }
                if !self.selects_tool(entry, &old.body) || !self.is_over(entry, part, &old.body, &**context.counter) {
                    continue;
                }
                let Some(Reduced { body, level }) = reduce(entry, &old.body, old.level) else { continue };
                // An edit that would be refused saves nothing.
                if context.conversation.may_reduce(at, part, body.as_ref(), level, self.errors) {
                    let after = body.as_ref().map_or(0, |body| context.counter.body(body));
                    saved += i128::from(entry.part_tokens(part, &**context.counter)) - i128::from(after);
                    edits.push(Edit::Reduce { message: entry.id(), part, body, level, errors: self.errors });
                }
            }
            if edits.is_empty() {
                scanned_prefix = at + 1;
            }
        }
        let shortfall = goal.map_or(0, |goal| left(saved).saturating_sub(goal));
        Search { edits, saved, scanned_prefix, shortfall }
    }

    /// Counts the parts in scope before the kept tail that stay as they are, by reason.
    fn skipped(&self, context: &EffectContext<'_>, boundary: usize) -> SkippedParts {
        let mut skipped = SkippedParts::default();
        let first = if self.scope == Scope::Arrivals { first_arrival(context) } else { 0 };
        for entry in &context.conversation.entries()[first.min(boundary)..boundary] {
            for (id, part) in entry.parts().filter(|(_, part)| self.scope.contains(&part.body)) {
                let is_error = matches!(&part.body, Body::ToolResult(result) if result.is_error);
                let count = if !self.selects_tool(entry, &part.body) {
                    &mut skipped.tools
                } else if context.conversation.is_pinned(entry.id(), id) {
                    &mut skipped.pinned
                } else if is_error && !self.errors {
                    &mut skipped.errors
                } else if part.level == Level::Whole && !self.is_over(entry, id, &part.body, &**context.counter) {
                    &mut skipped.not_over
                } else if part.level == Level::Whole {
                    &mut skipped.short
                } else {
                    &mut skipped.reduced
                };
                *count += 1;
            }
        }
        skipped
    }

    /// What earlier searches found out. Arrivals are sent and then none any more, so they are searched for themselves.
    fn progress(&self, context: &EffectContext<'_>) -> SearchProgress {
        match self.scope {
            Scope::Arrivals => SearchProgress { scanned_prefix: first_arrival(context), ..SearchProgress::default() },
            _ => context.progress,
        }
    }

    /// Whether a part is longer than `over`, as it is now.
    fn is_over(&self, entry: &Entry, part: PartId, body: &Body, counter: &dyn Counter) -> bool {
        let Some(over) = self.over else { return true };
        match (over.unit, body) {
            (Unit::Tokens, _) => entry.part_tokens(part, counter) > over.to_u64(),
            (_, Body::ToolResult(result)) => result.text.chars().count() as u64 > over.to_u64(),
            (_, Body::ToolCall { arguments, .. }) => arguments.text().chars().count() as u64 > over.to_u64(),
            (_, body) => body.chars() as u64 > over.to_u64(),
        }
    }

    /// The number of messages before the kept tail. Reasoning of the open tool loop is kept too; since that loop closes
    /// later, a search must not go beyond its start.
    fn boundary(&self, context: &EffectContext<'_>) -> usize {
        let boundary = self.keep.boundary(context.conversation);
        match self.scope {
            Scope::Thinking => boundary.min(context.conversation.loop_start()),
            _ => boundary,
        }
    }

    /// The goal in tokens; the reason to do nothing when it is reached, or when it is a share of an unknown window.
    fn goal(&self, context: &EffectContext<'_>) -> Result<Option<u64>, IdleReason> {
        let Some(quantity) = self.goal else { return Ok(None) };
        let goal = match quantity.unit {
            Unit::Share => share_of(context.window.ok_or(IdleReason::NoWindow)?, quantity.amount),
            _ => quantity.to_u64(),
        };
        let tokens = context.tokens;
        if tokens <= goal { Err(IdleReason::AtGoal { tokens, goal }) } else { Ok(Some(goal)) }
    }

    /// Whether the tool of a part is selected.
    fn selects_tool(&self, entry: &Entry, body: &Body) -> bool {
        let tool = match body {
            Body::ToolCall { name, .. } => Some(name),
            Body::ToolResult(_) => entry.tool(),
            Body::Image { .. } => None,
            _ => return true,
        };
        let is_in = |names: &Option<Vec<SmolStr>>| {
            names.as_ref().map(|names| tool.is_some_and(|tool| any_matches(names.iter().map(SmolStr::as_str), tool)))
        };
        is_in(&self.only).unwrap_or(true) && !is_in(&self.except).unwrap_or(false)
    }
}

/// The index of the first message after the newest reply: no request has contained what follows.
fn first_arrival(context: &EffectContext<'_>) -> usize {
    let is_reply = |entry: &Entry| entry.role() == Role::Assistant && entry.recorded().origin != Origin::Injected;
    context.conversation.entries().iter().rposition(is_reply).map_or(0, |reply| reply + 1)
}

impl Scope {
    /// Whether a part belongs to it.
    fn contains(self, body: &Body) -> bool {
        match (self, body) {
            (Self::Results | Self::Arrivals, Body::ToolResult(_))
            | (Self::Calls, Body::ToolCall { .. })
            | (Self::Thinking, Body::Thinking { .. })
            | (Self::Images, Body::Image { .. }) => true,
            (Self::Images, Body::ToolResult(result)) => {
                result.attachments.iter().any(|attachment| self.contains(attachment))
            }
            _ => false,
        }
    }
}
