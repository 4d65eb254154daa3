//! Chains as long as a file allows.

use super::messages;

/// As long a chain overflows the stack of a thread if each link is a call.
const LINKS: usize = 20_000;

/// A policy with a limit that is the last of a chain of lets, in either order.
fn lets(is_reversed: bool) -> String {
    let mut lets: Vec<String> = (1..LINKS).map(|at| format!("let a{at} = a{}\n", at - 1)).collect();
    lets.insert(0, "let a0 = 5 results\n".to_owned());
    if is_reversed {
        lets.reverse();
    }
    let last = LINKS - 1;
    format!("edition 2026\n{}policy p {{ rule r {{ when failures > a{last} do stop \"x\" }} }}", lets.concat())
}

#[test]
fn a_chain_of_lets_may_be_long_in_any_order() {
    assert_eq!(messages(&lets(false)), [""; 0]);
    assert_eq!(messages(&lets(true)), [""; 0]);
}

#[test]
fn a_cycle_of_lets_is_found_once_at_any_length() {
    let text = lets(true).replace("let a0 = 5 results", &format!("let a0 = a{}", LINKS - 1));
    let cycles: Vec<String> = messages(&text).into_iter().filter(|message| message.contains("depends on")).collect();
    assert_eq!(cycles.len(), 1, "{cycles:?}");
}

/// The limit does not depend on which policy is looked at first.
#[test]
fn a_chain_of_policies_is_limited_in_any_order() {
    let policies = |count: usize| -> Vec<String> {
        let base = |at: usize| if at == 0 { String::new() } else { format!("extends p{} ", at - 1) };
        (0..count).map(|at| format!("policy p{at} {}{{ rule r{at} {{ do notify \"x\" }} }}\n", base(at))).collect()
    };
    let found = |mut policies: Vec<String>, is_reversed: bool| {
        if is_reversed {
            policies.reverse();
        }
        messages(&format!("edition 2026\n{}", policies.concat()))
    };
    for is_reversed in [false, true] {
        assert_eq!(found(policies(60), is_reversed), [""; 0]);
        let too_long = found(policies(300), is_reversed);
        assert!(!too_long.is_empty() && too_long.iter().all(|one| one.contains("in a chain")), "{too_long:?}");
    }
}

/// Values beyond the limit are one finding, and repeats do not take memory beyond it.
#[test]
fn a_series_that_is_too_long_is_one_finding() {
    let found = |input: &str| {
        let test = format!("test \"t\" {{ {input} expect r never fires }}");
        messages(&format!(
            "edition 2026\npolicy p {{ rule r {{ when context.tokens > 9 tokens do notify \"x\" }} }}\n{test}\n"
        ))
    };
    let values = vec!["1 tokens"; 10_001];
    assert_eq!(found(&format!("given context.tokens {}", values[1..].join(", "))), [""; 0]);
    for values in
        [&values.join(", "), "1 tokens x10000, 1 tokens", "1 tokens x10000 x10000 x10000", "1..20000 by 1 tokens"]
    {
        let found = found(&format!("given context.tokens {values}"));
        assert!(matches!(&found[..], [one] if one.contains("the series is too long")), "{found:?}");
    }
    let found = found("given context.tokens 1 tokens x3 given summary \"x\" x9000 x9000 x9000 x9000");
    assert!(matches!(&found[..], [one] if one.contains("the series is too long")), "{found:?}");
}
