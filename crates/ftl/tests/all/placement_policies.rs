//! The placement policies against their rules, worked out die by die.

use config::{Document, Section};
use engine::RandomStream;
use ftl::placement::{self, PlacementPolicy, PlacementView};
use units::{DieId, Lpn};

fn policy(name: &str) -> Box<dyn PlacementPolicy> {
    let mut document = Document::empty();
    document.set(&format!("name={name}")).expect("a plain setting");
    placement::read(&mut Section::root(&document)).expect("a known policy")()
}

/// Record of a random moment at which a placement policy must choose a die: dies that can take a program, host programs
/// of each die, logical unit to be placed, and units of a program.
struct Moment {
    eligible: Vec<bool>,
    programs: Vec<u32>,
    lpn: u32,
    program_units: u32,
}

impl Moment {
    fn random(random: &mut RandomStream, dies: usize) -> Self {
        let share = random.unit();
        Self {
            eligible: (0..dies).map(|_| random.chance(share)).collect(),
            programs: (0..dies).map(|_| random.below(4) as u32).collect(),
            lpn: random.below(1 << 32) as u32,
            program_units: 1 + random.below(12) as u32,
        }
    }

    fn ask(&self, policy: &mut dyn PlacementPolicy) -> Option<DieId> {
        let mut bits = vec![0u64; self.eligible.len().div_ceil(64)];
        for (die, _) in self.eligible.iter().enumerate().filter(|(_, eligible)| **eligible) {
            bits[die / 64] |= 1 << (die % 64);
        }
        policy.choose(&PlacementView {
            eligible: &bits,
            dies: self.eligible.len() as u32,
            programs: &self.programs,
            shape: [self.eligible.len() as u32, 1, 1, 1],
            lpn: Lpn(self.lpn),
            program_units: self.program_units,
        })
    }

    /// Returns the numbers of the dies that can take a program, in order from die `start` on and then from die 0 on.
    fn around(&self, start: usize) -> Vec<usize> {
        let dies = self.eligible.len();
        (0..dies).map(|step| (start + step) % dies).filter(|&die| self.eligible[die]).collect()
    }
}

/// Checks that the placement policy `name` chooses at many random moments, on drives with various numbers of dies, the
/// die that `rule` returns; `rule` is given the moment and the die chosen last (`None` before the first choice).
fn compare(name: &str, rule: impl Fn(&Moment, Option<usize>) -> Option<usize>) {
    for dies in [1, 3, 8, 64, 65, 130] {
        let mut policy = policy(name);
        let mut random = RandomStream::new(dies as u64, name);
        let (mut last, mut refusals) = (None, 0);
        for step in 0..2000 {
            let moment = Moment::random(&mut random, dies);
            let expected = rule(&moment, last);
            let chosen = moment.ask(&mut *policy).map(DieId::index);
            assert_eq!(chosen, expected, "{name}, {dies} dies, step {step}");
            refusals += u32::from(chosen.is_none());
            last = chosen.or(last);
        }
        assert!(refusals > 0 && refusals < 2000, "{name}, {dies} dies: {refusals} refusals");
    }
}

fn after(last: Option<usize>, dies: usize) -> usize {
    last.map_or(0, |last| (last + 1) % dies)
}

#[test]
fn round_robin_goes_on_from_the_last() {
    compare("round-robin", |moment, last| moment.around(after(last, moment.eligible.len())).first().copied());
}

#[test]
fn shortest_queue_takes_the_fewest_programs_and_turns_among_equals() {
    compare("shortest-queue", |moment, last| {
        let order = moment.around(after(last, moment.eligible.len()));
        let least = order.iter().map(|&die| moment.programs[die]).min()?;
        order.into_iter().find(|&die| moment.programs[die] == least)
    });
}

#[test]
fn static_follows_the_address_and_passes_over_dies_that_cannot() {
    compare("static", |moment, _| {
        let home = moment.lpn / moment.program_units % moment.eligible.len() as u32;
        moment.around(home as usize).first().copied()
    });
}

#[test]
fn static_gives_the_same_die_to_the_same_program_unit() {
    let mut policy = policy("static");
    let mut ask = |lpn| {
        Moment { eligible: vec![true; 8], programs: vec![0; 8], lpn, program_units: 4 }.ask(&mut *policy)
    };
    assert_eq!([0, 3, 4, 31, 32].map(|lpn| ask(lpn).map(|die| die.0)), [0, 0, 1, 7, 0].map(Some));
}
