//! Which stream each unit joins, and what is noted of units so that this can be said: what stands behind `ftl.streams`.

use super::Core;
use super::handles::Handles;
use crate::saved::Untaken;
use crate::store::{Frontier, Mover, Space, Store};
use crate::streams::{
    ByOrigin, HALVED_AT, Maker, PlacementArea, STREAMS_MOST, StreamPolicy, Takes, UnitView,
};
use crate::{Layout, SavedState};
use units::{Lpn, Ppa};

/// State of the streams of a drive (each with an open superblock on every die), with the policy that chooses the stream
/// of each mapping unit.
pub(crate) struct Streams {
    policy: Box<dyn StreamPolicy>,
    /// Numbers of the stream for host data and of the stream for moved (relocated) data, where the stream policy always
    /// chooses these two; `None` if the policy is asked for each unit.
    by_origin: Option<ByOrigin>,
    /// Bit set of the streams that take host data, one bit for each stream.
    hosts: u64,
    /// Bit set of the streams that take moved (relocated) data, one bit for each stream.
    moved: u64,
    /// Number of free superblocks of a die that are reserved because moved (relocated) data may join several streams.
    spare: u32,
    /// Number of mapping units of a die that must stay free because moved (relocated) data may join several streams.
    unusable: u32,
    /// For each stream, the number of the stream whose open superblock it takes over, where possible, in place of
    /// opening a free superblock; `None` if it may take over none.
    takes_over: Box<[Option<usize>]>,
    notes: Option<Box<UnitNotes>>,
    /// Field: state of the placement handles that the host may name, where the stream policy has handles.
    pub handles: Option<Box<Handles>>,
}

/// Set of counts and bit sets for a drive's streams: which streams take host data and moved data, and the superblocks
/// and mapping units of each die that are reserved because of the number of streams.
#[derive(Clone, Copy)]
pub(crate) struct StreamCounts {
    hosts: u64,
    moved: u64,
    spare: u32,
    unusable: u32,
}

/// Record of the notes on mapping units and superblocks for a stream policy; an array that the policy does not ask for
/// is empty.
struct UnitNotes {
    /// For each mapping unit, the number of its host writes, halved from time to time so that older writes weigh less.
    writes: Vec<u32>,
    /// Sum over all mapping units of the stream policy's halved counts of host writes (`writes`).
    total: u64,
    /// Number of mapping units that the host has written at least once, as the stream policy's notes count them.
    written: u64,
    /// For each mapping unit, the value of `clock` (number of units written by the host so far) at its last host write.
    written_at: Vec<u64>,
    /// For each superblock, the value of `clock` (number of units written by the host so far) when it was opened.
    opened_at: Vec<u64>,
    /// Clock of the stream policy's notes: number of mapping units that the host has written so far.
    clock: u64,
}

/// Returns the number of free superblocks, and the number of mapping units, of a die that are reserved where moved
/// (relocated) data may go to any of `streams` streams.
fn kept_beside(streams: u32, layout: &Layout) -> (u32, u32) {
    if streams == 1 {
        return (0, 0);
    }
    let (units, padding) = (layout.data_units(), streams * layout.program_units);
    // Padded once more when time begins.
    let superblocks = streams - 1 + (2 * padding).div_ceil(units);
    (superblocks, (streams - 1) * units + padding)
}

/// Returns the numbers of the streams whose bits are set in `set`.
fn members(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let first = set.trailing_zeros();
        set &= set.wrapping_sub(1);
        (first < u64::BITS).then_some(first as usize)
    })
}

