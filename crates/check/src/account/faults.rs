//! What the accounts find: one faulty stream of events for each fault, beside the good one that it differs from.

use super::*;
use crate::clock::Clock;
use crate::content::Content;
use crate::examined::DriveCounts;
use crate::ledger::Ledger;
use crate::made_up::{MadeUp, shape};
use crate::numbers::{Numbers, SentData};
use controller::{Class, TimedTransaction};
use host::Op;
use serde_json::json;
use units::{DieId, Nanos};

/// Type, a test fixture of the checker: the checker's own model of flash timing (`Clock`), with one flash operation in
/// flight whose steps (channel transfers, array work, waits) a test simulates.
struct OneOperation {
    clock: Clock,
    numbers: Numbers,
    now: SimTime,
    timed: TimedTransaction,
}

const ID: TransactionId = TransactionId(3);

impl OneOperation {
    fn new(kind: Kind) -> Self {
        let numbers = || Numbers::new(&MadeUp::empty().facts()).expect("its numbers can be read");
        let class = if kind == Kind::Read { Class::HostRead } else { Class::HostProgram };
        let mut transaction = Transaction::new(kind, Origin::Host, class, DieId(0), 0, 0);
        (transaction.mask, transaction.pages) = (1, 1);
        transaction.rows = 1;
        let mut clock = Clock::new(numbers(), shape().dies);
        clock.on_submit(ID, &transaction);
        Self { clock, numbers: numbers(), now: SimTime::ZERO, timed: TimedTransaction::at_once(transaction) }
    }

    /// Simulates, in a test of the checker, the operation's next use of the channel (command, data-in, data-out or
    /// status), with a duration that exceeds the correct one by `more` ns (falls short of it if negative).
    fn cross(&mut self, usage: ChannelUse, more: i64) {
        let Transaction { bytes, reading, .. } = self.timed.transaction;
        let sent = SentData { units: 1, bytes, planes: reading.planes };
        let (time, _) = self.numbers.channel_ns(&self.timed, usage, sent);
        let from = self.now;
        self.now += Nanos::new(time.strict_add_signed(more));
        self.timed.times.transfer_ns += self.now.since(from).ns();
        self.clock.on_channel(0, ID, &self.timed, usage, (from, self.now));
    }

    /// Simulates, in a test of the checker, array work of `ns` nanoseconds for the flash operation.
    fn work(&mut self, ns: u64) {
        let from = self.now;
        self.now += Nanos::new(ns);
        self.timed.times.array_ns += ns;
        self.clock.on_array(ID, &self.timed, from, self.now);
    }

    fn wait(&mut self, ns: u64) {
        self.now += Nanos::new(ns);
    }

    fn finish(&mut self) {
        self.timed.times.finished = self.now;
        self.clock.on_finish(ID, &self.timed);
    }
}

/// Constant of a test: array read time of the test chip in ns.
const T_R: u64 = 50_000;
const T_PROG: u64 = 300_000;
const T_RESUME: u64 = 7_000;

/// Simulates a complete flash read in a test of the checker: command, sense, data-out. The data-out takes `more` ns
/// longer than the correct time (shorter if negative); the checker must notice this unless `more` is 0.
fn read(bench: &mut OneOperation, more: i64) {
    bench.cross(ChannelUse::Command, 0);
    bench.work(T_R);
    bench.cross(ChannelUse::DataOut, more);
    bench.finish();
}

/// Simulates in the test a program that is suspended after 100 us, resumes after `pause` ns and then works for `rest`
/// ns in the array.
fn suspended(pause: u64, rest: u64) {
    let mut bench = OneOperation::new(Kind::Program);
    bench.cross(ChannelUse::DataIn, 0);
    bench.work(100_000);
    bench.wait(pause);
    bench.work(rest);
    bench.cross(ChannelUse::Status, 0);
    bench.finish();
}

#[test]
fn what_keeps_to_the_numbers_passes() {
    read(&mut OneOperation::new(Kind::Read), 0);
    suspended(20_000, T_PROG - 100_000 + T_RESUME);
}

