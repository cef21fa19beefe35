//! How long do operations hold die and channel, and what is written down of it?

use crate::bench::{
    Bench, COMMAND, DATA_IN, ERASE_COMMAND, PAGE, T_BERS, T_PROG, T_R, copyback, erase, program, read,
};
use controller::{ChannelUse, Class, Kind, Origin, Reading};
use units::{DieId, SimTime};

#[test]
fn an_operation_alone_takes_command_array_and_data() {
    let expected = [
        (read(Class::HostRead, 0), COMMAND + PAGE, T_R),
        (program(Class::HostProgram, 0), DATA_IN, T_PROG),
        (erase(0), ERASE_COMMAND, T_BERS),
        (copyback(0), 2 * COMMAND, T_R + T_PROG),
    ];
    for (transaction, transfer, array) in expected {
        let mut bench = Bench::new(&[]);
        let it = bench.at(10, transaction);
        bench.rest();
        let done = bench.done(it);
        let found = (done.times.transfer_ns, done.times.array_ns, done.times.channel_ns, done.times.waits);
        assert_eq!(found, (transfer, array, 0, [0; 4]), "{:?}", transaction.kind);
        assert_eq!(bench.times(it), (10, 10 + transfer + array), "{:?}", transaction.kind);
        assert_eq!(bench.controller.channel_busy_ns(SimTime::from_ns(1 << 30)).sum::<u64>(), transfer);
    }
}

/// Test: of two reads on two dies of one channel, the second waits for the first's command, and later for the first's
/// data.
#[test]
fn what_waits_for_a_channel_says_so_and_the_channel_knows_how_busy_it_was() {
    let mut bench = Bench::new(&[]);
    let first = bench.at(0, read(Class::HostRead, 0));
    let second = bench.at(0, read(Class::HostRead, 1));
    let busy =
        |bench: &Bench, now| bench.controller.channel_busy_ns(SimTime::from_ns(now)).collect::<Vec<_>>();
    bench.pass_until(300);
    assert_eq!(busy(&bench, 300), [300], "the finished part of the command in progress");
    let out = COMMAND + T_R;
    bench.pass_until(out + 5_000);
    assert_eq!(busy(&bench, out + 5_000), [2 * COMMAND + 5_000]);
    bench.rest();
    assert_eq!(bench.times(first), (0, out + PAGE));
    assert_eq!(bench.times(second), (0, out + 2 * PAGE));
    assert_eq!(bench.done(first).times.channel_ns, 0);
    // One command; then its array, done one command after the other, waits for the rest of the other's data.
    assert_eq!(bench.done(second).times.channel_ns, COMMAND + (PAGE - COMMAND));
    assert_eq!(busy(&bench, out + 2 * PAGE), [2 * (COMMAND + PAGE)]);
    let data: Vec<_> =
        bench.ctx.probe.channel.iter().filter(|(usage, ..)| *usage == ChannelUse::DataOut).collect();
    assert_eq!(data[0], &(ChannelUse::DataOut, 0, out, out + PAGE));
    assert_eq!(data[1], &(ChannelUse::DataOut, 1, out + PAGE, out + 2 * PAGE));
    assert_eq!((bench.controller.work().bytes_out, bench.controller.work().bytes_in), (2 * 4096, 0));
}

