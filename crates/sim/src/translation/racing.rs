//! Test of the host's translation against a drive that answers in any order: every block has the newest write of it, and no
//! zone is reset under a read.

use super::{AskedOfHost, HostTranslation, LogRules, PieceRequest, ZonePiece};
use config::{Document, Section};
use engine::RandomStream;
use ftl::gc::victim;
use host::{Effect, HostRequest, Op};
use units::SimTime;

const ZONES: u32 = 14;
const CAPACITY: u32 = 12;
const BLOCKS: u32 = 90;
const UNIT: u64 = 4096;

/// Test stand-in for a drive that answers in any order: requests in flight, write pointers of zones, and for each place
/// the number (mark) of the write of the workload whose data it holds.
struct AnyOrder {
    flights: Vec<(u32, PieceRequest)>,
    pointers: Vec<u32>,
    contents: Vec<u64>,
    next: u32,
}

impl AnyOrder {
    /// Returns the zone of a request to the drive.
    fn zone(request: &HostRequest) -> u32 {
        (request.offset / UNIT) as u32 / CAPACITY
    }

    /// Puts a request of the host's translation in flight; checks that no zone is reset while a read of it is in
    /// flight.
    fn submit(&mut self, translation: &mut HostTranslation, (request, piece): PieceRequest) {
        if let ZonePiece::Reset { zone } = piece {
            let reads = self.flights.iter().filter(|(_, (other, piece))| {
                other.op.effect() == Effect::Read && !matches!(piece, ZonePiece::Nothing { .. })
            });
            let under = reads.filter(|(_, (other, _))| Self::zone(other) == zone).count();
            assert_eq!(under, 0, "zone {zone} is reset under a read");
            let copies = self.flights.iter().filter_map(|(_, (_, piece))| match piece {
                ZonePiece::CopyAppend { from } => Some(from[0].0 / CAPACITY),
                _ => None,
            });
            assert!(
                !copies.into_iter().any(|of| of == zone),
                "zone {zone} is reset while a copy of it is in flight"
            );
        }
        translation.sent(self.next, piece.clone());
        self.flights.push((self.next, (request, piece)));
        self.next += 1;
    }

    /// Answers the request in flight at position `index`; `mark` returns the number (mark) of the write of the workload
    /// with an index of the host's translation.
    fn answer(&mut self, translation: &mut HostTranslation, index: usize, mark: impl Fn(u32) -> u64) {
        let (id, (request, piece)) = self.flights.swap_remove(index);
        let zone = Self::zone(&request);
        let mut place = (request.offset / UNIT) as u32;
        let blocks = request.bytes / UNIT as u32;
        match &piece {
            ZonePiece::Append { host, .. } => {
                place = zone * CAPACITY + self.pointers[zone as usize];
                self.contents[place as usize..(place + blocks) as usize].fill(mark(*host));
                self.pointers[zone as usize] += blocks;
            }
            ZonePiece::CopyAppend { from } => {
                place = zone * CAPACITY + self.pointers[zone as usize];
                for (at, (old, _)) in (place..).zip(from) {
                    self.contents[at as usize] = self.contents[*old as usize];
                }
                self.pointers[zone as usize] += blocks;
            }
            ZonePiece::Reset { zone } => self.pointers[*zone as usize] = 0,
            _ => {}
        }
        assert!(self.pointers[zone as usize] <= CAPACITY, "an append crosses the end of zone {zone}");
        translation.complete(id, place, (false, false), SimTime::ZERO);
    }
}

/// Makes the host's translation under test, with the victim policy that `victim` names.
fn translation(victim: &str, seed: u64) -> HostTranslation {
    let mut document = Document::empty();
    document.set(&format!("name={victim}")).unwrap();
    let victim = victim::read(&mut Section::root(&document)).unwrap();
    let rules =
        LogRules { blocks: BLOCKS, zones_least: 2, streams: 2, copies_most: 3, copy_blocks: 4, victim };
    HostTranslation::new(&rules, (ZONES, CAPACITY), UNIT, seed)
}

#[test]
fn every_block_has_its_newest_write_whatever_the_order_of_answers() {
    for (victim, seed) in [("greedy", 1), ("fifo", 2), ("cost-benefit", 3), ("random", 4)] {
        let mut random = RandomStream::new(seed, "racing");
        let mut translation = translation(victim, seed);
        let mut drive = AnyOrder {
            flights: Vec::new(),
            pointers: vec![0; ZONES as usize],
            contents: vec![0; (ZONES * CAPACITY) as usize],
            next: 0,
        };
        // For each block the mark of its newest write, 0 after a trim; for each host index the mark of its write.
        let (mut newest, mut marks) = (vec![0u64; BLOCKS as usize], vec![0u64; 4096]);
        for mark in 1..=30_000u64 {
            let first = random.below(u64::from(BLOCKS));
            let blocks = 1 + random.below((u64::from(BLOCKS) - first).min(6));
            let op = if random.chance(0.05) { Op::TRIM } else { Op::WRITE };
            let op = if random.chance(0.3) { Op::READ } else { op };
            let placement = Some(random.below(2) as u16);
            let plain = HostRequest::plain(SimTime::ZERO, op, first * UNIT, (blocks * UNIT) as u32);
            // The index that the translation gives the request: a free one, else the next.
            let host = translation.free.last().map_or(translation.hosts.len(), |&host| host as usize);
            if op.effect() != Effect::Read {
                let is_write = op.effect() == Effect::Write;
                marks[host] = mark;
                newest[first as usize..(first + blocks) as usize].fill(if is_write { mark } else { 0 });
            }
            let request = HostRequest { placement, ..plain };
            translation.take(AskedOfHost { request, measured: true }, SimTime::ZERO);
            let most = 1 + random.below(24) as usize;
            loop {
                while let Some(piece) = translation.next() {
                    drive.submit(&mut translation, piece);
                }
                if drive.flights.len() < most {
                    break;
                }
                let index = random.below(drive.flights.len() as u64) as usize;
                drive.answer(&mut translation, index, |host| marks[host as usize]);
                while translation.answered().is_some() {}
            }
        }
        while let Some(piece) = translation.next() {
            drive.submit(&mut translation, piece);
        }
        while translation.is_at_work() {
            let index = random.below(drive.flights.len() as u64) as usize;
            drive.answer(&mut translation, index, |host| marks[host as usize]);
            while translation.answered().is_some() {}
            while let Some(piece) = translation.next() {
                drive.submit(&mut translation, piece);
            }
        }
        for block in 0..BLOCKS {
            let found = translation.log.place(block).map_or(0, |place| drive.contents[place as usize]);
            assert_eq!(found, newest[block as usize], "block {block}, {victim}");
        }
        assert!(translation.counts.zones_collected > 500, "{victim}: {:?}", translation.counts);
    }
}
