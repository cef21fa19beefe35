//! The account of time: every part of every flash operation, how long it may take, and what must lie before it.

use crate::examined::Busy;
use crate::numbers::{Numbers, SentData};
use controller::{ChannelUse, Kind, Origin, TimedTransaction, Transaction, TransactionId, Work};
use std::collections::VecDeque;
use units::SimTime;

/// Kind of step of a flash operation: the last step that an operation in flight has reached, in the checker's own model
/// of flash timing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FlightStage {
    /// Case of step of a flash operation that the checker saw last: the operation has ended, and its entry in the
    /// checker's list of operations is free.
    Over,
    Waits,
    /// Case of the last step of a flash operation that the checker saw: the operation's command, for a program together
    /// with its data, has been transferred to the die, and the array work has not ended yet.
    Loaded,
    /// Case of step of a flash operation that the checker saw last: the array suspended the program or erase before its
    /// end, so that other operations can go first.
    Suspended,
    /// Case of step of a flash operation that the checker saw last: its array work (sense, program or erase) is done;
    /// its data-out or status query may follow.
    Worked,
    /// Case of step of a flash operation that the checker saw last: the data of a read have crossed the channel, or the
    /// status of a program or erase has been queried.
    Told,
}

/// State of one flash operation in flight, in the checker's own model of flash timing.
#[derive(Clone, Copy, Debug)]
struct Flight {
    stage: FlightStage,
    kind: Kind,
    /// Simulated time at which the most recent step of the operation ended, in the checker's model; before its first
    /// step, the time at which it was queued.
    ready: SimTime,
    array_ns: u64,
    transfer_ns: u64,
    /// Pair of times in ns for this flash operation: the array time that it should take by the chip's data, and the
    /// greatest difference from it that the checker tolerates.
    due: (u64, u64),
    /// Bit mask of the mapping units that the read's data-out sends, including units for reads that share the data-out.
    mask: u64,
    /// Number of bytes that cross the channel for this flash read where only parts of units are read, including bytes
    /// for reads that share its data-out; 0 if whole units cross.
    bytes: u32,
    /// Three numbers of a read whose attempts overlap (pipelined retries: an attempt is sensed while the attempt before
    /// crosses the channel): attempts in all, 1 if none overlap; attempts sensed so far; attempts that have crossed the
    /// channel.
    pieces: (u8, u8, u8),
    /// Id of the flash read whose sense and data-out this read shares; `None` if this read has its own.
    carrier: Option<TransactionId>,
}

const OVER: Flight = Flight {
    stage: FlightStage::Over,
    kind: Kind::Read,
    ready: SimTime::ZERO,
    array_ns: 0,
    transfer_ns: 0,
    due: (0, 0),
    mask: 0,
    bytes: 0,
    pieces: (1, 0, 0),
    carrier: None,
};

/// Type of the checker's own model of flash timing: busy times of channels and flash arrays, and the state of each
/// flash operation in flight.
pub(crate) struct Clock {
    numbers: Numbers,
    channels: u32,
    flights: Vec<Flight>,
    channel_free: Vec<SimTime>,
    /// For each die: the time before which no operation may begin at the die's flash array.
    array_free: Vec<SimTime>,
    channel_ns: Vec<u64>,
    array_ns: Vec<[u64; 4]>,
    /// Sums over the drive that the checker adds up: array time in ns by kind of operation (read, program, erase,
    /// copyback) and purpose (host, garbage collection, ...), and bytes moved over the channels.
    work: Work,
    /// The checker's list of reads whose data have left their die and are being decoded by the ECC, each with the time
    /// at which its decoding ends.
    decoding: VecDeque<DecodingRead>,
}

/// Record of a flash read whose data are being decoded by the ECC, in the checker's own model of flash timing.
#[derive(Clone, Copy, Debug)]
struct DecodingRead {
    until: SimTime,
    origin: Origin,
    pages: u32,
    /// True for a read that does not answer a host request directly, such as one for garbage collection, read-ahead or
    /// the rest of a partial write: its data are used only after the decoding.
    is_internal: bool,
}