#[test]
fn arrays_know_how_busy_they_were_and_on_whose_behalf() {
    let mut bench = Bench::new(&[]);
    bench.at(0, program(Class::HostProgram, 0));
    bench.at(0, erase(1));
    let busy = |bench: &Bench, now| bench.controller.array_busy_ns(SimTime::from_ns(now)).collect::<Vec<_>>();
    // The channel was the program's until its data were in.
    let erasing = DATA_IN + ERASE_COMMAND;
    bench.pass_until(DATA_IN);
    assert_eq!(busy(&bench, DATA_IN), [[0; 4], [0; 4]]);
    bench.pass_until(erasing + 1_000);
    let begun = busy(&bench, erasing + 1_000);
    assert_eq!(begun, [[ERASE_COMMAND + 1_000, 0, 0, 0], [0, 1_000, 0, 0]]);
    bench.rest();
    assert_eq!(busy(&bench, erasing + T_BERS), [[T_PROG, 0, 0, 0], [0, T_BERS, 0, 0]]);
    let work = bench.controller.work();
    assert_eq!(work.array_by_origin(), [T_PROG, T_BERS, 0, 0]);
    assert_eq!(work.array_ns[Kind::Program as usize], [T_PROG, 0, 0, 0]);
    assert_eq!(work.array_ns[Kind::Erase as usize], [0, T_BERS, 0, 0]);
    assert_eq!((work.bytes_in, work.bytes_out), (4096, 0));
}

/// Test: the wait of a read is divided by the origins of the operations that occupied its die during the wait.
#[test]
fn a_wait_says_whose_operations_it_was_behind() {
    let mut bench = Bench::new(&["controller.scheduler.name=fcfs"]);
    bench.at(0, erase(0));
    bench.at(1, program(Class::HostProgram, 0));
    let it = bench.at(100_000, read(Class::HostRead, 0));
    bench.rest();
    let erased = ERASE_COMMAND + T_BERS;
    let programmed = erased + DATA_IN + T_PROG;
    assert_eq!(bench.times(it).0, programmed);
    assert_eq!(bench.done(it).times.waits, [DATA_IN + T_PROG, erased - 100_000, 0, 0]);
}

/// Test: a read with several attempts takes the array time once for each sense and sends more data, in proportion to
/// its bit-planes; both are counted in its time.
#[test]
fn a_read_senses_and_sends_as_often_as_it_is_told() {
    let mut bench = Bench::new(&[]);
    let mut retried = read(Class::HostRead, 0);
    retried.reading =
        Reading { senses: 3, planes: (5, 2), decodes: 2, pieces: 1, iterating_ns: 0, uncorrectable: false };
    let it = bench.at(0, retried);
    bench.rest();
    assert_eq!(bench.times(it).1, COMMAND + 3 * T_R + PAGE * 5 / 2);
    assert_eq!(bench.controller.work().bytes_out, 4096 * 5 / 2);
}

/// Test: with pipelined retries, the array senses the next attempt while one crosses the channel: all attempts are
/// sent, only the last decoding is waited for, and an array faster than the channel waits for the channel.
#[test]
fn a_read_in_pieces_is_sensed_while_it_is_sent() {
    for (senses, planes) in [(4, 8), (6, 8), (4, 40)] {
        let mut bench = Bench::decoded(&[], 3_000);
        let mut retried = read(Class::InternalRead, 0);
        retried.reading = Reading {
            senses,
            planes: (planes, 2),
            decodes: 4,
            pieces: 4,
            iterating_ns: 0,
            uncorrectable: false,
        };
        let it = bench.at(0, retried);
        let behind = bench.at(1, read(Class::InternalRead, 0));
        bench.rest();
        let (sensing, sending) = (u64::from(senses) * T_R, u64::from(planes) / 2 * PAGE);
        let first = u64::from(senses) / 4 * T_R;
        let end = COMMAND + (sensing + sending / 4).max(first + sending);
        assert_eq!(bench.times(it).1, end, "{senses} {planes}");
        assert_eq!(bench.handed_back(it), end + 3_000);
        assert_eq!(bench.controller.work().bytes_out, 4096 * (u64::from(planes) / 2 + 1));
        assert_eq!(bench.done(it).times.array_ns, sensing);
        assert!(bench.times(behind).1 >= end + T_R, "the die was not its before");
    }
}

