//! The bench a chip lies on: its clock, its oven, and how the last operation ended.

use super::{Answer, Pages, Rig, Status};
use crate::cells::normal::Stream;
use crate::cells::{Elapsed, arrhenius};

const CELSIUS: std::ops::RangeInclusive<f64> = -40.0..=125.0;
/// Constant: index of the random substream for the noise of the test rig, within a chip's random stream.
const RIG: u64 = u64::MAX - 1;
/// Constant: index, within the random stream of the test rig, of the noise of operations that are measured singly; it
/// is greater than the number of any block, which has a noise stream of its own.
const ONE_BY_ONE: u64 = u64::MAX;
/// Constant: greatest number of program/erase cycles that one call may run on a block; more than any chip survives.
pub(super) const CYCLES_MOST: u64 = 1_000_000_000_000;

pub(super) struct Bench {
    pub celsius: f64,
    /// Simulated time of the test bench since its start, as a pair of equivalent times in seconds at the reference
    /// temperature, one for each of the two kinds of charge loss.
    pub equivalent: Elapsed,
    pub now_ns: u64,
    pub last: Answer,
    pub rig: Rig,
    /// Field of the test bench: random stream of the test rig's measurement noise (jitter of measured busy times).
    noise: Stream,
    /// Number of operations that the test rig has measured singly so far, which selects the measurement noise of the
    /// next one.
    measured: u64,
    /// The chip's activation energies of charge loss and of uneven charge loss, as a pair, in eV.
    activation_ev: [f64; 2],
    reference_celsius: f64,
}

impl Bench {
    /// Makes the state of a test bench (simulated time, temperature, test rig) at 25 degrees Celsius, for a chip whose
    /// charge loss and uneven charge loss have these activation energies (eV); `chip` is the random stream of the chip.
    pub fn new(activation_ev: [f64; 2], reference_celsius: f64, rig: Rig, chip: Stream) -> Self {
        let last = Answer { status: Status::Ok, busy_ns: 0 };
        Self {
            celsius: 25.0,
            equivalent: Elapsed::default(),
            now_ns: 0,
            last,
            rig,
            noise: chip.of(RIG),
            measured: 0,
            activation_ev,
            reference_celsius,
        }
    }

    pub fn answer(&mut self, status: Status, busy_ns: u64) -> Answer {
        self.pass(busy_ns);
        self.measured += 1;
        let busy_ns = self.rig.measured(busy_ns, self.noise.of(ONE_BY_ONE), self.measured);
        self.last = Answer { status, busy_ns };
        self.last
    }

    /// Returns the random stream of the test rig's measurement noise while the rig cycles block `block`.
    pub fn noise_of(&self, block: u32) -> Stream {
        self.noise.of(u64::from(block))
    }

    /// Lets simulated time pass on the test bench; its clock stands still at the greatest time that it can show, 585
    /// years.
    pub fn pass(&mut self, ns: u64) {
        self.now_ns = self.now_ns.saturating_add(ns);
        let seconds = |ev: f64| ns as f64 * 1e-9 * arrhenius(ev, self.celsius, self.reference_celsius);
        let [late_s, uneven_s] = self.activation_ev.map(seconds);
        self.equivalent = self.equivalent.and(Elapsed { late_s, uneven_s });
    }

    pub fn set_temperature(&mut self, celsius: f64) -> Result<(), String> {
        if !CELSIUS.contains(&celsius) {
            let (low, high) = (CELSIUS.start(), CELSIUS.end());
            return Err(format!("{celsius} degrees Celsius: expected {low} to {high}"));
        }
        self.celsius = celsius;
        Ok(())
    }

    pub fn let_time_pass(&mut self, seconds: f64) -> Result<(), String> {
        if !(0.0..1e10).contains(&seconds) {
            return Err(format!("{seconds} s: expected from 0 to 1e10"));
        }
        let (ns, left) = ((seconds * 1e9).round() as u64, u64::MAX - self.now_ns);
        if ns > left {
            let (left, now) = (left / 1_000_000_000, self.now_ns / 1_000_000_000);
            return Err(format!("{seconds} s: expected at most {left} s, {now} s after the bench began"));
        }
        self.pass(ns);
        Ok(())
    }
}

/// Checks a request for program/erase cycles: refuses zero, more cycles than any chip survives, and cycles that program
/// a block that holds data; `next_page` is the next page that the block can program.
pub(super) fn check_cycles(block: u32, cycles: u64, pages: Pages, next_page: u32) -> Result<(), String> {
    if !(1..=CYCLES_MOST).contains(&cycles) {
        return Err(format!("{cycles} cycles: expected 1 to {CYCLES_MOST}"));
    }
    if pages != Pages::None && next_page > 0 {
        return Err(format!("block {block} holds data: expected an erased block, or cycles that only erase"));
    }
    Ok(())
}
