//! `trim`: cuts long old tool results to a length.

use trimtab_base::conversation::{Body, Counter, Level};
use trimtab_base::quantity::{Counted, Quantity, Unit};
use trimtab_base::source::{starting_at, up_to};

use super::label::Handle;
use super::latest::KEEP_LATEST;
use super::reduction;
use super::selection::{Reduced, Selection, text_of};
use super::{
    Argument, Arguments, ENDS, Effect, EffectContext, EffectKind, EffectOutput, Label, LabelDefault, LabelRole,
    Operation, Positional, Shape, TextSlot,
};

/// The marker at a cut. Documents and tests of the original system contain it.
pub(super) const MARKER: &str = "… [trimmed]";

/// The length of the default marker in characters.
pub const DEFAULT_MARKER_CHARS: usize = 11;

/// The variable for the tool that was called.
const TOOL_VARIABLE: &str = "tool";

pub(super) static EFFECT: Effect = Effect {
    name: "trim",
    summary: "Cuts long old tool results, or texts of messages, to a length and marks the cut. \
              A text is cut only if it becomes shorter, including the marker. Error results are kept.",
    kind: EffectKind::CutContent,
    positional: Positional::Target(&[
        reduction::RESULTS,
        reduction::ARRIVALS,
        reduction::USER_MESSAGES,
        reduction::REPLIES,
    ]),
    labels: &[
        &OVER.label,
        &TO.label,
        &FROM.label,
        &KEEP.label,
        &reduction::EXCEPT.label,
        &reduction::ONLY.label,
        &reduction::ERRORS.label,
        &reduction::INCLUDING.label,
        &KEEP_LATEST.label,
        &PLACEHOLDER.label,
        &reduction::DOWN_TO.label,
        &reduction::AT_LEAST.label,
    ],
    variables: &[(TOOL_VARIABLE, reduction::TOOL_MEANING)],
    examples: &[
        "trim results to 500 chars keep 4 results",
        "trim results to 2k tokens from middle keep 1 interaction only [bash]",
        "trim arrivals over 20k chars to 4k chars",
        "trim results from ends 1.5k chars, 500 chars errors include",
        "trim arrivals over 5k chars to 2k chars from head only [bash] errors only",
        "trim user_messages over 8k tokens to 2k tokens from middle",
        "trim replies to 1k chars keep 4 interactions",
        "trim results to 200 chars from head placeholder \"[cut from {tool}] \" down_to 60%",
    ],
    build: |arguments| {
        Box::new(Trim {
            selection: Selection::new(arguments, &KEEP, &OVER),
            length: Length::of(arguments),
            marker: PLACEHOLDER.get(arguments),
        })
    },
};

static TO: Handle<Option<Quantity>> = Handle {
    label: Label {
        default: LabelDefault::Number(500, Unit::Chars),
        role: Some(LabelRole::ResultLimit),
        inert: |arguments| match FROM.get(arguments) {
            Sides::Ends(..) => Some("`from ends` says how much is kept"),
            Sides::One(_) => None,
        },
        ..Label::new(
            "to",
            Shape::Quantity(&[Unit::Chars, Unit::Tokens]),
            "The length to which a result is cut. One in tokens is measured on the result as it arrived.",
        )
    },
    read: |value| value.and_then(Argument::quantity),
};

static FROM: Handle<Sides> = Handle {
    label: Label {
        default: LabelDefault::Word(TAIL),
        ..Label::new(
            "from",
            Shape::Sides(&[TAIL, HEAD, MIDDLE, ENDS]),
            "The side that is cut: `tail` keeps the beginning, `head` keeps the end, `middle` keeps both, and `ends` keeps \
             these lengths of the beginning and of the end.",
        )
    },
    read: |value| match value {
        Some(Argument::Ends(head, tail)) => Sides::Ends(*head, *tail),
        Some(Argument::Word(word)) if word == HEAD => Sides::One(CutFrom::Head),
        Some(Argument::Word(word)) if word == MIDDLE => Sides::One(CutFrom::Middle),
        _ => Sides::One(CutFrom::Tail),
    },
};

/// What `from` says.
enum Sides {
    One(CutFrom),
    /// The lengths that are kept of the beginning and of the end.
    Ends(Quantity, Quantity),
}