#[test]
#[should_panic(expected = "status of a program comes before or after its time")]
fn a_free_resume_is_found() {
    suspended(20_000, T_PROG - 100_000);
}

#[test]
#[should_panic(expected = "works on two things")]
fn a_free_suspension_is_found() {
    suspended(19_999, T_PROG - 100_000 + T_RESUME);
}

#[test]
#[should_panic(expected = "of its array; by the chip's file it is 300000")]
fn a_program_that_takes_too_long_is_found() {
    let mut bench = OneOperation::new(Kind::Program);
    bench.cross(ChannelUse::DataIn, 0);
    bench.work(T_PROG + 1);
}

#[test]
#[should_panic(expected = "a read ends after 49999 of 50000 ns")]
fn a_read_that_senses_too_short_is_found() {
    let mut bench = OneOperation::new(Kind::Read);
    bench.cross(ChannelUse::Command, 0);
    bench.work(T_R - 1);
}

#[test]
#[should_panic(expected = "by the interface's numbers it is")]
fn a_transfer_that_takes_too_short_is_found() {
    read(&mut OneOperation::new(Kind::Read), -1);
}

#[test]
#[should_panic(expected = "a read ends after 50000 of 50000 ns of its array, Worked")]
fn a_read_without_its_transfer_is_found() {
    let mut bench = OneOperation::new(Kind::Read);
    bench.cross(ChannelUse::Command, 0);
    bench.work(T_R);
    bench.finish();
}

#[test]
#[should_panic(expected = "every transfer is counted as time of its channel")]
fn a_channel_that_does_not_count_a_transfer_is_found() {
    let mut bench = OneOperation::new(Kind::Read);
    read(&mut bench, 0);
    bench.clock.settle(&MadeUp::empty().busy(bench.now), bench.now);
}

#[test]
#[should_panic(expected = "a read counts other time at the channel than it took")]
fn an_operation_that_does_not_count_a_transfer_is_found() {
    let mut bench = OneOperation::new(Kind::Read);
    bench.cross(ChannelUse::Command, 0);
    bench.work(T_R);
    bench.cross(ChannelUse::DataOut, 0);
    bench.timed.times.transfer_ns -= 1;
    bench.finish();
}

#[test]
#[should_panic(expected = "data out of a read comes before or after its time")]
fn data_that_are_out_before_they_are_sensed_are_found() {
    let mut bench = OneOperation::new(Kind::Read);
    bench.cross(ChannelUse::Command, 0);
    bench.cross(ChannelUse::DataOut, 0);
}

#[test]
#[should_panic(expected = "the array works on a program that is Waits")]
fn a_program_before_its_data_is_found() {
    OneOperation::new(Kind::Program).work(T_PROG);
}

#[test]
#[should_panic(expected = "a read ends at")]
fn an_end_before_the_last_part_is_found() {
    let mut bench = OneOperation::new(Kind::Read);
    bench.cross(ChannelUse::Command, 0);
    bench.work(T_R);
    bench.cross(ChannelUse::DataOut, 0);
    bench.now = SimTime::from_ns(bench.now.ns() - 1);
    bench.finish();
}

#[test]
#[should_panic(expected = "a read rides on one whose data were out without its own")]
fn a_rider_without_its_data_is_found() {
    let mut bench = OneOperation::new(Kind::Read);
    bench.cross(ChannelUse::Command, 0);
    bench.work(T_R);
    bench.cross(ChannelUse::DataOut, 0);
    let mut rider = bench.timed;
    rider.mask = 2;
    bench.clock.on_ride(ID, TransactionId(4), &rider);
}

#[test]
#[should_panic(expected = "operations were submitted and never ended")]
fn an_operation_that_is_lost_is_found() {
    let bench = OneOperation::new(Kind::Read);
    bench.clock.settle(&MadeUp::empty().busy(bench.now), bench.now);
}

// ---- what goes in comes out --------------------------------------------------------------------------

