//! What is a question of times, and writing without time must be told: how much the host gets done while a collection
//! goes before its programs.
//!
//! A die that is short of superblocks lets what it collects go first. Whether that keeps the host waiting depends on how
//! long reads, programs and transfers take: a die may be idle between two moves. A miniature is run in time for some
//! victims, written as fast as it takes it. Not modelled: dies that wait for a channel that others use.

use super::miniature::miniature;
use super::put;
use crate::embedding::{self, SeenDrive};
use crate::requests::link::LinkAtWork;
use crate::run::{Run, RunLimits};
use crate::start::saturating::Saturating;
use crate::{Drive, Error};
use controller::Origin;
use engine::RandomStream;
use ftl::Ftl;
use units::Lpn;

/// Constant: number of superblocks in the miniature drive that measures the share of programs that the host uses during
/// urgent garbage collection (on dies short of superblocks); the result hardly depends on it.
const SUPERBLOCKS: u32 = 128;
/// Constant: number of times that the whole logical capacity of the miniature drive is overwritten with random writes,
/// after the first fill, to bring the miniature near enough to its steady state.
const OVERWRITES: u64 = 1;
/// Constant: amount of data, in superblocks, that urgent garbage collection (on a die short of superblocks) must have
/// moved in the miniature drive before the measurement of the host's share of programs ends; a second amount in mapping
/// units ends it earlier if it is less.
const MOVED_SUPERBLOCKS: u64 = 8;
/// Constant: amount of data, in mapping units, that urgent garbage collection (on a die short of superblocks) must have
/// moved in the miniature drive before the measurement of the host's share of programs ends; of this amount and
/// `MOVED_SUPERBLOCKS` the lesser counts.
const MOVED_UNITS: u64 = 1 << 17;
/// Constant limit of the measurement, on a miniature drive, of the share of programs that the host uses during urgent
/// garbage collection: amount of data, in superblocks, after which it ends on drives that are never short of
/// superblocks.
const WRITTEN_SUPERBLOCKS: u64 = 32;
/// Constant: number of untimed writes, or of events of the measurement, between two checks whether the program that
/// embeds the simulator, such as Python after Ctrl-C, asks to stop.
const WRITES_AT_ONCE: u64 = 1 << 16;
/// Constant: factor that limits, by host requests, the measurement of the host's share of programs on a miniature
/// drive: it ends at the latest after this many completed requests for each mapping unit of the limit on writes
/// (`WRITTEN_SUPERBLOCKS` superblocks).
const REQUESTS_PER_UNIT: u64 = 8;

/// Measures, on a miniature drive, the fraction (0 to 1) that the host really uses of the programs which urgent garbage
/// collection (collection that precedes the host's programs on a die short of superblocks) leaves to it. The fraction
/// is 1 where the scheduler has no such collection, or the miniature never needed it.
///
/// # Errors
/// When the miniature cannot be built or run.
pub(super) fn urgent_share(drive: &Drive, ftl: &mut Ftl, filled: u32, seed: u64) -> Result<f64, Error> {
    if !ftl.controller().hastens_collection() {
        return Ok(1.0);
    }
    let (small, mut mini) = miniature(drive, ftl, filled, SUPERBLOCKS, seed)?;
    let units = u64::from(mini.layout().logical_units);
    let mut random = RandomStream::new(seed, "precondition.pace");
    for lpn in 0..units {
        put(&small, &mut mini, Lpn(lpn as u32))?;
    }
    for written in 0..OVERWRITES * units {
        put(&small, &mut mini, Lpn(random.below(units) as u32))?;
        if written.is_multiple_of(WRITES_AT_ONCE) {
            embedding::look()?;
        }
    }
    mini.settle();
    watch(&small, mini.into_inner(), units, random)
}

fn watch(small: &Drive, mini: Ftl, units: u64, mut random: RandomStream) -> Result<f64, Error> {
    let (unit, superblock) = (mini.layout().unit.get() as u32, u64::from(mini.layout().superblock_units));
    let anywhere = std::iter::repeat_with(move || Lpn(random.below(units) as u32));
    let source = Saturating::new(anywhere, unit);
    let limits = RunLimits { requests: None, ns: None };
    let link = LinkAtWork::new(small.link().clone(), &small.reach());
    let mut run = SeenDrive::new(Run::new(mini, link, Box::new(source), small.t_decode(), &limits, ()));
    run.has_own_policies = small.has_foreign_policies();
    let mut events = 0u64;
    let counts =
        |ftl: &Ftl| [Origin::Host, Origin::Gc].map(|origin| ftl.stats().units_programmed[origin as usize]);
    let begun = counts(&run.ftl);
    let (mut before, mut moved, mut earned, mut used) = (begun, 0, 0.0, 0.0);
    let enough = (MOVED_SUPERBLOCKS * superblock).min(MOVED_UNITS);
    let written = WRITTEN_SUPERBLOCKS * superblock;
    // What a buffer takes the place of before it leaves never comes to the flash: all of it, if the buffer is larger.
    while moved < enough && before[0] - begun[0] < written && run.host_requests < REQUESTS_PER_UNIT * written
    {
        let rate = run.ftl.as_page_mapped().and_then(|pages| pages.urgent_rate());
        if run.advance(1)? {
            break;
        }
        events += 1;
        if events.is_multiple_of(WRITES_AT_ONCE) {
            embedding::look()?;
        }
        let now = counts(&run.ftl);
        // What was written without time is another balance: the first superblock is not looked at.
        if let Some(rate) = rate.filter(|_| now[0] - begun[0] > superblock) {
            moved += now[1] - before[1];
            earned += rate * (now[1] - before[1]) as f64;
            used += (now[0] - before[0]) as f64;
        }
        before = now;
    }
    Ok(if earned > 0.0 { (used / earned).min(1.0) } else { 1.0 })
}