/// Returns the portion of `whole` (a number of senses or bit-planes) that falls to attempt number `piece` of a read
/// with `pieces` pipelined attempts; the portions are as equal as whole numbers allow and sum up to `whole`.
fn share(whole: u64, pieces: u8, piece: u8) -> u64 {
    let until = |piece: u64| whole * piece / u64::from(pieces);
    until(u64::from(piece) + 1) - until(u64::from(piece))
}

/// Returns the time in ns from the transfer of a read's data to the end of their decoding by the ECC. For a read with
/// pipelined retries only the last attempt's decoding counts: earlier attempts are decoded while the next are sensed.
fn decoding_ns(t_decode: u64, transaction: &Transaction) -> u64 {
    let decodes = u64::from(transaction.reading.decodes);
    let awaited = if transaction.reading.pieces > 1 { decodes.min(1) } else { decodes };
    t_decode * awaited + u64::from(transaction.reading.iterating_ns)
}

impl Clock {
    pub fn new(numbers: Numbers, dies: u32) -> Self {
        let channels = numbers.channels;
        Self {
            numbers,
            channels,
            flights: Vec::new(),
            channel_free: vec![SimTime::ZERO; channels as usize],
            array_free: vec![SimTime::ZERO; dies as usize],
            channel_ns: vec![0; channels as usize],
            array_ns: vec![[0; 4]; dies as usize],
            work: Work::default(),
            decoding: VecDeque::new(),
        }
    }

    fn flight(&mut self, id: TransactionId) -> &mut Flight {
        if self.flights.len() <= id.index() {
            self.flights.resize(id.index() + 1, OVER);
        }
        &mut self.flights[id.index()]
    }

    pub fn on_submit(&mut self, id: TransactionId, transaction: &Transaction) {
        let due = self.numbers.array_ns(transaction);
        let flight = self.flight(id);
        assert_eq!(flight.stage, FlightStage::Over, "two operations at once have number {}", id.0);
        let Transaction { kind, mask, bytes, queued: ready, .. } = *transaction;
        let pieces = (transaction.reading.pieces, 0, 0);
        *flight = Flight { stage: FlightStage::Waits, kind, ready, due, mask, bytes, pieces, ..OVER };
    }

    /// Notes in the checker's model of flash timing that a flash read shares the sense and data-out of another flash
    /// read, `carrier`: its units are added to the carrier's transfer or, if the carrier's data have been sent already,
    /// must have been in that transfer.
    pub fn on_ride(&mut self, carrier: TransactionId, id: TransactionId, transaction: &Transaction) {
        self.on_submit(id, transaction);
        let of = self.flight(carrier);
        assert_eq!(of.kind, Kind::Read, "a read rides on a {}", of.kind.name());
        if matches!(of.stage, FlightStage::Told | FlightStage::Over) {
            assert_eq!(
                transaction.mask & !of.mask,
                0,
                "a read rides on one whose data were out without its own"
            );
        } else {
            of.mask |= transaction.mask;
            let parts = of.bytes > 0 && transaction.bytes > 0;
            of.bytes = if parts { of.bytes + transaction.bytes } else { 0 };
        }
        self.flight(id).carrier = Some(carrier);
    }

    pub fn on_channel(
        &mut self,
        channel: usize,
        id: TransactionId,
        transaction: &Transaction,
        usage: ChannelUse,
        (from, to): (SimTime, SimTime),
    ) {
        let die = transaction.die;
        assert_eq!((die.0 % self.channels) as usize, channel, "{die} does not sit on channel {channel}");
        assert!(from >= self.channel_free[channel], "channel {channel} carries two things at {from}");
        self.channel_free[channel] = to;
        let flight = &self.flights[id.index()];
        let expected = match usage {
            ChannelUse::Command | ChannelUse::DataIn => FlightStage::Waits,
            ChannelUse::Status | ChannelUse::DataOut => FlightStage::Worked,
        };
        let (what, name) = (usage.name(), transaction.kind.name());
        assert_eq!(flight.stage, expected, "{what} of a {name} comes before or after its time, at {from}");
        assert!(from >= flight.ready, "{what} of a {name} begins at {from}, before {}", flight.ready);
        let (units, planes) = (flight.mask.count_ones(), transaction.reading.planes);
        let mut sent = SentData { units, bytes: flight.bytes, planes };
        let (pieces, sensed, out) = flight.pieces;
        let is_piece = pieces > 1 && usage == ChannelUse::DataOut;
        if is_piece {
            assert!(sensed > out, "piece {out} of a {name} is sent at {from}, before it was sensed");
            sent.planes.0 = share(u64::from(planes.0), pieces, out) as u16;
        }
        let (time, bytes) = self.numbers.channel_ns(transaction, usage, sent);
        let took = to.since(from).ns();
        assert_eq!(took, time, "{what} of a {name} takes {took} ns; by the interface's numbers it is {time}");
        match usage {
            ChannelUse::DataIn => self.work.bytes_in += bytes,
            _ => self.work.bytes_out += bytes,
        }
        self.channel_ns[channel] += took;
        let flight = &mut self.flights[id.index()];
        if is_piece {
            flight.pieces.2 += 1;
            if flight.pieces.2 < pieces {
                return; // The array senses on: no read waits for this.
            }
        }
        flight.stage = if expected == FlightStage::Waits { FlightStage::Loaded } else { FlightStage::Told };
        flight.ready = to;
        flight.transfer_ns += took;
    }