impl Streams {
    /// Makes the streams that the stream policy declares, for a drive of this layout whose write buffer has `slots`
    /// slots; also returns the number of streams. `areas` are the namespaces with their placement identifiers, where
    /// there are several or they are given.
    ///
    /// # Panics
    /// When the policy declares no stream or too many, or none for host data or for moved data.
    pub fn new((maker, areas): (&Maker, &[PlacementArea]), layout: &Layout, slots: u32) -> (Self, usize) {
        let policy = maker();
        let specs = policy.streams();
        let taken_by = |wanted: Takes| {
            let takes = |takes: Takes| takes == wanted || takes == Takes::Both;
            (0..).zip(&specs).filter(|(_, spec)| takes(spec.takes)).fold(0, |set, (at, _)| set | 1u64 << at)
        };
        assert!(
            (1..=STREAMS_MOST).contains(&specs.len()),
            "a stream policy declared {} streams",
            specs.len()
        );
        let (hosts, moved) = (taken_by(Takes::Host), taken_by(Takes::Moved));
        assert!(
            hosts != 0 && moved != 0,
            "a stream policy left no stream for the host's data or for what is moved"
        );
        let (asked, by_origin) = (policy.notes(), policy.by_origin());
        let notes = (asked.writes || asked.times).then(|| {
            let sized = |asked: bool, size: usize| if asked { size } else { 0 };
            Box::new(UnitNotes {
                writes: vec![0; sized(asked.writes, layout.written_units() as usize)],
                total: 0,
                written: 0,
                written_at: vec![0; sized(asked.times, layout.written_units() as usize)],
                opened_at: vec![0; sized(asked.times, layout.superblocks())],
                clock: 0,
            })
        });
        let (spare, unusable) = kept_beside(moved.count_ones(), layout);
        let takes_over = specs.iter().map(|spec| spec.takes_over).collect();
        let handles = policy.handles();
        let handles = handles.map(|spec| Box::new(Handles::new(spec, &specs, layout, (slots, areas))));
        (Self { policy, by_origin, hosts, moved, spare, unusable, takes_over, notes, handles }, specs.len())
    }

    /// Returns the stream that the policy chooses for all host data and the stream for all moved data; `None` if the
    /// policy is asked for each unit.
    #[inline]
    pub fn by_origin(&self) -> Option<ByOrigin> {
        self.by_origin
    }

    /// Returns the number of the stream that all host data join.
    ///
    /// # Panics
    /// When the stream policy chooses a stream for each unit.
    #[inline]
    pub fn of_host(&self) -> usize {
        self.by_origin.expect("the host's data have one stream here").host
    }

    /// Returns true if host data may join the stream.
    #[inline]
    pub fn takes_hosts(&self, stream: usize) -> bool {
        self.hosts >> stream & 1 == 1
    }

    /// Returns true if the stream takes both host data and moved data.
    #[inline]
    pub fn is_shared(&self, stream: usize) -> bool {
        self.hosts & self.moved & 1 << stream != 0
    }

    /// Returns the numbers of those write streams of the drive that take relocated (moved) data; the stream policy
    /// chooses among them.
    #[inline]
    pub fn of_moved(&self) -> impl Iterator<Item = usize> + use<> {
        members(self.moved)
    }

    /// Returns the numbers of those write streams of the drive that take host data; the stream policy chooses among
    /// them.
    pub fn of_hosts(&self) -> impl Iterator<Item = usize> + use<> {
        members(self.hosts)
    }

    /// Returns the number of streams that moved data may join.
    #[inline]
    pub fn moved_count(&self) -> u32 {
        self.moved.count_ones()
    }

    /// Returns the number of free superblocks of a die that the host may not use because moved data may join any of
    /// several streams.
    #[inline]
    pub fn spare(&self) -> u32 {
        self.spare
    }

    /// Returns the number of mapping units of a die that must stay free beside the units needed, where moved
    /// (relocated) data may join any of several streams: the space left in the open superblocks of other streams cannot
    /// be used, and each stream may need padding.
    #[inline]
    pub fn unusable_units(&self) -> u32 {
        self.unusable
    }

    /// Returns the present bit sets of the streams (those for host data, those for moved data) and the space reserved
    /// for them, so that [`Self::set_counts`] can restore them.
    pub fn counts(&self) -> StreamCounts {
        let &Self { hosts, moved, spare, unusable, .. } = self;
        StreamCounts { hosts, moved, spare, unusable }
    }

    /// Returns the bit sets of the streams, and the space reserved for them, as they would be if the stream policy
    /// declared one placement handle less (the last); `None` if no handle can be left out.
    pub fn counts_with_one_less(&self, layout: &Layout) -> Option<StreamCounts> {
        let left = self.handles.as_ref()?;
        let last = self.of_hosts().filter(|&stream| left.of_stream(stream).is_some()).last()?;
        let is_its_own = |stream: &usize| left.of_stream(*stream) == left.of_stream(last);
        let hosts = self.hosts & !(1 << last);
        let moved = self.of_moved().filter(is_its_own).fold(self.moved, |set, stream| set & !(1 << stream));
        let (spare, unusable) = kept_beside(moved.count_ones().max(1), layout);
        (hosts != 0).then_some(StreamCounts { hosts, moved, spare, unusable })
    }

