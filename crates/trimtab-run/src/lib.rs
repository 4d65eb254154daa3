//! Rules, guards, state, and the driver that replay and live session share.
//!
//! An internal crate of `trimtab`; not a public API.

pub mod run;
