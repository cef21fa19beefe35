//! A read that rides on another: what it shares with it, what it waits for, when it comes too late.

use crate::bench::{Bench, COMMAND, DATA_IN, PAGE, T_PROG, T_R, erase, program, read};
use controller::{Class, Transaction};
use units::DieId;

const PROGRAM: u64 = DATA_IN + T_PROG;
/// Constant of a test: time in ns of a read of one of the two units of a page row: command, array read and data-out.
const ONE: u64 = COMMAND + T_R + PAGE;
const BOTH: u64 = COMMAND + T_R + 2 * PAGE;

fn of_unit(class: Class, unit: u32) -> Transaction {
    let mut of_unit = read(class, 0);
    of_unit.mask = 1 << unit;
    of_unit
}

#[test]
fn a_rider_on_a_read_that_waits_goes_all_the_way_with_it() {
    let mut bench = Bench::sharing(&[]);
    bench.at(0, program(Class::HostProgram, 0));
    let carrier = bench.at(10, of_unit(Class::HostRead, 0));
    let rider = bench.ride_at(30, carrier, of_unit(Class::HostRead, 1));
    bench.pass_until(40);
    let open = bench.controller.find_open_read(DieId(0), 0, 0).expect("it waits");
    assert_eq!((open.begun, open.riders, open.sensed), (false, 1, 0b11));
    assert!(bench.controller.find_open_read(DieId(1), 0, 0).is_none(), "of another die");
    assert!(bench.controller.find_open_read(DieId(0), 1, 0).is_none(), "of another superblock");
    assert!(bench.controller.find_open_read(DieId(0), 0, 1).is_none(), "of another row");
    assert_eq!(bench.controller.host_operations(DieId(0)), 3);
    bench.rest();
    for (it, queued) in [(carrier, 10), (rider, 30)] {
        assert_eq!(bench.times(it), (PROGRAM, PROGRAM + BOTH));
        let done = bench.done(it);
        assert_eq!(done.times.waits, [PROGRAM - queued, 0, 0, 0]);
        assert_eq!(
            (done.times.array_ns, done.times.transfer_ns, done.times.channel_ns),
            (T_R, COMMAND + 2 * PAGE, 0)
        );
    }
    assert_eq!(bench.controller.work().bytes_out, 2 * 4096);
    assert_eq!(bench.controller.host_operations(DieId(0)), 0);
}

/// Test: a unit that several reads with a shared array read request crosses the channel once.
#[test]
fn a_unit_that_two_want_is_sent_once() {
    let mut bench = Bench::sharing(&[]);
    bench.at(0, program(Class::HostProgram, 0));
    let carrier = bench.at(10, of_unit(Class::HostRead, 0));
    let riders = [20, 30].map(|at| bench.ride_at(at, carrier, of_unit(Class::HostRead, 0)));
    bench.rest();
    for it in [carrier, riders[0], riders[1]] {
        assert_eq!(bench.times(it), (PROGRAM, PROGRAM + ONE));
    }
    assert_eq!(bench.controller.work().bytes_out, 4096);
}

/// Test: a read that joins another read's array read (rides on it) while the page is sensed is charged only for the
/// part of the array time after it joined.
#[test]
fn a_rider_that_comes_while_the_page_is_sensed_shares_the_rest() {
    let mut bench = Bench::sharing(&[]);
    let carrier = bench.at(0, of_unit(Class::HostRead, 0));
    let rider = bench.ride_at(COMMAND + 30_000, carrier, of_unit(Class::HostRead, 1));
    bench.pass_until(COMMAND + 30_000);
    let open = bench.controller.find_open_read(DieId(0), 0, 0).expect("its data are not out");
    assert!(open.begun);
    bench.rest();
    assert_eq!(bench.times(carrier), (0, BOTH));
    assert_eq!(bench.times(rider), (COMMAND + 30_000, BOTH));
    let done = bench.done(rider);
    assert_eq!(
        (done.times.array_ns, done.times.transfer_ns, done.times.waits),
        (T_R - 30_000, 2 * PAGE, [0; 4])
    );
}

/// Test: a read that joins another read's array read during that read's command, or while that read's data wait for the
/// channel, is charged only for the rest of the command or of the wait.
#[test]
fn a_rider_shares_what_is_left_of_the_command_and_of_a_wait() {
    let mut bench = Bench::sharing(&[]);
    let carrier = bench.at(0, of_unit(Class::HostRead, 0));
    let early = bench.ride_at(300, carrier, of_unit(Class::HostRead, 0));
    // The other die's data hold the channel when the page was sensed.
    let begins = COMMAND + T_R - 10_000;
    bench.at(begins, program(Class::HostProgram, 1));
    let late = bench.ride_at(COMMAND + T_R + 4_000, carrier, of_unit(Class::HostRead, 0));
    bench.rest();
    let wait = DATA_IN - 10_000;
    for it in [carrier, early, late] {
        assert_eq!(bench.times(it).1, COMMAND + T_R + wait + PAGE);
    }
    let spent = |it: usize| {
        let done = bench.done(it);
        (done.times.channel_ns, done.times.transfer_ns, done.times.array_ns)
    };
    assert_eq!(spent(carrier), (wait, COMMAND + PAGE, T_R));
    assert_eq!(spent(early), (wait, COMMAND - 300 + PAGE, T_R));
    assert_eq!(spent(late), (wait - 4_000, PAGE, 0));
}

#[test]
fn no_read_rides_on_data_in_transfer() {
    let mut bench = Bench::sharing(&[]);
    bench.at(0, of_unit(Class::HostRead, 0));
    bench.pass_until(COMMAND + T_R);
    assert!(bench.controller.find_open_read(DieId(0), 0, 0).is_none());
    bench.rest();
    assert!(bench.controller.find_open_read(DieId(0), 0, 0).is_none());
}