    /// Replaces the bit sets of the streams and the space reserved for them, in order to find out how many streams the
    /// drive has space for.
    pub fn set_counts(&mut self, counts: StreamCounts) {
        let StreamCounts { hosts, moved, spare, unusable } = counts;
        (self.hosts, self.moved, self.spare, self.unusable) = (hosts, moved, spare, unusable);
    }

    /// Returns the number of streams of a die, for host data and moved data together.
    pub fn count(&self) -> u32 {
        (self.hosts | self.moved).count_ones()
    }

    /// Returns true if the stream of a unit depends only on whether the host writes the unit or the drive moves it, and
    /// the stream policy wants no notes on units and has no placement handles.
    pub fn is_plain(&self) -> bool {
        self.by_origin.is_some() && self.notes.is_none() && self.handles.is_none()
    }

    /// Asks the stream policy for the stream of unit `lpn`, whose newest data lie at physical address `home`, and
    /// returns the number of the stream.
    ///
    /// # Panics
    /// When the policy names a stream that does not take host data, or moved data, as the origin of the unit requires.
    #[cold]
    fn ask(&mut self, store: &Store, (lpn, home): (Lpn, Ppa), hint: Option<u16>, origin: Takes) -> usize {
        let moved = origin == Takes::Moved;
        let notes = self.notes.as_deref();
        let at = lpn.index();
        let written_at = notes.and_then(|notes| Some((notes.clock, *notes.written_at.get(at)?)));
        let view = UnitView {
            lpn,
            moved,
            hint: hint.filter(|_| store.layout.is_host_unit(lpn)),
            // The clock is 1 after the first unit, so that 0 stands for never.
            age: written_at.filter(|&(_, at)| at > 0).map(|(now, at)| now - at),
            writes: notes.and_then(|notes| notes.writes.get(at).copied()).unwrap_or(0),
            writes_mean: notes.map_or(0.0, |notes| notes.total as f64 / notes.written.max(1) as f64),
            last: (home != Ppa::NONE)
                .then(|| usize::from(store.space.stream[store.layout.superblock_of(home) as usize])),
        };
        let stream = self.policy.join(&view);
        let taken = if moved { self.moved } else { self.hosts };
        assert!(
            stream < STREAMS_MOST && taken >> stream & 1 == 1,
            "the stream policy sent {view:?} to stream {stream}, which does not take it"
        );
        stream
    }

    /// Updates the notes of the stream policy for a mapping unit that the host writes: the unit's number of writes and
    /// time of last writing.
    #[inline]
    pub fn note_written(&mut self, lpn: Lpn) {
        let Some(notes) = &mut self.notes else { return };
        notes.clock += 1;
        if let Some(at) = notes.written_at.get_mut(lpn.index()) {
            *at = notes.clock;
        }
        if let Some(writes) = notes.writes.get_mut(lpn.index()) {
            notes.written += u64::from(*writes == 0);
            *writes += 1;
            notes.total += 1;
            if notes.total >= HALVED_AT * notes.written.max(1) {
                notes.halve();
            }
        }
    }

    /// Records for the placement handles and the stream policy that a superblock (numbered over the drive) is opened
    /// for a stream.
    #[inline]
    pub fn note_opened(&mut self, superblock: usize, stream: usize) {
        if let Some(handles) = self.handles.as_mut().filter(|_| self.hosts >> stream & 1 == 1) {
            handles.note_opened(stream, superblock);
        }
        if let Some(notes) = &mut self.notes
            && let Some(at) = notes.opened_at.get_mut(superblock)
        {
            *at = notes.clock;
        }
    }

    /// Tells the placement handles and the stream policy that garbage collection takes a superblock (numbered over the
    /// drive) as a victim.
    #[inline]
    pub fn note_reclaimed(&mut self, space: &Space, superblock: usize) {
        if let Some(handles) = &mut self.handles {
            handles.note_reclaimed(usize::from(space.stream[superblock]), space.valid[superblock]);
        }
        let Some(notes) = &self.notes else { return };
        if let Some(at) = notes.opened_at.get(superblock) {
            self.policy.on_reclaim(usize::from(space.stream[superblock]), notes.clock - at);
        }
    }

