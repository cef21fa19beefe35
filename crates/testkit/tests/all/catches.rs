//! The batteries catch what they are there for: each of these policies breaks one rule.

use controller::arbitration::{Arbiter, ChannelView, Want};
use controller::scheduler::{DieView, Scheduler};
use controller::{Class, Kind};
use ftl::Layout;
use ftl::gc::trigger::{GcTrigger, TriggerView};
use ftl::gc::victim::{VictimPolicy, VictimView};
use ftl::placement::{PlacementPolicy, PlacementView};
use ftl::program_order::{OrderView, ProgramOrder};
use ftl::read_ahead::{ReadAheadPolicy, Stretch};
use ftl::read_merge::{MergeView, ReadMerge};
use ftl::streams::{StreamPolicy, StreamSpec, Takes, UnitView};
use ftl::wear::{WearPolicy, WearView};
use host::Effect;
use host::link::{Burst, Direction, HostLink, LinkShape, LinkStep, QueueOrder};
use std::sync::atomic::{AtomicU32, Ordering};
use testkit::battery::{self, Starvation, Ties};
use units::{Bytes, DieId, Lpn, Nanos, SuperblockId};

const EVENTS: u64 = 20_000;

/// Macro that makes, for the policy `$policy`, the function that its test battery calls to make instances (the seam's
/// `Maker`).
macro_rules! maker {
    ($seam:path, $policy:expr) => {{
        use $seam as seam;
        let maker: seam::Maker = Box::new(|| Box::new($policy));
        maker
    }};
}

/// Type of a wrong victim policy for tests: chooses the superblock closed last, though it may have been reclaimed
/// since.
#[derive(Default)]
struct Forgetful(Vec<SuperblockId>);

impl VictimPolicy for Forgetful {
    fn attach(&mut self, _superblocks: u32, _units: u32) {}

    fn pick(&mut self, _view: &mut VictimView<'_>) -> Option<SuperblockId> {
        self.0.last().copied()
    }

    fn on_close(&mut self, superblock: SuperblockId, _valid: u32) {
        self.0.push(superblock);
    }
}

#[test]
#[should_panic(expected = "is no candidate")]
fn a_victim_that_is_no_candidate() {
    battery::victim::check(
        "name=forgetful",
        &maker!(ftl::gc::victim, Forgetful::default()),
        EVENTS,
        Ties::Open,
    );
}

/// Type of a wrong victim policy for tests: chooses the superblock closed last, or (`from_outside`) a candidate by a
/// global counter.
struct Stubborn {
    from_outside: Option<&'static AtomicU32>,
}

impl VictimPolicy for Stubborn {
    fn attach(&mut self, _superblocks: u32, _units: u32) {}

    fn pick(&mut self, view: &mut VictimView<'_>) -> Option<SuperblockId> {
        match self.from_outside {
            Some(number) => {
                let at = number.fetch_add(7, Ordering::Relaxed) as usize % view.candidates.len().max(1);
                view.candidates.get(at).copied()
            }
            None => view.candidates.iter().copied().max_by_key(|id| view.blocks.closed_at[id.index()]),
        }
    }
}

#[test]
#[should_panic(expected = "the only superblock with garbage was never picked")]
fn a_victim_policy_that_turns_on_the_spot() {
    battery::victim::check(
        "name=stubborn",
        &maker!(ftl::gc::victim, Stubborn { from_outside: None }),
        EVENTS,
        Ties::Open,
    );
}

#[test]
#[should_panic(expected = "the same seed gave other picks")]
fn a_victim_policy_with_a_hidden_state() {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    battery::victim::check(
        "name=outside",
        &maker!(ftl::gc::victim, Stubborn { from_outside: Some(&NUMBER) }),
        EVENTS,
        Ties::Open,
    );
}

#[test]
#[should_panic(expected = "name=fifo")]
fn a_false_fifo() {
    battery::victim::check(
        "name=fifo",
        &maker!(ftl::gc::victim, Stubborn { from_outside: None }),
        EVENTS,
        Ties::Open,
    );
}

/// Type of a victim policy for tests: fewest valid units; among equals, the lowest superblock number, which its card
/// must state.
struct ByNumber;

impl VictimPolicy for ByNumber {
    fn attach(&mut self, _superblocks: u32, _units: u32) {}

    fn pick(&mut self, view: &mut VictimView<'_>) -> Option<SuperblockId> {
        view.candidates.iter().copied().min_by_key(|id| (view.blocks.valid_units[id.index()], id.0))
    }
}

#[test]
#[should_panic(expected = "other numbers gave other picks")]
fn a_victim_policy_in_which_numbers_decide() {
    battery::victim::check("name=by-number", &maker!(ftl::gc::victim, ByNumber), EVENTS, Ties::Open);
}