    pub fn on_array(&mut self, id: TransactionId, transaction: &Transaction, from: SimTime, to: SimTime) {
        let (die, kind) = (transaction.die.index(), transaction.kind);
        assert!(from >= self.array_free[die], "die {die} works on two things at {from}");
        assert!(to >= from, "an array operation ends before it begins");
        let resume = self.numbers.resume_ns();
        let flight = &mut self.flights[id.index()];
        let name = kind.name();
        let (pieces, sensed, _) = flight.pieces;
        match flight.stage {
            FlightStage::Loaded => {}
            FlightStage::Worked if sensed > 0 && sensed < pieces => {}
            FlightStage::Suspended => flight.due.0 += resume,
            stage => panic!("the array works on a {name} that is {stage:?}"),
        }
        assert!(from >= flight.ready, "a {name} begins at {from}, before {}", flight.ready);
        let busy = to.since(from).ns();
        flight.array_ns += busy;
        flight.ready = to;
        let (due, slack) = flight.due;
        let took = flight.array_ns;
        assert!(took <= due + slack, "a {name} takes {took} ns of its array; by the chip's file it is {due}");
        self.array_free[die] = to;
        flight.stage = FlightStage::Worked;
        if pieces > 1 {
            let senses = u64::from(transaction.reading.senses);
            let expected = due / senses * share(senses, pieces, sensed);
            assert_eq!(busy, expected, "piece {sensed} of a {name} takes another time of its array");
            flight.pieces.1 += 1;
        } else if took + slack < due {
            assert!(matches!(kind, Kind::Program | Kind::Erase), "a {name} ends after {took} of {due} ns");
            flight.stage = FlightStage::Suspended;
            self.array_free[die] = to + units::Nanos::new(self.numbers.suspend_ns(kind));
        }
        let column = transaction.origin.wait_column();
        self.array_ns[die][column] += busy;
        self.work.array_ns[kind as usize][column] += busy;
    }

    pub fn on_finish(&mut self, id: TransactionId, transaction: &TimedTransaction) {
        let name = transaction.kind.name();
        let flight = std::mem::replace(self.flight(id), OVER);
        // A read that is over may still be ridden on while its data are decoded: what it sent stays known.
        (self.flights[id.index()].mask, self.flights[id.index()].ready) = (flight.mask, flight.ready);
        self.note_decoding(transaction);
        if let Some(carrier) = flight.carrier {
            let of = self.flights[carrier.index()];
            let out = matches!(of.stage, FlightStage::Told | FlightStage::Over);
            assert!(
                out && transaction.times.finished >= of.ready,
                "a read ends before the one that it rides on"
            );
            assert_eq!(transaction.mask & !of.mask, 0, "a read ends without its data");
            return;
        }
        let needed = match transaction.kind {
            Kind::Read => FlightStage::Told,
            Kind::Program | Kind::Erase | Kind::Copyback if self.numbers.asks_status() => FlightStage::Told,
            _ => FlightStage::Worked,
        };
        let Flight { stage, array_ns, transfer_ns, ready, due, .. } = flight;
        assert_eq!(stage, needed, "a {name} ends after {array_ns} of {} ns of its array, {stage:?}", due.0);
        assert!(
            transaction.times.finished >= ready,
            "a {name} ends at {}, before {ready}",
            transaction.times.finished
        );
        assert_eq!(
            transaction.times.transfer_ns, transfer_ns,
            "a {name} counts other time at the channel than it took"
        );
        assert_eq!(
            transaction.times.array_ns, array_ns,
            "a {name} counts other time at the array than it took"
        );
    }

