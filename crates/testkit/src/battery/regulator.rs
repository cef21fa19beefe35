//! Cost regulators: few sensible write costs, only those chosen, no more bits kept than declared, the same again for
//! the same history, and nothing known of other units.

use controller::Origin;
use engine::RandomStream;
use ftl::regulator::{BITS_MAX, COSTS_MAX, Candidate, CostRegulator, Maker, ReadView, Steps, WriteView};
use units::{Nanos, Voltage};

const DAY: u64 = 86_400_000_000_000;
const UNITS: usize = 64;

fn steps() -> Steps {
    Steps {
        fine: Voltage::new(225_000),
        usual: Voltage::new(300_000),
        coarse: Voltage::new(400_000),
        retention: Nanos::new(365 * DAY),
    }
}

/// Returns the write costs (ways to program a page, each a trade of program time against later read time) that a cost
/// regulator may choose from for one write, as the FTL would offer them; each is infeasible at random with a
/// probability of 10 %.
fn candidates(policy: &dyn CostRegulator, random: &mut RandomStream) -> Vec<Candidate> {
    let candidate = |cost: &ftl::regulator::WriteCost| Candidate {
        t_prog: Nanos::new(600_000 * 300_000 / cost.step.get().max(1)),
        references: 3,
        feasible: random.chance(0.9),
    };
    policy.costs(&steps()).iter().map(candidate).collect()
}

/// Kind of random event at a mapping unit, in the randomised test of cost regulators (policies that choose how slowly
/// and precisely a unit is programmed): a write or a read.
enum UnitEvent {
    Write { origin: Origin, age: Option<Nanos>, waiting: u32, gap: Option<Nanos>, quiet: Nanos },
    Read,
}

fn draw(random: &mut RandomStream) -> UnitEvent {
    if random.chance(0.4) {
        return UnitEvent::Read;
    }
    let time = |random: &mut RandomStream| {
        let bound = 1 << random.below(60);
        Nanos::new(random.below(bound))
    };
    UnitEvent::Write {
        origin: match random.below(4) {
            0 => Origin::Gc,
            1 => Origin::Rewrite,
            _ => Origin::Host,
        },
        age: random.chance(0.8).then(|| time(random)),
        waiting: random.below(4) as u32,
        gap: random.chance(0.8).then(|| time(random)),
        quiet: time(random),
    }
}

/// State of one mapping unit that the FTL would store for the cost regulator under test (policy that chooses the way to
/// program): the policy's own bits, whether the host has accessed the unit, and the write cost of its last program.
#[derive(Clone, Copy, Default)]
struct KeptUnit {
    bits: u8,
    seen: bool,
    cost: Option<usize>,
}

/// Informs, in a test, the cost regulator `policy` of `event` at the mapping unit `unit` and returns the answer: for a
/// write the index in `costs` of the chosen way to program; for a read 1 if the unit is to be programmed again in idle
/// time so that later reads cost less (rewrite), else 0.
fn tell(
    policy: &mut dyn CostRegulator,
    unit: &mut KeptUnit,
    event: &UnitEvent,
    costs: &[Candidate],
) -> usize {
    match *event {
        UnitEvent::Read => {
            let view = ReadView { first: !unit.seen, cost: unit.cost.unwrap_or(0) };
            unit.seen = true;
            usize::from(policy.on_read(&view, &mut unit.bits))
        }
        UnitEvent::Write { origin, age, waiting, gap, quiet } => {
            let first = !unit.seen;
            let view = WriteView { origin, first, previous: unit.cost, age, waiting, gap, quiet, costs };
            let chosen = policy.choose(&view, &mut unit.bits);
            unit.seen |= origin == Origin::Host;
            unit.cost = Some(chosen);
            chosen
        }
    }
}

/// Tests a cost regulator, a policy that chooses among ways to program a page (write costs), with `events` random
/// accesses to 64 mapping units.
///
/// # Panics
/// When the regulator breaks a rule.
pub fn check(context: &str, maker: &Maker, events: u64) {
    let (mut policy, mut twin) = (maker(), maker());
    let costs = policy.costs(&steps());
    let limit = policy.bits_per_unit();
    assert!((1..=COSTS_MAX).contains(&costs.len()), "{context}: {} write costs", costs.len());
    assert!(limit <= BITS_MAX, "{context}: keeps {limit} bits of each unit");
    for cost in &costs {
        assert!(cost.step.get() > 0 && cost.retention > Nanos::ZERO, "{context}: {cost:?} is no write cost");
        let in_time = cost.refresh.is_none_or(|refresh| refresh < cost.retention);
        assert!(in_time, "{context}: {cost:?} is written anew when it is lost already");
    }
    let mut random = RandomStream::new(19, "battery.regulator");
    // The twin sees one unit only, as if the others did not exist.
    let (mut units, mut alone) = ([KeptUnit::default(); UNITS], KeptUnit::default());
    for _ in 0..events {
        let at = random.below(UNITS as u64) as usize;
        let costs = candidates(policy.as_ref(), &mut random);
        let event = draw(&mut random);
        let before = units[at];
        let answer = tell(policy.as_mut(), &mut units[at], &event, &costs);
        let KeptUnit { bits, .. } = units[at];
        assert!(u32::from(bits) >> limit == 0, "{context}: {bits:#b} are more than {limit} bits");
        match event {
            UnitEvent::Read => {
                assert!(answer == 0 || limit > 0, "{context}: asks for re-writes and remembers nothing");
                assert!(answer == 0 || before.seen || before.bits != 0, "{context}: re-writes what is new");
            }
            UnitEvent::Write { .. } => assert!(answer < costs.len(), "{context}: chose cost {answer}"),
        }
        if at == 0 {
            let same = tell(twin.as_mut(), &mut alone, &event, &costs);
            assert_eq!((answer, bits), (same, alone.bits), "{context}: other units change the answer");
        }
    }
    after_a_rewrite(context, maker);
}

/// Checks, as a part of the test battery of cost regulators, that a regulator that has asked for a rewrite of a mapping
/// unit (programming it again so that later reads cost less) does not ask for another one at the reads after the
/// rewrite.
fn after_a_rewrite(context: &str, maker: &Maker) {
    let mut policy = maker();
    let costs: Vec<Candidate> = policy
        .costs(&steps())
        .iter()
        .map(|_| Candidate { t_prog: Nanos::new(600_000), references: 3, feasible: true })
        .collect();
    let write = |origin| UnitEvent::Write {
        origin,
        age: Some(Nanos::new(1000)),
        waiting: 1,
        gap: None,
        quiet: Nanos::ZERO,
    };
    let mut unit = KeptUnit::default();
    for _ in 0..8 {
        tell(policy.as_mut(), &mut unit, &write(Origin::Host), &costs);
    }
    let asked = (0..8).any(|_| tell(policy.as_mut(), &mut unit, &UnitEvent::Read, &costs) == 1);
    tell(policy.as_mut(), &mut unit, &write(Origin::Rewrite), &costs);
    let again = (0..8).any(|_| tell(policy.as_mut(), &mut unit, &UnitEvent::Read, &costs) == 1);
    assert!(!(asked && again), "{context}: what was written anew is asked for again");
}