#[test]
fn a_victim_policy_in_which_numbers_may_decide() {
    battery::victim::check("name=by-number", &maker!(ftl::gc::victim, ByNumber), EVENTS, Ties::ByNumber);
}

/// Type of a garbage collection trigger for tests: collects in the foreground from `least_garbage` invalid units on, if
/// free superblocks are few, and deems a background victim worthwhile from a gain of `least_gain` units on.
#[derive(Clone, Copy)]
struct Eager {
    least_garbage: u64,
    least_gain: u32,
}

impl GcTrigger for Eager {
    fn foreground(&self, view: &TriggerView) -> bool {
        view.free <= 2 && view.garbage_units >= self.least_garbage
    }

    fn background(&self, _view: &TriggerView) -> bool {
        false
    }

    fn worthwhile(&self, gain: u32, _units: u32) -> bool {
        gain >= self.least_gain
    }

    fn idle_after(&self) -> Option<Nanos> {
        None
    }

    fn foreground_limit(&self) -> u32 {
        2
    }

    fn fit(&self, _layout: &Layout) -> Result<(), (&'static str, String)> {
        Ok(())
    }
}

#[test]
#[should_panic(expected = "collects where there is no garbage")]
fn a_trigger_without_garbage() {
    const EAGER: Eager = Eager { least_garbage: 0, least_gain: 1 };
    battery::trigger::check("name=eager", &maker!(ftl::gc::trigger, EAGER), EVENTS);
}

#[test]
#[should_panic(expected = "units for no gain")]
fn a_trigger_without_gain() {
    const EAGER: Eager = Eager { least_garbage: 1, least_gain: 0 };
    battery::trigger::check("name=eager", &maker!(ftl::gc::trigger, EAGER), EVENTS);
}

/// Type of a wrong wear policy for tests: opens the most worn free superblock first, or (`restless`) relocates after
/// every erase.
struct Unfair {
    restless: bool,
}

impl WearPolicy for Unfair {
    fn free_rank(&self, _superblock: SuperblockId, pe_cycles: u32, erases: u64) -> u64 {
        if self.restless { erases } else { u64::MAX - u64::from(pe_cycles) }
    }

    fn relocate(&mut self, view: &mut WearView<'_>) -> Option<SuperblockId> {
        view.candidates.first().copied().filter(|_| self.restless)
    }
}

#[test]
#[should_panic(expected = "stayed free for")]
fn a_free_superblock_nobody_opens() {
    battery::wear::check("name=worn", &maker!(ftl::wear, Unfair { restless: false }), EVENTS);
}

#[test]
#[should_panic(expected = "relocation run on and on")]
fn a_relocation_without_end() {
    battery::wear::check("name=restless", &maker!(ftl::wear, Unfair { restless: true }), EVENTS);
}

/// Type of a placement policy for tests: chooses the first eligible die, or (`blind`) always die 0, eligible or not.
struct First {
    blind: bool,
}

impl PlacementPolicy for First {
    fn choose(&mut self, view: &PlacementView<'_>) -> Option<DieId> {
        if self.blind { Some(DieId(0)) } else { view.next_eligible(0) }
    }
}

#[test]
#[should_panic(expected = "is not eligible")]
fn a_die_that_is_not_eligible() {
    battery::placement::check("name=blind", &maker!(ftl::placement, First { blind: true }), 1000);
}

#[test]
#[should_panic(expected = "the shares are")]
fn a_die_without_its_share() {
    battery::placement::check("name=first", &maker!(ftl::placement, First { blind: false }), 1000);
}

/// Type of a wrong program order policy for tests: always swaps the open superblocks of a die's two write streams.
struct Restless;

impl ProgramOrder for Restless {
    fn trades(&mut self, _view: &OrderView) -> bool {
        true
    }
}

#[test]
#[should_panic(expected = "trades")]
fn an_order_that_trades_for_nothing() {
    battery::program_order::check("name=restless", &maker!(ftl::program_order, Restless), 1000);
}

/// Type of a write stream policy for tests: chooses its two streams in turn, or (`blind`) always the first.
struct Turning {
    blind: bool,
    turn: usize,
}

impl StreamPolicy for Turning {
    fn streams(&self) -> Vec<StreamSpec> {
        [Takes::Host, Takes::Both].map(|takes| StreamSpec::new("turning", takes)).into()
    }

    fn join(&mut self, _unit: &UnitView) -> usize {
        self.turn += 1;
        if self.blind { 0 } else { 1 - self.turn % 2 }
    }
}

#[test]
#[should_panic(expected = "does not take")]
fn a_stream_that_takes_no_moved_data() {
    battery::streams::check("name=blind", &maker!(ftl::streams, Turning { blind: true, turn: 0 }), 1000);
}