/// Test: the controller hands a read that a host request waits for back at the end of the data-out, and an internal
/// read or a read-ahead only after all decodings of its data.
#[test]
fn internal_data_come_back_when_they_are_decoded() {
    for (class, decodes, t_decode, wait) in [
        (Class::InternalRead, 1, 3_000, 3_000),
        (Class::InternalRead, 4, 3_000, 12_000),
        (Class::HostRead, 4, 3_000, 0),
    ] {
        let mut bench = Bench::decoded(&[], t_decode);
        let mut decoded = read(class, 0);
        decoded.reading.decodes = decodes;
        let it = bench.at(0, decoded);
        bench.rest();
        assert_eq!(bench.times(it).1, COMMAND + T_R + PAGE);
        assert_eq!(bench.handed_back(it), COMMAND + T_R + PAGE + wait, "{class:?}");
    }
    let mut bench = Bench::decoded(&[], 3_000);
    let mut ahead = read(Class::HostRead, 0);
    ahead.origin = Origin::ReadAhead;
    let it = bench.at(0, ahead);
    bench.rest();
    assert_eq!(
        bench.handed_back(it),
        COMMAND + T_R + PAGE + 3_000,
        "no request waits for it: it is decoded first"
    );
}

#[test]
fn a_cached_program_takes_its_data_while_the_one_before_is_programmed() {
    let mut bench = Bench::new(&["controller.cache_program=true"]);
    let all: Vec<usize> = (0..3).map(|_| bench.at(0, program(Class::HostProgram, 0))).collect();
    bench.rest();
    assert_eq!(bench.times(all[0]), (0, DATA_IN + T_PROG));
    assert_eq!(bench.times(all[1]), (DATA_IN, DATA_IN + 2 * T_PROG));
    // The register is free when the second has left it for the array.
    assert_eq!(bench.times(all[2]), (DATA_IN + T_PROG, DATA_IN + 3 * T_PROG));
    let slow = "bus.interface.rate=10MT/s";
    let mut bench = Bench::new(&["controller.cache_program=true", slow]);
    let all: Vec<usize> = (0..2).map(|_| bench.at(0, program(Class::HostProgram, 0))).collect();
    bench.rest();
    let data = COMMAND + 10 * PAGE;
    assert_eq!(bench.times(all[1]), (data, 2 * data + T_PROG), "data that take longer than a program");
}

#[test]
fn a_cached_read_senses_while_the_data_of_the_one_before_go_out() {
    let mut bench = Bench::new(&["controller.cache_read=true"]);
    let all: Vec<usize> = (0..3).map(|_| bench.at(0, read(Class::HostRead, 0))).collect();
    bench.rest();
    // A command, an array time; then each array time covers the data before it and begins with its own command.
    let round = COMMAND + T_R;
    assert_eq!(bench.times(all[0]), (0, round + COMMAND + PAGE));
    assert_eq!(bench.times(all[1]), (round, 2 * round + COMMAND + PAGE));
    assert_eq!(bench.times(all[2]), (2 * round, 3 * round + PAGE));
}

/// Test: with cache reads, a sensed page waits in the array until the page register has sent the data of the page
/// before; only then does the die start the next read.
#[test]
fn a_sensed_page_waits_for_the_register() {
    let mut bench = Bench::new(&["controller.cache_read=true", "nand.t_r=1us"]);
    let all: Vec<usize> = (0..3).map(|_| bench.at(0, read(Class::HostRead, 0))).collect();
    bench.rest();
    let first = COMMAND + 1_000 + COMMAND + PAGE;
    assert_eq!(bench.times(all[0]).1, first);
    assert_eq!(bench.times(all[1]), (COMMAND + 1_000, first + COMMAND + PAGE));
    assert_eq!(bench.times(all[2]), (first, first + 2 * (COMMAND + PAGE) - COMMAND));
}

