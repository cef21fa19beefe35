//! What the chip's file and the bus interface say of time, worked out apart from the parts that keep to it.

use crate::examined::Facts;
use bus::Signalling;
use config::{ConfigError, Document, Section};
use controller::{ChannelUse, Kind, Transaction};
use units::{Bytes, Nanos, TransferRate};

/// Kind of way in which the checker finds the program time of one of a chip's alternative ways to program a page
/// (program modes).
enum ProgramTime {
    /// Case: the program time is found from the usual program time and this program step (ISPP voltage increment),
    /// relative to the usual step. The time is looked up or interpolated in the chip's tables, or else the usual time
    /// is divided by the step.
    Step(f64),
    /// Case: the program time is found from this list of program times in ns, by wear and page type, of a voltage set
    /// (verify levels and read references) that belongs to the program mode.
    Set(Vec<u64>),
}

/// Set of array times in ns of reads, programs, erases, suspensions and resumptions, as the checker reads them from the
/// chip's file.
struct ChipNumbers {
    bits: usize,
    /// Array read times of the chip in ns: one value, or one for each page type.
    t_r: Vec<u64>,
    /// Read time and program time of the chip in SLC mode, in ns; `None` on a chip without an SLC mode.
    one_bit: Option<[u64; 2]>,
    /// Program times of the chip in ns, as the checker reads them, ordered by program step (ISPP voltage increment),
    /// then wear level, then page type (lower, upper, ...).
    t_prog: Vec<u64>,
    steps: Vec<f64>,
    wears: usize,
    t_bers: Vec<u64>,
    /// Two times of the chip in ns, as the checker reads them, for a program and for an erase: from the suspension
    /// until another operation may begin at the array.
    t_suspend: [u64; 2],
    t_resume: u64,
    /// List of ways to find the program times of the chip's alternative program modes; index: number of the mode in
    /// flash operations, minus 1.
    costs: Vec<ProgramTime>,
}

/// Set of timing and data sizes of the flash interface of a channel, as the checker reads them, which determine how
/// long the channel is held.
struct Wires {
    signalling: Signalling,
    /// Four numbers of command and address cycles on the channel, as the checker reads them: of a read, a program, an
    /// erase and a status query.
    cycles: [u64; 4],
    drain: Option<TransferRate>,
    unit_bytes: u64,
    row_units: u64,
    planes: u64,
}

/// Set of all numbers of the chip and the flash interface from which the checker calculates how long channels and flash
/// arrays are busy.
pub(super) struct Numbers {
    chip: ChipNumbers,
    wires: Wires,
    /// Number of channels of the drive.
    pub channels: u32,
    /// ECC decoding time in ns of one attempt to read, as the checker reads it: from the end of data-out to the
    /// corrected data.
    pub t_decode: u64,
}

fn ns(times: &[Nanos]) -> Vec<u64> {
    times.iter().map(|time| time.ns()).collect()
}

/// Converts femtoseconds to whole nanoseconds, rounded up, for the times that the checker calculates.
fn ceil_ns(femtos: u64) -> u64 {
    femtos.div_ceil(1_000_000)
}

/// Parses the keys of the drive's resolved configuration that give times and sizes (`nand`, `bus`, `ecc`, `geometry`)
/// into a new document; values that were defaults are among the keys.
fn read_again(keys: &[String]) -> Result<Document, ConfigError> {
    let mut document = Document::empty();
    let wanted = ["nand.", "bus.", "ecc.", "geometry."];
    for key in keys.iter().filter(|key| wanted.iter().any(|of| key.starts_with(of))) {
        document.set(key)?;
    }
    Ok(document)
}

impl ChipNumbers {
    fn read(root: &mut Section, facts: &Facts) -> Result<Self, ConfigError> {
        let mut nand = root.child("nand")?;
        let bits = match nand.required::<String>("cell", "")?.as_str() {
            "slc" => 1,
            "mlc" => 2,
            "tlc" => 3,
            _ => 4,
        };
        let own: Vec<Nanos> = nand.required("t_prog", "")?;
        let bers: Vec<Nanos> = vec![nand.required("t_bers", "")?];
        let mut chip = Self {
            bits,
            t_r: ns(&nand.required::<Vec<Nanos>>("t_r", "")?),
            one_bit: None,
            t_prog: ns(&own),
            steps: vec![1.0],
            wears: 1,
            t_bers: ns(&bers),
            t_suspend: [
                nand.required::<Nanos>("t_suspend_program", "")?.ns(),
                nand.required::<Nanos>("t_suspend_erase", "")?.ns(),
            ],
            t_resume: nand.required::<Nanos>("t_resume", "")?.ns(),
            costs: Vec::new(),
        };
        if nand.has("slc_mode") {
            let mut mode = nand.child("slc_mode")?;
            let times = ["t_r", "t_prog"].map(|key| mode.required::<Nanos>(key, ""));
            let [t_r, t_prog] = times;
            chip.one_bit = Some([t_r?.ns(), t_prog?.ns()]);
        }
        let mut sets = Vec::new();
        if nand.has("tables") {
            let mut tables = nand.child("tables")?;
            chip.wears = tables.required::<Vec<u32>>("pe_cycles", "")?.len();
            chip.steps = tables.required("steps", "")?;
            chip.t_prog = ns(&tables.required::<Vec<Nanos>>("t_prog", "")?);
            chip.t_bers = ns(&tables.required::<Vec<Nanos>>("t_bers", "")?);
            if tables.has("voltages") {
                let mut voltages = tables.child("voltages")?;
                for name in voltages.required::<Vec<String>>("sets", "")? {
                    let times: Vec<Nanos> = voltages.child(&name)?.required("t_prog", "")?;
                    sets.push((name, ns(&times)));
                }
            }
        }
        for (step, set) in &facts.ways_to_write {
            let of =
                |name: &str| sets.iter().find(|(known, _)| known == name).map(|(_, times)| times.clone());
            chip.costs.push(match set {
                None => ProgramTime::Step(*step),
                Some(name) => ProgramTime::Set(of(name).expect("the drive was read with this set")),
            });
        }
        Ok(chip)
    }

