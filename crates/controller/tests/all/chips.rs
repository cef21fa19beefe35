//! Dies that are one chip, and operations that are chosen when their channel is free.

use crate::bench::{
    Bench, COMMAND, DATA_IN, ERASE_COMMAND, PAGE, T_BERS, T_PROG, T_R, T_RESUME, T_SUSPEND_ERASE, erase,
    program, read,
};
use controller::{Class, Transaction, Urgency};
use units::DieId;

const READ: u64 = COMMAND + T_R + PAGE;
const PROGRAM: u64 = DATA_IN + T_PROG;
const ERASE: u64 = ERASE_COMMAND + T_BERS;
const LATE: &str = "controller.late_choice=true";
/// Constant of a test: configuration keys with which dies 0 and 1 form one chip that works on one die at a time, and a
/// chip's next operation is chosen when the channel is free.
const ONE_CHIP: [&str; 4] =
    [LATE, "controller.dies_take_turns=true", "geometry.ways=1", "geometry.dies_per_way=2"];

#[test]
fn the_dies_of_a_chip_work_one_at_a_time() {
    let mut bench = Bench::new(&ONE_CHIP);
    let all = [0, 1, 0].map(|die| bench.at(0, program(Class::HostProgram, die)));
    bench.rest();
    for (turn, it) in all.into_iter().enumerate() {
        assert_eq!(bench.times(it), (turn as u64 * PROGRAM, (turn as u64 + 1) * PROGRAM));
    }
    let mut bench = Bench::new(&[LATE]);
    let all = [0, 1].map(|die| bench.at(0, program(Class::HostProgram, die)));
    bench.rest();
    assert_eq!(bench.times(all[1]), (DATA_IN, DATA_IN + PROGRAM), "chips of their own");
}

/// Test: with the scheduler `fcfs`, a chip whose dies work one at a time starts next the oldest operation that waits at
/// any of its dies.
#[test]
fn a_chip_does_what_the_scheduler_says_of_all_its_dies() {
    let mut bench = Bench::new(&[&ONE_CHIP[..], &["controller.scheduler.name=fcfs"]].concat());
    bench.at(0, program(Class::HostProgram, 0));
    let erased = bench.at(1, erase(0));
    let later = bench.at(3, program(Class::HostProgram, 0));
    let other = bench.at(2, program(Class::HostProgram, 1));
    bench.rest();
    assert_eq!(bench.times(erased), (PROGRAM, PROGRAM + ERASE));
    assert_eq!(bench.times(other).0, PROGRAM + ERASE);
    assert_eq!(bench.times(later).0, 2 * PROGRAM + ERASE);
}

/// Test: with late choice, a die's next operation is chosen when the channel becomes free, so that a read that arrived
/// in the meantime goes before a program that was queued earlier.
#[test]
fn what_comes_next_is_chosen_when_the_channel_is_free() {
    let order = |more: &[&str]| {
        let mut bench = Bench::new(more);
        bench.at(0, program(Class::HostProgram, 0));
        let programmed = bench.at(1, program(Class::HostProgram, 1));
        let it = bench.at(2, read(Class::HostRead, 1));
        bench.rest();
        (bench.times(it).0, bench.times(programmed).0)
    };
    assert_eq!(order(&[LATE]), (DATA_IN, DATA_IN + READ));
    assert_eq!(order(&[]), (2 * DATA_IN + T_PROG, 1), "else it is chosen when the die is free");
}

#[test]
fn data_that_wait_go_before_what_is_still_to_be_chosen() {
    let mut bench = Bench::new(&[LATE, "geometry.ways=3"]);
    let it = bench.at(0, read(Class::HostRead, 0));
    bench.at(30_000, program(Class::HostProgram, 1));
    let waits = bench.at(40_000, program(Class::HostProgram, 2));
    bench.rest();
    let free = 30_000 + DATA_IN;
    assert_eq!(bench.times(it).1, free + PAGE);
    assert_eq!(bench.times(waits).0, free + PAGE);
}

