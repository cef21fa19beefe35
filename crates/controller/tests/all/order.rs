//! Which of the waiting operations a die takes up next.

use crate::bench::{
    Bench, DATA_IN, ERASE_COMMAND, PAGE, T_BERS, T_PROG, T_R, copyback, erase, program, read,
};
use controller::arbitration::{Arbiter, ChannelView, Want};
use controller::scheduler::{DieView, Scheduler};
use controller::{Class, Kind, Urgency};
use units::{DieId, Nanos};

const READ: u64 = crate::bench::COMMAND + T_R + PAGE;
const PROGRAM: u64 = DATA_IN + T_PROG;
const ERASE: u64 = ERASE_COMMAND + T_BERS;

/// Constant of a test: configuration keys of a `strict` scheduler that starts erases before all other operations, so
/// that only reads queued before an erase can delay it.
const ERASES_FIRST: [&str; 2] = [
    "controller.scheduler.name=strict",
    "controller.scheduler.order=[\"erase\", \"host-read\", \"internal-read\", \"host-program\", \"internal-program\"]",
];

/// Test: an erase starts after the reads that were queued before it at its die, which may read the block to be erased,
/// and before the reads that were queued after it.
#[test]
fn an_erase_lets_the_reads_go_that_came_before_it_and_no_others() {
    let late = "controller.late_choice=true";
    for (class, more) in [
        (Class::HostRead, "controller.late_choice=false"),
        (Class::InternalRead, "controller.late_choice=false"),
        (Class::HostRead, late),
        (Class::InternalRead, late),
    ] {
        let mut bench = Bench::new(&[ERASES_FIRST[0], ERASES_FIRST[1], more]);
        let programmed = bench.at(0, program(Class::HostProgram, 0));
        let before = bench.at(1, read(class, 0));
        let it = bench.at(2, erase(0));
        let after = bench.at(3, read(class, 0));
        bench.rest();
        assert_eq!(bench.times(programmed).1, PROGRAM);
        assert_eq!(bench.times(before), (PROGRAM, PROGRAM + READ), "{class:?}");
        assert_eq!(bench.times(it), (PROGRAM + READ, PROGRAM + READ + ERASE), "{class:?}");
        assert_eq!(bench.times(after).0, PROGRAM + READ + ERASE, "{class:?}");
    }
}

/// Test: an erase starts after all reads that were queued before it, both host reads and internal reads, which have
/// separate queues.
#[test]
fn an_erase_lets_the_reads_of_both_queues_go_before_it() {
    let mut bench = Bench::new(&ERASES_FIRST);
    bench.at(0, program(Class::HostProgram, 0));
    let reads = [bench.at(1, read(Class::InternalRead, 0)), bench.at(2, read(Class::HostRead, 0))];
    let it = bench.at(3, erase(0));
    bench.rest();
    assert_eq!(bench.times(reads[1]).0, PROGRAM, "the host's read goes first");
    assert_eq!(bench.times(reads[0]).0, PROGRAM + READ);
    assert_eq!(bench.times(it).0, PROGRAM + 2 * READ);
}

/// Test: once an erase is the next operation to start, no cached program starts before it, though one could start at
/// once: if one program after the other did so, the die would never be free for the erase.
#[test]
fn what_is_chosen_next_makes_the_others_wait() {
    let mut bench = Bench::new(&["controller.cache_program=true", "controller.scheduler.name=fcfs"]);
    bench.at(0, program(Class::HostProgram, 0));
    let it = bench.at(1, erase(0));
    let later = bench.at(2, program(Class::HostProgram, 0));
    bench.rest();
    assert_eq!(bench.times(it), (PROGRAM, PROGRAM + ERASE));
    assert_eq!(bench.times(later), (PROGRAM + ERASE, PROGRAM + ERASE + PROGRAM));
}

/// Test: with cached programs, a copyback, which waits in the queue of programs, starts only when the whole die is
/// free, because it needs the array at once.
#[test]
fn a_copyback_waits_for_the_whole_die() {
    let mut bench = Bench::new(&["controller.cache_program=true", "controller.scheduler.name=fcfs"]);
    bench.at(0, program(Class::HostProgram, 0));
    let it = bench.at(1, copyback(0));
    let later = bench.at(2, program(Class::HostProgram, 0));
    bench.rest();
    assert_eq!(bench.times(it).0, PROGRAM);
    assert_eq!(bench.times(later).0, PROGRAM + 2 * crate::bench::COMMAND + T_R + T_PROG);
}

#[test]
fn operations_of_one_class_keep_their_order() {
    let mut bench = Bench::new(&[]);
    let all: Vec<usize> = (0..5).map(|at| bench.at(at, program(Class::InternalProgram, 0))).collect();
    bench.rest();
    for (place, &it) in all.iter().enumerate() {
        assert_eq!(bench.times(it).0, place as u64 * PROGRAM);
    }
}

/// Test: on a die short of free superblocks, programs of garbage collection go before older host programs, which have
/// to wait for free superblocks anyway.
#[test]
fn the_collection_of_a_die_without_room_goes_before_the_hosts_programs() {
    for urgency in [Urgency::Normal, Urgency::Urgent] {
        let mut bench = Bench::new(&[]);
        bench.controller.set_urgency(DieId(0), urgency);
        bench.at(0, program(Class::HostProgram, 0));
        let hosts = bench.at(1, program(Class::HostProgram, 0));
        let moving = bench.at(2, program(Class::InternalProgram, 0));
        bench.rest();
        let (first, second) = if urgency == Urgency::Urgent { (moving, hosts) } else { (hosts, moving) };
        assert_eq!((bench.times(first).0, bench.times(second).0), (PROGRAM, 2 * PROGRAM), "{urgency:?}");
    }
}

