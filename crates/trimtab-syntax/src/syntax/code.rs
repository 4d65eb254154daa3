//! The codes of syntax errors, with their explanations.

use trimtab_base::diagnostic::{Code, Severity};

/// All codes of this stage, in order.
pub static CODES: &[&Code] = &[
    &EXPECTED, &OPEN_TEXT, &UNCLOSED, &UNOPENED, &ESCAPE, &NUMBER, &STRAY, &DEEP, &RESERVED, &MISPLACED, &HOLE,
    &FOREIGN, &LINE_END,
];

pub(super) static EXPECTED: Code = Code::new("E101", Severity::Error, include_str!("code/E101.md"));
pub(super) static OPEN_TEXT: Code = Code::new("E102", Severity::Error, include_str!("code/E102.md"));
pub(super) static UNCLOSED: Code = Code::new("E103", Severity::Error, include_str!("code/E103.md"));
pub(super) static UNOPENED: Code = Code::new("E104", Severity::Error, include_str!("code/E104.md"));
pub(super) static ESCAPE: Code = Code::new("E105", Severity::Error, include_str!("code/E105.md"));
pub(super) static NUMBER: Code = Code::new("E106", Severity::Error, include_str!("code/E106.md"));
pub(super) static STRAY: Code = Code::new("E107", Severity::Error, include_str!("code/E107.md"));
pub(super) static DEEP: Code = Code::new("E108", Severity::Error, include_str!("code/E108.md"));
pub(super) static RESERVED: Code = Code::new("E109", Severity::Error, include_str!("code/E109.md"));
pub(super) static MISPLACED: Code = Code::new("E110", Severity::Error, include_str!("code/E110.md"));
pub(super) static HOLE: Code = Code::new("E111", Severity::Error, include_str!("code/E111.md"));
pub(super) static FOREIGN: Code = Code::new("E112", Severity::Error, include_str!("code/E112.md"));
pub(super) static LINE_END: Code = Code::new("E113", Severity::Error, include_str!("code/E113.md"));

#[cfg(test)]
mod tests {
    use super::super::parse::tests::messages;
    use super::*;

    #[test]
    fn each_wrong_example_has_only_its_code_and_each_right_one_none() {
        for code in CODES {
            let found = messages(code.wrong);
            assert_eq!(found.len(), 1, "{}: {found:?}", code.id);
            assert!(found[0].contains(code.id), "{}: {found:?}", code.id);
            assert_eq!(messages(code.right), Vec::<String>::new(), "{}", code.id);
        }
    }

    #[test]
    fn codes_are_sorted_and_unique() {
        assert!(CODES.windows(2).all(|pair| pair[0].id < pair[1].id));
    }
}
