//! Rules, guards, state, and the driver that replay and live session share.
//!
//! This is a part of the package `trimtab`, whose API it is not.

pub mod run;
