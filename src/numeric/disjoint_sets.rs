//! Numbers in sets that are joined (union-find).

/// Sets of the numbers below a count; the lowest number of a set stands for it.
#[derive(Clone, Debug, Default)]
pub(crate) struct DisjointSets {
    parent: Vec<usize>,
}

impl DisjointSets {
    /// Each of the first `count` numbers by itself.
    pub(crate) fn new(count: usize) -> Self {
        Self { parent: (0..count).collect() }
    }

    /// Starts over with the first `count` numbers, each by itself.
    pub(crate) fn reset(&mut self, count: usize) {
        self.parent.clear();
        self.parent.extend(0..count);
    }

    /// The lowest number of a number's set.
    ///
    /// # Panics
    /// The number is none of them.
    pub(crate) fn root(&mut self, mut number: usize) -> usize {
        while self.parent[number] != number {
            self.parent[number] = self.parent[self.parent[number]];
            number = self.parent[number];
        }
        number
    }

    /// Joins the sets of two numbers; false if they are one already.
    ///
    /// # Panics
    /// One of them is none of the numbers.
    pub(crate) fn join(&mut self, a: usize, b: usize) -> bool {
        let (a, b) = (self.root(a), self.root(b));
        self.parent[a.max(b)] = a.min(b);
        a != b
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_number_stands_for_its_set() {
        let mut sets = DisjointSets::new(5);
        assert!(sets.join(4, 2) && sets.join(2, 3) && !sets.join(3, 4));
        assert_eq!((0..5).map(|number| sets.root(number)).collect::<Vec<_>>(), [0, 1, 2, 2, 2]);
        sets.reset(2);
        assert_eq!((sets.root(0), sets.root(1)), (0, 1));
    }
}