/// Test: with the arbitration policy `fifo`, the channel goes to the die that has waited for it longest.
#[test]
fn a_channel_goes_to_who_has_waited_longest() {
    let mut bench = Bench::new(&["controller.arbitration.name=fifo", "geometry.ways=5"]);
    bench.at(0, program(Class::HostProgram, 0));
    bench.at(5, read(Class::HostRead, 2));
    bench.at(3, program(Class::HostProgram, 4));
    bench.at(4, read(Class::HostRead, 1));
    bench.at(6, program(Class::HostProgram, 3));
    bench.rest();
    let order: Vec<u32> = bench.ctx.probe.channel.iter().map(|(_, die, ..)| *die).take(5).collect();
    assert_eq!(order, [0, 4, 1, 2, 3]);
    let since: Vec<u64> = bench.ctx.probe.channel.iter().map(|(_, _, from, _)| *from).take(5).collect();
    let programmed = 2 * DATA_IN;
    let read = crate::bench::COMMAND;
    assert_eq!(since, [0, DATA_IN, programmed, programmed + read, programmed + 2 * read]);
}

/// Test: with the arbitration policy `round-robin`, the channel goes to the next waiting die after the one that had it
/// last, though another die has waited longer.
#[test]
fn a_channel_goes_round() {
    let mut bench = Bench::new(&["controller.arbitration.name=round-robin", "geometry.ways=5"]);
    bench.at(0, program(Class::HostProgram, 1));
    bench.at(1, read(Class::HostRead, 0));
    for (at, die) in [(2, 4), (3, 3), (4, 2)] {
        bench.at(at, program(Class::HostProgram, die));
    }
    bench.rest();
    let order: Vec<u32> = bench.ctx.probe.channel.iter().map(|(_, die, ..)| *die).collect();
    // The first die's command; its data are there while the third's go in, and wait for the fourth's turn.
    assert_eq!(order, [1, 0, 2, 3, 4, 0]);
}

/// Test: with two channels, dies with odd numbers are on the second channel, and dies wait only for other dies of their
/// channel.
#[test]
fn dies_of_other_channels_do_not_wait() {
    let mut bench = Bench::new(&["geometry.channels=2"]);
    let all = [1, 3, 0, 2].map(|die| bench.at(0, program(Class::HostProgram, die)));
    bench.rest();
    let ends = all.map(|it| bench.times(it).1);
    assert_eq!(ends, [PROGRAM, DATA_IN + PROGRAM, PROGRAM, DATA_IN + PROGRAM]);
    let mut used: Vec<(u32, u64)> =
        bench.ctx.probe.channel.iter().map(|(_, die, from, _)| (*die, *from)).collect();
    used.sort_unstable();
    assert_eq!(used, [(0, 0), (1, 0), (2, DATA_IN), (3, DATA_IN)]);
}

/// Test: a die that waits for the channel for two purposes, with the command of one read and the data of another, gets
/// the channel for each of them.
#[test]
fn a_die_may_want_the_channel_for_two_things() {
    let mut bench = Bench::new(&["controller.cache_read=true"]);
    let reads = [bench.at(0, read(Class::HostRead, 0)), bench.at(0, read(Class::HostRead, 0))];
    bench.at(20_000, program(Class::HostProgram, 1));
    bench.rest();
    let free = 20_000 + DATA_IN;
    let command = crate::bench::COMMAND;
    assert_eq!(bench.times(reads[0]), (0, free + command + PAGE));
    assert_eq!(bench.done(reads[0]).times.channel_ns, free + command - (command + T_R));
    assert_eq!(bench.times(reads[1]), (command + T_R, free + command + T_R + PAGE));
    assert_eq!(bench.done(reads[1]).times.channel_ns, free - (command + T_R));
}

/// Type of a faulty policy for tests, as scheduler and as channel arbitration: it always chooses the same class of
/// operations or the same die, without checking what waits.
struct Wrong;

impl Scheduler for Wrong {
    fn pick(&mut self, _view: &DieView) -> Class {
        Class::Erase
    }

    fn suspends(&self, _running: Kind, _remaining: Nanos, _times: u32) -> bool {
        false
    }
}

impl Arbiter for Wrong {
    fn pick(&mut self, _view: &ChannelView<'_>) -> (u32, Want) {
        (1, Want::Data)
    }
}

#[test]
#[should_panic(expected = "which is not ready")]
fn a_class_that_does_not_wait_stops_the_run() {
    let mut bench = Bench::with_policies(&[], |config| config.scheduler = Box::new(|| Box::new(Wrong)));
    bench.at(0, program(Class::HostProgram, 0));
    bench.at(1, program(Class::HostProgram, 0));
    bench.at(1, read(Class::InternalRead, 0));
    bench.rest();
}

#[test]
#[should_panic(expected = "which does not wait")]
fn a_die_that_does_not_want_the_channel_stops_the_run() {
    let mut bench = Bench::with_policies(&[], |config| config.arbitration = Box::new(|| Box::new(Wrong)));
    bench.at(0, program(Class::HostProgram, 1));
    bench.at(1, program(Class::HostProgram, 0));
    bench.rest();
}
