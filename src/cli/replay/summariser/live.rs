//! The chosen summariser for live sessions, which await it.

use std::sync::Arc;
use std::time::Duration;

use trimtab_live::engine::Summarise;
use trimtab_simulate::simulate::{ConstantSummariser, Extract, FailingSummariser};

use super::{SummariserChoice, endpoint};
use crate::host::CommandSummariser;

impl SummariserChoice {
    /// Prepares the summariser for live sessions, which wait this long for a summary. `key_variable` names the environment
    /// variable with the key of a server.
    ///
    /// # Errors
    /// If the server cannot be used, or if a key is named and there is no server.
    pub(in super::super::super) fn open_live(
        &self,
        key_variable: Option<&str>,
        limit: Duration,
    ) -> Result<Arc<dyn Summarise>, String> {
        self.check_key(key_variable)?;
        Ok(match self.clone() {
            Self::Extract => Arc::new(Extract),
            Self::Fail => Arc::new(FailingSummariser),
            Self::ConstantSummariser(text) => Arc::new(ConstantSummariser(text)),
            Self::Command(line) => Arc::new(CommandSummariser::new(line).timeout(limit)),
            Self::Server(model) => Arc::new(endpoint::summariser(&model, key_variable, limit)?),
            #[cfg(test)]
            Self::Panics => Arc::new(FailingSummariser),
        })
    }
}
