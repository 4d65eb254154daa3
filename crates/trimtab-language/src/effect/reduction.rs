//! Shared by effects that reduce: the labels that select parts.

use smol_str::SmolStr;
use trimtab_base::conversation::{Body, overlap};
use trimtab_base::quantity::{Counted, Decimal, Quantity, Unit};

use super::label::Handle;
use super::{Argument, Arguments, Label, LabelDefault, LabelRole, Shape, Target, TargetKind, TextSlot};

/// The units of `keep`.
pub(super) const KEEP_UNITS: &[Unit] = &[
    Unit::Counted(Counted::Messages),
    Unit::Counted(Counted::Results),
    Unit::Counted(Counted::Images),
    Unit::Counted(Counted::Interactions),
    Unit::Tokens,
    Unit::Share,
];

/// What `keep` means.
const KEEP_SUMMARY: &str = "How much of the tail stays as it is. Tokens, or a share of the window, keep as many whole groups \
                            of messages as fit. Of results and images, only those count that the effect can change.";

/// What a text says in place of the name of an unknown tool.
pub(super) const UNKNOWN_TOOL: &str = "unknown";

/// The meaning of the variable for the tool.
pub(super) const TOOL_MEANING: &str = "the tool that was called; `unknown` if there is none";

/// An empty tail.
pub(super) const NOTHING: Quantity = Quantity::new(Decimal::ZERO, Unit::Counted(Counted::Messages));

pub(super) const RESULTS: Target =
    Target { name: "results", kind: TargetKind::Results, summary: "The contents of tool results." };

pub(super) const ARRIVALS: Target = Target {
    name: "arrivals",
    kind: TargetKind::Arrivals,
    summary: "The contents of tool results that no request has contained yet. Changing them before they are first sent \
              costs neither prompt cache nor reasoning.",
};

pub(super) const USER_MESSAGES: Target = Target {
    name: "user_messages",
    kind: TargetKind::UserMessages,
    summary: "The texts of messages that a person wrote. Those of the current run are not changed: the message that began \
              it, and those that came during it.",
};

pub(super) const REPLIES: Target = Target {
    name: "replies",
    kind: TargetKind::Replies,
    summary: "The texts of the agent's replies. Their calls and their reasoning are not changed.",
};

/// The default tail of effects that change the texts of messages.
pub(super) const MESSAGES_KEPT: LabelDefault = LabelDefault::Number(10, Unit::Counted(Counted::Messages));

pub(super) const DUPLICATES: Target = Target {
    name: "duplicates",
    kind: TargetKind::Duplicates,
    summary: "The contents of results that are equal to the result of a newer identical call.",
};

