//! One model call of a replay.

use trimtab_base::quantity::{Decimal, Value};

/// One model call.
#[derive(Clone, Debug)]
pub struct Call {
    /// The run it belongs to, from 0.
    pub run: u64,
    /// Its iteration in the run, from 0.
    pub iteration: u64,
    /// The overhead in tokens; no context is smaller.
    pub overhead: u64,
    /// The tokens of the overhead that are messages which the recording lacks.
    pub unrecorded: u64,
    /// Tokens of the recorded context.
    pub before: u64,
    /// The tokens of the recorded context that a stop in an earlier run prevented.
    pub prevented: u64,
    /// The window of its model in tokens, or `None` if it is unknown.
    pub window: Option<u64>,
    /// Tokens of the context that the plan would have sent; 0 if it would not have made the call.
    pub after: u64,
    /// Whether the plan would have made the call: the run was not stopped.
    pub made: bool,
    /// The indices of the rules that fired at it.
    pub fired: Vec<usize>,
    /// The values of the observed facts when it was sent; empty if it was not sent.
    pub values: Vec<Option<Value>>,
}

impl Call {
    /// The tokens by which policies are compared: those that would be sent, as if no stop had prevented anything.
    pub fn charged(&self) -> u64 {
        if self.made { self.after.saturating_add(self.prevented) } else { self.before }
    }

    /// Returns [`charged`](Self::charged) as a share of the window, or `None` if the window is unknown.
    pub fn charged_ratio(&self) -> Option<Decimal> {
        Decimal::from(self.charged()).checked_div(Decimal::from(self.window?))
    }

    /// Returns the recorded context as a share of the window, or `None` if the window is unknown.
    pub fn recorded_ratio(&self) -> Option<Decimal> {
        Decimal::from(self.before).checked_div(Decimal::from(self.window?))
    }
}
