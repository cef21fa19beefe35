//! How a drive is aged.

use crate::Error;
use crate::life::limit::{DriveClass, Requirement};
use engine::RandomStream;
use serde::Deserialize;
use units::Lpn;

/// Set of options of an ageing run, read from JSON; unknown keys are refused.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AgeingOptions {
    /// Option of the ageing run: seed from which all random choices in the ageing run follow.
    pub seed: u64,
    /// Option of the ageing run: length of a window, the part of the ageing run simulated write by write between two
    /// jumps, in overwrites of the logical space.
    pub window: f64,
    /// Option of the ageing run: greatest fraction of its life by which a block of mean endurance ages in one jump in
    /// wear; 0: never jump.
    pub jump: f64,
    /// Option of the ageing run: fraction (0 to 1) of the writes that go to the hot part of the logical space, whose
    /// size is `hot_space`; all other writes go to the rest of the space.
    pub hot_writes: f64,
    /// Option of the ageing run: size of the hot part of the logical space, as a fraction (0 to 1); `hot_writes` is the
    /// fraction of the writes to it.
    pub hot_space: f64,
    /// Option: interval between two measurements of the drive's speed during the ageing run, as a fraction of the life
    /// of a block of mean endurance; 0: never measured.
    pub measure: f64,
    /// Option: class of the drive by JESD218, client or enterprise; none: the class that follows from the drive file.
    pub class: Option<DriveClass>,
    /// Option of the ageing run: service life of the drive in years, over which all writes of the drive's life are
    /// spread.
    pub years: f64,
    /// Option of the ageing run: fraction of the service years in which the drive is powered; none: as for the class of
    /// the drive.
    pub duty: Option<f64>,
    /// Option of the ageing run: temperature in degrees Celsius while the drive is powered during its service years;
    /// none: as for the class of the drive.
    pub celsius: Option<f64>,
    /// Option of the ageing run: temperature in degrees Celsius while the drive is not powered; none: as for the class
    /// of the drive.
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
    /// Parses the options of an ageing run from JSON and checks their ranges.
    ///
    /// # Errors
    /// When a key is unknown, a value out of range, or only one of `hot_writes` and `hot_space` above 0.
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

    /// Returns the requirement (retention, error rate, service life) that the options set for a drive whose own class
    /// is `own`.
    pub(crate) fn requirement(&self, own: DriveClass) -> Requirement {
        let mut asked = self.class.unwrap_or(own).requirement(self.years);
        let service = &mut asked.service;
        service.duty = self.duty.unwrap_or(service.duty);
        service.celsius = self.celsius.unwrap_or(service.celsius);
        service.off_celsius = self.off_celsius.unwrap_or(service.off_celsius);
        asked
    }

    /// Draws at random the logical unit that an ageing run writes next out of `units` units: a unit of the hot part
    /// with the probability `hot_writes`, else a unit of the rest; any unit if the hot part is empty.
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
