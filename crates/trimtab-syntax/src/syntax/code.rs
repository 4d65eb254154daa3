//! The codes of syntax errors, with their explanations.

use trimtab_base::diagnostic::{Code, Severity};

/// All codes of this stage, in order.
pub static CODES: &[&Code] = &[
    &EXPECTED, &OPEN_TEXT, &UNCLOSED, &UNOPENED, &ESCAPE, &NUMBER, &STRAY, &DEEP, &RESERVED, &MISPLACED, &HOLE,
    &FOREIGN, &LINE_END,
];

pub(super) static EXPECTED: Code = Code {
    id: "E101",
    severity: Severity::Error,
    title: "syntax error",
    why: "The text does not match the grammar at this place. If a keyword is misspelt, parsing continues as if it were \
          right; otherwise it continues at the next clause, rule or item. So other errors are still found.",
    wrong: "edition 2026\npolicy p {\n  rule a { when iteration > do notify \"x\" }\n}\n",
    right: "edition 2026\npolicy p {\n  rule a { when iteration > 3 do notify \"x\" }\n}\n",
};

pub(super) static OPEN_TEXT: Code = Code {
    id: "E102",
    severity: Severity::Error,
    title: "unclosed text",
    why: "A text in double quotes ends on the line on which it starts. A text in three double quotes may have several \
          lines and ends with three double quotes.",
    wrong: "edition 2026\npolicy p {\n  rule a {\n    do notify \"x\n  }\n}\n",
    right: "edition 2026\npolicy p {\n  rule a {\n    do notify \"x\"\n  }\n}\n",
};

pub(super) static UNCLOSED: Code = Code {
    id: "E103",
    severity: Severity::Error,
    title: "unclosed block",
    why: "The next block starts, or the file ends, before the closing brace of a policy, a rule, a test or an agent block.",
    wrong: "edition 2026\npolicy p {\n  rule a {\n    do notify \"x\"\n  rule b { do notify \"y\" }\n}\n",
    right: "edition 2026\npolicy p {\n  rule a {\n    do notify \"x\"\n  }\n  rule b { do notify \"y\" }\n}\n",
};

pub(super) static UNOPENED: Code = Code {
    id: "E104",
    severity: Severity::Error,
    title: "missing opening brace",
    why: "The content of a policy or rule is enclosed in braces, but here it starts without one.",
    wrong: "edition 2026\npolicy p {\n  rule a\n    do notify \"x\"\n  }\n}\n",
    right: "edition 2026\npolicy p {\n  rule a {\n    do notify \"x\"\n  }\n}\n",
};

pub(super) static ESCAPE: Code = Code {
    id: "E105",
    severity: Severity::Error,
    title: "unknown escape sequence",
    why: "The escape sequences of a text are `\\\"`, `\\\\`, `\\n` and `\\t`. A text in three double quotes has none.",
    wrong: "edition 2026\npolicy p {\n  rule a { do notify \"100\\%\" }\n}\n",
    right: "edition 2026\npolicy p {\n  rule a { do notify \"100%\" }\n}\n",
};

pub(super) static NUMBER: Code = Code {
    id: "E106",
    severity: Severity::Error,
    title: "invalid number",
    why: "A number consists of digits with at most one decimal point and optional `_` between digits. It may end in `%`, \
          `k` or `M`, start with `$`, or be a duration such as `8m30s`. There is no space before `%` and after `$`, but one \
          before a unit word. Commas and negative numbers are not allowed.",
    wrong: "edition 2026\npolicy p {\n  rule a { do trim results to 500chars }\n}\n",
    right: "edition 2026\npolicy p {\n  rule a { do trim results to 500 chars }\n}\n",
};

pub(super) static STRAY: Code = Code {
    id: "E107",
    severity: Severity::Error,
    title: "unmatched closing bracket",
    why: "A closing brace, bracket or parenthesis has no opening one, or it closes a rule before its last clause. Often \
          there is an extra one before it.",
    wrong: "edition 2026\npolicy p {\n  rule a { do notify \"x\" }\n}\n}\n",
    right: "edition 2026\npolicy p {\n  rule a { do notify \"x\" }\n}\n",
};

pub(super) static DEEP: Code = Code {
    id: "E108",
    severity: Severity::Error,
    title: "nested too deeply",
    why: "Brackets may nest 32 levels deep, and at most 8 `not`, `??` or `of` may be chained. Deeper nesting is never needed and \
          could exhaust the stack.",
    wrong: "edition 2026\nlet a = not not not not not not not not not true\n",
    right: "edition 2026\nlet a = not true\n",
};

pub(super) static RESERVED: Code = Code {
    id: "E109",
    severity: Severity::Error,
    title: "reserved word as a name",
    why: "Keywords cannot be names of policies, rules, values or prompts, since a missing brace could then turn a clause \
          into a name. In lists they are ordinary names.",
    wrong: "edition 2026\npolicy p {\n  rule limit { do notify \"x\" }\n}\n",
    right: "edition 2026\npolicy p {\n  rule my_limit { do notify \"x\" }\n}\n",
};

pub(super) static MISPLACED: Code = Code {
    id: "E110",
    severity: Severity::Error,
    title: "misplaced keyword",
    why: "Rules belong in policies, clauses in rules, statements in tests, and all other items at the top level of the \
          file. The usual reason is an extra closing brace before the keyword.",
    wrong: "edition 2026\npolicy p {\n  when iteration > 3\n}\n",
    right: "edition 2026\npolicy p {\n  rule a {\n    when iteration > 3\n    do notify \"x\"\n  }\n}\n",
};

pub(super) static HOLE: Code = Code {
    id: "E111",
    severity: Severity::Error,
    title: "brace in a text",
    why: "In the text of an effect, `{name}` inserts a value, and `{name ?? \"…\"}` inserts another one if it is missing. \
          Literal braces are doubled.",
    wrong: "edition 2026\npolicy p {\n  rule a { do notify \"{ and }\" }\n}\n",
    right: "edition 2026\npolicy p {\n  rule a { do notify \"{{ and }}\" }\n}\n",
};

pub(super) static FOREIGN: Code = Code {
    id: "E112",
    severity: Severity::Error,
    title: "operator of another language",
    why: "The symbol is common in other languages but not part of this one. Use `==` to compare, `and`, `or` and `not` \
          to combine conditions, double quotes for texts and `#` for comments. Clauses have no separator, and there is no \
          arithmetic.",
    wrong: "edition 2026\npolicy p {\n  rule a { when failures >= 2 && iteration > 3 do notify \"x\" }\n}\n",
    right: "edition 2026\npolicy p {\n  rule a { when failures >= 2 and iteration > 3 do notify \"x\" }\n}\n",
};

pub(super) static LINE_END: Code = Code {
    id: "E113",
    severity: Severity::Error,
    title: "carriage return without a line feed",
    why: "Lines end with a line feed, or with a carriage return and a line feed. A carriage return alone does not end a \
          line, so a comment would hide everything after it. Such files come from very old editors or from a faulty \
          conversion.",
    wrong: "edition 2026 # the year\rpolicy p {\n  rule a { do notify \"x\" }\n}\n",
    right: "edition 2026 # the year\npolicy p {\n  rule a { do notify \"x\" }\n}\n",
};

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
