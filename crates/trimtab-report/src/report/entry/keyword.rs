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

/// The keywords of items, clauses and tests. The clauses of guards are in [`GUARDS`](trimtab_language::guard::GUARDS).
pub static KEYWORDS: &[KeywordPage] = &[
    KeywordPage {
        name: "edition",
        form: "edition 2026",
        summary: "The edition of the language; the first item of a file.",
        parts: &[],
        example: "edition 2026",
    },
    KeywordPage {
        name: "use",
        form: "use \"PATH\"",
        summary: "Imports the names of another file. The path is relative to the directory of this file and must stay inside \
                  the project.",
        parts: &[],
        example: "use \"common/window.trim\"",
    },
    KeywordPage {
        name: "agent",
        form: "agent { … }",
        summary: "States the model, the window and the tools that the policy is for. A named host profile or a flag overrides them.",
        parts: &[
            ("model", "The model, for its window and prices."),
            ("window", "The context window, in tokens."),
            ("reserve", "The room that is kept free for the reply, in tokens."),
            ("overhead", "The size of what each request holds besides messages, such as tool schemas, in tokens."),
            ("tools", "The names of the declared tools."),
            (
                "fact NAME TYPE default VALUE",
                "Declares a fact that the host supplies, read as `host.NAME`. The default is optional.",
            ),
        ],
        example: "agent {\n  window 200k tokens\n  tools [bash, read_file]\n}",
    },
    KeywordPage {
        name: "let",
        form: "let NAME = VALUE",
        summary: "Defines a constant: a number with its unit if it has one, `true` or `false`, a text, a list, or a share of another constant.",
        parts: &[],
        example: "let high = 80%",
    },
    KeywordPage {
        name: "prompt",
        form: "prompt NAME TEXT",
        summary: "Defines a prompt for summarisers. Braces have no special meaning in it.",
        parts: &[],
        example: "prompt handover \"Summarise what was done and what is left to do.\"",
    },
    KeywordPage {
        name: "policy",
        form: "policy NAME [\"SUMMARY\"] [extends BASE] { … }",
        summary: "Defines a policy: rules that are tried in the order written.",
        parts: &[],
        example: "policy notes \"Warns before the window is full.\" {\n  rule warn {\n    when context.ratio >= 80%\n    do \
                  notify \"nearly full\"\n    once\n  }\n}",
    },
    KeywordPage {
        name: "extends",
        form: "policy NAME extends BASE",
        summary: "Inherits the rules of another policy, which this file defines or imports.",
        parts: &[],
        example: "policy mine extends base {\n  disable rule reflect \"our tools fail often\"\n}",
    },
    KeywordPage {
        name: "rule",
        form: "rule NAME [before RULE|after RULE] { … }",
        summary: "Defines a rule: what to do and when. A rule is tried in its phase. It is due when its condition holds and its \
                  guards allow it, and it fires when its effect changes the context or sends a signal.",
        parts: &[],
        example: "policy notes {\n  rule warn {\n    when context.ratio >= 80%\n    do notify \"nearly full\"\n    once\n  \
                  }\n}",
    },
    KeywordPage {
        name: "sealed",
        form: "sealed rule NAME { … }",
        summary: "Protects a rule: policies that extend this one cannot override or disable it, nor place a rule before it.",
        parts: &[],
        example: "policy base {\n  sealed rule stop {\n    when budget.calls >= 80\n    do stop \"enough\"\n  }\n}",
    },
    KeywordPage {
        name: "override",
        form: "override rule NAME { … }",
        summary: "Replaces the named clauses of an inherited rule and keeps the others.",
        parts: &[("no CLAUSE", "Removes an inherited clause, such as `no unless`.")],
        example: "policy mine extends base {\n  override rule warn {\n    when context.ratio >= 50%\n    no unless\n  \
                  }\n}",
    },
    KeywordPage {
        name: "disable",
        form: "disable rule NAME [\"REASON\"]",
        summary: "Removes an inherited rule.",
        parts: &[],
        example: "policy mine extends base {\n  disable rule reflect \"our tools fail often\"\n}",
    },
    KeywordPage {
        name: "before",
        form: "rule NAME before RULE { … }",
        summary: "Places a rule before another one.",
        parts: &[],
        example: "policy mine extends base {\n  rule mask_first before compact {\n    do mask results\n  }\n}",
    },
    KeywordPage {
        name: "after",
        form: "rule NAME after RULE { … }",
        summary: "Places a rule after another one.",
        parts: &[],
        example: "policy mine extends base {\n  rule mask_later after compact {\n    do mask results\n  }\n}",
    },
    KeywordPage {
        name: "on",
        form: "on PHASE",
        summary: "The phase in which the rule is tried. Default: `request`. `trimtab explain phases` lists the phases.",
        parts: &[],
        example: "policy p {\n  rule a {\n    on reply\n    do trim results to 2k chars\n  }\n}",
    },
    KeywordPage {
        name: "when",
        form: "when CONDITION",
        summary: "The condition of the rule; without it, the rule is due whenever its guards allow it. A condition compares \
                  facts with constants. `and`, `or` and `not` combine comparisons.",
        parts: &[],
        example: "policy p {\n  rule a {\n    when context.ratio >= 80% and failures < 3\n    do mask results\n  }\n}",
    },
    KeywordPage {
        name: "unless",
        form: "unless CONDITION",
        summary: "An exception: while this condition holds, the rule does not fire even if its `when` condition holds.",
        parts: &[],
        example: "policy p {\n  rule a {\n    when failures >= 2\n    unless context.ratio >= 95%\n    do inject \
                  \"Why?\" as user\n    once\n  }\n}",
    },
    KeywordPage {
        name: "do",
        form: "do EFFECT [then EFFECT]",
        summary: "The effect of the rule. `trimtab explain effects` lists the effects.",
        parts: &[("then", "Applies another effect after the first.")],
        example: "policy p {\n  rule a {\n    when context.ratio >= 80%\n    do mask results keep 10 messages then \
                  notify \"masked\"\n  }\n}",
    },
    KeywordPage {
        name: "confirm",
        form: "confirm \"QUESTION\"",
        summary: "The host asks a person before the effects of the rule. If the answer is no, or nobody can be asked, the rule is \
                  declined: it changes nothing, and counts as fired for its guards. A rule whose effects have nothing to do does \
                  not ask.",
        parts: &[],
        example: "policy p {\n  rule a {\n    when context.ratio >= 80%\n    confirm \"{context.free} are left. Summarise now?\"\n    \
                  do summarise older keep 8 messages at_most 2k tokens\n    cooldown 5 iterations\n  }\n}",
    },
    KeywordPage {
        name: "on_failure",
        form: "on_failure [retry N] keep|stop|ask|then EFFECT",
        summary: "What happens when a summary fails.",
        parts: &[
            ("keep", "Nothing changes. This is the default."),
            ("stop", "The run ends."),
            ("ask", "The host asks a person."),
            ("retry", "Requests the summary again, up to N times, before the clause after it applies."),
            ("then", "Applies another effect instead."),
        ],
        example: "policy p {\n  rule a {\n    when context.ratio >= 80%\n    do summarise older keep 8 messages\n    \
                  on_failure retry 2 keep\n  }\n}",
    },
    KeywordPage {
        name: "test",
        form: "test \"NAME\" { … }",
        summary: "Defines a test of a policy in this file: what is given and what is expected. `trimtab test` runs it.",
        parts: &[],
        example: "test \"three errors are reported\" {\n  given failures 2, 3\n  expect reflect fires at 1\n}",
    },
    KeywordPage {
        name: "given",
        form: "given FACT VALUE, … | given transcript \"PATH\" | given LINE …",
        summary: "Sets the input of a test: values of facts, a conversation, a recording, or the model, the window and the tools.",
        parts: &[
            ("FACT VALUE, …", "One value of the fact for each iteration; the last value is repeated."),
            (
                "user \"TEXT\"",
                "A message from a person; `system`, `assistant` and `thinking` take a text in the same way.",
            ),
            ("call TOOL \"ARGUMENTS\", …", "A reply with one or more calls, separated by commas."),
            ("result \"TEXT\"", "The result of the first call without one."),
            ("result of TOOL \"TEXT\"", "A call and its result; `of bash(\"ls\")` names the arguments."),
            (
                "failure of TOOL",
                "A call and its error result, such as `failure of bash(\"make\") x5`. After a `call`, `failure \"TEXT\"` is its result.",
            ),
            (
                "compaction \"TEXT\"",
                "The harness compacts: the context is the system prompt and this summary. The text may be left out.",
            ),
            ("transcript \"PATH\"", "A recording to replay."),
            ("iterations N", "The length of a test that sets only facts."),
            ("window N, model \"ID\", tools [TOOL, …]", "Override the `agent` block."),
            (
                "summary \"TEXT\", summary fails",
                "The answer of the summariser; `summary fails x2, \"TEXT\"` gives one for each request.",
            ),
            (
                "declined",
                "A person declines the questions of rules with `confirm`; with `declined x2` only the first two. Otherwise all are confirmed.",
            ),
            ("policy NAME", "The policy to test."),
        ],
        example: "test \"the recorded run is masked\" {\n  given transcript \"run.jsonl\"\n  expect mask_old fires\n}",
    },
    KeywordPage {
        name: "expect",
        form: "expect RULE fires [at N, …] | expect RULE never fires | …",
        summary: "States what must happen in a test.",
        parts: &[],
        example: "test \"a small context is not masked\" {\n  given context.ratio 10%\n  expect mask_old never fires\n}",
    },
];

#[cfg(test)]
mod tests {
    use trimtab_base::source::{Source, SourceId};
    use trimtab_language::guard::GUARDS;
    use trimtab_syntax::syntax::{self, Keyword, Position};

    use super::*;

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