/// Makes, for a test, the checker's own model of requests and counts (`Ledger`), with a host read of one unit in
/// flight, and returns that read too.
fn ledger() -> (Ledger, HostRequest) {
    let bench = OneOperation::new(Kind::Read);
    let mut ledger =
        Ledger::new(DriveCounts::default(), 4096, bench.clock.busy(SimTime::ZERO), Measured::AtOnce);
    let request = HostRequest::plain(SimTime::ZERO, Op::READ, 0, 4096);
    ledger.on_request(0, &request);
    (ledger, request)
}

fn part() -> Transaction {
    let mut read = Transaction::new(Kind::Read, Origin::Host, Class::HostRead, DieId(0), 0, 0);
    (read.owner, read.mask, read.pages) = (0, 1, 1);
    read
}

#[test]
#[should_panic(expected = "a read is answered while 1 of its parts are read")]
fn an_answer_before_all_parts_is_found() {
    let (mut ledger, request) = ledger();
    ledger.on_host_part(&part(), Ppa(0));
    ledger.on_complete(0, &request, CompletionStatus::Success, SimTime::from_ns(1));
}

#[test]
#[should_panic(expected = "before its data at t=9ns")]
fn an_answer_before_the_data_are_decoded_is_found() {
    let (mut ledger, request) = ledger();
    ledger.on_host_part(&part(), Ppa(0));
    ledger.on_host_part_read(&part(), SimTime::from_ns(9));
    ledger.on_complete(0, &request, CompletionStatus::Success, SimTime::from_ns(8));
}

#[test]
#[should_panic(expected = "the host wants units of the flash that no read brings")]
fn a_unit_that_is_not_read_is_found() {
    let (mut ledger, request) = ledger();
    ledger.on_host_read(Ppa(0));
    ledger.on_host_read(Ppa(1));
    ledger.on_host_part(&part(), Ppa(0));
    ledger.on_host_part_read(&part(), SimTime::ZERO);
    ledger.on_complete(0, &request, CompletionStatus::Success, SimTime::from_ns(8));
}

#[test]
#[should_panic(expected = "a write is answered with 0 of 1 units in the drive")]
fn a_write_whose_data_did_not_enter_is_found() {
    let (mut ledger, request) = ledger();
    let write = HostRequest { op: Op::WRITE, ..request };
    ledger.on_request(1, &write);
    ledger.on_complete(1, &write, CompletionStatus::Success, SimTime::ZERO);
}

#[test]
#[should_panic(expected = "pages read for host: 1 seen and 0 counted")]
fn a_read_that_the_drive_does_not_count_is_found() {
    let (mut ledger, _) = ledger();
    ledger.on_read(&part());
    ledger.settle(&DriveCounts::default(), |_| 0);
}

#[test]
fn a_read_that_is_being_decoded_need_not_count_yet() {
    let (mut ledger, _) = ledger();
    ledger.on_read(&part());
    ledger.settle(&DriveCounts::default(), |origin| u64::from(origin == Origin::Host));
}

#[test]
#[should_panic(expected = "units programmed, by origin: seen and counted")]
fn a_unit_of_another_origin_is_found() {
    let (mut ledger, _) = ledger();
    let mut program = part();
    program.pages = 0;
    ledger.on_programmed(&program, [Origin::Gc].into_iter());
    ledger.settle(&DriveCounts::default(), |_| 0);
}

#[test]
#[should_panic(expected = "units that the host read: found somewhere and answered")]
fn a_unit_that_was_answered_from_nowhere_is_found() {
    let (mut ledger, request) = ledger();
    ledger.on_complete(0, &request, CompletionStatus::Success, SimTime::ZERO);
    ledger.settle(&DriveCounts::default(), |_| 0);
}

#[test]
#[should_panic(expected = "programs of host: said and seen")]
fn a_result_that_says_something_else_is_found() {
    let (ledger, _) = ledger();
    let by_origin = |count: u64| -> serde_json::Map<String, Value> {
        Origin::ALL.iter().map(|origin| (origin.name().into(), json!(count))).collect()
    };
    let result = json!({ "flash": { "programs": by_origin(1) } });
    ledger.compare(&result, &OneOperation::new(Kind::Read).clock, SimTime::ZERO);
}