#[test]
#[should_panic(expected = "asked again, it answers otherwise")]
fn a_stream_policy_that_counts_its_questions() {
    battery::streams::check("name=turning", &maker!(ftl::streams, Turning { blind: false, turn: 1 }), 1000);
}

/// Type of a die scheduler for tests: serves the ready class with the lowest number, or (`blind`) always host reads.
struct Strict {
    blind: bool,
}

impl Scheduler for Strict {
    fn pick(&mut self, view: &DieView) -> Class {
        Class::ALL[if self.blind { 0 } else { view.ready.trailing_zeros() as usize }]
    }

    fn suspends(&self, _running: Kind, _remaining: Nanos, _times: u32) -> bool {
        false
    }
}

#[test]
#[should_panic(expected = "is not among the ready classes")]
fn a_class_that_is_not_ready() {
    battery::scheduler::check(
        "name=blind",
        &maker!(controller::scheduler, Strict { blind: true }),
        EVENTS,
        Starvation::Forbidden,
    );
}

#[test]
#[should_panic(expected = "starves behind HostRead")]
fn a_class_that_starves() {
    battery::scheduler::check(
        "name=strict",
        &maker!(controller::scheduler, Strict { blind: false }),
        EVENTS,
        Starvation::Forbidden,
    );
}

struct LowestDie;

impl Arbiter for LowestDie {
    fn pick(&mut self, view: &ChannelView<'_>) -> (u32, Want) {
        let die = (view.commands | view.outs | view.ins).trailing_zeros();
        (die, if view.commands >> die & 1 == 1 { Want::Command } else { Want::Data })
    }
}

#[test]
#[should_panic(expected = "was passed by")]
fn a_die_that_starves() {
    battery::arbitration::check(
        "name=lowest",
        &maker!(controller::arbitration, LowestDie),
        EVENTS,
        Starvation::Forbidden,
    );
}

/// Type of a wrong host link for tests: a burst takes no time for its whole mebibytes, so that longer bursts can end
/// sooner.
#[derive(Debug)]
struct Generous;

impl HostLink for Generous {
    fn shape(&self) -> LinkShape {
        LinkShape {
            full_duplex: true,
            queues: 1,
            queue_depth: 1,
            order: QueueOrder::Single,
            commands_most: 1,
            commands_usual: 1,
        }
    }

    fn command(&self, _: Effect) -> LinkStep {
        LinkStep::default()
    }

    fn data(&self, _direction: Direction, bytes: Bytes) -> Burst {
        Burst { holds: Nanos::new(bytes.get() % (1 << 20)), ..Burst::default() }
    }

    fn answer(&self, _: Effect) -> LinkStep {
        LinkStep::default()
    }
}

#[test]
#[should_panic(expected = "end too soon")]
fn a_link_on_which_more_data_arrive_sooner() {
    battery::link::check("name=generous", &maker!(host::link, Generous), EVENTS);
}

/// Type of a read-ahead policy for tests: prefetches `ahead` units, which begin `gap` times the read's length after its
/// first unit.
#[derive(Clone, Copy)]
struct Blind {
    gap: u32,
    ahead: u32,
}

impl ReadAheadPolicy for Blind {
    fn area_units(&self, _unit: Bytes) -> Result<Option<u32>, (&'static str, String)> {
        Ok(Some(64))
    }

    fn attach(&mut self, _unit: Bytes) {}

    fn on_read(&mut self, first: Lpn, count: u32) -> Option<Stretch> {
        let from = first.0.saturating_add(count * self.gap);
        Some(Stretch { from: Lpn(from), until: Lpn(from + self.ahead) })
    }

    fn on_fetched(&mut self, _until: Lpn) {}
}

#[test]
#[should_panic(expected = "and the host read")]
fn a_read_ahead_of_what_was_just_read() {
    battery::read_ahead::check("blind", &maker!(ftl::read_ahead, Blind { gap: 0, ahead: 8 }), 100);
}

#[test]
#[should_panic(expected = "more than half the area")]
fn a_read_ahead_of_more_than_there_is_room_for() {
    battery::read_ahead::check("blind", &maker!(ftl::read_ahead, Blind { gap: 1, ahead: 33 }), 100);
}

#[test]
#[should_panic(expected = "again, up to")]
fn a_read_ahead_that_fetches_twice() {
    battery::read_ahead::check("blind", &maker!(ftl::read_ahead, Blind { gap: 1, ahead: 32 }), 100);
}

struct Late;

impl ReadMerge for Late {
    fn merges(&self) -> bool {
        true
    }

    fn joins(&self, view: &MergeView) -> bool {
        view.begun || view.riders == 0
    }
}

#[test]
#[should_panic(expected = "but not one that waits")]
fn a_merge_that_comes_late() {
    battery::read_merge::check("late", &maker!(ftl::read_merge, Late), 8);
}
