//! A host's read interrupts what runs, and the rest is done afterwards: at what price?

use crate::bench::{
    Bench, COMMAND, DATA_IN, ERASE_COMMAND, PAGE, T_BERS, T_PROG, T_R, T_RESUME, T_SUSPEND_ERASE,
    T_SUSPEND_PROGRAM, erase, program, read,
};
use controller::{Class, Kind, Transaction};

const READ: u64 = COMMAND + T_R + PAGE;
const SUSPENDS: [&str; 2] =
    ["controller.scheduler.suspend_program=true", "controller.scheduler.suspend_erase=true"];

/// Returns, for tests, a program and an erase, each with three times in ns: the end of its command or data-in on the
/// channel, its array time, and the time that its suspension takes.
fn suspendable() -> [(Transaction, u64, u64, u64); 2] {
    [
        (program(Class::HostProgram, 0), DATA_IN, T_PROG, T_SUSPEND_PROGRAM),
        (erase(0), ERASE_COMMAND, T_BERS, T_SUSPEND_ERASE),
    ]
}

#[test]
fn a_suspended_operation_goes_on_after_the_read_and_pays_for_it() {
    for (transaction, begins, t_array, t_suspend) in suspendable() {
        let mut bench = Bench::new(&SUSPENDS);
        let running = bench.at(0, transaction);
        let at = begins + 100_000;
        let it = bench.at(at, read(Class::HostRead, 0));
        bench.rest();
        let kind = transaction.kind;
        assert_eq!(bench.times(it), (at + t_suspend, at + t_suspend + READ), "{kind:?}");
        // What was left when it was suspended, and what resuming takes.
        let resumed = at + t_suspend + READ;
        let left = t_array - 100_000;
        assert_eq!(bench.times(running), (0, resumed + T_RESUME + left), "{kind:?}");
        assert_eq!(bench.done(running).times.array_ns, t_array + T_RESUME);
        let pieces = [(kind, 0, begins, at), (kind, 0, resumed, resumed + T_RESUME + left)];
        let found: Vec<_> = bench.ctx.probe.array.iter().filter(|(of, ..)| *of == kind).copied().collect();
        assert_eq!(found, pieces);
        let busy: u64 = bench.controller.work().array_ns[kind as usize].iter().sum();
        assert_eq!(busy, t_array + T_RESUME);
    }
}

/// Test: while an erase is being suspended for a host read, the read's wait is counted by the erase's origin (garbage
/// collection); no other wait is counted.
#[test]
fn while_it_is_suspended_the_die_is_the_operations_still() {
    let mut bench = Bench::new(&SUSPENDS);
    bench.at(0, erase(0));
    let at = ERASE_COMMAND + 100_000;
    let it = bench.at(at, read(Class::HostRead, 0));
    bench.rest();
    assert_eq!(bench.done(it).times.waits, [0, T_SUSPEND_ERASE, 0, 0]);
}

/// Test: host reads that arrive while an erase is suspended are executed before the erase resumes; internal reads and
/// programs wait until the erase has ended.
#[test]
fn only_the_hosts_reads_go_before_the_rest() {
    let mut bench = Bench::new(&SUSPENDS);
    let running = bench.at(0, erase(0));
    let at = ERASE_COMMAND + 100_000;
    let reads = [bench.at(at, read(Class::HostRead, 0)), bench.at(at + 1, read(Class::HostRead, 0))];
    let others =
        [bench.at(at + 2, read(Class::InternalRead, 0)), bench.at(at + 2, program(Class::HostProgram, 0))];
    bench.rest();
    let first = at + T_SUSPEND_ERASE;
    assert_eq!(bench.times(reads[0]).0, first);
    assert_eq!(bench.times(reads[1]).0, first + READ);
    let erased = first + 2 * READ + T_RESUME + T_BERS - 100_000;
    assert_eq!(bench.times(running).1, erased);
    assert_eq!(bench.times(others[0]).0, erased);
    assert_eq!(bench.times(others[1]).0, erased + READ);
}

/// Test: a program is not suspended for a host read if it ends before the read could start, within the time that a
/// suspension takes.
#[test]
fn an_operation_that_is_nearly_done_is_not_suspended() {
    let end = DATA_IN + T_PROG;
    for (left, starts) in [(T_SUSPEND_PROGRAM, end), (T_SUSPEND_PROGRAM + 1, end - 1)] {
        let mut bench = Bench::new(&SUSPENDS);
        bench.at(0, program(Class::HostProgram, 0));
        let it = bench.at(end - left, read(Class::HostRead, 0));
        bench.rest();
        assert_eq!(bench.times(it).0, starts, "{left} ns before the end");
        let pieces = bench.ctx.probe.array.iter().filter(|(kind, ..)| *kind == Kind::Program).count();
        assert_eq!(pieces, if starts == end { 1 } else { 2 });
    }
}

#[test]
fn an_operation_is_suspended_so_often_and_no_more() {
    let mut bench = Bench::new(&[SUSPENDS[0], SUSPENDS[1], "controller.scheduler.suspend_limit=2"]);
    let running = bench.at(0, erase(0));
    // Each comes after the erase went on; the third finds that it was suspended twice.
    let moments = [500_000, 1_000_000, 1_500_000];
    let reads = moments.map(|at| bench.at(at, read(Class::HostRead, 0)));
    bench.rest();
    for (it, at) in reads[..2].iter().zip(moments) {
        assert_eq!(bench.times(*it).0, at + T_SUSPEND_ERASE);
    }
    let erased = ERASE_COMMAND + T_BERS + 2 * (T_SUSPEND_ERASE + READ + T_RESUME);
    assert_eq!(bench.times(running).1, erased);
    assert_eq!(bench.times(reads[2]).0, erased);
}

