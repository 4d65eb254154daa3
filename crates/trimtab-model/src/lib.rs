//! What is known of models: windows, prices, caching, and how their tokens are counted.
//!
//! This is a part of the package `trimtab`, whose API it is not.

pub mod model;
