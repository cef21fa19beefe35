//! Whose bytes are where: in slots of the buffer, on their way to the flash, and in the image.
//!
//! A slot always holds a whole unit: what a write leaves out of it is laid under it when it comes, from the newest data there
//! are, though the drive reads them later.

use crate::buffers::Buffers;
use crate::found::{self, Holds, UnfinishedPrograms};
use crate::image::{CellBits, Image, ProgramImage, SpareArea, UnitBrings};
use controller::{Kind, Origin, Transaction};
use ftl::{FlashContents, Layout};
use host::{Effect, HostRequest};
use sim::Error;
use sim::holder::{Holder, HostAnswer};
use std::collections::{HashMap, HashSet, VecDeque};
use std::io;
use std::ops::Range;
use std::sync::{Arc, Mutex};
use units::{Lpn, Ppa, SimTime};

/// Kind of data that come with a request to the drive: none, bytes to be written, or zeros.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Payload {
    /// Case of data: none, for a request to the drive that carries no data, such as a read or a trim.
    None,
    /// Case of data: these bytes, which a write request to the drive is to write.
    Bytes(Vec<u8>),
    /// Case of data: zeros over the whole length of a write request to the drive.
    Zeros,
}

/// Record, for the live server, of a request that the simulated drive has completed: number, time, failure and the data
/// that were read.
#[derive(Debug)]
pub struct Done {
    /// Serial number of the client's request to which the completion belongs.
    pub number: u64,
    /// True if the request failed, on the drive or on the disk that stores the image.
    pub failed: bool,
    /// Simulated time at which the drive completed the live server's request.
    pub at: SimTime,
    /// Data that the request read; empty for other requests.
    pub data: Vec<u8>,
}

/// Record, in the live server, of what a slot of the drive's write buffer (space for one mapping unit) contains: data
/// and spare area of the unit.
#[derive(Clone, Debug)]
struct BufferedSlot {
    spare: SpareArea,
    data: Vec<u8>,
    /// True if the data of the unit in this slot of the write buffer are unknown, because a write covered only a part
    /// of the unit and the unit's older data could not be read.
    spoiled: bool,
}

/// Record of the mapping unit that a write request is just bringing into the write buffer: its data, and `spoiled`,
/// which is true if these data are unknown.
#[derive(Default)]
struct Entering {
    data: Vec<u8>,
    spoiled: bool,
}

/// Record of the contents of the simulated drive (image, write buffer, programs in flight) and the queues of requests
/// and completions, shared by the server, the workload and [`Contents`] (listener to the simulator's events), which run
/// in one thread.
pub struct SharedContents {
    /// Queue of requests that the drive has not taken yet, each as a pair of the serial number of the client's request
    /// to which it belongs, and the request.
    pub incoming: VecDeque<(u64, HostRequest)>,
    /// Map from the serial number of each client's request in flight to the data that it is to write.
    pub payloads: HashMap<u64, Payload>,
    /// Queue of completions that the server has not processed yet.
    pub done: Vec<Done>,
    /// List of remarks of the live server on its workload, each as a pair of name and value, which the results of the
    /// simulation report.
    pub notes: Vec<(String, String)>,
    /// The live server's open image file, in which it stores the data on the drive's flash.
    pub image: Image,
    /// Pool from which the live server takes reusable memory buffers for the data of requests and programs.
    pub buffers: Buffers,
    /// Number of bytes copied between server and image since the server last reset this number.
    pub moved: u64,
    layout: Layout,
    /// List of serial numbers of clients' requests: for each request in the drive, whose id there is the index, the
    /// number of the client's request to which it belongs.
    numbers: Vec<u64>,
    slots: Vec<Option<BufferedSlot>>,
    /// The live server's map from mapping unit (LPN) to slot of the drive's write buffer (space for one unit), for the
    /// units whose newest data are in the write buffer and not on flash. Only looked up, never iterated in an order
    /// that matters.
    newest: HashMap<Lpn, u32>,
    entering: Entering,
    /// Set of serial numbers of the clients' requests that fail because they write a part of a mapping unit whose older
    /// data could not be read. Only looked up.
    spoiled: HashSet<u64>,
    /// Map of the flash programs in flight: physical address of the first unit, spare areas and data. The key is
    /// `Transaction::owner`, a number that the FTL chose for the program.
    placed: HashMap<u32, (Ppa, ProgramImage)>,
    /// Sequence number (stamp) that the live server gives the host's next write of a mapping unit; on flash it tells
    /// which of two versions of a unit is newer.
    stamp: u64,
    /// The live server's list with an entry for each superblock: the stamp (sequence number) of the host's next write
    /// of a mapping unit at the time when the superblock was last programmed; 0 if it was not programmed since this
    /// server started.
    touched: Vec<u64>,
}