    fn t_r(&self, transaction: &Transaction) -> u64 {
        match (transaction.slc, self.one_bit) {
            (true, Some([t_r, _])) => t_r,
            _ => self.t_r[transaction.row as usize % self.bits % self.t_r.len()],
        }
    }

    /// Returns the index, in the program times `times` of one program step (ISPP voltage increment), of the time for a
    /// program's wear level and page type; wear level comes first in the order of `times`.
    fn place(&self, transaction: &Transaction, times: &[u64]) -> usize {
        let types = times.len() / self.wears;
        let page_type = if types == 1 { 0 } else { transaction.row as usize % self.bits };
        transaction.wear as usize * types + page_type
    }

    /// Returns the time in ns that the checker expects of a flash program, and the difference in ns that it tolerates
    /// because of rounding: 0 at the usual program step or with a voltage set, 1 at any other program step.
    fn t_prog(&self, transaction: &Transaction) -> (u64, u64) {
        let of = |step: usize| {
            let each = self.t_prog.len() / self.steps.len();
            let times = &self.t_prog[step * each..(step + 1) * each];
            times[self.place(transaction, times)]
        };
        let usual = self.steps.iter().position(|step| *step == 1.0).expect("the usual step is among them");
        let cost = (transaction.cost as usize).checked_sub(1).map(|at| &self.costs[at]);
        let step = match cost {
            None => return (of(usual), 0),
            Some(ProgramTime::Set(times)) => return (times[self.place(transaction, times)], 0),
            Some(ProgramTime::Step(step)) => *step,
        };
        if self.steps.len() == 1 {
            return ((of(0) as f64 / step).round() as u64, 1);
        }
        // On the line through the two steps of the tables that are nearest below and above it.
        let last = self.steps.len() - 2;
        let below = (0..=last).rev().find(|&at| self.steps[at] <= step).unwrap_or(0);
        let (from, to) = (self.steps[below], self.steps[below + 1]);
        let time = (of(below) as f64 * (to - step) + of(below + 1) as f64 * (step - from)) / (to - from);
        (time.round() as u64, 1)
    }
}

impl Wires {
    fn read(root: &mut Section, facts: &Facts) -> Result<Self, ConfigError> {
        let mut bus = root.child("bus")?;
        let keys = ["cycles_read", "cycles_program", "cycles_erase", "cycles_status"];
        let mut cycles = [0; 4];
        for (count, key) in cycles.iter_mut().zip(keys) {
            *count = u64::from(bus.required::<u32>(key, "")?);
        }
        let shape = &facts.shape;
        let mut nand = root.child("nand")?;
        let spare = nand.required::<Bytes>("oob_size", "")?.get() / u64::from(shape.page_units);
        let crosses = bus.required::<bool>("transfer_oob", "")?;
        Ok(Self {
            signalling: facts.signalling,
            cycles,
            drain: root.child("ecc")?.optional("drain", "")?,
            unit_bytes: shape.unit_bytes + if crosses { spare } else { 0 },
            row_units: u64::from(shape.row_units),
            planes: u64::from(shape.planes),
        })
    }

    /// Returns the time in ns that the channel is held by `cycles` command and address cycles plus a wait of `wait`
    /// femtoseconds, rounded up.
    fn command(&self, cycles: u64, wait: u64) -> u64 {
        ceil_ns(cycles * self.signalling.cycle.get() + wait)
    }
}

/// Record of the amount of data, in the checker's calculation, that a flash read sends over the channel in its
/// data-out: mapping units, bytes and bit-planes.
#[derive(Clone, Copy)]
pub(super) struct SentData {
    /// Number of mapping units that the flash read sends over the channel.
    pub units: u32,
    /// Number of bytes that the flash read sends over the channel in all, where only parts of units are sent; 0 if
    /// whole units are sent.
    pub bytes: u32,
    /// Ratio, as numerator and denominator, of the bit-planes (one bit for each cell) that a soft read sends to the
    /// controller to the bit-planes of a hard read.
    pub planes: (u16, u16),
}

