//! Where in one of its files a clone's next request lies, and how long it is: fio's rules, file by file.

use super::blockmap::BlockMap;
use super::blocks::BlockSizes;
use super::distribution::Sampler;
use super::files::FilePart;
use super::job::JobSpec;
use super::order::Passes;
use super::zones::Strides;
use crate::WorkloadError;
use engine::RandomStream;

/// Kind of distribution of the request sizes of a fio job in one direction, in bytes, ready to draw from.
#[derive(Clone, Debug)]
pub enum RequestSizes {
    /// Case of request sizes: one size; all requests of the fio job in this direction have this size, in bytes.
    Fixed(u64),
    /// Case of request sizes: a range; sizes of the fio job in this direction are multiples of the first number up to
    /// the second, in bytes, or the second number itself.
    Range(u64, u64),
    /// Case of request sizes: a table; sizes of the fio job in this direction are drawn from a table of 100 sizes in
    /// bytes, one for each percent; the number before the table is the shortest size.
    Table(u64, Box<[u64; 100]>),
}

impl RequestSizes {
    /// Makes the distribution of a fio job's request sizes from the block sizes of one direction.
    pub fn new(blocks: &BlockSizes) -> Self {
        match blocks {
            BlockSizes::Fixed(bytes) => Self::Fixed(*bytes),
            BlockSizes::Range(least, most) => Self::Range(*least, *most),
            BlockSizes::Split(parts) => {
                // As in fio, each a multiple of the shortest.
                let whole = |size: u64| size - size % blocks.least();
                let mut sizes = parts.iter().flat_map(|(size, percent)| (0..*percent).map(|_| whole(*size)));
                let table = std::array::from_fn(|_| sizes.next().expect("parts add up to 100"));
                Self::Table(table.iter().copied().min().unwrap_or(512), Box::new(table))
            }
        }
    }

    /// Draws the size of a fio job's request, at most `room` bytes, the length left in the clone's part of the file;
    /// returns `None` if the shortest size is longer. A direction with a single size gets that size for any `room`.
    #[inline]
    fn draw(&self, room: u64, random: &mut RandomStream) -> Option<u64> {
        let least = match self {
            Self::Fixed(bytes) => return Some(*bytes),
            Self::Range(least, _) | Self::Table(least, _) => *least,
        };
        if least > room {
            return None;
        }
        loop {
            let bytes = match self {
                // As in fio, where one is too long, the next that is not, from the rarest to the most frequent.
                Self::Table(_, table) => {
                    let from = random.below(100) as usize;
                    table[from..].iter().copied().find(|bytes| *bytes <= room).unwrap_or(u64::MAX)
                }
                Self::Fixed(most) | Self::Range(_, most) => {
                    let bytes = least + random.below(*most);
                    (bytes - bytes % least).min(*most)
                }
            };
            if bytes <= room {
                return Some(bytes);
            }
        }
    }
}

/// One of the ways in which the offset of a fio job clone's next request in a file can be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Way to choose an offset: the fio job clone's next request in the file begins where its last request ended.
    Onward,
    /// Way to choose an offset: the fio job clone's next request in the file is at a place drawn at random.
    Anywhere,
    /// Way to choose an offset: the fio job clone's next request in the file is at the offset of its last request.
    Again,
}

/// Record, of one of three kinds, of the blocks of a file that a fio job clone has accessed in the present pass over
/// the file.
#[derive(Clone, Debug)]
enum Covered {
    /// Case of record: no record of accessed blocks, so that the fio job may access blocks of the file more than once
    /// in a pass over the file.
    Unknown,
    /// Case of record: a permutation of the blocks; each block of the file comes once per pass of the fio job over the
    /// file, in a random order.
    InOrder(Passes),
    /// Case of record: a map of the accessed blocks, with the length of a block in each direction: as in fio, reads of
    /// 64 KiB and writes of 1 MiB mark the same block numbers.
    Map(BlockMap, [u64; 3]),
}

/// One of the ways in which the sequential requests of a direction go on at the end of the fio job clone's part of a
/// file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtEnd {
    /// Way to go on at the end: the fio job's direction has no more requests in this file.
    Stops,
    /// Way to go on at the end: the fio job's direction begins again at the start of the clone's part of the file.
    GoesRound,
}

