//! Which numbers a key takes, declared with the key: the refusal, the listing and the reference follow.

use crate::from_value::FromValue;
use std::fmt;

/// Record of the upper or lower end of the range of numbers that a configuration key accepts.
#[derive(Clone, Debug, PartialEq)]
struct RangeEdge {
    at: f64,
    /// Number at this end (lower or upper) of the range, as the user would write it.
    shown: String,
    /// True if the end of the range is itself an allowed value.
    included: bool,
}

/// Type of the range of the numbers that a configuration key, or each item of its list, accepts; without ends, all
/// numbers that the type can hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Limits {
    least: Option<RangeEdge>,
    most: Option<RangeEdge>,
    because: Option<&'static str>,
}

fn edge<T: FromValue>(limit: &T, included: bool) -> Option<RangeEdge> {
    let shown = limit.to_value().to_string().trim_matches('"').to_owned();
    limit.magnitudes().first().map(|at| RangeEdge { at: *at, shown, included })
}

/// Makes the range of allowed values of a configuration key that has `limit` as its lower end, included, and no upper
/// end.
pub fn at_least<T: FromValue>(limit: T) -> Limits {
    Limits { least: edge(&limit, true), ..Limits::default() }
}

/// Makes the range of allowed values of a configuration key that has `limit` as its lower end, excluded, and no upper
/// end.
pub fn above<T: FromValue>(limit: T) -> Limits {
    Limits { least: edge(&limit, false), ..Limits::default() }
}

/// Makes the range of allowed values of a configuration key that has `limit` as its upper end, included, and no lower
/// end.
pub fn at_most<T: FromValue>(limit: T) -> Limits {
    Limits::default().at_most(limit)
}

impl Limits {
    /// Returns this range with `limit` as its upper end, included.
    #[must_use]
    pub fn at_most<T: FromValue>(self, limit: T) -> Self {
        Self { most: edge(&limit, true), ..self }
    }

    /// Returns this range with `limit` as its upper end, excluded.
    #[must_use]
    pub fn below<T: FromValue>(self, limit: T) -> Self {
        Self { most: edge(&limit, false), ..self }
    }

    /// Returns this range with a reason, which the error message for a number outside gives.
    #[must_use]
    pub fn because(self, reason: &'static str) -> Self {
        Self { because: Some(reason), ..self }
    }

    /// Returns true when the range has no ends, so that it refuses no number.
    pub fn is_none(&self) -> bool {
        self.least.is_none() && self.most.is_none()
    }

    /// Returns true if `number` lies within the range.
    pub fn holds(&self, number: f64) -> bool {
        let least = self.least.as_ref().is_none_or(|e| number > e.at || e.included && number == e.at);
        let most = self.most.as_ref().is_none_or(|e| number < e.at || e.included && number == e.at);
        least && most
    }

    /// Returns the text of the range, and its reason, for the error message for a number outside.
    pub(crate) fn expected(&self) -> String {
        match self.because {
            Some(reason) => format!("expected {self}: {reason}"),
            None => format!("expected {self}"),
        }
    }

    /// Returns a number within the range, as an example value of a key without a default.
    pub(crate) fn example(&self) -> f64 {
        match (&self.least, &self.most) {
            (Some(least), _) if least.included => least.at,
            (Some(least), Some(most)) => f64::midpoint(least.at, most.at),
            (Some(least), None) => least.at + 1.0,
            (None, Some(most)) => (most.at / 2.0).min(1.0),
            (None, None) => 1.0,
        }
    }
}

impl fmt::Display for Limits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.least, &self.most) {
            (Some(least), Some(most)) if least.included && most.included => {
                write!(f, "{} to {}", least.shown, most.shown)
            }
            (least, most) => {
                let least = least
                    .as_ref()
                    .map(|e| format!("{} {}", if e.included { "at least" } else { "more than" }, e.shown));
                let most = most
                    .as_ref()
                    .map(|e| format!("{} {}", if e.included { "at most" } else { "less than" }, e.shown));
                f.write_str(&[least, most].into_iter().flatten().collect::<Vec<_>>().join(" and "))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use units::Nanos;

    #[test]
    fn limits_read_as_they_are_meant() {
        let cases = [
            (at_least(1u32).at_most(64u32), "1 to 64", [0.0, 65.0], [1.0, 64.0]),
            (above(0.0).at_most(1.0), "more than 0 and at most 1", [0.0, 1.1], [0.1, 1.0]),
            (at_least(0.0).below(1.0), "at least 0 and less than 1", [-0.1, 1.0], [0.0, 0.9]),
            (above(Nanos::ZERO), "more than 0ns", [-1.0, 0.0], [1.0, 2.0]),
        ];
        for (limits, shown, without, within) in cases {
            assert_eq!(limits.to_string(), shown);
            assert!(without.iter().all(|number| !limits.holds(*number)), "{shown}");
            assert!(within.iter().all(|number| limits.holds(*number)), "{shown}");
            assert!(limits.holds(limits.example()), "{shown}: {}", limits.example());
        }
    }
}
