//! The placement policies against their rules, worked out die by die.

use config::{Document, Section};
use engine::RandomStream;
use ftl::placement::{self, PlacementPolicy, PlacementView};
use units::{DieId, Lpn};

fn policy(name: &str) -> Box<dyn PlacementPolicy> {
    policy_with(&[&format!("name={name}")])
}

fn policy_with(settings: &[&str]) -> Box<dyn PlacementPolicy> {
    let mut document = Document::empty();
    settings.iter().for_each(|setting| document.set(setting).expect("a plain setting"));
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

/// Checks, for every order of the letters and drives of many shapes, that `static` refuses planes that do not divide
/// the dies of a way, and that each die is the home of equally many addresses.
#[test]
fn every_die_is_the_home_of_as_many_addresses_for_all_orders_and_planes() {
    let letters = ["C", "W", "D", "P"];
    let orders = letters.iter().flat_map(|a| {
        let rest: Vec<&str> = letters.iter().copied().filter(|it| it != a).collect();
        (0..3).flat_map(move |at| {
            let rest: Vec<&str> = rest[at..].iter().chain(&rest[..at]).copied().collect();
            [format!("{a}{}", rest.concat()), format!("{a}{}{}{}", rest[1], rest[0], rest[2])]
        })
    });
    let mut refused = 0;
    for order in orders.collect::<std::collections::BTreeSet<_>>() {
        for (planes, dies_per_way) in (1..=4).flat_map(|planes| (1..=6).map(move |dies| (planes, dies))) {
            let policy =
                policy_with(&["name=static", &format!("order={order}"), &format!("planes={planes}")]);
            let shape = [2, 3, dies_per_way, 1];
            if let Err((key, expected)) = policy.check_shape(shape) {
                assert!(key == "planes" && dies_per_way % planes != 0, "{order} {planes}: {expected}");
                refused += 1;
            }
            let dies = 6 * dies_per_way;
            let view = |lpn| PlacementView {
                eligible: &[],
                dies,
                programs: &[],
                shape,
                lpn: Lpn(lpn),
                program_units: 1,
            };
            let mut homes = vec![0; dies as usize];
            (0..4 * dies).for_each(|lpn| homes[policy.home(&view(lpn)) as usize] += 1);
            assert!(homes.iter().all(|&count| count == 4), "{order} {planes} of {dies_per_way}: {homes:?}");
        }
    }
    assert_eq!(refused, 23 * 12, "24 orders but CWDP, and 12 of 24 pairs that do not divide");
}
