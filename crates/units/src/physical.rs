//! Electrical quantities and times finer than a nanosecond, as whole numbers of a small base unit.

use crate::{Nanos, ParseQuantityError, Quantity, quantity::scaled};
use std::fmt;

macro_rules! quantities {
    ($($(#[$doc:meta])* $name:ident in $base:literal, expected $expected:literal, units $units:expr;)+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u64);

        impl $name {
            #[doc = concat!("A value given in ", $base, ".")]
            pub const fn new(value: u64) -> Self {
                Self(value)
            }

            #[doc = concat!("The value in ", $base, ".")]
            pub const fn get(self) -> u64 {
                self.0
            }
        }

        impl Quantity for $name {
            const EXPECTED: &'static str = $expected;

            fn parse(text: &str) -> Result<Self, ParseQuantityError> {
                scaled(text, $units).map(Self)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let units: &[(&str, u64)] = $units;
                let fits = |&&(_, scale): &&(&str, u64)| self.0 % scale == 0;
                let (unit, scale) = units.iter().rev().find(fits).unwrap_or(&units[0]);
                if self.0 == 0 {
                    return write!(f, "0{}", units[0].0);
                }
                write!(f, "{}{unit}", self.0 / scale)
            }
        }
    )+};
}

quantities! {
    /// Quantity type for durations on a bus, stored in femtoseconds: fine enough for cycles like 5/3 ns to stay within
    /// 1 part in 10^6.
    Femtos in "femtoseconds", expected "a time with its unit, such as \"4.69ns\" (fs, ps, ns, us)",
        units &[("fs", 1), ("ps", 1_000), ("ns", 1_000_000), ("us", 1_000_000_000)];
    /// Quantity type for clock frequencies, stored in hertz.
    Frequency in "hertz", expected "a frequency with its unit, such as \"83MHz\" (Hz, kHz, MHz, GHz)",
        units &[("Hz", 1), ("kHz", 1_000), ("MHz", 1_000_000), ("GHz", 1_000_000_000)];
    /// Quantity type for electrical power, stored in nanowatts.
    Power in "nanowatts", expected "a power with its unit, such as \"22.55mW\" (nW, uW, mW, W)",
        units &[("nW", 1), ("uW", 1_000), ("mW", 1_000_000), ("W", 1_000_000_000)];
    /// Quantity type for supply currents, stored in nanoamperes.
    Current in "nanoamperes", expected "a current with its unit, such as \"25mA\" (nA, uA, mA, A)",
        units &[("nA", 1), ("uA", 1_000), ("mA", 1_000_000), ("A", 1_000_000_000)];
    /// Quantity type for voltages that are not negative, stored in microvolts.
    Voltage in "microvolts", expected "a voltage with its unit, such as \"3.3V\" (uV, mV, V)",
        units &[("uV", 1), ("mV", 1_000), ("V", 1_000_000)];
    /// Quantity type for capacitances, stored in femtofarads.
    Capacitance in "femtofarads", expected "a capacitance with its unit, such as \"30pF\" (fF, pF, nF)",
        units &[("fF", 1), ("pF", 1_000), ("nF", 1_000_000)];
    /// Quantity type for energies, stored in femtojoules.
    Energy in "femtojoules", expected "an energy with its unit, such as \"15pJ\" (fJ, pJ, nJ, uJ)",
        units &[("fJ", 1), ("pJ", 1_000), ("nJ", 1_000_000), ("uJ", 1_000_000_000)];
}

/// Quantity type for signed voltages, stored in microvolts: for threshold voltages, which lie on both sides of zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Potential(i64);

impl Potential {
    /// Makes a signed voltage of `microvolts` microvolts.
    pub const fn new(microvolts: i64) -> Self {
        Self(microvolts)
    }

    /// Converts this signed voltage, stored in microvolts, to a floating-point number of volts.
    pub fn volts(self) -> f64 {
        self.0 as f64 / 1e6
    }
}

impl Quantity for Potential {
    const EXPECTED: &'static str = "a voltage with its unit, such as \"-2.5V\" (uV, mV, V)";

    fn parse(text: &str) -> Result<Self, ParseQuantityError> {
        let (sign, size) = text.strip_prefix('-').map_or((1, text), |size| (-1, size));
        let size = i64::try_from(Voltage::parse(size)?.get())
            .map_err(|_| ParseQuantityError(format!("{text:?} is too large")))?;
        Ok(Self(sign * size))
    }
}

impl fmt::Display for Potential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        write!(f, "{sign}{}", Voltage(self.0.unsigned_abs()))
    }
}

