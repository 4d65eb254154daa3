//! `trim`: cuts long old tool results to a length.

use trimtab_base::conversation::{Body, Counter, Entry, Keep, Level, ToolResult};
use trimtab_base::quantity::{Counted, Quantity, Unit};
use trimtab_base::source::{starting_at, up_to};

use super::label::Handle;
use super::reduction;
use super::selection::{Reduced, Selection};
use super::{
    Argument, Effect, EffectContext, EffectKind, EffectOutput, Label, LabelDefault, LabelRole, Operation, Positional,
    Shape, TextSlot,
};

/// The marker at a cut. Documents and tests of the original system contain it.
pub(super) const MARKER: &str = "… [trimmed]";

/// The length of the default marker in characters.
pub const DEFAULT_MARKER_CHARS: usize = 11;

/// The variable for the tool that was called.
const TOOL_VARIABLE: &str = "tool";

pub(super) static EFFECT: Effect = Effect {
    name: "trim",
    summary: "Cuts long old tool results to a length and marks the cut. \
              A result is cut only if it becomes shorter, including the marker. Error results are kept.",
    kind: EffectKind::CutContent,
    positional: Positional::Target(&[reduction::RESULTS, reduction::ARRIVALS]),
    labels: &[
        &OVER.label,
        &TO.label,
        &FROM.label,
        &KEEP.label,
        &reduction::EXCEPT.label,
        &reduction::ONLY.label,
        &reduction::INCLUDING.label,
        &PLACEHOLDER.label,
        &reduction::DOWN_TO.label,
        &reduction::AT_LEAST.label,
    ],
    variables: &[(TOOL_VARIABLE, "the tool that was called")],
    examples: &[
        "trim results to 500 chars keep 4 results",
        "trim results to 2k tokens from middle keep 1 interaction only [bash]",
        "trim arrivals over 20k chars to 4k chars",
        "trim results to 200 chars from head placeholder \"[cut from {tool}] \" down_to 60%",
    ],
    build: |arguments| {
        Box::new(Trim {
            selection: Selection::new(arguments, &KEEP, &OVER),
            to: TO.get(arguments),
            from: FROM.get(arguments),
            marker: PLACEHOLDER.get(arguments),
        })
    },
};

static TO: Handle<Option<Quantity>> = Handle {
    label: Label {
        default: LabelDefault::Number(500, Unit::Chars),
        role: Some(LabelRole::ResultLimit),
        ..Label::new(
            "to",
            Shape::Quantity(&[Unit::Chars, Unit::Tokens]),
            "The length to which a result is cut. One in tokens is measured on the result as it arrived.",
        )
    },
    read: |value| value.and_then(Argument::quantity),
};

static FROM: Handle<CutFrom> = Handle {
    label: Label {
        default: LabelDefault::Word(TAIL),
        ..Label::new(
            "from",
            Shape::Word(&[TAIL, HEAD, MIDDLE]),
            "The side that is cut: `tail` keeps the beginning, `head` keeps the end, `middle` keeps both.",
        )
    },
    read: |value| match value.and_then(Argument::word) {
        Some(HEAD) => CutFrom::Head,
        Some(MIDDLE) => CutFrom::Middle,
        _ => CutFrom::Tail,
    },
};

const TAIL: &str = "tail";
const HEAD: &str = "head";
const MIDDLE: &str = "middle";

static OVER: Handle<Option<Quantity>> = reduction::over(&[]);
static KEEP: Handle<Keep> = reduction::keep(4, Counted::Results, &[reduction::RESULTS.name]);

static PLACEHOLDER: Handle<Option<TextSlot>> = Handle {
    label: Label {
        role: Some(LabelRole::Placeholder),
        ..Label::new(
            "placeholder",
            Shape::Text,
            "The marker at the cut, instead of `… [trimmed]`. `{tool}` is the tool that was called.",
        )
    },
    read: reduction::text,
};