/// Returns the time in ns that the checker expects `bytes` bytes to take on the channel at the data rate `per`, rounded
/// up once.
fn burst(bytes: u64, per: bus::Cadence) -> u64 {
    quotient(bytes, per.femtos.get(), per.bytes * 1_000_000)
}

/// Returns `one` times `other` divided by `by`, rounded up; computed in 64 bits where they suffice, because that is
/// about ten times as fast as in 128 bits.
fn quotient(one: u64, other: u64, by: u64) -> u64 {
    match one.checked_mul(other) {
        Some(product) => product.div_ceil(by),
        None => (u128::from(one) * u128::from(other)).div_ceil(u128::from(by)) as u64,
    }
}

impl Numbers {
    pub fn new(facts: &Facts) -> Result<Self, ConfigError> {
        let document = read_again(&facts.keys)?;
        let mut root = Section::root(&document);
        Ok(Self {
            chip: ChipNumbers::read(&mut root, facts)?,
            wires: Wires::read(&mut root, facts)?,
            channels: root.child("geometry")?.required("channels", "")?,
            t_decode: root.child("ecc")?.required::<Nanos>("t_decode", "")?.ns(),
        })
    }

    /// Returns the array time of a flash operation in ns, without the time that suspensions add, and the difference in
    /// ns that is tolerated.
    pub fn array_ns(&self, transaction: &Transaction) -> (u64, u64) {
        let sensing = self.chip.t_r(transaction) * u64::from(transaction.reading.senses);
        match transaction.kind {
            Kind::Read => (sensing, 0),
            Kind::Erase => (self.chip.t_bers[transaction.wear as usize], 0),
            Kind::Program => match (transaction.slc, self.chip.one_bit) {
                (true, Some([_, t_prog])) => (t_prog, 0),
                _ => self.chip.t_prog(transaction),
            },
            Kind::Copyback => {
                let (time, slack) = self.chip.t_prog(transaction);
                (sensing + time, slack)
            }
        }
    }

    /// Returns the time in ns, by the numbers that the checker read, from the command that suspends a program or erase
    /// until another operation may begin at the array.
    pub fn suspend_ns(&self, kind: Kind) -> u64 {
        self.chip.t_suspend[usize::from(kind == Kind::Erase)]
    }

    /// Returns the array time in ns, by the numbers that the checker read, that the resumption of a suspended operation
    /// adds to the time that was left.
    pub fn resume_ns(&self) -> u64 {
        self.chip.t_resume
    }

    /// Returns true if, by the numbers that the checker read, the status of programs and erases is queried over the
    /// channel and the query takes time.
    pub fn asks_status(&self) -> bool {
        let cycles = self.wires.cycles[3];
        cycles > 0 && self.wires.command(cycles, self.wires.signalling.waits.t_whr.get()) > 0
    }

    /// Returns two numbers for one use `usage` of the channel by a flash operation (command, data-in, data-out or
    /// status): the time in ns for which it holds the channel, and the number of bytes that cross it. `sent` is the
    /// amount of data of a data-out.
    pub fn channel_ns(&self, transaction: &Transaction, usage: ChannelUse, sent: SentData) -> (u64, u64) {
        let waits = &self.wires.signalling.waits;
        let [read, program, erase, status] = self.wires.cycles;
        match (usage, transaction.kind) {
            (ChannelUse::Command, Kind::Erase) => (self.wires.command(erase, waits.t_wb.get()), 0),
            (ChannelUse::Command, Kind::Read) => (self.wires.command(read, waits.t_wb.get()), 0),
            (ChannelUse::Command, _) => (self.wires.command(read + program, 2 * waits.t_wb.get()), 0),
            (ChannelUse::Status, _) => (self.wires.command(status, waits.t_whr.get()), 0),
            (ChannelUse::DataIn, _) => {
                let rows = u64::from(transaction.rows);
                let (bytes, pages) = match u64::from(sent.bytes) {
                    0 => (self.wires.unit_bytes * self.wires.row_units * rows, self.wires.planes * rows),
                    part => (part, 1),
                };
                let waiting = pages * waits.t_adl.get() + waits.t_wb.get();
                (
                    burst(bytes, self.wires.signalling.data_in)
                        + self.wires.command(program * pages, waiting),
                    bytes,
                )
            }
            (ChannelUse::DataOut, _) => self.data_out(sent),
        }
    }

    fn data_out(&self, SentData { units, bytes, planes }: SentData) -> (u64, u64) {
        let (bytes, drained) = match u64::from(bytes) {
            0 => {
                let bytes = self.wires.unit_bytes * u64::from(units);
                let drained = |rate: TransferRate| quotient(bytes, 1_000_000_000, rate.bytes_per_s());
                (bytes, self.wires.drain.map_or(0, drained))
            }
            part => (part.min(self.wires.unit_bytes * u64::from(units)), 0),
        };
        let wait = ceil_ns(self.wires.signalling.waits.t_rr.get());
        let (planes, hard) = planes;
        let sent = |of: u64| (of * u64::from(planes)).div_ceil(u64::from(hard));
        let time = burst(bytes, self.wires.signalling.data_out) + wait + drained;
        (sent(time), sent(bytes))
    }
}
