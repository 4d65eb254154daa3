//! Keywords as entries of the reference.

/// The page of a keyword.
#[derive(Debug)]
pub struct KeywordPage {
    /// The keyword.
    pub name: &'static str,
    /// How it is written, with placeholders.
    pub form: &'static str,
    /// What it does.
    pub summary: &'static str,
    /// What can follow it, each with its meaning.
    pub parts: &'static [(&'static str, &'static str)],
    /// An example: a file without its edition; tests parse it.
    pub example: &'static str,
}

/// The keywords of items, clauses and tests. The clauses of guards are in [`GUARDS`](crate::guard::GUARDS).
pub static KEYWORDS: &[KeywordPage] = &[
    KeywordPage {
        name: "edition",
        form: "edition 2026",
        summary: "Says which edition of the language the file is written in; the first line of a file.",
        parts: &[],
        example: "edition 2026",
    },
    KeywordPage {
        name: "use",
        form: "use \"PATH\"",
        summary: "Brings in the names of another file. The path begins at the folder of this one and stays inside the \
                  project.",
        parts: &[],
        example: "use \"common/window.trim\"",
    },
    KeywordPage {
        name: "agent",
        form: "agent { … }",
        summary: "Says what is known of the host; a profile of the project or a flag may say it, too.",
        parts: &[
            ("model", "The model, for its window and prices."),
            ("window", "The context window, in tokens."),
            ("reserve", "What is kept free for the reply, in tokens."),
            ("overhead", "What is sent beside the conversation, in tokens: system prompt and tools."),
            ("tools", "The names of the tools."),
        ],
        example: "agent {\n  window 200k tokens\n  tools [bash, read_file]\n}",
    },
    KeywordPage {
        name: "let",
        form: "let NAME = VALUE",
        summary: "Names a constant: a number with its unit, a text, a list, a share of another constant.",
        parts: &[],
        example: "let high = 80%",
    },
    KeywordPage {
        name: "prompt",
        form: "prompt NAME TEXT",
        summary: "Names a text for summarisers. Braces mean nothing in it.",
        parts: &[],
        example: "prompt handover \"Sum up what was done and what is left to do.\"",
    },
    KeywordPage {
        name: "policy",
        form: "policy NAME [\"WHAT FOR\"] [extends BASE] { … }",
        summary: "A policy: rules, tried in the order written.",
        parts: &[],
        example: "policy notes \"Says when it gets late.\" {\n  rule late {\n    when context.ratio >= 80%\n    do \
                  notify \"late\"\n    once\n  }\n}",
    },
    KeywordPage {
        name: "extends",
        form: "policy NAME extends BASE",
        summary: "Takes over the rules of another policy, of this file or of one that it uses.",
        parts: &[],
        example: "policy mine extends base {\n  disable rule reflect \"our tools fail often\"\n}",
    },
    KeywordPage {
        name: "rule",
        form: "rule NAME [before RULE|after RULE] { … }",
        summary: "What to do, and when. It is tried when its phase comes, due when its condition holds and its guards \
                  let it, and fires when its effect does something.",
        parts: &[],
        example: "policy notes {\n  rule late {\n    when context.ratio >= 80%\n    do notify \"late\"\n    once\n  }\n}",
    },
    KeywordPage {
        name: "sealed",
        form: "sealed rule NAME { … }",
        summary: "A rule that no policy which extends this one may override or disable.",
        parts: &[],
        example: "policy base {\n  sealed rule stop {\n    when budget.calls >= 80\n    do stop \"enough\"\n  }\n}",
    },
    KeywordPage {
        name: "override",
        form: "override rule NAME { … }",
        summary: "Replaces the clauses that it names of an inherited rule, and keeps the others.",
        parts: &[("no CLAUSE", "Takes an inherited clause away, such as `no unless`.")],
        example: "policy mine extends base {\n  override rule late {\n    when context.ratio >= 50%\n    no unless\n  \
                  }\n}",
    },
    KeywordPage {
        name: "disable",
        form: "disable rule NAME \"WHY\"",
        summary: "Leaves an inherited rule out.",
        parts: &[],
        example: "policy mine extends base {\n  disable rule reflect \"our tools fail often\"\n}",
    },
    KeywordPage {
        name: "before",
        form: "rule NAME before RULE { … }",
        summary: "Places a rule before another one.",
        parts: &[],
        example: "policy mine extends base {\n  rule early before late {\n    do mask results\n  }\n}",
    },
    KeywordPage {
        name: "after",
        form: "rule NAME after RULE { … }",
        summary: "Places a rule behind another one.",
        parts: &[],
        example: "policy mine extends base {\n  rule later after late {\n    do mask results\n  }\n}",
    },
    KeywordPage {
        name: "on",
        form: "on PHASE",
        summary: "When the rule is tried; `request` when left out. `trimtab explain phases` lists the phases.",
        parts: &[],
        example: "policy p {\n  rule a {\n    on reply\n    do trim results to 2k chars\n  }\n}",
    },
    KeywordPage {
        name: "when",
        form: "when CONDITION",
        summary: "When the rule could fire; always when left out. A condition holds facts against constants, joined by \
                  `and`, `or`, `not`.",
        parts: &[],
        example: "policy p {\n  rule a {\n    when context.ratio >= 80% and failures < 3\n    do mask results\n  }\n}",
    },
    KeywordPage {
        name: "unless",
        form: "unless CONDITION",
        summary: "When the rule may not fire although its condition holds.",
        parts: &[],
        example: "policy p {\n  rule a {\n    when failures >= 2\n    unless context.ratio >= 95%\n    do inject \
                  \"Why?\" as user\n    once\n  }\n}",
    },
    KeywordPage {
        name: "do",
        form: "do EFFECT [then EFFECT]",
        summary: "What the rule does. `trimtab explain effects` lists the effects.",
        parts: &[("then", "Carries out a second effect behind the first.")],
        example: "policy p {\n  rule a {\n    when context.ratio >= 80%\n    do mask results keep 10 messages then \
                  notify \"masked\"\n  }\n}",
    },
    KeywordPage {
        name: "on_failure",
        form: "on_failure [retry N] keep|stop|ask|then EFFECT",
        summary: "What happens when a summary fails.",
        parts: &[
            ("keep", "Everything stays as it was."),
            ("stop", "The run stops."),
            ("ask", "The host asks a person."),
            ("retry", "Tries again so often first."),
            ("then", "Does something else instead."),
        ],
        example: "policy p {\n  rule a {\n    when context.ratio >= 80%\n    do summarise older keep 8 messages\n    \
                  on_failure retry 2 keep\n  }\n}",
    },
    KeywordPage {
        name: "test",
        form: "test \"NAME\" { … }",
        summary: "A test of the policies in the file: what is given, and what is expected. `trimtab test` runs it.",
        parts: &[],
        example: "test \"three errors are told of\" {\n  given failures 2, 3\n  expect tell fires at 1\n}",
    },
    KeywordPage {
        name: "given",
        form: "given FACT VALUE, … | given transcript \"PATH\" | given LINE …",
        summary: "What a test starts from: values of facts, a conversation, a recording, the host.",
        parts: &[
            ("FACT VALUE, …", "A value of the fact for each iteration; the last one stays."),
            ("user \"TEXT\"", "A person's message; `system`, `assistant` and `thinking` likewise."),
            ("call TOOL \"ARGUMENTS\", …", "A reply with calls, with commas between them."),
            ("result \"TEXT\"", "The result of the first call that has none."),
            ("result of TOOL \"TEXT\"", "A call and its result; `of bash(\"ls\")` names the arguments."),
            (
                "failure of TOOL",
                "A call and its failed result: `failure of bash(\"make\") x5`, or `failure \"TEXT\"` behind a `call`.",
            ),
            ("transcript \"PATH\"", "A recording."),
            ("iterations N", "How long a test of facts alone is."),
            ("window N, model \"ID\", tools [TOOL, …]", "The host."),
            ("summary \"TEXT\", summary fails", "What the summariser answers."),
            ("policy NAME", "The policy that is tested."),
        ],
        example: "test \"late\" {\n  given transcript \"late.jsonl\"\n  expect late fires\n}",
    },
    KeywordPage {
        name: "expect",
        form: "expect RULE fires [at N, …] | expect RULE never fires | …",
        summary: "What must come of a test.",
        parts: &[],
        example: "test \"early\" {\n  given context.ratio 10%\n  expect late never fires\n}",
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guard::GUARDS;
    use crate::source::{Source, SourceId};
    use crate::syntax::{self, Keyword, Position};

    #[test]
    fn each_page_is_about_a_keyword_and_its_example_parses() {
        for page in KEYWORDS {
            assert!(Keyword::from_text(page.name).is_some(), "{}", page.name);
            let head = if page.name == "edition" { "" } else { "edition 2026\n" };
            let (_, errors) = syntax::parse(&Source::new(SourceId(0), "w.trim", format!("{head}{}\n", page.example)));
            assert!(errors.is_empty(), "{}: {errors:?}", page.name);
            assert!(page.example.contains(page.name) && page.summary.ends_with('.'), "{}", page.name);
        }
    }

    #[test]
    fn each_keyword_outside_expressions_has_a_page_or_belongs_to_one() {
        let names = KEYWORDS.iter().map(|page| page.name).chain(GUARDS.iter().flat_map(|guard| guard.name.split(' ')));
        let parts = KEYWORDS.iter().flat_map(|page| page.parts).map(|(name, _)| *name);
        let explained: Vec<&str> = names.chain(parts).collect();
        let keywords = Keyword::all().filter(|keyword| keyword.position() != Position::Expression);
        let missing: Vec<&str> = keywords.map(Keyword::text).filter(|text| !explained.contains(text)).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }
}
