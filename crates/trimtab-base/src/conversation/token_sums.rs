//! The tokens of the messages, with sums of the newest ones in logarithmic time.

/// The tokens of each message in a Fenwick tree. The node of the message with number `n`, from 1, has the sum of the
/// `n & n.wrapping_neg()` messages up to it.
#[derive(Clone, Debug, Default)]
pub(super) struct TokenSums(Vec<u64>);

impl TokenSums {
    /// Forgets the messages from an index on. The nodes before it have sums of messages before it only.
    pub(super) fn truncate(&mut self, length: usize) {
        self.0.truncate(length);
    }

    pub(super) fn push(&mut self, tokens: u64) {
        let number = self.0.len() + 1;
        let first = number - lowest_bit(number);
        self.0.push((self.before(number - 1) - self.before(first)).saturating_add(tokens));
    }

    /// Replaces the tokens of the message at an index.
    pub(super) fn replace(&mut self, at: usize, old: u64, new: u64) {
        let mut number = at + 1;
        while let Some(sum) = self.0.get_mut(number - 1) {
            *sum = (*sum - old).saturating_add(new);
            number += lowest_bit(number);
        }
    }

    /// The index of the first of the newest messages that together have at most `most` tokens.
    pub(super) fn first_within(&self, most: u64) -> usize {
        let Some(least_before) = self.before(self.0.len()).checked_sub(most).filter(|least| *least > 0) else {
            return 0;
        };
        let (mut number, mut sum) = (0usize, 0u64);
        for step in (0..usize::BITS).rev().map(|bit| 1usize << bit) {
            let node = number.checked_add(step).and_then(|next| Some((next, *self.0.get(next - 1)?)));
            if let Some((next, tokens)) = node.filter(|(_, tokens)| sum.saturating_add(*tokens) < least_before) {
                (number, sum) = (next, sum + tokens);
            }
        }
        number + 1
    }

    /// The tokens of the messages before an index.
    pub(super) fn before(&self, at: usize) -> u64 {
        let (mut number, mut sum) = (at, 0u64);
        while number > 0 {
            sum = sum.saturating_add(self.0[number - 1]);
            number -= lowest_bit(number);
        }
        sum
    }
}

const fn lowest_bit(number: usize) -> usize {
    number & number.wrapping_neg()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The index of the first of the newest messages that fit, found by adding them up.
    fn by_adding(tokens: &[u64], most: u64) -> usize {
        (0..tokens.len()).find(|at| tokens[*at..].iter().sum::<u64>() <= most).unwrap_or(tokens.len())
    }

    #[test]
    fn the_newest_messages_within_a_size_are_found_whatever_has_changed() {
        let (mut sums, mut tokens) = (TokenSums::default(), Vec::<u64>::new());
        let mut seed = 7u64;
        for step in 0..400usize {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let random = usize::try_from(seed >> 40).expect("24 bits");
            match random % 8 {
                0 if !tokens.is_empty() => {
                    let at = random % tokens.len();
                    let new = (random % 23) as u64;
                    sums.replace(at, std::mem::replace(&mut tokens[at], new), new);
                }
                1 if step % 5 == 0 => {
                    tokens.truncate(tokens.len() / 2);
                    sums.truncate(tokens.len());
                }
                _ => {
                    tokens.push((random % 31) as u64);
                    sums.push((random % 31) as u64);
                }
            }
            for most in [0, 1, 30, 100, tokens.iter().sum::<u64>(), u64::MAX] {
                assert_eq!(sums.first_within(most), by_adding(&tokens, most), "{tokens:?} within {most}");
            }
        }
    }
}
