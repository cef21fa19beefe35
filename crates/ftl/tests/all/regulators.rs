//! What each cost regulator answers, held against its rule.

use controller::Origin;
use ftl::regulator::{self, Candidate, CostRegulator, ReadView, Steps, WriteCost, WriteView};
use units::{Nanos, Voltage};

const US: u64 = 1000;
const DAY: u64 = 86_400_000_000_000;

fn steps() -> Steps {
    let mv = |step: u64| Voltage::new(step * 1000);
    Steps { fine: mv(225), usual: mv(300), coarse: mv(400), retention: Nanos::new(365 * DAY) }
}

fn read(settings: &[&str]) -> Result<regulator::Maker, config::ConfigError> {
    let mut document = config::Document::empty();
    for setting in settings {
        document.set(setting)?;
    }
    regulator::read(&mut config::Section::root(&document))
}

/// State of a test of a cost regulator: the regulator, its write costs, and what the drive stores about one mapping
/// unit (history bits, whether it was accessed, and the cost of its last write).
struct Bench {
    policy: Box<dyn CostRegulator>,
    costs: Vec<WriteCost>,
    candidates: Vec<Candidate>,
    bits: u8,
    seen: bool,
    previous: Option<usize>,
}

impl Bench {
    fn new(settings: &[&str]) -> Self {
        let policy = read(settings).unwrap_or_else(|error| panic!("{error}"))();
        let costs = policy.costs(&steps());
        let t_prog = |cost: &WriteCost| Nanos::new(180_000_000 * US / cost.step.get());
        let candidate = |cost| Candidate { t_prog: t_prog(cost), references: 3, feasible: true };
        let candidates = costs.iter().map(candidate).collect();
        Self { policy, costs, candidates, bits: 0, seen: false, previous: None }
    }

    fn view(&self) -> WriteView<'_> {
        WriteView {
            origin: Origin::Host,
            first: !self.seen,
            previous: self.previous,
            age: None,
            waiting: 0,
            gap: None,
            quiet: Nanos::ZERO,
            costs: &self.candidates,
        }
    }

    /// Lets the regulator choose the cost of a write of the unit, after `change` has changed the view that the
    /// regulator gets; returns the program step (voltage increment per pulse) of this cost in mV.
    fn write(&mut self, change: impl FnOnce(&mut WriteView<'_>)) -> u64 {
        let candidates = self.candidates.clone();
        let mut view = WriteView { costs: &candidates, ..self.view() };
        change(&mut view);
        let chosen = self.policy.choose(&view, &mut self.bits);
        self.seen |= view.origin == Origin::Host;
        self.previous = Some(chosen);
        self.costs[chosen].step.get() / 1000
    }

    fn host(&mut self) -> u64 {
        self.write(|_| {})
    }

    /// Informs the regulator of a host read of the unit; returns true if the regulator wants the unit programmed again.
    fn read(&mut self) -> bool {
        let view = ReadView { first: !self.seen, cost: self.previous.unwrap_or(0) };
        self.seen = true;
        self.policy.on_read(&view, &mut self.bits)
    }
}

#[test]
fn fixed_regulators_write_everything_alike() {
    for (name, step) in [("mcw-mcr", 300), ("hcw-lcr", 225), ("lcw-hcr", 400)] {
        let mut bench = Bench::new(&[&format!("name={name}")]);
        assert_eq!(bench.host(), step, "{name}");
        assert_eq!(bench.write(|view| view.origin = Origin::Gc), step, "{name}");
        assert!(!bench.read(), "{name}");
        assert_eq!(bench.policy.bits_per_unit(), 0, "{name}");
    }
}

#[test]
fn li_writes_cheaply_while_something_waits() {
    let mut bench = Bench::new(&["name=li-queue", "waiting=2"]);
    let steps: Vec<u64> = (0..4).map(|waiting| bench.write(|view| view.waiting = waiting)).collect();
    assert_eq!(steps, [225, 225, 400, 400]);
}

#[test]
fn wu_writes_dearly_where_the_next_access_comes_later() {
    let mut bench = Bench::new(&["name=wu-slack"]);
    // The dear write takes 800 us.
    let mut step = |gap: u64, quiet: u64, waiting: u32| {
        bench.write(|view| {
            (view.gap, view.quiet) = (Some(Nanos::new(gap * US)), Nanos::new(quiet * US));
            view.waiting = waiting;
        })
    };
    assert_eq!(step(1000, 100, 0), 225);
    assert_eq!(step(1000, 300, 0), 300);
    assert_eq!(step(1000, 100, 1), 300);
    assert_eq!(step(900, 100, 0), 225);
    assert_eq!(bench.host(), 225);
}