impl SharedContents {
    /// Makes the contents of a drive whose write buffer is empty and whose data on flash are in `image`.
    pub fn new(image: Image, layout: Layout) -> Self {
        Self {
            incoming: VecDeque::new(),
            payloads: HashMap::new(),
            done: Vec::new(),
            notes: Vec::new(),
            stamp: image.stamp(),
            image,
            buffers: Buffers::default(),
            moved: 0,
            numbers: Vec::new(),
            slots: Vec::new(),
            newest: HashMap::new(),
            entering: Entering { data: vec![0; layout.unit.get() as usize], spoiled: false },
            spoiled: HashSet::new(),
            touched: vec![0; layout.superblocks()],
            placed: HashMap::new(),
            layout,
        }
    }

    /// Returns the sequence number (stamp) that the live server will give the next write of a mapping unit; calling
    /// this does not advance it.
    pub fn stamp(&self) -> u64 {
        self.stamp
    }

    /// Enters the contents of the image into the flash of a new simulated drive, sets the stamp (sequence number) of
    /// the next write above the highest stamp in the image, and returns that highest stamp and the number of page rows
    /// that count as torn (partly programmed at a power cut).
    ///
    /// # Errors
    /// When the disk cannot be read, or a spare area is damaged.
    pub fn find(
        &mut self,
        programs: UnfinishedPrograms,
        contents: &mut FlashContents,
    ) -> Result<Holds, Error> {
        let holds = found::put(&self.image, &self.layout, programs, contents)?;
        self.stamp = self.stamp.max(holds.newest + 1);
        Ok(holds)
    }