/// Makes, for a test, the checker's own model of requests and counts, in which the host has written the first sector of
/// unit 0 into slot 0 (an entry for one unit) of the write buffer.
fn written() -> Ledger {
    let (mut ledger, request) = ledger();
    let write = HostRequest { op: Op::WRITE, bytes: 512, ..request };
    ledger.on_request(1, &write);
    ledger.on_data(1, &write);
    ledger.on_buffered(Lpn(0), 0, None);
    ledger
}

#[test]
#[should_panic(expected = "bytes that the host wrote: seen and counted")]
fn bytes_that_the_drive_does_not_count_are_found() {
    let mut ledger = written();
    ledger.on_host_write(Lpn(0));
    ledger.settle(&DriveCounts::default(), |_| 0);
}

#[test]
#[should_panic(expected = "bytes that fill up units: seen and counted")]
fn the_rest_of_a_unit_that_the_drive_does_not_count_is_found() {
    let mut ledger = written();
    ledger.on_hosts_programmed([0].into_iter());
    ledger.settle(&DriveCounts::default(), |_| 0);
}

/// Test: if two slots of the write buffer hold versions of one unit, the checker takes the newer one (in slot 1) for
/// the version that the map points to, in any order of the slots in the program; a sector that the host then writes is
/// all new data of slot 1. (Units of a failed program are programmed again in another order.)
#[test]
fn the_newer_of_two_slots_is_committed_in_any_order() {
    for slots in [[0, 1], [1, 0]] {
        let mut ledger = written();
        ledger.on_buffered(Lpn(0), 1, Some(0));
        ledger.on_hosts_programmed(slots.into_iter());
        ledger.on_commit(Lpn(0));
        let next = HostRequest::plain(SimTime::ZERO, Op::WRITE, 512, 512);
        ledger.on_request(2, &next);
        ledger.on_data(2, &next);
        ledger.on_buffered(Lpn(0), 1, Some(1));
        ledger.on_hosts_programmed([1].into_iter());
        ledger.settle(&DriveCounts { bytes_filled_up: 3 * (4096 - 512), ..DriveCounts::default() }, |_| 0);
    }
}

/// Returns a test result of a run that wrote one sector to a drive with units of 4 KiB and programmed one unit; `waf`
/// is the write amplification and `fill_up` its part from filled-up units.
fn amplified(waf: f64, fill_up: f64) -> Value {
    json!({
        "waf": waf,
        "waf_parts": { "host": 1.0, "fill_up": fill_up, "gc": null },
        "waf_bytes": { "host_written": 512, "filled_up": 3584 },
    })
}

fn amplifying() -> Ledger {
    let mut ledger = written();
    ledger.on_host_write(Lpn(0));
    ledger.on_hosts_programmed([0].into_iter());
    ledger.on_programmed(&part(), [Origin::Host].into_iter());
    ledger
}

#[test]
fn write_amplification_of_bytes_is_right() {
    amplifying().compare_bytes(&amplified(8.0, 7.0));
}

#[test]
#[should_panic(expected = "waf: 1 said and 8 seen")]
fn write_amplification_of_units_is_found() {
    amplifying().compare_bytes(&amplified(1.0, 7.0));
}

#[test]
#[should_panic(expected = "the parts of waf: 1 said and 8 seen")]
fn parts_that_do_not_add_up_are_found() {
    amplifying().compare_bytes(&amplified(8.0, 0.0));
}

// ---- whose bytes are whose ---------------------------------------------------------------------------

const HOME: Ppa = Ppa(40);
const PLACE: Ppa = Ppa(80);

/// Test helper: returns the checker's model of sectors for this scenario: unit 5 of 4 KiB has version 1 (its first
/// write) at physical address `HOME`; then the host writes its third and fourth sector anew into slot 0 of the write
/// buffer, as version 2.
fn partly_written() -> Content {
    let mut bytes = Content::new(4096);
    bytes.on_data(5 * 4096 + 1024, 1024);
    bytes.on_write(Lpn(5), 2, 1);
    bytes.on_buffered(Lpn(5), 0, 2, None);
    bytes
}

