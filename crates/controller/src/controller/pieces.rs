//! Pipelined retries: the next attempt is sensed while the one before crosses the channel and is decoded.
//!
//! Park and others, ASPLOS 2021: with cache reads only the last attempt's transfer and decoding are waited for. The
//! attempt that is begun before the last one turns out well is given up at once, which costs nothing here; a decoder
//! slower than the array would hold the array up, which is not modelled either.

use super::Controller;
use crate::in_flight::InFlight;
use engine::Calendar;

impl InFlight {
    /// Returns true if the piece of a read that crosses the channel now is the last one (pieces: overlapping attempts
    /// of pipelined read retries).
    #[inline]
    pub(crate) fn is_last_piece(&self) -> bool {
        self.sent + 1 >= self.reading.pieces
    }
}

impl Controller {
    /// Starts the array read of a read's next piece (overlapping attempt of pipelined read retries) once the data of
    /// the piece before are in the page register.
    #[cold]
    pub(super) fn sense_on(&mut self, die: usize, calendar: &mut Calendar) {
        let transaction = &mut self.slab.items[self.dies[die].array.index()];
        // Until the register was free, the array stood still for the sake of the channel.
        transaction.times.channel_ns += calendar.now().since(transaction.since).ns();
        transaction.since = calendar.now();
        let senses = transaction.reading.part(u64::from(transaction.reading.senses), transaction.sensed);
        let (row, slc) = (transaction.row, transaction.slc);
        let busy = self.t_r_of(row, slc).times(senses);
        self.start_array(die, calendar.now(), busy, calendar);
    }
}
