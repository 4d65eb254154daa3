//! Isolates work on one recording, so that a panic becomes an error of that recording.

use std::any::Any;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};

use super::console::Console;

/// How to report a bug.
const REPORT: &str = "please report it with the command line and, if you can, the files that you used";

thread_local! {
    /// The panic message of isolated work, or `None` while no isolated work runs on this thread.
    static ISOLATED: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// The panic hook: the message of isolated work is kept, any other is printed.
pub(super) fn hook(panic: &PanicHookInfo<'_>) {
    let kept = ISOLATED.with_borrow_mut(|kept| kept.as_mut().map(|text| *text = panic.to_string()).is_some());
    if !kept {
        Console::print_error(&format!("error: internal error: {panic}\n{REPORT}"));
    }
}

/// Runs work on one recording.
///
/// # Errors
///
/// The panic message, and how to report it.
pub(super) fn isolated<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    ISOLATED.set(Some(String::new()));
    // The caller keeps no state of a recording that failed.
    let result = catch_unwind(AssertUnwindSafe(work));
    let kept = ISOLATED.take().filter(|text| !text.is_empty());
    result.map_err(|payload| {
        let panic = kept.unwrap_or_else(|| message(payload.as_ref()));
        format!("internal error in this recording: {}; {REPORT}", panic.replace('\n', " "))
    })
}

/// The message of a panic when the hook is not installed.
fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::isolated;

    #[test]
    fn a_panic_becomes_an_error_with_a_hint_to_report_it() {
        let empty: Vec<u8> = Vec::new();
        let error = isolated(|| empty[3]).expect_err("there is no such element");
        assert!(error.starts_with("internal error in this recording: "), "{error}");
        assert!(error.contains("len is 0") && error.contains("please report it"), "{error}");
        assert_eq!(isolated(|| 7), Ok(7));
    }
}