pub(super) const SUPERSEDED_READS: Target = Target {
    name: "superseded_reads",
    kind: TargetKind::SupersededReads,
    summary: "The contents of results of reads of a file that was successfully read or written again later. A read of a \
              part of the file is superseded by an access to the whole part.",
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

/// `keep` with a default, for these targets. Of the texts of messages, the last ten messages are kept.
pub(super) const fn keep(count: u32, counted: Counted, targets: &'static [&'static str]) -> Handle<Quantity> {
    Handle {
        label: Label {
            targets,
            default: LabelDefault::Number(count, Unit::Counted(counted)),
            other_defaults: &[(USER_MESSAGES.name, MESSAGES_KEPT), (REPLIES.name, MESSAGES_KEPT)],
            role: Some(LabelRole::Keep),
            ..Label::new("keep", Shape::Quantity(KEEP_UNITS), KEEP_SUMMARY)
        },
        // `arrivals` has no tail.
        read: |value| value.and_then(Argument::quantity).unwrap_or(NOTHING),
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

pub(super) static READS: Handle<Option<Vec<SmolStr>>> = Handle {
    label: Label {
        targets: &[SUPERSEDED_READS.name],
        ..Label::new(
            "reads",
            Shape::Tools,
            "The tools that read a file. Default: tools with `read`, `view`, `open` or `cat` in their name.",
        )
    },
    read: tools,
};

pub(super) static WRITES: Handle<Option<Vec<SmolStr>>> = Handle {
    label: Label {
        targets: &[SUPERSEDED_READS.name],
        ..Label::new(
            "writes",
            Shape::Tools,
            "The tools that write a file. Default: tools with `write`, `edit`, `create`, `replace` or a similar word in \
             their name.",
        )
    },
    read: tools,
};

pub(super) static ERRORS: Handle<Errors> = Handle {
    label: Label {
        role: Some(LabelRole::Errors),
        default: LabelDefault::Word(ERRORS_KEPT),
        omits_default: true,
        inert: no_errors,
        ..Label::new(
            "errors",
            Shape::Word(&[ERRORS_KEPT, ERRORS_INCLUDED, ERRORS_ONLY]),
            "What happens to error results: `keep` leaves them as they are, `include` changes them too, `only` changes no \
             others.",
        )
    },
    read: |value| match value.and_then(Argument::word) {
        Some(ERRORS_INCLUDED) => Errors::Include,
        Some(ERRORS_ONLY) => Errors::Only,
        _ => Errors::Keep,
    },
};

pub(super) static INCLUDING: Handle<bool> = Handle {
    label: Label {
        stands_for: Some((&ERRORS.label, ERRORS_INCLUDED)),
        inert: no_errors,
        ..Label::new("including", Shape::Word(&["errors"]), "`including errors` means `errors include`.")
    },
    read: |value| value.is_some(),
};

/// The word with which error results stay as they are.
pub const ERRORS_KEPT: &str = "keep";
/// The word with which error results are changed like others.
pub const ERRORS_INCLUDED: &str = "include";
/// The word with which only error results are changed.
const ERRORS_ONLY: &str = "only";

/// What happens to error results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Errors {
    /// They stay as they are.
    Keep,
    /// They are changed like others.
    Include,
    /// Only they are changed.
    Only,
}

impl Errors {
    /// As the arguments of an effect say.
    pub(super) fn of(arguments: &Arguments) -> Self {
        if INCLUDING.get(arguments) { Self::Include } else { ERRORS.get(arguments) }
    }

    /// Whether error results are changed.
    pub(super) fn takes_errors(self) -> bool {
        self != Self::Keep
    }

    /// Whether a part passes the choice of error results.
    pub(super) fn selects(self, body: &Body) -> bool {
        match self {
            Self::Include => true,
            Self::Keep => !is_error(body),
            Self::Only => is_error(body),
        }
    }
}

pub(super) fn is_error(body: &Body) -> bool {
    matches!(body, Body::ToolResult(result) if result.is_error)
}

fn no_errors(arguments: &Arguments) -> Option<&'static str> {
    let never_fails = arguments.target_kind().is_some_and(|target| target.has_no_tool() || target == TargetKind::Calls);
    never_fails.then_some("only results can be errors")
}

/// `down_to` of the effects that change one part after the other.
pub(super) static DOWN_TO: Handle<Option<Quantity>> =
    down_to("Changes the oldest parts first and stops when the context is at or below this size.");

/// `down_to` with this summary.
pub(super) const fn down_to(summary: &'static str) -> Handle<Option<Quantity>> {
    Handle {
        label: Label {
            role: Some(LabelRole::DownTo),
            ..Label::new("down_to", Shape::Quantity(&[Unit::Share, Unit::Tokens]), summary)
        },
        read: |value| value.and_then(Argument::quantity),
    }
}

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

/// Reads a label as a list of tools.
pub(super) fn tools(value: Option<&Argument>) -> Option<Vec<SmolStr>> {
    value.and_then(Argument::names).map(<[SmolStr]>::to_vec)
}

pub(super) fn no_tool(arguments: &Arguments) -> Option<&'static str> {
    let target = arguments.target_kind().filter(|target| target.has_no_tool())?;
    Some(if target.is_of_messages() { "messages belong to no tool" } else { "reasoning belongs to no tool" })
}

/// Whether `except` names only tools that `only` does not select.
fn selects_none(arguments: &Arguments) -> Option<&'static str> {
    let (only, except) = (ONLY.get(arguments)?, EXCEPT.get(arguments)?);
    let is_selected = |tool: &SmolStr| only.iter().any(|other| overlap(tool, other));
    (!except.iter().any(is_selected)).then_some("`only` selects none of these tools")
}
