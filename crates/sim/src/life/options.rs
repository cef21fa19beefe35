//! How a drive is aged.

use crate::Error;
use crate::life::limit::{DriveClass, Requirement};
use engine::RandomStream;
use serde::Deserialize;
use units::Lpn;

/// How a drive is aged; read from JSON, unknown keys refused.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AgeingOptions {
    /// Seed from which everything random in the run follows.
    pub seed: u64,
    /// Overwrites of the logical space in each window.
    pub window: f64,
    /// By how much of its life the mean block ages in one jump at most; 0: never jump.
    pub jump: f64,
    /// Share of the writes that go to `hot_space` of the logical space; the rest goes to the rest.
    pub hot_writes: f64,
    /// See `hot_writes`.
    pub hot_space: f64,
    /// How much of the mean block's life passes until times are measured again; 0: never.
    pub measure: f64,
    /// What JESD218 asks of the drive; none: as the drive is.
    pub class: Option<DriveClass>,
    /// Years over which the writes are spread.
    pub years: f64,
    /// Share of the years of service in which the drive is powered; none: as for the class of the drive.
    pub duty: Option<f64>,
    /// Temperature in degrees Celsius while the drive is powered; none: as for the class of the drive.
    pub celsius: Option<f64>,
    /// Degrees Celsius without power; none: as the class.
    pub off_celsius: Option<f64>,
}

impl Default for AgeingOptions {
    fn default() -> Self {
        Self {
            seed: 1,
            window: 1.0,
            jump: 0.01,
            hot_writes: 0.0,
            hot_space: 0.0,
            measure: 0.0,
            class: None,
            years: 5.0,
            duty: None,
            celsius: None,
            off_celsius: None,
        }
    }
}

impl AgeingOptions {
    /// Reads the options.
    ///
    /// # Errors
    /// When a key is unknown or a value out of range.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        let options: Self = serde_json::from_str(text).map_err(|error| Error(format!("options: {error}")))?;
        let ranges = [
            (
                "window",
                options.window,
                options.window > 0.0 && options.window <= 100.0,
                "above 0, at most 100",
            ),
            ("jump", options.jump, (0.0..=0.2).contains(&options.jump), "0 to 0.2 of a life"),
            ("hot_writes", options.hot_writes, (0.0..=1.0).contains(&options.hot_writes), "0 to 1"),
            ("measure", options.measure, (0.0..=1.0).contains(&options.measure), "0 to 1 of a life"),
            ("hot_space", options.hot_space, (0.0..1.0).contains(&options.hot_space), "0 to below 1"),
            ("years", options.years, options.years > 0.0 && options.years <= 200.0, "above 0, at most 200"),
        ];
        let given = |key, value: Option<f64>, low, high, expected| {
            value.map(|value| (key, value, (low..=high).contains(&value), expected))
        };
        let profile = [
            given("duty", options.duty, 0.0, 1.0, "0 to 1"),
            given("celsius", options.celsius, -60.0, 200.0, "-60 to 200 degrees Celsius"),
            given("off_celsius", options.off_celsius, -60.0, 200.0, "-60 to 200 degrees Celsius"),
        ];
        let ranges = ranges.into_iter().chain(profile.into_iter().flatten());
        for (key, value, fits, expected) in ranges {
            if !fits {
                return Err(Error(format!("options: {key} = {value}: expected {expected}")));
            }
        }
        if (options.hot_writes > 0.0) != (options.hot_space > 0.0) {
            return Err(Error("options: expected hot_writes and hot_space together".to_owned()));
        }
        Ok(options)
    }

    /// Returns the requirement on a drive whose own class is `own`.
    pub(crate) fn requirement(&self, own: DriveClass) -> Requirement {
        let mut asked = self.class.unwrap_or(own).requirement(self.years);
        let service = &mut asked.service;
        service.duty = self.duty.unwrap_or(service.duty);
        service.celsius = self.celsius.unwrap_or(service.celsius);
        service.off_celsius = self.off_celsius.unwrap_or(service.off_celsius);
        asked
    }

    /// Draws the logical unit that is written next from `units` units: a hot one with the chance
    /// `hot_writes`.
    pub(crate) fn draw(&self, random: &mut RandomStream, units: u32) -> Lpn {
        let (all, hot) = (u64::from(units), (f64::from(units) * self.hot_space) as u64);
        let (from, count) = if hot == 0 {
            (0, all)
        } else if random.chance(self.hot_writes) {
            (0, hot)
        } else {
            (hot, all - hot)
        };
        Lpn((from + random.below(count)) as u32)
    }
}
