//! The combinations of values.

use std::collections::BTreeSet;

use super::low_discrepancy::LowDiscrepancy;

/// All combinations of the values of some parameters.
#[derive(Clone, Debug)]
pub struct Grid {
    /// How many values each parameter has.
    sizes: Vec<usize>,
    /// How many combinations there are.
    total: usize,
}

impl Grid {
    /// Returns the grid of parameters with these numbers of values, or `None` if it has more combinations than can be
    /// counted.
    pub fn new(sizes: Vec<usize>) -> Option<Self> {
        let total = sizes.iter().try_fold(1_usize, |total, size| total.checked_mul(*size))?;
        Some(Self { sizes, total })
    }

    /// How many combinations there are.
    pub const fn total(&self) -> usize {
        self.total
    }

    /// All combinations, as positions of values; the last parameter changes fastest.
    pub fn all(&self) -> impl Iterator<Item = Vec<usize>> {
        (0..self.total).map(|index| self.at(index))
    }

    /// At most this many combinations, evenly spread and in the order of the grid.
    pub fn sample(&self, count: usize, seed: u64) -> Vec<Vec<usize>> {
        if count >= self.total {
            return self.all().collect();
        }
        let mut chosen = BTreeSet::new();
        let points = LowDiscrepancy::new(self.sizes.len(), seed);
        // Points that fall into the same cell are dropped; a few hundred points for each combination find nearly all cells.
        for point in points.take(count.saturating_mul(256)) {
            if chosen.len() == count {
                break;
            }
            let cells = point.zip(&self.sizes).map(|(fraction, size)| cell(fraction, *size));
            chosen.insert(self.index(cells));
        }
        let rest = (0..self.total).filter(|index| !chosen.contains(index)).take(count - chosen.len());
        let rest: Vec<usize> = rest.collect();
        chosen.extend(rest);
        chosen.into_iter().map(|index| self.at(index)).collect()
    }

    fn at(&self, mut index: usize) -> Vec<usize> {
        let mut positions: Vec<usize> = self
            .sizes
            .iter()
            .rev()
            .map(|size| {
                let position = index % size;
                index /= size;
                position
            })
            .collect();
        positions.reverse();
        positions
    }

    fn index(&self, positions: impl Iterator<Item = usize>) -> usize {
        positions.zip(&self.sizes).fold(0, |index, (position, size)| index * size + position)
    }
}

/// The position among `size` cells of a fraction of 2^64.
fn cell(fraction: u64, size: usize) -> usize {
    let position = (u128::from(fraction) * size as u128) >> 64;
    usize::try_from(position).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_last_parameter_changes_fastest() {
        let grid = Grid::new(vec![2, 3]).expect("small");
        let all: Vec<Vec<usize>> = grid.all().collect();
        assert_eq!(all, [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]]);
        assert!(Grid::new(vec![usize::MAX, 2]).is_none());
    }

    proptest! {
        #[test]
        fn a_sample_has_as_many_different_combinations_as_wanted(
            sizes in prop::collection::vec(1_usize..7, 1..4), count in 1_usize..50, seed: u64,
        ) {
            let grid = Grid::new(sizes).expect("small");
            let sample = grid.sample(count, seed);
            prop_assert_eq!(sample.len(), count.min(grid.total()));
            let all: Vec<Vec<usize>> = grid.all().collect();
            let places: Vec<_> = sample.iter().map(|one| all.iter().position(|other| other == one)).collect();
            prop_assert!(places.iter().all(Option::is_some) && places.is_sorted());
            prop_assert!(places.windows(2).all(|pair| pair[0] != pair[1]));
        }

        #[test]
        fn a_sample_covers_the_values_of_each_parameter_evenly(seed: u64) {
            let grid = Grid::new(vec![4, 5]).expect("small");
            let sample = grid.sample(10, seed);
            for (parameter, size) in [(0, 4), (1, 5)] {
                for value in 0..size {
                    let uses = sample.iter().filter(|one| one[parameter] == value).count();
                    prop_assert!((1..=4).contains(&uses), "{parameter} {value}: {sample:?}");
                }
            }
        }
    }
}
