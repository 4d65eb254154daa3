//! Random test order.

/// Shuffles items into an order that depends only on the seed.
pub fn shuffle<T>(items: &mut [T], seed: u64) {
    let mut state = seed;
    for last in (1..items.len()).rev() {
        // splitmix64, which is good enough to find tests that depend on each other.
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        let bound = u64::try_from(last + 1).unwrap_or(u64::MAX);
        items.swap(last, usize::try_from(mixed % bound).unwrap_or(0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shuffle_depends_only_on_its_seed_and_keeps_all_items() {
        let order = |seed| {
            let mut items: Vec<u32> = (0..20).collect();
            shuffle(&mut items, seed);
            items
        };
        assert_eq!(order(7), order(7));
        assert_ne!(order(7), order(8));
        let mut sorted = order(7);
        sorted.sort_unstable();
        assert_eq!(sorted, (0..20).collect::<Vec<_>>());
    }
}