    /// Returns the age of the data of each superblock, in order: the number of mapping units that the host has written
    /// since the superblock's last program; none if that program was before this server started.
    pub fn ages(&self) -> impl Iterator<Item = Option<u64>> + '_ {
        self.touched.iter().map(|&touched| (touched > 0).then(|| self.stamp - touched))
    }

    /// Returns the mapping units of the range `within` whose newest data are in the write buffer and not on flash, in
    /// ascending order.
    pub fn buffered(&self, within: Range<u32>) -> Vec<u32> {
        if within.len() < self.newest.len() {
            return within.filter(|&lpn| self.newest.contains_key(&Lpn(lpn))).collect();
        }
        let held = self.newest.keys().map(|lpn| lpn.0);
        let mut found: Vec<u32> = held.filter(|lpn| within.contains(lpn)).collect();
        found.sort_unstable();
        found
    }

    fn unit(&self) -> usize {
        self.layout.unit.get() as usize
    }

    fn slot(&self, slot: u32) -> Option<&BufferedSlot> {
        self.slots.get(slot as usize)?.as_ref()
    }

    /// Stores a mapping unit with its spare area in slot `slot` of the write buffer (space for one unit) and returns
    /// the former contents of the slot.
    fn put(&mut self, slot: u32, filled: BufferedSlot) -> Option<BufferedSlot> {
        if self.slots.len() <= slot as usize {
            self.slots.resize(slot as usize + 1, None);
        }
        self.slots[slot as usize].replace(filled)
    }

    /// Reads the newest data of the whole mapping unit `lpn` into `into`, from the write buffer or, at physical address
    /// `home`, from the image; zeros if the unit has no data.
    fn read_unit(&self, lpn: Lpn, home: Ppa, into: &mut [u8]) -> io::Result<()> {
        match self.newest.get(&lpn).and_then(|&slot| self.slot(slot)) {
            Some(slot) if slot.spoiled => return Err(io::ErrorKind::InvalidData.into()),
            Some(slot) => into.copy_from_slice(&slot.data),
            None if home == Ppa::NONE => into.fill(0),
            None => self.image.read_of(lpn, &[home], into)?,
        }
        Ok(())
    }

    /// Returns the physical addresses of the consecutive units from `lpn` on, at most `most`, whose newest data are on flash,
    /// so that the image is asked for all of them at once.
    fn on_flash(&self, lpn: Lpn, most: usize, lookup: &dyn Fn(Lpn) -> Ppa) -> Vec<Ppa> {
        let place = |lpn: Lpn| Some(lookup(lpn)).filter(|_| !self.newest.contains_key(&lpn));
        let homes = (lpn.0..).take(most).map_while(|lpn| place(Lpn(lpn)));
        homes.take_while(|&home| home != Ppa::NONE).collect()
    }

    /// Reads the newest data of the drive from byte `offset` on into `into`; `lookup` gives the physical address of
    /// each unit.
    fn read(&self, offset: u64, into: &mut [u8], lookup: &dyn Fn(Lpn) -> Ppa) -> io::Result<()> {
        let unit = self.unit();
        let (mut at, mut done) = (offset, 0);
        while done < into.len() {
            let lpn = Lpn((at / unit as u64) as u32);
            let skip = (at % unit as u64) as usize;
            let mut length = (unit - skip).min(into.len() - done);
            if length == unit {
                let homes = self.on_flash(lpn, (into.len() - done) / unit, lookup);
                length = homes.len().max(1) * unit;
                let part = &mut into[done..done + length];
                if homes.is_empty() {
                    self.read_unit(lpn, Ppa::NONE, part)?;
                } else {
                    self.image.read_of(lpn, &homes, part)?;
                }
            } else {
                let part = &mut into[done..done + length];
                let mut whole = vec![0; unit];
                self.read_unit(lpn, lookup(lpn), &mut whole)?;
                part.copy_from_slice(&whole[skip..skip + length]);
            }
            (at, done) = (at + length as u64, done + length);
        }
        Ok(())
    }

    fn first_unit(&self, transaction: &Transaction) -> Ppa {
        let superblocks = self.layout.superblocks_per_die;
        let superblock = transaction.die.0 * superblocks + transaction.superblock;
        Ppa(self.layout.first_ppa(superblock) + u64::from(transaction.row * self.layout.row_units))
    }

    /// Copies into `data` the data of a mapping unit that is to be programmed, where they are new, and returns its spare
    /// area and what the unit brings. `origin` selects the source: for the host's data, slot `from` of the write buffer;
    /// for relocations, the unit's former place on flash at address `from`; programs of the map, padding or parity bring
    /// nothing.
    fn take(&mut self, origin: Origin, from: u64, data: &mut [u8]) -> (SpareArea, UnitBrings) {
        match origin {
            Origin::Host => {
                if let Some(slot) = self.slots.get(from as usize).and_then(Option::as_ref) {
                    let laid = self.image.lay(&slot.data);
                    if laid.is_none() {
                        data.copy_from_slice(&slot.data);
                    }
                    return (slot.spare, laid.unwrap_or(UnitBrings::Data));
                }
            }
            Origin::Map | Origin::Padding | Origin::Parity => {}
            // Overtaken, and erased where it was: a copy without use.
            _ if Ppa(from) == Ppa::NONE => {}
            _ => return self.image.move_from(Ppa(from), data),
        }
        (SpareArea::Other, UnitBrings::Nothing)
    }
}

/// Implementation of [`Holder`] for the live server: at each report of the simulator (write, program, erase, trim,
/// completion) it moves the clients' data in [`SharedContents`] between requests, slots of the write buffer, programs
/// in flight and the image file.
pub struct Contents(pub Arc<Mutex<SharedContents>>);

impl Contents {
    fn with<R>(&self, work: impl FnOnce(&mut SharedContents) -> R) -> R {
        work(&mut self.0.lock().expect("one thread"))
    }
}

impl Holder for Contents {
    fn on_number(&mut self, id: u32, number: Option<u64>) {
        self.with(|shared| {
            if shared.numbers.len() <= id as usize {
                shared.numbers.resize(id as usize + 1, 0);
            }
            shared.numbers[id as usize] = number.unwrap_or_default();
        });
    }

