//! Every policy that `trimtab suggest` can write is formatted, valid and free of lint findings.

use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;
use trimtab::format::format_source;
use trimtab::lint::Settings;
use trimtab::pipeline::Compiler;
use trimtab::quantity::Decimal;
use trimtab::recording::{
    ChangedFiles, Compactions, ContentKind, Finding, Observations, Pauses, Purpose, RedundantResults, Results,
    SUGGESTIONS, Streaks, SuggestedRule, Suggestion, UserTexts, policy_text, scopes,
};
use trimtab::source::{NoSources, Source, SourceId};

/// Figures for which every suggestion has something to say, if they are large enough.
fn observations() -> impl Strategy<Value = Observations> {
    let tokens = || select(vec![0, 900, 5_000, 45_000, 250_000, 3_000_000u64]);
    let count = || select(vec![0, 1, 3, 1_200usize]);
    let share = select(vec![None, Some(0), Some(12), Some(33), Some(61), Some(97), Some(140)]);
    let figures = (tokens(), tokens(), tokens(), tokens(), select(vec![60, 299, 1_800, 90_000u64]));
    let parts = (
        select(vec![vec![], vec![200_000], vec![32_000, 200_000], vec![8_192, 128_000, 1_048_576u64]]),
        select(vec![vec![], vec!["gpt-5"], vec!["gpt-5", "odd \"name\"\n{x}"]]),
    );
    let windows = (share, select(vec![None, Some(1_500), Some(6_000), Some(32_000), Some(1_000_000u64)]));
    (figures, count(), count(), windows, select(vec![0, 9_000, 25_000, 200_000usize]), parts).prop_map(
        |((peak, redundant, compacted, paused, longest), count, streak, (share, window), chars, (windows, models))| {
            let content =
                [(ContentKind::Result(Some("read_file".into())), u128::from(redundant)), (ContentKind::User, 9)];
            let streaks =
                Streaks { count: streak, longest: streak + 2, tool: Some("odd \"name\"\n\u{202e}\u{1b}`".into()) };
            let whole = Observations {
                transcripts: 1,
                calls: 20,
                sent: u128::from(redundant) + 9,
                partial: 0,
                peak,
                peak_share: share.map(|share| Decimal::new(share, 2)),
                smallest_window: window.filter(|_| share.is_some()),
                unknown_windows: usize::from(share.is_none()),
                content: content.into(),
                results: Results { count, large: count, large_tokens: redundant, largest_chars: chars },
                user_texts: UserTexts { count, tokens: redundant, longest_chars: chars },
                duplicates: RedundantResults { count, tokens: redundant },
                superseded: RedundantResults { count, tokens: redundant },
                repeats: streaks.clone(),
                failures: streaks,
                compactions: Compactions {
                    count,
                    freed: compacted,
                    rewritten: peak,
                    smallest: (compacted > 0).then_some(compacted),
                },
                changed_files: ChangedFiles { compactions: count, changed: 2 * count, used_again: streak },
                pauses: Pauses { count, longest, tokens: paused },
                ..Observations::default()
            };
            let part = |window: &u64| (*window, Observations { smallest_window: Some(*window), ..whole.clone() });
            let by_model = models.iter().map(|model| ((*model).into(), whole.clone())).collect();
            Observations { by_window: windows.iter().map(part).collect(), by_model, ..whole.clone() }
        },
    )
}

/// A suggestion for all calls or for some of them.
struct Found {
    suggestion: &'static Suggestion,
    name: String,
    finding: Finding,
}

impl Found {
    /// Whether a policy has the rule: either that for all calls, or those for parts of them.
    fn is_chosen(&self, is_split: bool) -> bool {
        !self.suggestion.has_scopes || is_split != (self.name == self.suggestion.rule)
    }
}

/// The suggestions for some figures.
fn found(observed: &Observations) -> Vec<Found> {
    let mut all = Vec::new();
    for suggestion in SUGGESTIONS.iter().copied() {
        let whole = (suggestion.find)(observed);
        all.extend(whole.map(|finding| Found { suggestion, name: suggestion.rule.to_owned(), finding }));
        for scope in scopes(observed).iter().filter(|_| suggestion.has_scopes) {
            let Some(finding) = (suggestion.find)(&scope.observed) else { continue };
            let variants = finding.variants.iter().map(|clauses| scope.clauses(clauses)).collect();
            let finding = Finding { observed: scope.text(&finding.observed), variants, fallbacks: Vec::new() };
            all.push(Found { suggestion, name: format!("{}{}", suggestion.rule, scope.suffix), finding });
        }
    }
    all
}

/// Asserts that a policy is as it should be written.
#[track_caller]
fn check(text: &str) {
    let source = Source::new(SourceId(0), "suggested.trim", text);
    assert_eq!(format_source(&source).expect("a formatted policy"), text);
    let mut compiler = Compiler::default();
    let done = compiler.compile("suggested.trim", text, &mut NoSources);
    let mut found = compiler.diagnostics().to_vec();
    found.extend(compiler.run_lints(&done, &Settings::default(), None, None).findings);
    // Parts are chosen only if they need different thresholds: with equal ones, a rule for all calls saves as much.
    let is_split = ["(window ?? ", "(model ?? "].iter().any(|scope| text.contains(scope));
    found.retain(|finding| finding.code.id != "repeated-threshold" || !is_split);
    assert!(found.is_empty(), "{found:?}\n{text}");
}

proptest! {
    #![proptest_config(crate::generated::cases(24))]
    #[test]
    fn every_variant_and_combination_validates_and_lints_clean(
        observed in observations(),
        picks in prop::collection::vec(any::<usize>(), SUGGESTIONS.len()),
        is_split in any::<bool>(),
    ) {
        let found = found(&observed);
        let rule = |at: usize, variant: usize| {
            let Found { suggestion, name, finding } = &found[at];
            let clauses = finding.variants.iter().chain(&finding.fallbacks).nth(variant).unwrap();
            SuggestedRule { suggestion, name, observed: &finding.observed, clauses }
        };
        for (at, Found { finding, .. }) in found.iter().enumerate() {
            prop_assert!(!finding.variants.is_empty() && finding.observed.ends_with('.'));
            for variant in 0..finding.variants.len() + finding.fallbacks.len() {
                check(&policy_text("suggested", &["Saves tokens.".to_owned()], &[rule(at, variant)]));
            }
        }
        let all: Vec<SuggestedRule<'_>> =
            found.iter().enumerate().filter(|(_, found)| found.is_chosen(is_split)).map(|(at, found)| {
                rule(at, picks[at % picks.len()] % found.finding.variants.len())
            }).collect();
        let some = all.iter().copied().zip(&picks).filter(|(_, pick)| *pick % 3 > 0).map(|(rule, _)| rule).collect();
        for mut rules in [all, some] {
            // Precautions are only for policies without a rule that saves tokens.
            let saves = rules.iter().any(|rule| rule.suggestion.purpose == Purpose::Saving);
            rules.retain(|rule| rule.suggestion.purpose != Purpose::Precaution || !saves);
            if !rules.is_empty() {
                check(&policy_text("suggested", &[], &rules));
            }
        }
    }
}

#[test]
fn every_suggestion_is_found_in_some_figures() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let all: Vec<Observations> = (0..64).map(|_| observations().new_tree(&mut runner).unwrap().current()).collect();
    for suggestion in SUGGESTIONS {
        assert!(all.iter().any(|observed| (suggestion.find)(observed).is_some()), "{}", suggestion.rule);
    }
    assert!(all.iter().any(|observed| !scopes(observed).is_empty()));
}