/// State of one fio job clone in its part of one file: where the last requests were, and which blocks the present pass
/// over the file has accessed.
#[derive(Clone, Debug)]
pub struct FileTrack {
    /// Byte offset on the drive of the first byte of the fio job clone's part of the file.
    base: u64,
    /// Byte offset, from the first byte of the file, at which the fio job clone's part of the file begins.
    start: u64,
    /// Length of the part of the file that the fio job clone uses, in bytes.
    bytes: u64,
    /// Length in bytes of the whole file of which the fio job clone uses a part.
    file_bytes: u64,
    is_random: bool,
    hole: i64,
    at_end: AtEnd,
    aligns: [u64; 3],
    samplers: [Option<Sampler>; 3],
    /// Three byte offsets, one for each direction (read, write, trim), at which the fio job clone's last request of the
    /// direction ended, counted from the start of the clone's part of the file.
    ends: [u64; 3],
    begins: [u64; 3],
    covered: Covered,
    /// Beginning of the fio job's own zone (`zonemode=strided`) in which the clone works now, in bytes from the start
    /// of the clone's part of the file; 0 for jobs without such zones, also in zones of the drive.
    zone: u64,
    zoned: Option<Box<Zoned>>,
}

/// Record of the zones that a fio job clone works in: their geometry, whether they are the job's own or the drive's,
/// and the number of bytes done in the present zone.
#[derive(Clone, Copy, Debug)]
struct Zoned {
    strides: Strides,
    /// Capacity in bytes of each of the drive's zones, where the fio job clone works in the zones of the drive; none
    /// for the job's own zones.
    capacity: Option<u64>,
    bytes: u64,
    /// Direction of the fio job clone's last request, whose bytes are not counted for the zone yet.
    last: Option<usize>,
}

impl Zoned {
    /// Makes the zone state of a fio job clone: for the job's own zones, or for the drive's zones in which `part` lies;
    /// `None` without zones.
    fn of(strides: Option<Strides>, part: &FilePart) -> Option<Box<Self>> {
        let own = strides.map(|strides| (strides, None));
        let of_drive = |(size, capacity)| (Strides { size, range: size, step: size }, Some(capacity));
        let (strides, capacity) = own.or(part.zones.map(of_drive))?;
        Some(Box::new(Self { strides, capacity, bytes: 0, last: None }))
    }
}

impl FileTrack {
    /// Makes the state of a clone of the fio job `job` in its `part` of a file that begins at byte `file_offset` of the
    /// drive; `at_end` is the way in which sequential requests go on at the end of the part.
    ///
    /// # Errors
    /// When the job's own zones are longer than the part, or the zones of its access distribution do not fit the part.
    pub fn new(
        job: &JobSpec,
        part: &FilePart,
        file_offset: u64,
        at_end: AtEnd,
        random: &mut RandomStream,
    ) -> Result<Self, WorkloadError> {
        let mut samplers = [None, None, None];
        let mut aligns = [512; 3];
        let strides = job.strides();
        if strides.is_some_and(|strides| strides.range > part.bytes) {
            let found = format!("job {}: zones longer than its {} bytes", job.name, part.bytes);
            return Err(job.place.error(found, "a zonerange, or zonesize, of no more than these"));
        }
        // As in fio, whose distribution belongs to the file: what reads find popular, writes do too.
        let scatter = random.clone();
        for &direction in job.directions() {
            *random = scatter.clone();
            let blocks = &job.blocks[direction];
            aligns[direction] = job.align[direction].unwrap_or_else(|| blocks.least());
            let bytes = strides.map_or(part.bytes.min(part.file_bytes), |strides| strides.range);
            let count = count(bytes, blocks.least(), aligns[direction]);
            let sampler = Sampler::new(&job.distribution[direction], count, aligns[direction], random);
            samplers[direction] = Some(sampler.map_err(|expected| {
                let found = format!("job {}: random_distribution over {} bytes", job.name, part.bytes);
                job.place.error(found, expected)
            })?);
        }
        let covered = covered(job, part, random);
        Ok(Self {
            base: file_offset + part.start,
            start: part.start,
            bytes: part.bytes,
            file_bytes: part.file_bytes,
            is_random: job.random,
            hole: job.hole,
            at_end,
            aligns,
            samplers,
            ends: [0; 3],
            begins: [0; 3],
            covered,
            zone: 0,
            zoned: Zoned::of(strides, part),
        })
    }

