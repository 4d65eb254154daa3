//! Signals: what effects ask of the host or report to it.

use std::collections::BTreeMap;

use trimtab_base::hook::FieldValue;

/// What a rule signals to the host.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Signal {
    /// A text, which the host shows or logs.
    Notify(String),
    /// An event for the hooks of the host.
    Emit {
        /// Its name.
        name: String,
        /// Its fields.
        fields: BTreeMap<String, FieldValue>,
    },
    /// The host should keep more of the results of a tool for the rest of the run.
    Boost {
        /// The tool.
        tool: String,
        /// The factor.
        factor: u64,
    },
    /// The run ends, for this reason.
    Stop(String),
}

impl Signal {
    /// The text for the host, or `None` if it is another signal.
    pub fn notice(&self) -> Option<&str> {
        match self {
            Self::Notify(text) => Some(text),
            _ => None,
        }
    }

    /// The reason to end the run, or `None` if it is another signal.
    pub fn stop(&self) -> Option<&str> {
        match self {
            Self::Stop(reason) => Some(reason),
            _ => None,
        }
    }
}
