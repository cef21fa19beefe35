//! Units that are likely to be overwritten at about the same time lie together: SepBIT's six classes.
//!
//! What a unit's last version lived says how long the next one will; what a moved unit has lived already says how long it
//! will go on.

use super::{Notes, StreamPolicy, StreamSpec, Takes, UnitView};
use config::{Card, ConfigError, Policy, Section};

/// Constant: number of reclaimed superblocks of the first write stream (host data with a short expected life) over
/// which one mean life (from opening to reclaiming) is calculated.
const LIVES: u64 = 16;

/// Implementation of the stream policy `sepbit`: two write streams of host data and four of relocated data, by the
/// expected time until a unit is overwritten.
#[derive(Clone, Debug, Default)]
pub struct SepBit {
    /// Mean life of superblocks of the first write stream (host data with a short expected life), in units that the
    /// host wrote; none until enough were reclaimed.
    mean: Option<u64>,
    /// Number of superblocks of the first write stream that were reclaimed since the last mean life was calculated.
    lives: u64,
    /// Sum of the lives of the superblocks of the first write stream that were reclaimed since the last mean life was
    /// calculated, in units that the host wrote.
    total: u64,
}

/// Constant: index of the write stream, one of six, for host data with a short expected life.
const SHORT: usize = 0;
/// Constant: index of the write stream, one of six, for host data with a long expected life.
const LONG: usize = 1;
/// Constant: index of the write stream for data relocated out of the stream `SHORT`.
const FROM_SHORT: usize = 2;
/// Constant: index of the write stream for young data relocated out of any other stream than `SHORT`.
const YOUNG: usize = 3;
/// Constant: index of the write stream for data of middle age relocated out of any other stream than `SHORT`.
const MIDDLE: usize = 4;
/// Constant: index of the write stream for old data relocated out of any other stream than `SHORT`.
const OLD: usize = 5;

impl Policy for SepBit {
    const CARD: Card = Card {
        name: "sepbit",
        rule: "with L the mean life of the last 16 superblocks of stream 0 that were reclaimed, counted in units that the host \
               wrote (without end at first): the host's unit joins stream 0 if it overwrites one younger than L, else 1; \
               what is moved out of stream 0 joins 2, and other moved units join 3 if they are younger than 4 L, 4 if \
               younger than 16 L, else 5",
        paper: "Wang, Zhou, Guo and Lee, Separating data via block invalidation time inference, FAST 2022",
        not_modelled: "the memory that times of writes take: the paper keeps those of recent writes only",
    };

    fn read(_section: &mut Section) -> Result<Self, ConfigError> {
        Ok(Self::default())
    }
}

impl SepBit {
    /// Returns true if, for the stream policy `sepbit`, the age of a unit (number of units that the host wrote to the
    /// drive since it last wrote this unit) is below `lives` mean lives of superblocks; while the mean is not known,
    /// true for every known age.
    fn is_younger(&self, age: Option<u64>, lives: u64) -> bool {
        age.is_some_and(|age| self.mean.is_none_or(|mean| age < mean.saturating_mul(lives)))
    }
}

impl StreamPolicy for SepBit {
    fn streams(&self) -> Vec<StreamSpec> {
        let host = ["short", "long"].map(|name| StreamSpec::new(name, Takes::Host));
        let moved = ["moved short", "moved young", "moved middle", "moved old"];
        host.into_iter().chain(moved.map(|name| StreamSpec::new(name, Takes::Moved))).collect()
    }

    fn notes(&self) -> Notes {
        Notes { writes: false, times: true }
    }

    fn join(&mut self, unit: &UnitView) -> usize {
        match (unit.moved, unit.last) {
            (false, _) if self.is_younger(unit.age, 1) => SHORT,
            (false, _) => LONG,
            (true, Some(SHORT)) => FROM_SHORT,
            (true, _) if self.is_younger(unit.age, 4) => YOUNG,
            (true, _) if self.is_younger(unit.age, 16) => MIDDLE,
            (true, _) => OLD,
        }
    }

    fn on_reclaim(&mut self, stream: usize, lived: u64) {
        if stream != SHORT {
            return;
        }
        self.lives += 1;
        self.total += lived;
        if self.lives == LIVES {
            (self.mean, self.lives, self.total) = (Some(self.total / LIVES), 0, 0);
        }
    }

    fn learnt(&self) -> Vec<u64> {
        vec![self.mean.unwrap_or(u64::MAX), self.lives, self.total]
    }

    fn go_on_with(&mut self, learnt: &[u64]) -> bool {
        let &[mean, lives, total] = learnt else { return false };
        (self.mean, self.lives, self.total) = ((mean != u64::MAX).then_some(mean), lives, total);
        lives < LIVES
    }
}
