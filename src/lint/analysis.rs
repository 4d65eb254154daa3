//! Analyses that several lints share. They report nothing themselves.

pub(super) mod floor;
pub(super) mod layout;
pub(super) mod missing;
pub(super) mod name;
pub(super) mod number;
pub(super) mod order;
pub(super) mod played;
pub(super) mod reach;
pub(super) mod reading;
pub(super) mod relief;
pub(super) mod shape;
pub(super) mod target;
pub(super) mod tools;
