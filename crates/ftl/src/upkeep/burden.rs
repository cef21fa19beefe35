//! Whether all the upkeep that is asked for can be kept at all, by the drive file's times.

use crate::agenda::Costs;
use crate::guards::regulation::Regulation;
use crate::settings::{FtlConfig, PatrolRules, SnapshotRules};
use units::Nanos;

/// One thing that is asked for: so much of a die's time, in so much time.
struct Part {
    key: &'static str,
    ns: u64,
    within: Nanos,
    what: String,
}

/// All that is asked for of a die.
pub(crate) struct Burden {
    share: f64,
    parts: Vec<Part>,
}

impl Burden {
    /// What the configuration asks for, once the drive is full.
    pub fn new(config: &FtlConfig, costs: &Costs, regulation: Option<&Regulation>) -> Self {
        let (layout, mut parts) = (&config.layout, Vec::new());
        let stored = layout.logical_units.div_ceil(layout.dies);
        let full = u64::from(stored.div_ceil(layout.data_units()));
        let age = config.upkeep.refresh_age;
        let one = costs.superblock;
        if age > Nanos::ZERO {
            let what = format!("{full} superblocks of {} to move and erase each", Nanos::new(one));
            parts.push(Part { key: "ftl.refresh.age", ns: full * one, within: age, what });
        } else if let Some(period) = regulation.and_then(Regulation::shortest_refresh) {
            // How much is written that way only the run tells: a superblock is the least.
            let what = format!("a superblock of {} to move and erase", Nanos::new(one));
            parts.push(Part { key: "ftl.regulator", ns: one, within: period, what });
        }
        let PatrolRules { period, .. } = config.upkeep.scrub;
        if period > Nanos::ZERO {
            let rows = u64::from(stored.div_ceil(layout.row_units));
            let what = format!("{rows} page rows of {} to read each", Nanos::new(costs.row_read));
            parts.push(Part { key: "ftl.scrub.period", ns: rows * costs.row_read, within: period, what });
        }
        if let Some(SnapshotRules { every: Some(every), .. }) = &config.snapshots {
            let programs = layout.translation_units.div_ceil(layout.program_units);
            let ns = costs.checkpoint(layout);
            let what = format!(
                "{programs} programs of {} for the map on {} dies",
                Nanos::new(costs.program),
                layout.dies
            );
            parts.push(Part { key: "ftl.snapshots.every", ns, within: *every, what });
        }
        Self { share: config.upkeep.share, parts }
    }

    /// Whether upkeep can be kept with its share of each die's time.
    ///
    /// # Errors
    /// When it cannot; the text has the arithmetic.
    pub fn check(&self) -> Result<(), String> {
        let of = |part: &Part| part.ns as f64 / part.within.ns() as f64;
        let total: f64 = self.parts.iter().map(of).sum();
        if total <= self.share {
            return Ok(());
        }
        let told = |part: &Part| {
            let [key, what, within] = [part.key, &part.what, &part.within.to_string()];
            format!(
                "{key}: {what}, {} every {within}, is {:.3} of a die's time",
                Nanos::new(part.ns),
                of(part)
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