#[test]
fn a_unit_that_was_merged_is_whole() {
    let mut bytes = partly_written();
    bytes.on_rest_read(0, HOME, (Lpn(5), 1));
    assert_eq!(bytes.on_place(0, PLACE), (Lpn(5), 2));
    bytes.on_commit(PLACE);
    bytes.on_host_read(Lpn(5), PLACE);
}

#[test]
#[should_panic(expected = "a partial write was not merged with what was there")]
fn a_lost_merge_is_lost_data() {
    let mut bytes = partly_written();
    bytes.on_place(0, PLACE);
    bytes.on_commit(PLACE);
}

#[test]
#[should_panic(expected = "sector 0 of Lpn 5 has what write 7 brought instead of what write 1 brought")]
fn a_merge_with_another_version_is_found() {
    let mut bytes = partly_written();
    bytes.on_rest_read(0, HOME, (Lpn(5), 7));
    bytes.on_place(0, PLACE);
    bytes.on_commit(PLACE);
}

#[test]
#[should_panic(expected = "is read at Ppa 40, which holds Lpn 6")]
fn a_merge_with_another_unit_is_found() {
    partly_written().on_rest_read(0, HOME, (Lpn(6), 1));
}

#[test]
#[should_panic(expected = "Lpn 5 is programmed at t=8ns, before its rest is decoded at t=9ns")]
fn a_merge_with_what_is_being_decoded_is_found() {
    let mut bytes = partly_written();
    bytes.on_rest_read(0, HOME, (Lpn(5), 1));
    bytes.on_rest_decoded(0, SimTime::from_ns(9));
    bytes.on_program(0, SimTime::from_ns(8));
}

#[test]
#[should_panic(expected = "a partial write was not merged with what was there")]
fn a_merge_with_what_waits_for_its_own_rest_is_found() {
    let mut bytes = partly_written();
    bytes.on_data(5 * 4096, 512);
    bytes.on_write(Lpn(5), 3, 2);
    bytes.on_buffered(Lpn(5), 1, 3, Some(0));
    bytes.on_place(1, PLACE);
    bytes.on_commit(PLACE);
}

#[test]
fn what_waits_behind_another_is_whole_when_the_other_is() {
    let mut bytes = partly_written();
    bytes.on_data(5 * 4096, 512);
    bytes.on_write(Lpn(5), 3, 2);
    bytes.on_buffered(Lpn(5), 1, 3, Some(0));
    bytes.on_rest_read(0, HOME, (Lpn(5), 1));
    bytes.on_rest(1, 0);
    assert_eq!(bytes.on_place(1, PLACE), (Lpn(5), 3));
    bytes.on_commit(PLACE);
}

#[test]
#[should_panic(expected = "slot 0 is written anew while Lpn 5 in it goes to the flash")]
fn a_slot_that_changes_on_its_way_is_found() {
    let mut bytes = partly_written();
    bytes.on_place(0, PLACE);
    bytes.on_data(5 * 4096, 4096);
    bytes.on_buffered(Lpn(5), 0, 3, Some(0));
}

#[test]
#[should_panic(expected = "another unit or version is, or one that was never read")]
fn a_move_of_what_was_not_read_is_found() {
    let mut checker = Checker::new(&MadeUp::empty(), Measured::AtOnce).expect("its numbers can be read");
    let program = |origin, row| {
        let mut program = Transaction::new(Kind::Program, origin, Class::HostProgram, DieId(0), 0, row);
        program.owner = 0;
        program
    };
    let request = HostRequest::plain(SimTime::ZERO, Op::WRITE, 0, 4096);
    checker.on_request(0, &request);
    checker.on_data(0, &request, Lpn(0));
    checker.on_host_write(Lpn(0));
    checker.on_buffered(Lpn(0), 0, None);
    checker.on_place(&program(Origin::Host, 0), 1, |_| (Origin::Host, 0));
    checker.rows[0] = 2;
    checker.on_commit(Lpn(0), Ppa(0), Ppa::NONE);
    let new = Ppa(u64::from(shape().row_units));
    checker.on_place(&program(Origin::Gc, 1), 1, |_| (Origin::Gc, 0));
    checker.on_moved(Lpn(0), new, Ppa(0));
}