/// Test: a host read that shares the array read of a waiting internal read moves that read to the queue of host reads,
/// to its position by age: behind older host reads and before younger ones.
#[test]
fn what_the_host_waits_for_hastens_what_it_rides_on() {
    let mut bench = Bench::sharing(&["controller.scheduler.name=strict"]);
    bench.at(0, program(Class::HostProgram, 0));
    let internal = [1, 3, 4].map(|at| bench.at(at, of_unit(Class::InternalRead, 0)));
    let hosts = [2, 5].map(|at| bench.at(at, of_unit(Class::HostRead, 0)));
    let rider = bench.ride_at(6, internal[1], of_unit(Class::HostRead, 1));
    bench.rest();
    // The host's first, that which is ridden on, the host's second; then the other internal ones in their order.
    assert_eq!(bench.times(hosts[0]).0, PROGRAM);
    assert_eq!(bench.times(internal[1]).0, PROGRAM + ONE);
    assert_eq!(bench.times(rider), (PROGRAM + ONE, PROGRAM + ONE + BOTH));
    assert_eq!(bench.times(hosts[1]).0, PROGRAM + ONE + BOTH);
    assert_eq!(bench.times(internal[0]).0, PROGRAM + 2 * ONE + BOTH);
    assert_eq!(bench.times(internal[2]).0, PROGRAM + 3 * ONE + BOTH);
}

/// Test: when an internal read moves to an empty queue of host reads, because a host read shares its array read, the
/// other internal reads keep their order, also if the moved read was the last or the only one of its queue.
#[test]
fn a_hastened_read_leaves_its_queue_in_order() {
    for place in 0..3 {
        let mut bench = Bench::sharing(&["controller.scheduler.name=strict"]);
        bench.at(0, program(Class::HostProgram, 0));
        let all = [1, 2, 3].map(|at| bench.at(at, of_unit(Class::InternalRead, 0)));
        bench.ride_at(4, all[place], of_unit(Class::HostRead, 0));
        let after = bench.at(5, of_unit(Class::InternalRead, 0));
        bench.rest();
        let others: Vec<usize> = (0..3).filter(|other| *other != place).collect();
        assert_eq!(bench.times(all[place]).0, PROGRAM);
        assert_eq!(bench.times(all[others[0]]).0, PROGRAM + ONE, "{place}");
        assert_eq!(bench.times(all[others[1]]).0, PROGRAM + 2 * ONE, "{place}");
        assert_eq!(bench.times(after).0, PROGRAM + 3 * ONE, "{place}");
    }
    let mut bench = Bench::sharing(&["controller.scheduler.name=strict"]);
    bench.at(0, program(Class::HostProgram, 0));
    let only = bench.at(1, of_unit(Class::InternalRead, 0));
    bench.at(2, program(Class::HostProgram, 0));
    bench.ride_at(3, only, of_unit(Class::HostRead, 0));
    let after = bench.at(4, of_unit(Class::InternalRead, 0));
    bench.rest();
    assert_eq!(bench.times(only).0, PROGRAM);
    assert_eq!(bench.times(after).0, PROGRAM + ONE, "the strict order takes reads before programs");
}

/// Test: an internal read that moved to the queue of host reads, because a host read shares its array read, suspends a
/// running erase as a host read does.
#[test]
fn a_hastened_read_suspends_what_runs() {
    let mut bench = Bench::sharing(&["controller.scheduler.suspend_erase=true"]);
    bench.at(0, erase(0));
    let internal = bench.at(1_000, of_unit(Class::InternalRead, 0));
    let rider = bench.ride_at(100_000, internal, of_unit(Class::HostRead, 0));
    bench.rest();
    let begins = 100_000 + crate::bench::T_SUSPEND_ERASE;
    assert_eq!(bench.times(rider), (begins, begins + ONE));
    assert_eq!(bench.times(internal), (begins, begins + ONE));
}

/// Test: an internal read that shares the array read of another internal read does not make that read start earlier.
#[test]
fn a_read_without_waiting_requests_hastens_nothing() {
    let mut bench = Bench::sharing(&["controller.scheduler.name=fcfs"]);
    bench.at(0, program(Class::HostProgram, 0));
    bench.at(1, program(Class::HostProgram, 0));
    let internal = bench.at(2, of_unit(Class::InternalRead, 0));
    bench.ride_at(3, internal, of_unit(Class::InternalRead, 1));
    bench.rest();
    assert_eq!(bench.times(internal), (2 * PROGRAM, 2 * PROGRAM + BOTH));
}

/// Test: reads that share an internal read's array read finish with it, also a host read that joins while the data are
/// being decoded: it waits for no die, and its data are not decoded again.
#[test]
fn what_is_being_decoded_takes_riders_still() {
    let mut bench = Bench::sharing_decoded(&[], 8_000);
    let carrier = bench.at(0, of_unit(Class::InternalRead, 0));
    let early = bench.ride_at(10, carrier, of_unit(Class::InternalRead, 0));
    let late = bench.ride_at(ONE + 3_000, carrier, of_unit(Class::HostRead, 0));
    bench.rest();
    for it in [carrier, early, late] {
        assert_eq!(bench.handed_back(it), ONE + 8_000);
    }
    assert_eq!((bench.times(carrier).1, bench.times(early).1), (ONE, ONE));
    assert_eq!(bench.times(late), (ONE + 8_000, ONE + 8_000));
    assert_eq!((bench.done(early).reading.decodes, bench.done(late).reading.decodes), (1, 0));
    assert_eq!(bench.done(late).times.waits, [0; 4]);
    assert_eq!(bench.controller.in_flight(), 0);
}
