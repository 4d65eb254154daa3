use trimtab_base::quantity::{Decimal, Quantity};

use super::*;

#[test]
fn names_are_kebab_case_unique_and_sorted_within_their_category() {
    let mut before: Option<&Lint> = None;
    for lint in LINTS {
        let kebab = lint.name().chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
        assert!(kebab && lint.name().contains('-'), "{}", lint.name());
        if let Some(before) = before {
            let order = (before.category, before.name()).cmp(&(lint.category, lint.name()));
            assert!(order.is_lt(), "{} stands after {}", lint.name(), before.name());
        }
        before = Some(lint);
    }
}

#[test]
fn a_lint_supersedes_only_existing_lints() {
    for lint in LINTS {
        assert!(lint.supersedes.iter().all(|name| find(name).is_some()), "{}", lint.name());
    }
}

#[test]
fn setting_an_option_changes_it_for_one_lint_only() {
    let all = || LINTS.iter().flat_map(|lint| lint.options.iter().map(move |option| (lint, *option)));
    assert!(all().count() > 10, "lints have options");
    for (lint, option) in all() {
        let mut settings = Settings::default();
        let value = Quantity::new(option.default + Decimal::ONE, option.unit);
        settings.set_option(lint.name(), option.name, value).expect("an option of the lint");
        let changed = all().filter(|(_, other)| settings.options().get(other) != other.default);
        let changed: Vec<(&str, &str)> = changed.map(|(lint, option)| (lint.name(), option.name)).collect();
        assert_eq!(changed, [(lint.name(), option.name)]);
    }
}