/// The side of a text that is cut.
#[derive(Clone, Copy, Debug)]
pub(super) enum CutFrom {
    /// The end.
    Tail,
    /// The beginning.
    Head,
    /// The middle.
    Middle,
}

#[derive(Debug)]
struct Trim {
    selection: Selection,
    to: Option<Quantity>,
    from: CutFrom,
    marker: Option<TextSlot>,
}

impl Operation for Trim {
    fn begin(&self, context: &EffectContext<'_>) -> EffectOutput {
        self.selection.reduce(context, |entry, body, level| {
            let Body::ToolResult(result) = body else { return None };
            if level.is_replaced() {
                return None;
            }
            let limit = self.limit(entry, result, &**context.counter)?;
            let tool = entry.tool().map_or("unknown", |tool| tool.as_str());
            let marker = self.marker.as_ref().map(|marker| context.text(marker, &[(TOOL_VARIABLE, tool)]));
            cut(result, limit, self.from, marker.as_deref().unwrap_or(MARKER))
        })
    }
}

impl Trim {
    /// The limit in characters; none when the result is not longer.
    ///
    /// A limit in tokens is measured on the text as it arrived. Measured on a text that is already cut, with a marker in
    /// it, it would change from one request to the next and cut again.
    fn limit(&self, entry: &Entry, result: &ToolResult, counter: &dyn Counter) -> Option<usize> {
        let limit = self.to?;
        if limit.unit == Unit::Chars {
            return Some(usize::try_from(limit.to_u64()).unwrap_or(usize::MAX));
        }
        let tokens = limit.to_u64();
        let recorded = entry.recorded().results().next().map_or(&result.text, |recorded| &recorded.text);
        (counter.text(&result.text) > tokens).then(|| self.longest_within(recorded, tokens, counter))
    }

    /// The largest number of characters of which a cut keeps at most so many tokens.
    fn longest_within(&self, text: &str, tokens: u64, counter: &dyn Counter) -> usize {
        let mut places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        places.push(text.len());
        let total = places.len() - 1;
        let size = |kept: usize| {
            let (head, tail) = self.from.kept(kept);
            counter.text(up_to(text, places[head])) + counter.text(starting_at(text, places[total - tail]))
        };
        let (mut fits, mut exceeds) = (0, total + 1);
        while exceeds - fits > 1 {
            let middle = fits.midpoint(exceeds);
            if size(middle) <= tokens { fits = middle } else { exceeds = middle }
        }
        fits
    }
}

impl CutFrom {
    /// How many of so many kept characters are at the beginning and at the end.
    const fn kept(self, chars: usize) -> (usize, usize) {
        match self {
            Self::Head => (0, chars),
            Self::Middle => (chars.div_ceil(2), chars / 2),
            Self::Tail => (chars, 0),
        }
    }
}

/// Cuts a result to a number of characters; none when it would not become shorter.
pub(super) fn cut(result: &ToolResult, limit: usize, from: CutFrom, marker: &str) -> Option<Reduced> {
    if result.text.len() <= limit {
        return None;
    }
    let total = result.text.chars().count();
    if total <= limit.saturating_add(marker.chars().count()) {
        return None;
    }
    let at = |chars: usize| result.text.char_indices().nth(chars).map_or(result.text.len(), |(at, _)| at);
    let (head, tail) = from.kept(limit);
    let text = format!("{}{marker}{}", up_to(&result.text, at(head)), starting_at(&result.text, at(total - tail)));
    let body = Body::ToolResult(Box::new(ToolResult { text: text.into(), ..result.clone() }));
    Some(Reduced { body: Some(body), level: Level::Trimmed { limit: u32::try_from(limit).unwrap_or(u32::MAX) } })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_marker_has_the_length_that_is_published() {
        assert_eq!(MARKER.chars().count(), DEFAULT_MARKER_CHARS);
    }
}