const TAIL: &str = "tail";
const HEAD: &str = "head";
const MIDDLE: &str = "middle";

static OVER: Handle<Option<Quantity>> = reduction::over(&[]);
static KEEP: Handle<Quantity> = reduction::keep(
    4,
    Counted::Results,
    &[reduction::RESULTS.name, reduction::USER_MESSAGES.name, reduction::REPLIES.name],
);

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
enum CutFrom {
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
    length: Length,
    marker: Option<TextSlot>,
}

/// How much of a result is kept.
#[derive(Debug)]
enum Length {
    /// So much, on the sides that are not cut.
    To(Option<Quantity>, CutFrom),
    /// So much of the beginning and of the end.
    Ends(Quantity, Quantity),
}

impl Length {
    fn of(arguments: &Arguments) -> Self {
        match FROM.get(arguments) {
            Sides::One(from) => Self::To(TO.get(arguments), from),
            Sides::Ends(head, tail) => Self::Ends(head, tail),
        }
    }
}

impl Operation for Trim {
    fn begin(&self, context: &EffectContext<'_>) -> EffectOutput {
        self.selection.reduce(context, |entry, id, part| {
            if part.level.is_replaced() {
                return None;
            }
            let text = text_of(&part.body)?;
            let arrived = entry.recorded_part(id).and_then(|part| text_of(&part.body)).unwrap_or(text);
            let kept = self.length.kept((text, arrived), &**context.counter)?;
            let tool = entry.tool().map_or(reduction::UNKNOWN_TOOL, |tool| tool.as_str());
            let marker = self.marker.as_ref().map(|marker| context.text(marker, &[(TOOL_VARIABLE, tool)]));
            cut(&part.body, kept, marker.as_deref().unwrap_or(MARKER))
        })
    }
}

impl Length {
    /// Returns the characters that are kept at the beginning and at the end of a text, given as it is and as it
    /// arrived, or `None` if it is not longer.
    ///
    /// A length in tokens is measured on the text as it arrived. Measured on a text that is already cut, with a marker in
    /// it, it would change from one request to the next and cut again.
    fn kept(&self, (text, arrived): (&str, &str), counter: &dyn Counter) -> Option<(usize, usize)> {
        let chars = |length: Quantity, from: CutFrom| match length.unit {
            Unit::Chars => usize::try_from(length.to_u64()).unwrap_or(usize::MAX),
            _ => from.longest_within(arrived, length.to_u64(), counter),
        };
        match *self {
            Self::To(length, from) => {
                let length = length?;
                let is_longer = || length.unit == Unit::Chars || counter.text(text) > length.to_u64();
                is_longer().then(|| from.kept(chars(length, from)))
            }
            Self::Ends(head, tail) => Some((chars(head, CutFrom::Tail), chars(tail, CutFrom::Head))),
        }
    }
}

impl CutFrom {
    /// How many of the kept characters are at the beginning and at the end.
    const fn kept(self, chars: usize) -> (usize, usize) {
        match self {
            Self::Head => (0, chars),
            Self::Middle => (chars.div_ceil(2), chars / 2),
            Self::Tail => (chars, 0),
        }
    }

    /// The largest number of characters that a cut can keep within a number of tokens.
    fn longest_within(self, text: &str, tokens: u64, counter: &dyn Counter) -> usize {
        let mut places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        places.push(text.len());
        let total = places.len() - 1;
        let size = |kept: usize| {
            let (head, tail) = self.kept(kept);
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

/// Cuts a result, or a text of a message, to its first `head` and last `tail` characters, or returns `None` if it would
/// not become shorter.
pub(super) fn cut(body: &Body, (head, tail): (usize, usize), marker: &str) -> Option<Reduced> {
    let old = text_of(body)?;
    let limit = head.saturating_add(tail);
    if old.len() <= limit {
        return None;
    }
    let total = old.chars().count();
    if total <= limit.saturating_add(marker.chars().count()) {
        return None;
    }
    let at = |chars: usize| old.char_indices().nth(chars).map_or(old.len(), |(at, _)| at);
    let text = format!("{}{marker}{}", up_to(old, at(head)), starting_at(old, at(total - tail)));
    let body = body.with_text(text);
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
