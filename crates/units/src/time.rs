//! The simulated clock: whole nanoseconds in 64 bits, which last 584 years, so retention fits.

use std::fmt;
use std::ops::{Add, AddAssign, Sub};

/// Type for instants of simulated time, stored in nanoseconds since the start of the simulation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct SimTime(u64);

/// Type for durations of simulated time, stored in whole nanoseconds; configuration files give them as a number with a
/// unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Nanos(u64);

impl SimTime {
    /// Constant: instant at which the simulation starts.
    pub const ZERO: Self = Self(0);
    /// Constant: instant later than the time of every event, which stands for "never".
    pub const NEVER: Self = Self(u64::MAX);

    /// Makes the instant `ns` nanoseconds after the start of the simulation.
    #[inline]
    pub const fn from_ns(ns: u64) -> Self {
        Self(ns)
    }

    /// Converts this instant to a number of nanoseconds since the start of the simulation.
    #[inline]
    pub const fn ns(self) -> u64 {
        self.0
    }

    /// Returns the duration from the instant `earlier` to this one.
    ///
    /// # Panics
    /// In debug builds, when `earlier` is later than `self`: a broken invariant of the engine.
    #[inline]
    pub fn since(self, earlier: Self) -> Nanos {
        debug_assert!(earlier.0 <= self.0, "{earlier} is later than {self}");
        Nanos(self.0.wrapping_sub(earlier.0))
    }
}

impl Nanos {
    /// Constant: duration of zero.
    pub const ZERO: Self = Self(0);

    /// Makes a duration of `ns` nanoseconds.
    #[inline]
    pub const fn new(ns: u64) -> Self {
        Self(ns)
    }

    /// Returns the duration as text: in days where these are whole (`90 days`), else with its largest exact unit.
    pub fn in_days(self) -> String {
        const DAY: u64 = 86_400_000_000_000;
        if self.0 >= DAY && self.0.is_multiple_of(DAY) {
            format!("{} days", self.0 / DAY)
        } else {
            self.to_string()
        }
    }

    /// Converts this duration to a number of nanoseconds.
    #[inline]
    pub const fn ns(self) -> u64 {
        self.0
    }

    /// Returns `count` times this duration.
    #[inline]
    pub const fn times(self, count: u64) -> Self {
        Self(self.0 * count)
    }
}

impl Add<Nanos> for SimTime {
    type Output = Self;
    #[inline]
    fn add(self, duration: Nanos) -> Self {
        Self(self.0 + duration.0)
    }
}

impl AddAssign<Nanos> for SimTime {
    #[inline]
    fn add_assign(&mut self, duration: Nanos) {
        self.0 += duration.0;
    }
}

impl Add for Nanos {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl AddAssign for Nanos {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

impl Sub for Nanos {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        debug_assert!(other.0 <= self.0, "a duration cannot be negative");
        Self(self.0.wrapping_sub(other.0))
    }
}

impl fmt::Display for SimTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "t={}", Nanos(self.0))
    }
}

impl fmt::Display for Nanos {
    /// Writes the duration in the shortest exact form with a unit: `25us`, `1500ns`, `2s`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (unit, scale) in [("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000)] {
            if self.0 != 0 && self.0.is_multiple_of(scale) {
                return write!(f, "{}{unit}", self.0 / scale);
            }
        }
        write!(f, "{}ns", self.0)
    }
}