/// Test: chips that wait for the channel get it in turn: after the first chip the second, though the third asked before
/// it; then the third, though the first asks again.
#[test]
fn chips_have_their_turns() {
    let mut bench = Bench::new(&[LATE, "geometry.ways=3"]);
    bench.at(0, read(Class::HostRead, 0));
    bench.at(0, program(Class::HostProgram, 0));
    let third = bench.at(1, program(Class::HostProgram, 2));
    let second = bench.at(2, program(Class::HostProgram, 1));
    bench.rest();
    // The first's command is short; the two programs follow, and the first's data wait for one of them.
    assert_eq!(bench.times(second).0, COMMAND);
    assert_eq!(bench.times(third).0, COMMAND + DATA_IN);
}

#[test]
fn a_chip_goes_on_with_what_was_suspended() {
    let suspends = ["controller.scheduler.suspend_erase=true"];
    let mut bench = Bench::new(&[&ONE_CHIP[..], &suspends].concat());
    let erased = bench.at(0, erase(0));
    let at = ERASE_COMMAND + 100_000;
    let reads = [bench.at(at, read(Class::HostRead, 0)), bench.at(at, read(Class::HostRead, 0))];
    let other = bench.at(at + 1, read(Class::HostRead, 1));
    bench.rest();
    let first = at + T_SUSPEND_ERASE;
    assert_eq!(bench.times(reads[0]), (first, first + READ));
    assert_eq!(bench.times(reads[1]).0, first + READ);
    // The rest of the erase before the other die's read: that die has nothing suspended.
    let end = first + 2 * READ + T_RESUME + T_BERS - 100_000;
    assert_eq!(bench.times(erased).1, end);
    assert_eq!(bench.times(other).0, end);
}

fn page(die: u32, page: u32) -> Transaction {
    let mut program = program(Class::HostProgram, die);
    program.page = page;
    program
}

/// Test: simulated dies that stand for planes of one real die (`paired_planes`) program pages with equal numbers
/// together, the second die's data after the first's; other pages are programmed one after the other.
#[test]
fn planes_of_a_die_program_equal_pages_together() {
    let paired = [&ONE_CHIP[..], &["controller.paired_planes=2"]].concat();
    let mut bench = Bench::new(&paired);
    bench.at(0, erase(0));
    let [first, other] = [(1, 0, 5), (2, 1, 5)].map(|(at, die, number)| bench.at(at, page(die, number)));
    bench.rest();
    assert_eq!(bench.times(first), (ERASE, ERASE + PROGRAM));
    assert_eq!(bench.times(other), (ERASE, ERASE + DATA_IN + PROGRAM));
    assert_eq!(bench.done(other).times.channel_ns, DATA_IN);

    let mut bench = Bench::new(&paired);
    bench.at(0, erase(0));
    let [first, other] = [(1, 0, 5), (2, 1, 6)].map(|(at, die, number)| bench.at(at, page(die, number)));
    bench.rest();
    assert_eq!(bench.times(first).0, ERASE);
    assert_eq!(bench.times(other).0, ERASE + PROGRAM, "other numbers are programmed apart");
}

/// Test: if the page number that paired planes need (5) waits behind an older program (of page 7), the older program
/// starts with that number, and the two exchange their numbers.
#[test]
fn the_oldest_takes_the_number_of_the_page_that_fits() {
    let mut bench = Bench::new(&[&ONE_CHIP[..], &["controller.paired_planes=2"]].concat());
    bench.at(0, erase(0));
    bench.at(1, page(0, 5));
    let [oldest, named] = [(2, 7), (3, 5)].map(|(at, number)| bench.at(at, page(1, number)));
    bench.rest();
    assert_eq!((bench.times(oldest).0, bench.done(oldest).page), (ERASE, 5));
    assert_eq!((bench.times(named).0, bench.done(named).page), (ERASE + DATA_IN + PROGRAM, 7));
}

/// Test: if a die of a chip is short of free superblocks, programs of garbage collection go before older host programs
/// on all dies of the chip.
#[test]
fn a_die_short_of_room_speaks_for_its_chip() {
    for urgent in [None, Some(0), Some(1)] {
        let mut bench = Bench::new(&ONE_CHIP);
        if let Some(die) = urgent {
            bench.controller.set_urgency(DieId(die), Urgency::Urgent);
        }
        bench.at(0, program(Class::HostProgram, 0));
        let hosts = bench.at(1, program(Class::HostProgram, 1));
        let moved = bench.at(2, program(Class::InternalProgram, 0));
        bench.rest();
        let begun = |it| bench.times(it).0;
        assert_eq!(begun(moved) < begun(hosts), urgent.is_some(), "{urgent:?}");
    }
}
