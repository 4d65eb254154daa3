use super::*;

#[test]
fn names_are_kebab_case_unique_and_sorted_within_their_category() {
    let mut before: Option<&Lint> = None;
    for lint in LINTS {
        let kebab = lint.name().chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
        assert!(kebab && lint.name().contains('-'), "{}", lint.name());
        if let Some(before) = before {
            let order = (before.category, before.name()).cmp(&(lint.category, lint.name()));
            assert!(order.is_lt(), "{} stands behind {}", lint.name(), before.name());
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