    /// Notes that the last request of `direction` went to another offset on the drive than was drawn for it: a
    /// sequential fio job continues from there.
    pub fn moved(&mut self, direction: usize, offset: u64, bytes: u64) {
        self.begins[direction] = offset - self.base;
        self.ends[direction] = offset - self.base + bytes;
    }

    /// Draws a new random order for the blocks of a fio job's file, where each block comes once per pass over the file.
    pub fn draw_anew(&mut self, random: &mut RandomStream) {
        if let Covered::InOrder(passes) = &mut self.covered {
            passes.draw_anew(random);
        }
    }

    /// Begins a new pass over the fio job clone's part of the file, in the part's first zone where the clone works in
    /// zones.
    pub fn restart(&mut self, random: &mut RandomStream) {
        self.zone = 0;
        if let Some(zoned) = &mut self.zoned {
            (zoned.bytes, zoned.last) = (0, None);
        }
        self.begin_zone(random);
    }

    /// Begins the present zone, or without zones the clone's part of the file, anew: no block is accessed yet, and
    /// sequential requests of the fio job start at the beginning.
    fn begin_zone(&mut self, random: &mut RandomStream) {
        (self.ends, self.begins) = ([self.zone; 3], [self.zone; 3]);
        match &mut self.covered {
            Covered::Unknown => {}
            Covered::InOrder(passes) => passes.restart(random),
            Covered::Map(map, _) => map.clear(),
        }
    }

    /// Returns the fio job clone's next request of `direction` in this file: offset on the drive and length, in bytes;
    /// `None` when the file has no more requests in the present pass over the file.
    #[inline]
    pub fn next(
        &mut self,
        direction: usize,
        way: Way,
        sizes: &RequestSizes,
        random: &mut RandomStream,
    ) -> Option<(u64, u64)> {
        if self.zoned.is_some() {
            self.enter_zone(direction, random);
        }
        let (place, is_drawn) = match way {
            Way::Anywhere => (self.zone + self.anywhere(direction, random)?, true),
            Way::Again => (self.begins[direction], false),
            Way::Onward => match self.onward(direction) {
                Some(place) => (place, false),
                // A random job whose sequential part has come to the end of the file.
                None if self.is_random => (self.zone + self.anywhere(direction, random)?, true),
                None => return None,
            },
        };
        if place - self.zone >= self.bytes || self.start + place >= self.file_bytes {
            return None;
        }
        let mut bytes = sizes.draw(self.bytes.saturating_sub(place), random)?;
        if self.start + place + bytes > self.file_bytes {
            return None;
        }
        if let (true, Covered::Map(map, blocks)) = (is_drawn, &mut self.covered) {
            let block = blocks[direction];
            bytes = bytes.min(map.cover((place - self.zone) / block, bytes.div_ceil(block)) * block);
        }
        self.begins[direction] = place;
        self.ends[direction] = place + bytes;
        Some((self.base + place, bytes))
    }

    /// Moves the fio job clone on to the next zone when enough bytes were transferred in the present zone, and back to
    /// the beginning of a zone whose end was reached before that, by fio's arithmetic; in the drive's zones, only
    /// sequential writes move on, at the zone's capacity.
    #[cold]
    #[inline(never)]
    fn enter_zone(&mut self, direction: usize, random: &mut RandomStream) {
        let Some(zoned) = &mut self.zoned else { return };
        if let Some(capacity) = zoned.capacity {
            // As in fio, a sequential write goes from a zone's capacity on to the next zone.
            let (size, end) = (zoned.strides.size, self.ends[direction]);
            if direction == 1 && !self.is_random && end % size >= capacity {
                self.ends[direction] = end.next_multiple_of(size);
            }
            return;
        }
        if let Some(last) = zoned.last.replace(direction) {
            zoned.bytes += self.ends[last] - self.begins[last];
        }
        let Strides { size, range, step } = zoned.strides;
        if zoned.bytes >= size {
            zoned.bytes = 0;
            self.zone += step;
            // As in fio, at the end of the file rather than of the part.
            if self.start + self.zone >= self.file_bytes {
                self.zone = 0;
            }
        }
        let begins = zoned.bytes % range == 0;
        if self.ends[direction] >= self.zone + range {
            self.ends[direction] = self.zone;
        }
        if begins {
            self.begin_zone(random);
        }
    }

