//! The playbook with which a simulation begins.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use trimtab_base::playbook::Playbook;

use crate::cli::console::{Console, Failure};
use crate::cli::input;
use crate::host::PlaybookFile;

/// Reads the playbook with which recordings begin. Strategies that are skipped are reported.
pub(in super::super) fn read(path: &Path, console: &Console) -> Result<Arc<Playbook>, Failure> {
    let name = input::display_name(path, None);
    let fail = |error: &dyn fmt::Display| Failure::Message(format!("{name}: {error}"));
    if !path.exists() {
        return Err(fail(&"no such file"));
    }
    let (playbook, skipped) = PlaybookFile::new(path).load().map_err(|error| fail(&error))?;
    for skipped in skipped {
        console.error(&format!("{name}: {skipped}"));
    }
    Ok(Arc::new(playbook))
}
