//! What is known of models: windows, prices, caching, and how their tokens are counted.
//!
//! An internal crate of `trimtab`; not a public API.

pub mod model;