    /// Returns the offset, in the fio job clone's part of the file or in the present zone, of the next block of a
    /// random order, or of a block drawn from the access distribution or the next one after it that is not accessed
    /// yet; `None` when all blocks that must not repeat were accessed.
    #[inline]
    fn anywhere(&mut self, direction: usize, random: &mut RandomStream) -> Option<u64> {
        let align = self.aligns[direction];
        if let Covered::InOrder(passes) = &mut self.covered {
            return passes.next().map(|block| block * align);
        }
        let block = self.samplers[direction].as_ref().expect("a direction of this job").draw(random);
        match &self.covered {
            Covered::Map(map, blocks) => map.next_free(block).map(|free| free * blocks[direction]),
            _ => Some(block * align),
        }
    }

    /// Returns the offset, in the fio job clone's part of the file, after its last request of `direction`, plus the
    /// hole (the bytes that a sequential job skips between requests) if there is one; `None` at the end of the file.
    #[inline]
    fn onward(&mut self, direction: usize) -> Option<u64> {
        if self.at_end == AtEnd::GoesRound && self.ends[direction] >= self.bytes {
            self.ends[direction] = self.zone;
        }
        if self.start + self.ends[direction] >= self.file_bytes {
            return None;
        }
        let mut place = self.ends[direction];
        if self.hole != 0 {
            place = self.over_hole(place);
        }
        Some(place)
    }

    /// Returns the offset behind the hole (the bytes that a sequential fio job skips between requests) that follows the
    /// offset `from`, by fio's arithmetic, which starts over at the ends of the file rather than of the clone's part.
    fn over_hole(&self, from: u64) -> u64 {
        let last = self.file_bytes.min(self.bytes) / 512 * 512;
        let mut place = from;
        if from == 0 && self.start > 0 && self.hole < 0 {
            place = last.wrapping_sub(self.start);
        }
        if place == 0 {
            return place;
        }
        place = place.wrapping_add_signed(self.hole);
        match place >= self.file_bytes {
            true if self.hole > 0 => self.start,
            true => last.wrapping_add_signed(self.hole),
            false => place,
        }
    }
}

/// Returns the number of possible offsets of a request, at multiples of `align` bytes, at which at least `least` bytes
/// fit into a part of `bytes` bytes, as fio counts them.
fn count(bytes: u64, least: u64, align: u64) -> u64 {
    let beyond = least.saturating_sub(align);
    (bytes.saturating_sub(beyond) / align).max(1)
}

/// Makes the record of accessed blocks for a fio job's part of a file: an order, a map, or none where blocks may
/// repeat.
fn covered(job: &JobSpec, part: &FilePart, random: &mut RandomStream) -> Covered {
    if !job.has_map() {
        return Covered::Unknown;
    }
    let bytes = job.strides().map_or(part.bytes, |strides| strides.range);
    let mut used = job.directions().iter().copied();
    let first = job.blocks[job.directions()[0]].least();
    let one = |direction: usize| job.blocks[direction] == BlockSizes::Fixed(first);
    let blocks: [u64; 3] = std::array::from_fn(|direction| job.blocks[direction].least());
    let least = blocks.iter().copied().min().unwrap_or(512);
    // fio's map counts in the shortest block of all directions, used or not.
    if used.all(one) && first == least {
        return Covered::InOrder(Passes::new(count(bytes, first, first), random));
    }
    Covered::Map(BlockMap::new((bytes / least).max(1)), blocks)
}