    fn on_content(&mut self, id: u32, request: &HostRequest, lpn: Lpn, home: Ppa) {
        self.with(|shared| {
            let mut unit = std::mem::take(&mut shared.entering.data);
            let start = u64::from(lpn.0) * unit.len() as u64;
            let from = request.offset.max(start);
            let to = (request.offset + u64::from(request.bytes)).min(start + unit.len() as u64);
            let part = (from - start) as usize..(to - start) as usize;
            let number = shared.numbers[id as usize];
            let spoiled = part.len() < unit.len() && shared.read_unit(lpn, home, &mut unit).is_err();
            if spoiled {
                shared.spoiled.insert(number);
            }
            match &shared.payloads[&number] {
                Payload::Bytes(bytes) => {
                    let at = (from - request.offset) as usize;
                    unit[part.clone()].copy_from_slice(&bytes[at..at + part.len()]);
                }
                Payload::Zeros | Payload::None => unit[part].fill(0),
            }
            shared.entering = Entering { data: unit, spoiled };
        });
    }

    fn on_buffered(&mut self, lpn: Lpn, slot: u32) {
        self.with(|shared| {
            let Entering { data, spoiled } = std::mem::take(&mut shared.entering);
            let spare = SpareArea::of(lpn, shared.stamp, &data);
            let spare = if spoiled { spare.spoiled() } else { spare };
            shared.stamp += 1;
            let before = shared.put(slot, BufferedSlot { spare, data, spoiled });
            // The next unit enters where an older one lay.
            shared.entering.data = before.map_or_else(|| vec![0; shared.unit()], |before| before.data);
            shared.newest.insert(lpn, slot);
        });
    }

    fn on_kept(&mut self, slot: u32, ppa: Ppa) {
        self.with(|shared| {
            let mut data = vec![0; shared.unit()];
            let spare = shared.image.copy(ppa, &mut data);
            shared.put(slot, BufferedSlot { spare, data, spoiled: false });
        });
    }

    fn on_place(&mut self, program: &Transaction, units: u32, source: &dyn Fn(u32) -> (Origin, u64)) {
        self.with(|shared| {
            let unit = shared.unit();
            let data = shared.buffers.room(units as usize * unit);
            let count = units as usize;
            let (spares, brings) = (Vec::with_capacity(count), Vec::with_capacity(count));
            let mut placed = ProgramImage { spares, brings, data };
            for (at, data) in placed.data.chunks_mut(unit).enumerate() {
                let (origin, from) = source(at as u32);
                let (spare, brings) = shared.take(origin, from, data);
                placed.spares.push(spare);
                placed.brings.push(brings);
            }
            let first = shared.first_unit(program);
            // A program with units of several origins is told of once.
            shared.placed.insert(program.owner, (first, placed));
        });
    }

    fn on_finish(&mut self, operation: &Transaction) {
        if !matches!(operation.kind, Kind::Program | Kind::Copyback) {
            return;
        }
        self.with(|shared| {
            if let Some((first, placed)) = shared.placed.remove(&operation.owner) {
                let superblock = shared.layout.superblock_of(first) as usize;
                // A fold in the die reads one bit a cell, and writes all of them.
                let one_bit = operation.slc && operation.kind == Kind::Program;
                shared.moved += placed.data.len() as u64;
                shared.image.set_mode(superblock, if one_bit { CellBits::One } else { CellBits::All });
                if let Some(data) = shared.image.program(first, placed) {
                    shared.buffers.put_back(data);
                }
                shared.touched[superblock] = shared.stamp;
            }
        });
    }

    fn on_settled(&mut self, lpn: Lpn, _: Ppa) {
        self.with(|shared| shared.newest.remove(&lpn));
    }

    fn on_trim(&mut self, lpn: Lpn) {
        self.with(|shared| shared.newest.remove(&lpn));
    }

    fn on_erase(&mut self, superblock: usize) {
        self.with(|shared| shared.image.erase(superblock));
    }

    fn on_answer(&mut self, answer: &HostAnswer<'_>, lookup: &dyn Fn(Lpn) -> Ppa) {
        self.with(|shared| {
            let number = shared.numbers[answer.id as usize];
            if let Some(Payload::Bytes(bytes)) = shared.payloads.remove(&number) {
                shared.buffers.put_back(bytes);
            }
            let (mut failed, mut data) = (answer.failed || shared.spoiled.remove(&number), Vec::new());
            if answer.host.op.effect() == Effect::Read && !failed {
                data = shared.buffers.room(answer.host.bytes as usize);
                failed = shared.read(answer.host.offset, &mut data, lookup).is_err();
                shared.moved += data.len() as u64;
            }
            shared.done.push(Done { number, failed, at: answer.now, data });
        });
    }
}
