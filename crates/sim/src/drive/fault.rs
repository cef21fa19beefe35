//! `[fault]`: which die or channel fails in the middle of a run, and when.

use config::{ConfigError, Section};
use nand::Geometry;
use units::{Nanos, SimTime};

/// Kind of moment planned for the failure of dies or of a channel, with its value: at this simulated time, or after
/// this number of flash operations since the run began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FailureMoment {
    At(SimTime),
    /// Case of the time of the planned failure of dies: the failure happens after this number of flash operations since
    /// the run began.
    After(u64),
}

/// Plan for the failure of dies in the middle of a run, from `[fault]` of the drive file: which dies fail, and when.
#[derive(Clone, Debug, Default)]
pub(crate) struct FailurePlan {
    pub dies: Vec<u32>,
    pub moment: Option<FailureMoment>,
}

impl FailurePlan {
    /// Reads the planned failure of a die or channel from the section `[fault]` of a drive file.
    ///
    /// # Errors
    /// When a key is unknown, there is no such die or channel, both are named, or the time is missing, double or alone.
    pub fn read(root: &mut Section, geometry: &Geometry) -> Result<Self, ConfigError> {
        let mut fault = root.child("fault")?;
        let die: Option<u32> = fault.optional("die", "a die that fails in the middle of a run")?;
        let channel: Option<u32> =
            fault.optional("channel", "a channel that fails in the middle of a run, with all its dies")?;
        let at: Option<Nanos> = fault.optional("at", "when it fails, since the run began")?;
        let help = "number of flash operations since the run began after which it fails";
        let after: Option<u64> = fault.optional("after", help)?;
        fault.clone().finish()?;
        let key = if die.is_some() { "die" } else { "channel" };
        let numbers = if die.is_some() { geometry.dies() } else { geometry.channels };
        if die.or(channel).is_some_and(|number| number >= numbers) {
            let expected = format!("expected the number of a {key}, 0 to {}", numbers - 1);
            return Err(fault.reject(key, &expected));
        }
        if die.is_some() && channel.is_some() {
            return Err(fault.reject("channel", "expected either fault.die or fault.channel, not both"));
        }
        let moment = match (at, after) {
            (Some(_), Some(_)) => {
                return Err(fault.reject("after", "expected either fault.at or fault.after, not both"));
            }
            (Some(at), None) => Some(FailureMoment::At(SimTime::ZERO + at)),
            (None, after) => after.map(FailureMoment::After),
        };
        let fails = die.or(channel).is_some();
        if fails && moment.is_none() {
            return Err(fault.reject(key, "expected fault.at or fault.after beside it, which says when"));
        }
        if let (false, Some(moment)) = (fails, moment) {
            let key = if matches!(moment, FailureMoment::At(_)) { "at" } else { "after" };
            return Err(fault.reject(key, "expected fault.die or fault.channel beside it, which says what"));
        }
        let of_channel = |die: &u32| Some(die % geometry.channels) == channel;
        let dies = match die {
            Some(die) => vec![die],
            None => (0..geometry.dies()).filter(of_channel).collect(),
        };
        Ok(Self { dies, moment })
    }
}