#[test]
fn an_outcome_that_is_asked_for_takes_the_channel_and_holds_the_die() {
    let mut bench = Bench::new(&["bus.cycles_status=2"]);
    let first = bench.at(0, program(Class::HostProgram, 0));
    let second = bench.at(0, erase(0));
    bench.rest();
    assert_eq!(bench.times(first), (0, DATA_IN + T_PROG + 200));
    assert_eq!(
        bench.times(second),
        (DATA_IN + T_PROG + 200, DATA_IN + T_PROG + 200 + ERASE_COMMAND + T_BERS + 200)
    );
    assert_eq!(bench.done(first).times.transfer_ns, DATA_IN + 200);
    let asked = bench.ctx.probe.channel.iter().filter(|(usage, ..)| *usage == ChannelUse::Status).count();
    assert_eq!(asked, 2);
}

/// Test: with cached programs, the status query of a program overlaps with the array work of the next program. Where
/// the channel is not free in time, the next program's query follows after it.
#[test]
fn outcomes_of_cached_programs_come_one_after_the_other() {
    let mut bench = Bench::new(&["controller.cache_program=true", "bus.cycles_status=2"]);
    let all: Vec<usize> = (0..2).map(|_| bench.at(0, program(Class::HostProgram, 0))).collect();
    bench.rest();
    assert_eq!(bench.times(all[0]).1, DATA_IN + T_PROG + 200);
    assert_eq!(bench.times(all[1]).1, DATA_IN + 2 * T_PROG + 200);
}

#[test]
fn operations_in_flight_are_counted() {
    let mut bench = Bench::new(&[]);
    bench.at(0, read(Class::HostRead, 0));
    bench.at(0, read(Class::InternalRead, 0));
    bench.at(0, program(Class::HostProgram, 1));
    bench.pass_until(0);
    let [first, second] = [DieId(0), DieId(1)];
    assert_eq!(bench.controller.in_flight(), 3);
    // Of the two on the first die one is the host's.
    assert_eq!(bench.controller.host_operations(first), 1);
    assert_eq!(bench.controller.host_operations(second), 1);
    assert!(!bench.controller.is_idle(first) && !bench.controller.is_idle(second));
    bench.rest();
    assert_eq!(bench.controller.host_operations(first) + bench.controller.host_operations(second), 0);
    assert!(bench.controller.is_idle(first) && bench.controller.is_idle(second));
}

/// Test: on a chip without tables, the program time is the usual time divided by the program step relative to the usual
/// step, to the nearest nanosecond.
#[test]
fn a_program_in_larger_steps_is_shorter() {
    let mut bench = Bench::new(&[]);
    let costs = [1.5, 0.7].map(|step| bench.controller.add_cost(step));
    assert_eq!(costs, [1, 2], "0 is the usual one");
    let expected = [T_PROG, 200_000, 428_571];
    for (cost, t_prog) in expected.into_iter().enumerate() {
        assert_eq!(bench.controller.t_prog(0, 0, cost as u8).ns(), t_prog);
        let mut bench = Bench::new(&[]);
        for step in [1.5, 0.7] {
            bench.controller.add_cost(step);
        }
        let mut it = program(Class::HostProgram, 0);
        it.cost = cost as u8;
        let it = bench.at(0, it);
        bench.rest();
        assert_eq!(bench.times(it).1, DATA_IN + t_prog);
    }
    let error = bench.controller.add_voltages("low").expect_err("refused");
    assert!(error.contains("\"low\": this chip has no [tables.voltages]"), "{error}");
}

