//! When the value of a fact rises and falls, and where it starts.

/// When a value rises during a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rises {
    /// It stays the same during a run.
    Never,
    /// At some calls.
    Sometimes,
    /// At every call; a duration stays the same between calls with equal timestamps.
    EveryCall,
    /// With every message, so also at every call.
    EveryMessage,
}

/// When a value falls during a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Falls {
    /// It never falls during a run.
    Never,
    /// When messages are removed from the context; edits of their content do not lower it.
    Removals,
    /// When messages are removed or their content is edited, or when a reported size replaces an estimate.
    ContentEdits,
    /// When a message that is not the model's is added, so also when one is injected.
    Messages,
    /// At any call, without an edit.
    AnyTime,
}

/// The value of a fact when a session begins, before anything was called or spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtStart {
    /// Zero, or false; a fact that may be unknown may also be unknown.
    Zero,
    /// Zero if it is read from the run, any value if it is read from the context.
    ZeroInRun,
    /// Unknown.
    Unknown,
    /// Any value, or unknown: a session may begin with messages, and rules may have fired before.
    Any,
}
