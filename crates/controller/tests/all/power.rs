//! The power fails during an operation: had it begun to change cells, and was it over?

use crate::bench::{Bench, DATA_IN, ERASE_COMMAND, T_BERS, T_PROG, erase, program};
use controller::{Class, Ending, Transaction};
use units::SimTime;

/// Returns, for a test, the progress of an operation that was submitted at time 0 when the power is cut at `at` ns;
/// `None` if the operation had not begun to change cells.
fn found(transaction: Transaction, at: u64) -> Option<Ending> {
    let mut bench = Bench::new(&[]);
    bench.at(0, transaction);
    bench.pass_until(at.saturating_sub(1)); // What is due at that very moment does not happen any more.
    let interrupted = bench.controller.cut(SimTime::from_ns(at));
    assert!(interrupted.len() <= 1, "{interrupted:?}");
    interrupted.first().map(|it| it.ending)
}

#[test]
fn what_still_crosses_the_channel_has_changed_nothing() {
    let operations = [
        (program(Class::HostProgram, 0), DATA_IN, DATA_IN + T_PROG),
        (erase(0), ERASE_COMMAND, ERASE_COMMAND + T_BERS),
    ];
    for (transaction, begins, ends) in operations {
        let kind = transaction.kind;
        for at in [0, 1, begins] {
            assert_eq!(found(transaction, at), None, "{kind:?} at {at} ns");
        }
        for at in [begins + 1, (begins + ends) / 2, ends - 1] {
            assert_eq!(found(transaction, at), Some(Ending::Halfway), "{kind:?} at {at} ns");
        }
        assert_eq!(found(transaction, ends), Some(Ending::Done), "{kind:?}, which was not reported");
    }
}