/// Test: on a chip with tables, the program time at a step that the tables lack is interpolated linearly between two
/// steps, or extrapolated beyond the last, for the block's wear; a voltage set has program times of its own.
#[test]
fn times_of_a_chip_with_tables_are_those_of_its_tables() {
    let mut bench = Bench::new(&[
        "nand.tables.pe_cycles=[0, 1000]",
        "nand.tables.steps=[0.5, 1.0, 2.0]",
        "nand.tables.t_prog=[\"600us\", \"560us\", \"300us\", \"280us\", \"100us\", \"80us\"]",
        "nand.tables.t_bers=[\"2ms\", \"3ms\"]",
        "nand.tables.voltages.sets=[\"high\", \"low\"]",
        "nand.tables.voltages.high.stress=1.0",
        "nand.tables.voltages.low.stress=1.0",
        "nand.tables.voltages.high.t_prog=[\"250us\", \"240us\"]",
        "nand.tables.voltages.low.t_prog=[\"150us\", \"140us\"]",
    ]);
    let microseconds =
        |bench: &Bench, cost| [0, 1].map(|wear| bench.controller.t_prog(0, wear, cost).ns() / 1000);
    assert_eq!(microseconds(&bench, 0), [300, 280]);
    let by_step = [
        (0.5, [600, 560]),
        (0.75, [450, 420]),
        (1.5, [200, 180]),
        // A fifth of the way before the first, and beyond the last.
        (0.4, [660, 616]),
        (2.2, [60, 40]),
    ];
    for (step, expected) in by_step {
        let cost = bench.controller.add_cost(step);
        assert_eq!(microseconds(&bench, cost), expected, "a step of {step}");
    }
    let (set, cost) = bench.controller.add_voltages("low").expect("it is known");
    assert_eq!((set, cost, microseconds(&bench, cost)), (1, 6, [150, 140]));
    let error = bench.controller.add_voltages("mean").expect_err("refused");
    assert!(error.ends_with("expected one of high, low"), "{error}");
    assert_eq!([0, 999, 1000, 5000].map(|cycles| bench.controller.wear_row(|| cycles)), [0, 0, 1, 1]);
    let mut worn = erase(0);
    worn.wear = 1;
    let it = bench.at(0, worn);
    bench.rest();
    assert_eq!(bench.times(it).1, ERASE_COMMAND + 3_000_000);
}

#[test]
fn a_controller_says_what_its_parts_are() {
    let mut bench = Bench::new(&["geometry.channels=3"]);
    assert_eq!((bench.controller.t_r(0).ns(), bench.controller.t_bers(0).ns()), (T_R, T_BERS));
    assert_eq!(bench.controller.channels(), 3);
    assert_eq!(bench.controller.wear_row(|| unreachable!("a chip without tables does not age")), 0);
    assert!(bench.controller.slc_mode().is_none());
    assert!(bench.controller.hastens_collection(), "the usual scheduler does");
    assert!(!Bench::new(&["controller.scheduler.name=fcfs"]).controller.hastens_collection());
    bench.at(0, program(Class::HostProgram, 4));
    bench.at(1 << 19, read(Class::InternalRead, 4));
    bench.rest();
    let before = bench.controller.work().clone();
    let it = bench.at(1 << 20, read(Class::InternalRead, 5));
    bench.rest();
    assert_eq!(bench.times(it).1, (1 << 20) + COMMAND + T_R + PAGE);
    assert_eq!(bench.controller.array_busy_total(), [T_PROG, 2 * T_R, 0, 0]);
    let since = bench.controller.work().since(&before);
    assert_eq!((since.array_by_origin(), since.bytes_in, since.bytes_out), ([0, T_R, 0, 0], 0, 4096));
    // Dies sit on channels by their numbers.
    let busy: Vec<u64> = bench.controller.channel_busy_ns(SimTime::from_ns(1 << 30)).collect();
    assert_eq!(busy, [0, DATA_IN + COMMAND + PAGE, COMMAND + PAGE]);
}

/// Test: array time is counted by the origin of the operation: host, garbage collection, wear levelling, others.
#[test]
fn the_time_of_the_array_is_told_by_whose_it_was() {
    let mut bench = Bench::new(&[]);
    for (at, origin) in [Origin::Host, Origin::Gc, Origin::Wear, Origin::Refresh].into_iter().enumerate() {
        let mut it = read(Class::InternalRead, 0);
        it.origin = origin;
        bench.at((at as u64) << 20, it);
        bench.rest();
    }
    assert_eq!(bench.controller.work().array_by_origin(), [T_R; 4]);
}
