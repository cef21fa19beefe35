//! Placement policies: only eligible dies, none where none is eligible, and each die its share when all are.

use engine::RandomStream;
use ftl::placement::{Maker, PlacementPolicy, PlacementView};
use std::collections::VecDeque;
use units::{DieId, Lpn};

const PROGRAM_UNITS: u32 = 4;

/// Simulated drive for the randomised test of placement policies, which choose the die of each program: programs are
/// assigned to dies and end in the order of their assignment.
struct PlacementDrive {
    dies: u32,
    eligible: Vec<u64>,
    programs: Vec<u32>,
    pending: VecDeque<DieId>,
    policy: Box<dyn PlacementPolicy>,
}

impl PlacementDrive {
    fn new(maker: &Maker, dies: u32) -> Self {
        Self {
            dies,
            eligible: vec![0; dies.div_ceil(64) as usize],
            programs: vec![0; dies as usize],
            pending: VecDeque::new(),
            policy: maker(),
        }
    }

    fn allow(&mut self, allowed: impl Fn(u32) -> bool) {
        self.eligible.fill(0);
        for die in (0..self.dies).filter(|die| allowed(*die)) {
            self.eligible[die as usize / 64] |= 1 << (die % 64);
        }
    }

    fn choose(&mut self, context: &str, lpn: u32) -> Option<DieId> {
        let view = PlacementView {
            eligible: &self.eligible,
            dies: self.dies,
            programs: &self.programs,
            shape: [self.dies, 1, 1, 1],
            lpn: Lpn(lpn),
            program_units: PROGRAM_UNITS,
        };
        let chosen = self.policy.choose(&view)?;
        assert!(chosen.0 < self.dies && view.is_eligible(chosen), "{context}: {chosen} is not eligible");
        self.programs[chosen.index()] += 1;
        self.pending.push_back(chosen);
        Some(chosen)
    }

    /// Ends the oldest programs of the simulated drive until only `left` programs are pending.
    fn finish(&mut self, left: usize) {
        while self.pending.len() > left {
            let done = self.pending.pop_front().expect("something is pending");
            self.programs[done.index()] -= 1;
        }
    }
}

/// Tests a policy that chooses the die of a program, with `events` choices on drives of 1 to 130 dies.
///
/// # Panics
/// When the policy breaks a rule.
pub fn check(context: &str, maker: &Maker, events: u64) {
    for dies in [1, 2, 3, 8, 63, 64, 65, 130] {
        let first = history(context, maker, dies, events, 5);
        assert!(first == history(context, maker, dies, events, 5), "{context}: not the same choices again");
        share(context, maker, dies, false);
        share(context, maker, dies, true);
    }
}

/// Simulates `events` choices of a die for a program among random sets of eligible dies and returns the choices. Where
/// the policy chooses no die, it is asked again with all dies eligible.
fn history(context: &str, maker: &Maker, dies: u32, events: u64, seed: u64) -> Vec<DieId> {
    let mut drive = PlacementDrive::new(maker, dies);
    let mut random = RandomStream::new(seed, "battery.placement");
    let mut choices = Vec::new();
    for _ in 0..events {
        let lpn = random.below(1 << 24) as u32;
        let density = random.unit() * random.unit();
        let bits: Vec<bool> = (0..dies).map(|_| random.chance(density)).collect();
        drive.allow(|die| bits[die as usize]);
        let chosen = drive.choose(context, lpn).or_else(|| {
            drive.allow(|_| true);
            drive.choose(context, lpn)
        });
        choices.push(chosen.unwrap_or_else(|| panic!("{context}: refuses every die of {dies}")));
        drive.finish(random.below(4 * u64::from(dies)) as usize);
        if random.below(16) == 0 {
            drive.allow(|_| false);
            assert_eq!(drive.choose(context, lpn), None, "{context}: chose where no die is eligible");
        }
    }
    choices
}

/// Checks that each die gets an equal share of the programs of sequential writes, or of random ones (`scattered`),
/// while all dies are eligible and equally fast.
fn share(context: &str, maker: &Maker, dies: u32, scattered: bool) {
    const EACH: u32 = 1000;
    let mut drive = PlacementDrive::new(maker, dies);
    let mut random = RandomStream::new(9, "battery.share");
    drive.allow(|_| true);
    let mut counts = vec![0u32; dies as usize];
    for index in 0..EACH * dies {
        let unit = if scattered { random.below(1 << 20) as u32 } else { index };
        let die = drive.choose(context, unit * PROGRAM_UNITS).expect("all dies are eligible");
        counts[die.index()] += 1;
        drive.finish(2 * dies as usize);
    }
    // Five standard deviations of a random draw; sequential writes leave nothing to chance.
    let slack = if scattered { 160 } else { 1 };
    let even = counts.iter().all(|count| count.abs_diff(EACH) <= slack);
    assert!(even, "{context}: with {dies} dies (scattered: {scattered}) the shares are {counts:?}");
}
