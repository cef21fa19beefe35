//! Whether all the upkeep that is asked for can be kept at all, by the drive file's times.

use crate::agenda::Costs;
use crate::features::Features;
use crate::settings::{FtlConfig, PatrolRules};
use units::Nanos;

/// Record of one kind of upkeep (refresh, background scrub and so on) in the check of a drive file: the time of a die
/// or channel that the upkeep takes, the period in which it takes this time, and the key and text for messages.
struct Part {
    key: &'static str,
    ns: u64,
    within: Nanos,
    what: String,
}

impl Part {
    /// Returns the fraction of a die's or channel's time that this kind of upkeep takes: the time of the upkeep in one
    /// period, divided by the length of the period.
    fn share(&self) -> f64 {
        self.ns as f64 / self.within.ns() as f64
    }
}

/// Record of the total of all kinds of upkeep (refresh, background scrub and so on) that a drive file asks for, for a
/// die or for a channel with all its dies: time of each kind and fraction of time permitted for all, to check that the
/// upkeep fits.
pub(crate) struct Burden {
    /// Name, for error messages, of the resource whose time the check of a drive file's upkeep counts: "die" or
    /// "channel".
    whose: &'static str,
    share: f64,
    parts: Vec<Part>,
}

impl Burden {
    /// Calculates the total time of the upkeep (refresh, background scrub and so on) that the drive file asks for once
    /// the drive is full: `costs` are times for one die, `dies` is the number of dies that share the resource `whose`
    /// (a die or a channel).
    pub fn new(
        whose: &'static str,
        dies: u64,
        config: &FtlConfig,
        costs: &Costs,
        features: &Features,
    ) -> Self {
        let (layout, mut parts) = (&config.layout, Vec::new());
        let mut ask = |key, count: u64, ns: u64, within, what: &str| {
            let of_each = if dies > 1 { format!(" for each of {dies} dies") } else { String::new() };
            let what = format!("{count} {what} of {}{of_each}", Nanos::new(ns));
            parts.push(Part { key, ns: dies * count * ns, within, what });
        };
        let stored = layout.logical_units.div_ceil(layout.dies);
        let full = u64::from(stored.div_ceil(layout.data_units()));
        let age = config.upkeep.refresh_age;
        if age > Nanos::ZERO {
            ask("ftl.refresh.age", full, costs.superblock, age, "superblocks to move and erase");
        } else if let Some((key, period)) = features.shortest_refresh() {
            // How much is written that way only the run tells: a superblock is the least.
            ask(key, 1, costs.superblock, period, "superblock to move and erase");
        }
        let PatrolRules { period, .. } = config.upkeep.scrub;
        if period > Nanos::ZERO {
            let rows = u64::from(stored.div_ceil(layout.row_units));
            ask("ftl.scrub.period", rows, costs.row_read, period, "page rows to read");
        }
        for chore in config.beside.chores(layout, costs) {
            ask(chore.key, 1, chore.ns, chore.within, &chore.what);
        }
        Self { whose, share: config.upkeep.share, parts }
    }

    /// Returns that one of two totals of upkeep (one for a die, one for a channel) which takes the larger fraction of
    /// time.
    pub fn or_heavier(self, other: Self) -> Self {
        if other.total() > self.total() { other } else { self }
    }

    fn total(&self) -> f64 {
        self.parts.iter().map(Part::share).sum()
    }

    /// Checks that the upkeep fits into the fraction of time that the drive file allows it.
    ///
    /// # Errors
    /// When it does not fit; the text shows the arithmetic.
    pub fn check(&self) -> Result<(), String> {
        let total = self.total();
        if total <= self.share {
            return Ok(());
        }
        let told = |part: &Part| {
            let [key, what, within] = [part.key, &part.what, &part.within.to_string()];
            format!(
                "{key}: {what}, {} every {within}, is {:.3} of a {}'s time",
                Nanos::new(part.ns),
                part.share(),
                self.whose
            )
        };
        let all: Vec<String> = self.parts.iter().map(told).collect();
        let sum = if all.len() > 1 { format!("; together {total:.3}") } else { String::new() };
        let advice = match &self.parts[..] {
            [part] => {
                let least = Nanos::new((part.ns as f64 / self.share).ceil() as u64);
                format!("expected {least} or more, or a larger share")
            }
            _ => "expected longer times, or a larger share".to_owned(),
        };
        Err(format!("{}{sum}, and ftl.upkeep.share leaves it {:.3}: {advice}", all.join("; "), self.share))
    }
}