    /// Records for the placement handles that `bytes` of host data of unit `lpn` that arrive now are in a slot of the
    /// write buffer.
    #[inline]
    pub fn note_arrived(&mut self, slot: u32, lpn: Lpn, bytes: u64) {
        if let Some(handles) = &mut self.handles {
            handles.note_arrived(slot, lpn, bytes);
        }
    }

    /// Records for the placement handles that a superblock of a stream is closed before it is full.
    #[inline]
    pub fn note_ended(&mut self, stream: usize) {
        if let Some(handles) = self.handles.as_mut().filter(|_| self.hosts >> stream & 1 == 1) {
            handles.note_ended(stream);
        }
    }

    /// Records for the placement handles that a power cut closed a superblock of a stream before it was full.
    pub fn note_cut(&mut self, stream: usize) {
        self.note_ended(stream);
        if let Some(handles) = self.handles.as_mut().filter(|_| self.hosts >> stream & 1 == 1) {
            handles.note_cut(stream);
        }
    }

    /// Returns the number of the stream that a host unit joins when it is written without simulated time. The call
    /// records nothing and may be repeated.
    #[inline]
    pub fn of_host_unit(&mut self, store: &Store, lpn: Lpn) -> usize {
        match self.by_origin {
            Some(answer) => answer.host,
            None => {
                let hint = self.handles.as_ref().map(|handles| handles.arriving(lpn).handle);
                self.ask(store, (lpn, store.map.lookup(lpn)), hint, Takes::Host)
            }
        }
    }

    /// Asks the stream policy for the stream that a unit in a slot of the write buffer joins when it is programmed, and
    /// returns the number of the stream.
    pub fn of_slot(&mut self, store: &Store, slot: u32, lpn: Lpn) -> usize {
        let hint = self.handles.as_ref().map(|handles| handles.of_slot(slot).handle);
        self.ask(store, (lpn, store.map.lookup(lpn)), hint, Takes::Host)
    }

    /// Returns the number of the stream that a unit joins when it is moved from physical address `from`.
    #[inline]
    pub fn of_moved_unit(&mut self, store: &Store, lpn: Lpn, from: Ppa) -> usize {
        match self.by_origin {
            Some(answer) => answer.moved,
            None => self.ask(store, (lpn, from), None, Takes::Moved),
        }
    }