#[test]
fn without_being_allowed_to_a_read_suspends_nothing() {
    for (transaction, begins, t_array, _) in suspendable() {
        let mut bench = Bench::new(&[]);
        bench.at(0, transaction);
        let it = bench.at(begins + 100_000, read(Class::HostRead, 0));
        bench.rest();
        assert_eq!(bench.times(it).0, begins + t_array);
    }
}

/// Test: an internal read does not suspend a running erase, and a read in flight is not suspended for a host read.
#[test]
fn only_programs_and_erases_are_suspended_and_only_for_the_host() {
    let mut bench = Bench::new(&SUSPENDS);
    bench.at(0, erase(0));
    let it = bench.at(100_000, read(Class::InternalRead, 0));
    let other = bench.at(0, read(Class::InternalRead, 1));
    let hosts = bench.at(T_R / 2, read(Class::HostRead, 1));
    bench.rest();
    assert_eq!(bench.times(it).0, ERASE_COMMAND + T_BERS);
    assert_eq!(bench.times(hosts).0, bench.times(other).1);
}

/// Test: a host read does not suspend a program whose array work has not begun when the read arrives, during the
/// program's data-in or at the moment at which its array work begins.
#[test]
fn what_has_not_begun_is_not_suspended() {
    for at in [DATA_IN - 1, DATA_IN] {
        let mut bench = Bench::new(&SUSPENDS);
        bench.at(0, program(Class::HostProgram, 0));
        let it = bench.at(at, read(Class::HostRead, 0));
        bench.rest();
        assert_eq!(bench.times(it).0, DATA_IN + T_PROG, "at {at} ns");
    }
}

/// Test: with `suspend_for_waiting`, a program that begins while a host read waits is suspended at once, so that all of
/// its array time follows after the read.
#[test]
fn what_begins_while_a_read_waits_is_suspended_where_that_is_asked_for() {
    let waiting = "controller.scheduler.suspend_for_waiting=true";
    let mut bench = Bench::new(&[SUSPENDS[0], SUSPENDS[1], waiting]);
    let running = bench.at(0, program(Class::HostProgram, 0));
    let it = bench.at(DATA_IN - 1, read(Class::HostRead, 0));
    bench.rest();
    let starts = DATA_IN + T_SUSPEND_PROGRAM;
    assert_eq!(bench.times(it), (starts, starts + READ));
    assert_eq!(bench.times(running).1, starts + READ + T_RESUME + T_PROG);

    // The next program's data are in the register until it begins.
    let mut bench = Bench::new(&[SUSPENDS[0], SUSPENDS[1], waiting, "controller.cache_program=true"]);
    bench.at(0, program(Class::HostProgram, 0));
    bench.at(0, program(Class::HostProgram, 0));
    let it = bench.at(2 * DATA_IN + 10_000, read(Class::HostRead, 0));
    bench.rest();
    assert_eq!(bench.times(it).0, DATA_IN + T_PROG + T_SUSPEND_PROGRAM);
}

/// Test: a program is not suspended while the page register holds the data of the next cached program, because the
/// register has no place for the data of a read.
#[test]
fn a_program_with_the_next_one_loaded_is_not_suspended() {
    let mut bench = Bench::new(&[SUSPENDS[0], SUSPENDS[1], "controller.cache_program=true"]);
    let programs = [bench.at(0, program(Class::HostProgram, 0)), bench.at(0, program(Class::HostProgram, 0))];
    let it = bench.at(2 * DATA_IN + 10_000, read(Class::HostRead, 0));
    bench.rest();
    assert_eq!(bench.times(programs[0]).1, DATA_IN + T_PROG);
    assert_eq!(bench.times(programs[1]).1, DATA_IN + 2 * T_PROG);
    assert_eq!(bench.times(it).0, DATA_IN + 2 * T_PROG);
}

/// Test: with suspension enabled, a host read starts at once on an idle die and waits at a die that is executing a
/// read, as without suspension.
#[test]
fn where_nothing_can_be_suspended_a_read_takes_its_turn() {
    let mut bench = Bench::new(&SUSPENDS);
    bench.at(0, program(Class::HostProgram, 0));
    let reads =
        [DATA_IN + T_PROG + 5, DATA_IN + T_PROG + 10].map(|at| bench.at(at, read(Class::HostRead, 0)));
    bench.rest();
    let first = DATA_IN + T_PROG + 5;
    assert_eq!(bench.times(reads[0]), (first, first + READ));
    assert_eq!(bench.times(reads[1]), (first + READ, first + 2 * READ));
}

/// Test: with cache reads, the second of two reads is sensed while the data of the first cross the channel, also while
/// an erase is suspended.
#[test]
fn cached_reads_overlap_while_something_is_suspended() {
    let mut bench = Bench::new(&[SUSPENDS[0], SUSPENDS[1], "controller.cache_read=true"]);
    let running = bench.at(0, erase(0));
    let at = ERASE_COMMAND + 100_000;
    let reads = [at, at + 1].map(|at| bench.at(at, read(Class::HostRead, 0)));
    bench.rest();
    let first = at + T_SUSPEND_ERASE;
    assert_eq!(bench.times(reads[0]), (first, first + 2 * COMMAND + T_R + PAGE));
    // The array is free as soon as the first is sensed; the second's data follow its own array time.
    let second = first + COMMAND + T_R;
    assert_eq!(bench.times(reads[1]), (second, second + COMMAND + T_R + PAGE));
    let resumed = bench.times(reads[1]).1;
    assert_eq!(bench.times(running).1, resumed + T_RESUME + T_BERS - 100_000);
}