    /// Drops all flash operations in flight from the checker's model of flash timing, because the power failed at
    /// `now`. Returns, by origin, the number of pages read for internal work whose data had left the die but are never
    /// decoded.
    pub fn on_cut(&mut self, now: SimTime) -> [u64; Origin::COUNT] {
        let lost = self.decoding.iter().filter(|of| of.until >= now && of.is_internal);
        let mut pages = [0; Origin::COUNT];
        lost.for_each(|of| pages[of.origin as usize] += u64::from(of.pages));
        (self.channel_ns, _) = self.busy(now);
        self.flights.clear();
        self.channel_free.fill(now);
        self.array_free.fill(now);
        self.decoding.clear();
        pages
    }

    fn note_decoding(&mut self, transaction: &TimedTransaction) {
        while self.decoding.front().is_some_and(|of| of.until < transaction.times.finished) {
            self.decoding.pop_front();
        }
        let time = decoding_ns(self.numbers.t_decode, transaction);
        if transaction.kind == Kind::Read && time > 0 {
            let until = transaction.times.finished + units::Nanos::new(time);
            let Transaction { origin, pages, .. } = **transaction;
            let is_internal = origin != Origin::Host;
            self.decoding.push_back(DecodingRead { until, origin, pages, is_internal });
        }
    }

    /// Returns the time at which the data of a host read are available, after their decoding by the ECC.
    pub fn decoded(&self, transaction: &TimedTransaction) -> SimTime {
        let time = decoding_ns(self.numbers.t_decode, transaction);
        transaction.times.finished + units::Nanos::new(time)
    }

    /// Returns the number of pages that were read for `origin` and may still be in decoding by the ECC at `now`.
    pub fn decoding(&self, origin: Origin, now: SimTime) -> u64 {
        let pages = self.decoding.iter().filter(|of| of.until >= now && of.origin == origin);
        pages.map(|of| u64::from(of.pages)).sum()
    }

    /// Returns the busy times in ns that the checker's own model of flash timing has added up: of each channel until
    /// `now`, and of each die's array for the operations reported so far.
    pub fn busy(&self, now: SimTime) -> (Vec<u64>, Vec<u64>) {
        let late = self.channel_free.iter().map(|free| free.ns().saturating_sub(now.ns()));
        let channels = self.channel_ns.iter().zip(late).map(|(busy, late)| busy - late).collect();
        (channels, self.array_ns.iter().map(|busy| busy.iter().sum()).collect())
    }

    /// Checks the drive's own busy times of channels and flash arrays and its number of bytes moved against the
    /// checker's model at `now`. For an array operation in flight the drive may already count the time that has passed.
    pub fn settle(&self, drive: &Busy, now: SimTime) {
        let (channels, _) = self.busy(now);
        assert_eq!(drive.channels, channels, "every transfer is counted as time of its channel");
        assert!(
            channels.iter().all(|busy| *busy <= now.ns()),
            "a channel was busy longer than there was time"
        );
        let open = self.flights.iter().filter(|flight| flight.stage != FlightStage::Over).count();
        let in_flight = drive.in_flight;
        assert!(
            open <= in_flight,
            "{open} operations were submitted and never ended, {in_flight} are in flight"
        );
        for (die, counted) in drive.arrays.iter().enumerate() {
            let told = &self.array_ns[die];
            let since = if in_flight > 0 { now.ns().saturating_sub(self.array_free[die].ns()) } else { 0 };
            let (all, told_all) = (counted.iter().sum::<u64>(), told.iter().sum::<u64>());
            let holds = counted.iter().zip(told).all(|(counted, told)| counted >= told);
            assert!(
                holds && all - told_all <= since,
                "array time of die {die}: {counted:?} ns counted, {told:?} told and {since} since"
            );
            assert!(all <= now.ns(), "an array was busy longer than there was time");
        }
        assert_eq!(drive.work, self.work, "every byte that crosses a channel is counted");
    }
}
