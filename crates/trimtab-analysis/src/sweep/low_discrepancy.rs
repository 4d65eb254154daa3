//! Points that fill a cube evenly: the sequence of Halton ("On the efficiency of certain quasi-random sequences of points in
//! evaluating multi-dimensional integrals", Numerische Mathematik 2, 1960), moved by a random offset in each dimension.

use crate::test::Random;

/// The points, each with one coordinate in each dimension, as a fraction of 2^64.
#[derive(Clone, Debug)]
pub(super) struct LowDiscrepancy {
    /// The base and the offset of each dimension.
    dimensions: Vec<(u64, u64)>,
    /// The number of the next point.
    next: u64,
}

impl LowDiscrepancy {
    pub(super) fn new(dimensions: usize, seed: u64) -> Self {
        let mut random = Random::new(seed);
        Self { dimensions: primes().take(dimensions).map(|prime| (prime, random.next_number())).collect(), next: 1 }
    }
}

impl Iterator for LowDiscrepancy {
    type Item = std::vec::IntoIter<u64>;

    fn next(&mut self) -> Option<Self::Item> {
        let number = self.next;
        self.next += 1;
        let coordinate = |(base, offset): &(u64, u64)| radical_inverse(number, *base).wrapping_add(*offset);
        Some(self.dimensions.iter().map(coordinate).collect::<Vec<_>>().into_iter())
    }
}

/// The digits of a number to some base, mirrored at the point: 6 is 110 to the base 2, which gives 0.011. A fraction of 2^64.
fn radical_inverse(mut number: u64, base: u64) -> u64 {
    let (mut inverse, mut unit) = (0_u64, 1_u128 << 64);
    while number > 0 {
        unit /= u128::from(base);
        let digit = u64::try_from(u128::from(number % base) * unit).unwrap_or(0);
        inverse = inverse.wrapping_add(digit);
        number /= base;
    }
    inverse
}

fn primes() -> impl Iterator<Item = u64> {
    (2..).filter(|number| {
        (2..*number).take_while(|divisor| divisor * divisor <= *number).all(|divisor| number % divisor != 0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_mirrored_at_the_point() {
        let eighths = [1, 2, 3, 4, 5, 6, 7].map(|number| radical_inverse(number, 2) >> 61);
        assert_eq!(eighths, [4, 2, 6, 1, 5, 3, 7]);
        let third = radical_inverse(1, 3);
        assert_eq!(third, u64::MAX / 3);
        assert_eq!(primes().take(6).collect::<Vec<_>>(), [2, 3, 5, 7, 11, 13]);
    }
}