#[test]
fn relaxed_retention_is_for_what_the_host_writes() {
    let mut bench = Bench::new(&["name=retention-relaxation"]);
    assert_eq!(bench.host(), 400);
    assert_eq!(bench.costs[0].retention, Nanos::new(14 * DAY));
    assert_eq!(bench.write(|view| view.origin = Origin::Gc), 300);
    assert_eq!(bench.write(|view| view.origin = Origin::Refresh), 300);
    let error = read(&["name=retention-relaxation", "retention=5d"]).err().expect("refused").to_string();
    assert!(error.contains("retention = \"5d\": expected more than the refresh period of 7 days"), "{error}");
}

#[test]
fn tvr_reduces_voltages_for_what_lives_shortly() {
    let mut bench = Bench::new(&["name=tvr", "horizon=10h"]);
    let hours = |count: u64| Some(Nanos::new(count * DAY / 24));
    assert_eq!(bench.host(), 300);
    assert_eq!(bench.write(|view| view.age = hours(5)), 450);
    assert_eq!(bench.write(|view| view.age = hours(6)), 300);
    assert_eq!(bench.write(|view| (view.age, view.origin) = (hours(5), Origin::Gc)), 300);
    assert_eq!(Bench::new(&["name=tvr", "new_data=true"]).host(), 450);
}

/// Checks the regulator `agcr` on the three cases of figure 3 of its paper: a unit that is only read stays cheap to
/// read, a unit that is only written gets cheap writes after the first, and a write among reads has the usual cost.
#[test]
fn agcr_follows_figure_3() {
    let mut written = Bench::new(&["name=agcr"]);
    assert_eq!([written.host(), written.host(), written.host()], [225, 400, 400]);
    let mut only_read = Bench::new(&["name=agcr"]);
    only_read.host();
    assert!(!(0..4).any(|_| only_read.read()), "high-cost writes need no re-write");
    let mut mixed = Bench::new(&["name=agcr"]);
    mixed.host();
    mixed.read();
    assert_eq!(mixed.host(), 300);
    assert_eq!(mixed.host(), 400);
    assert!(!mixed.read(), "one read among writes does not make a unit read-only");
    assert!(mixed.read(), "two reads do, and the last write was cheap");
    assert_eq!(mixed.write(|view| view.origin = Origin::Rewrite), 225);
    assert!(!mixed.read());
    assert_eq!(mixed.host(), 300);
    assert!(![mixed.read(), mixed.read()].contains(&true), "a usual write is not re-written");
}

#[test]
fn agcr_may_write_usual_writes_anew_too() {
    let mut bench = Bench::new(&["name=agcr", "rewrite=low-and-medium"]);
    bench.read();
    assert_eq!(bench.host(), 300);
    assert_eq!([bench.read(), bench.read()], [false, true]);
    let mut never = Bench::new(&["name=agcr", "rewrite=none"]);
    (0..3).for_each(|_| _ = never.host());
    assert!(!(0..4).any(|_| never.read()));
    assert_eq!(never.policy.bits_per_unit(), 1);
}

#[test]
fn agcr_keeps_the_cost_of_what_it_moves_unless_it_is_only_read() {
    let mut bench = Bench::new(&["name=agcr"]);
    let moved = |bench: &mut Bench| bench.write(|view| view.origin = Origin::Gc);
    assert_eq!(moved(&mut bench), 225, "never accessed");
    bench.host();
    bench.host();
    assert_eq!(moved(&mut bench), 400);
    bench.read();
    assert_eq!(moved(&mut bench), 225, "the last access was a read");
    assert!(!bench.read(), "and so no re-write is left to do");
}

#[test]
fn agcr_with_a_longer_window_takes_longer_to_be_sure() {
    let mut bench = Bench::new(&["name=agcr", "window=4"]);
    assert_eq!(bench.policy.bits_per_unit(), 4);
    bench.read();
    assert_eq!([bench.host(), bench.host(), bench.host(), bench.host()], [300, 300, 300, 400]);
    assert_eq!([bench.read(), bench.read(), bench.read(), bench.read()], [false, false, false, true]);
    let error = read(&["name=agcr", "window=0"]).err().expect("refused").to_string();
    assert!(error.contains("window = 0: expected 1 to 6: the upcoming access counts"), "{error}");
}
