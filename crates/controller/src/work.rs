//! What arrays and wires have done, by kind and on whose behalf.

use crate::{Kind, Transaction, Waits};
use units::Nanos;

/// Record of totals over the drive from which energy is calculated: array times by kind of operation, and bytes sent
/// over the channels.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Array time in ns, by [`Kind`] of operation, and within it by origin (host, GC, wear levelling, other).
    pub array_ns: [Waits; Kind::COUNT],
    /// Number of bytes sent to dies, including spare bytes where they cross the bus.
    pub bytes_in: u64,
    /// Number of bytes sent from dies over the channels.
    pub bytes_out: u64,
}

impl Work {
    #[inline]
    pub(crate) fn count(&mut self, transaction: &Transaction, busy: Nanos) {
        self.array_ns[transaction.kind as usize][transaction.origin.wait_column()] += busy.ns();
    }

    /// Returns the drive's array times in ns by origin (host, GC, wear levelling, other), each summed over all kinds of
    /// operation.
    pub fn array_by_origin(&self) -> Waits {
        std::array::from_fn(|column| self.array_ns.iter().map(|by| by[column]).sum())
    }

    /// Returns the array times and transferred bytes since `earlier`, an older copy of these totals of the drive.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let mut done = self.clone();
        for (now, then) in done.array_ns.iter_mut().flatten().zip(earlier.array_ns.iter().flatten()) {
            *now -= then;
        }
        done.bytes_in -= earlier.bytes_in;
        done.bytes_out -= earlier.bytes_out;
        done
    }
}
