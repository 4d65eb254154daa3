//! The examples of every code, fact, effect and guard are correct.

use trimtab_base::diagnostic::Severity;

use super::CODES;
use crate::check::tests::{messages, rule};
use crate::effect::EFFECTS;
use crate::fact::FACTS;
use crate::guard::GUARDS;

#[test]
fn each_wrong_example_of_the_settings_has_only_its_code_and_each_right_one_none() {
    // Those of several texts are tried where files are followed.
    for code in CODES.iter().filter(|code| !code.wrong.contains("\nuse ")) {
        let found = messages(code.wrong);
        assert_eq!(found.len(), 1, "{}: {found:?}", code.id);
        assert!(found[0].contains(code.id), "{}: {found:?}", code.id);
        assert_eq!(messages(code.right), Vec::<String>::new(), "{}", code.id);
    }
}

#[test]
fn codes_are_in_order_and_used_once() {
    assert!(CODES.windows(2).all(|pair| pair[0].id < pair[1].id));
}

#[test]
fn every_finding_has_a_help() {
    for code in CODES {
        let (_, found) = crate::check::tests::checked(code.wrong);
        assert!(found.iter().all(|finding| finding.help.is_some()), "{}", code.id);
    }
}

#[test]
fn errors_leave_no_checked_file_and_warnings_do() {
    for code in CODES {
        let (checked, found) = crate::check::tests::checked(code.wrong);
        let is_error = found.iter().any(|finding| finding.severity == Severity::Error);
        assert_eq!(checked.is_none(), is_error, "{}", code.id);
    }
}

#[test]
fn every_example_of_a_fact_checks() {
    for fact in FACTS {
        for example in fact.examples {
            let text =
                format!("{} rule example {{ do mask results }}", rule(&format!("when {example} do notify \"x\"")));
            let found = messages(&format!("edition 2026 agent {{ fact mode text }} policy p {{ {text} }}"));
            assert_eq!(found, Vec::<String>::new(), "{example}");
        }
    }
}

#[test]
fn every_example_of_an_effect_checks() {
    for effect in EFFECTS {
        for example in effect.examples {
            let on = if effect.kind.answers_miss() { "on compaction_miss " } else { "" };
            let found = messages(&format!("edition 2026 policy p {{ {} }}", rule(&format!("{on}do {example}"))));
            assert_eq!(found, Vec::<String>::new(), "{example}");
        }
    }
}

#[test]
fn every_example_of_a_guard_checks() {
    for guard in GUARDS {
        let text = rule(&format!("when failures >= 2 do notify \"x\" {}", guard.example));
        assert_eq!(messages(&format!("edition 2026 policy p {{ {text} }}")), Vec::<String>::new(), "{}", guard.name);
    }
}
