//! Analyses that several lints share. They report nothing themselves.

pub(super) mod edit;
pub(super) mod effect_scope;
pub(super) mod flicker;
pub(super) mod guard_scope;
pub(super) mod missing_rule;
pub(super) mod overridden;
pub(super) mod placement;
pub(super) mod recall;
pub(super) mod reduction;
pub(super) mod replays;
pub(super) mod requirement;
pub(super) mod result_limit;
pub(super) mod step_order;
pub(super) mod strength;
pub(super) mod target;
pub(super) mod template;
pub(super) mod threshold;
pub(super) mod tool_name;
pub(super) mod used_name;
pub(super) mod written_number;