impl Femtos {
    /// Converts this duration on a bus, stored in femtoseconds, to a floating-point number of nanoseconds, for results;
    /// event times are never calculated from it.
    pub fn as_ns(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// Converts this duration on a bus, stored in femtoseconds, to whole nanoseconds, rounded up.
    pub const fn ceil_ns(self) -> Nanos {
        Nanos::new(self.0.div_ceil(1_000_000))
    }

    /// Returns `count` times this duration on a bus, in femtoseconds.
    pub const fn times(self, count: u64) -> Self {
        Self(self.0 * count)
    }
}

impl std::ops::Add for Femtos {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl std::iter::Sum for Femtos {
    fn sum<I: Iterator<Item = Self>>(items: I) -> Self {
        Self(items.map(Self::get).sum())
    }
}

impl Frequency {
    /// Returns the duration of one period of this clock frequency, in whole femtoseconds.
    pub const fn period(self) -> Femtos {
        Femtos(1_000_000_000_000_000 / self.0)
    }
}

impl Power {
    /// Converts this power, stored in nanowatts, to a floating-point number of watts.
    pub fn watts(self) -> f64 {
        self.0 as f64 * 1e-9
    }
}

impl Current {
    /// Returns the power, in watts, that this current draws from a supply of voltage `supply`.
    pub fn watts_at(self, supply: Voltage) -> f64 {
        self.0 as f64 * 1e-9 * supply.volts()
    }
}

impl Voltage {
    /// Converts this voltage, stored in microvolts, to a floating-point number of volts.
    pub fn volts(self) -> f64 {
        self.0 as f64 * 1e-6
    }
}

impl Capacitance {
    /// Converts this capacitance, stored in femtofarads, to a floating-point number of farads.
    pub fn farads(self) -> f64 {
        self.0 as f64 * 1e-15
    }
}

impl Energy {
    /// Converts this energy, stored in femtojoules, to a floating-point number of joules.
    pub fn joules(self) -> f64 {
        self.0 as f64 * 1e-15
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_are_exact_and_read_back() {
        assert_eq!(Femtos::parse("4.69ns"), Ok(Femtos::new(4_690_000)));
        assert_eq!(Power::parse("22.55mW").map(Power::get), Ok(22_550_000));
        for text in ["19810ps", "50MHz", "22550uW", "3300mV", "25mA", "30pF", "0fs"] {
            let shown = Femtos::parse(text)
                .map(|value| value.to_string())
                .or_else(|_| Frequency::parse(text).map(|value| value.to_string()))
                .or_else(|_| Power::parse(text).map(|value| value.to_string()))
                .or_else(|_| Voltage::parse(text).map(|value| value.to_string()))
                .or_else(|_| Current::parse(text).map(|value| value.to_string()))
                .or_else(|_| Capacitance::parse(text).map(|value| value.to_string()));
            assert_eq!(shown.as_deref(), Ok(text));
        }
    }

    #[test]
    fn a_burst_is_rounded_up_to_whole_nanoseconds() {
        assert_eq!(Femtos::new(1_666_667).times(4096).ceil_ns(), Nanos::new(6_827));
        assert_eq!(Frequency::new(50_000_000).period(), Femtos::new(20_000_000));
    }
}
