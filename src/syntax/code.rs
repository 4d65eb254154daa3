//! The codes of the stage that reads shapes, with what `explain` says of each.

use crate::diagnostic::{Code, Severity};

/// All codes of this stage, in order.
pub static CODES: &[&Code] = &[
    &EXPECTED, &OPEN_TEXT, &UNCLOSED, &UNOPENED, &ESCAPE, &NUMBER, &STRAY, &DEEP, &RESERVED, &MISPLACED, &HOLE,
    &FOREIGN, &LINE_END,
];

pub(super) static EXPECTED: Code = Code {
    id: "E101",
    severity: Severity::Error,
    title: "something else was expected",
    why: "The text has the shape of no item, rule, clause or expression at this place. A word that is nearly right is \
          read as the one that was meant; otherwise what follows is read from the next line or clause that can start \
          anew. So other mistakes are still found.",
    wrong: "edition 2026\npolicy p {\n  rule a { when iteration > do notify \"x\" }\n}\n",
    right: "edition 2026\npolicy p {\n  rule a { when iteration > 3 do notify \"x\" }\n}\n",
};

pub(super) static OPEN_TEXT: Code = Code {
    id: "E102",
    severity: Severity::Error,
    title: "text not closed",
    why: "A text in double quotes ends on its line; one in three double quotes may run over several, and needs three to \
          end.",
    wrong: "edition 2026\npolicy p {\n  rule a {\n    do notify \"x\n  }\n}\n",
    right: "edition 2026\npolicy p {\n  rule a {\n    do notify \"x\"\n  }\n}\n",
};

pub(super) static UNCLOSED: Code = Code {
    id: "E103",
    severity: Severity::Error,
    title: "block not closed",
    why: "A policy, a rule, a test or an agent block is opened and the next one starts, or the file ends, before its \
          closing brace.",
    wrong: "edition 2026\npolicy p {\n  rule a {\n    do notify \"x\"\n  rule b { do notify \"y\" }\n}\n",
    right: "edition 2026\npolicy p {\n  rule a {\n    do notify \"x\"\n  }\n  rule b { do notify \"y\" }\n}\n",
};

pub(super) static UNOPENED: Code = Code {
    id: "E104",
    severity: Severity::Error,
    title: "opening brace missing",
    why: "The content of a policy or rule stands between braces; here it starts without one.",
    wrong: "edition 2026\npolicy p {\n  rule a\n    do notify \"x\"\n  }\n}\n",
    right: "edition 2026\npolicy p {\n  rule a {\n    do notify \"x\"\n  }\n}\n",
};

pub(super) static ESCAPE: Code = Code {
    id: "E105",
    severity: Severity::Error,
    title: "unknown escape",
    why: "In a text a backslash stands before a double quote, a backslash, `n` or `t` only. Blocks have no escapes.",
    wrong: "edition 2026\npolicy p {\n  rule a { do notify \"100\\%\" }\n}\n",
    right: "edition 2026\npolicy p {\n  rule a { do notify \"100%\" }\n}\n",
};

pub(super) static NUMBER: Code = Code {
    id: "E106",
    severity: Severity::Error,
    title: "not a number",
    why: "A number is digits with `_` between them and at most one point, then `%`, `k`, `M` or a duration such as \
          `8m30s`, or `$` before it. `%` and `$` touch the number, a unit word is set off by a space, and no commas stand \
          between digits. Nothing is negative.",
    wrong: "edition 2026\npolicy p {\n  rule a { do trim results to 500chars }\n}\n",
    right: "edition 2026\npolicy p {\n  rule a { do trim results to 500 chars }\n}\n",
};

pub(super) static STRAY: Code = Code {
    id: "E107",
    severity: Severity::Error,
    title: "closing sign without an opening one",
    why: "A brace, bracket or parenthesis closes something that was not opened, or a rule of which more follows; often \
          one before it is too many.",
    wrong: "edition 2026\npolicy p {\n  rule a { do notify \"x\" }\n}\n}\n",
    right: "edition 2026\npolicy p {\n  rule a { do notify \"x\" }\n}\n",
};

