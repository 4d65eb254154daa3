//! Labels that change nothing for the target of their effect. The form of a plan leaves them out, so that plans which
//! do the same have the same hash.

use crate::check::{Action, Piece};

/// Why a label of an action has no effect, when it has none.
pub fn idle_label(action: &Action, label: &str) -> Option<&'static str> {
    let target = action.target.as_str();
    let bare = matches!(target, "thinking" | "images");
    match label {
        "only" | "except" if target == "thinking" => Some("what is masked belongs to no tool"),
        "preview" | "placeholder" if bare => Some("what is masked gets no placeholder"),
        "including" if matches!(target, "thinking" | "calls") => Some("only results can be errors"),
        "preview" if shows_no_preview(action) => Some("the placeholder has no `{preview}`"),
        "except" if excepts_nothing(action) => Some("`only` chooses none of these tools"),
        _ => None,
    }
}

/// Whether an action has a placeholder without a place for the preview.
fn shows_no_preview(action: &Action) -> bool {
    let Some(text) = action.template("placeholder") else { return false };
    !text.pieces.iter().any(|piece| matches!(piece, Piece::Own(name) if name == "preview"))
}

/// Whether the tools that are chosen and those that are left out have none in common.
fn excepts_nothing(action: &Action) -> bool {
    let (Some(only), Some(except)) = (action.names("only"), action.names("except")) else { return false };
    except.iter().all(|one| only.iter().all(|other| !meet(one, other)))
}

/// Whether a pattern stands for all that another stands for.
pub fn stands_for(pattern: &str, other: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(prefix) => other.trim_end_matches('*').starts_with(prefix),
        None => pattern == other,
    }
}

/// Whether some tool may be meant by both of two patterns.
pub fn meet(one: &str, other: &str) -> bool {
    stands_for(one, other) || stands_for(other, one)
}