    /// Returns the open superblocks of a die that take moved (relocated) data, each with the number of its stream.
    #[inline]
    fn moving<'a>(&self, store: &'a Store, die: usize) -> impl Iterator<Item = (usize, &'a Frontier)> {
        let frontiers = &store.space.dies[die].frontiers;
        self.of_moved().map(|stream| (stream, &frontiers[stream]))
    }

    /// Returns the number of mapping units that still fit into the die's open superblocks for moved (relocated) data.
    #[inline]
    pub fn moving_left(&self, store: &Store, die: usize) -> u32 {
        match self.by_origin {
            Some(answer) => store.space.dies[die].frontiers[answer.moved].left(&store.layout),
            None => self.moving(store, die).map(|(_, frontier)| frontier.left(&store.layout)).sum(),
        }
    }

    /// Returns the number of mapping units that still fit into the die's open superblocks for moved data; in a stream
    /// shared with host data only whole program units count, because the host's timer may pad a partial one.
    pub fn moving_left_whole(&self, store: &Store, die: usize) -> u32 {
        let program = store.layout.program_units;
        let whole = |(stream, frontier): (usize, &Frontier)| {
            let left = frontier.left(&store.layout);
            if self.is_shared(stream) { left - left % program } else { left }
        };
        self.moving(store, die).map(whole).sum()
    }

    /// Returns the number of the stream whose open superblock `stream`, which has none of its own, may take over on a
    /// die; `None` if there is no such stream, if that superblock has programs in flight, a partly filled program unit
    /// or too little space, or while garbage collection has a victim.
    #[inline]
    pub fn can_take_over(&self, store: &Store, die: usize, stream: usize, mover: &Mover) -> Option<usize> {
        let other = (*self.takes_over.get(stream)?)?;
        let frontier = &store.space.dies[die].frontiers[other];
        let has_room = frontier.left(&store.layout) >= store.layout.program_units;
        if !has_room || frontier.filled > 0 || mover.has_victim() {
            return None;
        }
        // Programs of a superblock must stay in order, and those of the other stream may wait in a class of their own.
        let global = store.space.global(die, frontier.superblock);
        (store.space.in_flight[global] == 0).then_some(other)
    }

    /// Returns an error message if relocating a superblock might gain no space, because padding in several streams can
    /// take as many units as a superblock has; `None` if the drive is large enough.
    pub fn too_small(&self, layout: &Layout) -> Option<String> {
        let (streams, program, units) = (self.moved_count(), layout.program_units, layout.data_units());
        (units <= streams * (program - 1)).then(|| {
            format!(
                "this drive cannot sustain writes: what is moved joins one of {streams} streams (ftl.streams), each of which may \
                 have to be padded to a program of {program} mapping units, and a superblock has only {units}; expected \
                 blocks of more pages, or ftl.streams.name = separate"
            )
        })
    }

    /// Adds the stream of each superblock, the notes on units, and the state that the policy has learnt to a saved
    /// state.
    pub fn save(&self, space: &Space, saved: &mut SavedState) {
        saved.words.push(space.stream.iter().map(|&stream| u32::from(stream)).collect());
        saved.longs.push(self.policy.learnt());
        if let Some(notes) = &self.notes {
            saved.words.push(notes.writes.clone());
            saved.longs.extend([notes.written_at.clone(), notes.opened_at.clone(), vec![notes.clock]]);
        }
        saved.longs.extend(self.handles.as_ref().map(|handles| handles.save()));
    }

    /// Restores the stream of each superblock, the notes on units, and the state of the stream policy from a saved
    /// state.
    ///
    /// # Errors
    /// When the saved state is of another policy, or contradicts itself.
    pub fn load(&mut self, space: &mut Space, saved: &mut Untaken<'_>) -> Result<(), String> {
        let named = saved.words_for(space.stream.len())?;
        if named.iter().any(|&stream| stream as usize > space.one_bit_stream) {
            return Err("the saved state names a stream that the drive does not have".into());
        }
        space.stream.iter_mut().zip(named).for_each(|(stream, &named)| *stream = named as u8);
        if !self.policy.go_on_with(saved.longs()?) {
            return Err(Untaken::misfit());
        }
        if let Some(notes) = &mut self.notes {
            notes.load(saved)?;
        }
        if let Some(handles) = &mut self.handles {
            handles.load(saved.longs_for(handles.saved_count())?);
        }
        Ok(())
    }

    /// Returns the number of bytes of the simulator's memory that the stream policy's notes on mapping units and
    /// superblocks, and the placement handles, take.
    pub fn bytes(&self) -> usize {
        let of =
            |notes: &UnitNotes| 4 * notes.writes.len() + 8 * (notes.written_at.len() + notes.opened_at.len());
        self.notes.as_deref().map_or(0, of) + self.handles.as_ref().map_or(0, |handles| handles.bytes())
    }
}

impl UnitNotes {
    fn load(&mut self, saved: &mut Untaken<'_>) -> Result<(), String> {
        saved.words_into(&mut self.writes)?;
        saved.longs_into(&mut self.written_at)?;
        saved.longs_into(&mut self.opened_at)?;
        self.clock = saved.longs_for(1)?[0];
        if self.written_at.iter().chain(&self.opened_at).any(|&at| at > self.clock) {
            return Err("the saved state says that a unit was written later than now".into());
        }
        self.count();
        Ok(())
    }

    /// Halves the numbers of host writes of all mapping units in the stream policy's notes (rounded up), so that older
    /// writes weigh half as much.
    #[cold]
    fn halve(&mut self) {
        self.writes.iter_mut().for_each(|writes| *writes = (*writes).div_ceil(2));
        self.count();
    }

    fn count(&mut self) {
        self.total = self.writes.iter().map(|&writes| u64::from(writes)).sum();
        self.written = self.writes.iter().filter(|writes| **writes > 0).count() as u64;
    }
}

impl Core {
    /// Lets a stream (write frontier) of a die take over the open superblock of another stream where that is possible,
    /// else opens a free superblock for the stream; false if neither is possible.
    pub fn open(&mut self, die: usize, stream: usize) -> bool {
        let streams = &mut self.assembly.streams;
        if let Some(other) = streams.can_take_over(&self.store, die, stream, &self.collections[die].mover) {
            self.store.space.hand_over(die, other, stream);
            return true;
        }
        let opened = self.store.space.open(die, stream);
        if opened {
            let superblock = self.store.space.dies[die].frontiers[stream].superblock;
            streams.note_opened(self.store.space.global(die, superblock), stream);
        }
        opened
    }
}