pub(super) static DEEP: Code = Code {
    id: "E108",
    severity: Severity::Error,
    title: "nested too deep",
    why: "Brackets nest at most 32 levels, and at most 8 `not`, `??` or `of` follow one another. More is never needed \
          and could exhaust the memory of whatever reads the policy.",
    wrong: "edition 2026\nlet a = not not not not not not not not not true\n",
    right: "edition 2026\nlet a = not true\n",
};

pub(super) static RESERVED: Code = Code {
    id: "E109",
    severity: Severity::Error,
    title: "reserved word as a name",
    why: "The words that start items and clauses, and the words of expressions, cannot name a policy, a rule, a value \
          or a prompt: a missing brace could not be told from a name. In lists they are ordinary.",
    wrong: "edition 2026\npolicy p {\n  rule limit { do notify \"x\" }\n}\n",
    right: "edition 2026\npolicy p {\n  rule limit_it { do notify \"x\" }\n}\n",
};

pub(super) static MISPLACED: Code = Code {
    id: "E110",
    severity: Severity::Error,
    title: "right in another place",
    why: "Rules stand in policies, clauses in rules, statements in tests, and all other items at the top level of the \
          file. A brace too many before it is the usual reason.",
    wrong: "edition 2026\npolicy p {\n  when iteration > 3\n}\n",
    right: "edition 2026\npolicy p {\n  rule a {\n    when iteration > 3\n    do notify \"x\"\n  }\n}\n",
};

pub(super) static HOLE: Code = Code {
    id: "E111",
    severity: Severity::Error,
    title: "brace in a text",
    why: "In the text of an effect `{name}` is a place to fill, with `{name ?? \"…\"}` for what may be missing. Braces \
          that belong to the text are doubled.",
    wrong: "edition 2026\npolicy p {\n  rule a { do notify \"{ and }\" }\n}\n",
    right: "edition 2026\npolicy p {\n  rule a { do notify \"{{ and }}\" }\n}\n",
};

pub(super) static FOREIGN: Code = Code {
    id: "E112",
    severity: Severity::Error,
    title: "sign of another language",
    why: "The sign is usual elsewhere and means nothing here: `==` compares, `and`, `or` and `not` are words, texts \
          stand in double quotes, comments begin with `#`, and nothing separates clauses. There is no arithmetic.",
    wrong: "edition 2026\npolicy p {\n  rule a { when failures >= 2 && iteration > 3 do notify \"x\" }\n}\n",
    right: "edition 2026\npolicy p {\n  rule a { when failures >= 2 and iteration > 3 do notify \"x\" }\n}\n",
};

pub(super) static LINE_END: Code = Code {
    id: "E113",
    severity: Severity::Error,
    title: "carriage return without a line feed",
    why: "Lines end with a line feed, or with a carriage return and a line feed. A carriage return alone ends no line, \
          so a comment would go on behind it and hide what follows. Such files come from very old editors or from a \
          conversion that went wrong.",
    wrong: "edition 2026 # the year\rpolicy p {\n  rule a { do notify \"x\" }\n}\n",
    right: "edition 2026 # the year\npolicy p {\n  rule a { do notify \"x\" }\n}\n",
};

#[cfg(test)]
mod tests {
    use super::super::parse::tests::said;
    use super::*;

    #[test]
    fn each_wrong_text_gives_its_code_alone_and_each_right_one_none() {
        for code in CODES {
            let found = said(code.wrong);
            assert_eq!(found.len(), 1, "{}: {found:?}", code.id);
            assert!(found[0].contains(code.id), "{}: {found:?}", code.id);
            assert_eq!(said(code.right), Vec::<String>::new(), "{}", code.id);
        }
    }

    #[test]
    fn codes_are_in_order_and_used_once() {
        assert!(CODES.windows(2).all(|pair| pair[0].id < pair[1].id));
    }
}
