//! The power fails: what is left of a drive.

use crate::buffer::Risk;
use crate::guards::demand::Checkpoints;
use crate::guards::labels::Labels;
use crate::guards::power::NOTHING;
use crate::guards::regulation::Regulation;
use crate::guards::sectors::Sectors;
use crate::guards::snapshots::Records;
use crate::guards::trims::Trims;
use crate::guards::{Rebuilds, Stripes};
use crate::host_side::Reads;
use crate::lapse::Lapse;
use crate::media::Media;
use crate::pages::PageMapped;
use crate::pages::translations::Translations;
use crate::store::{Frontier, NONE, Source, SuperblockState};
use crate::{FtlStats, Layout, Turnover, UpkeepCounts};
use controller::{Controller, Ending, Interrupted, Kind, Origin, Transaction};
use nand::{FlashArray, ProgramStatus};
use units::{Lpn, Ppa, SimTime};

/// What a superblock says of itself, and the list of bad blocks says of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    /// The stream that filled it, while it was open; `NONE`: it was not.
    pub stream: u32,
    pub one_bit: bool,
    /// A program on it failed.
    pub failing: bool,
    /// An erase of it was begun and not ended: it holds nothing, and must be erased again.
    pub half_erased: bool,
    /// The write clock of its die when it was closed.
    pub closed_at: u64,
}

/// What a power cut destroyed on flash.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Damage {
    /// Page rows whose program was interrupted.
    pub torn_rows: u64,
    /// Page rows programmed before, whose cells the interrupted program shared.
    pub paired_rows: u64,
    /// Superblocks whose erase was interrupted.
    pub half_erased: u64,
}

/// What was counted, which is the observer's and no power cut takes.
pub(crate) struct Counted {
    pub stats: FtlStats,
    pub risk: Risk,
    pub turnover: Turnover,
    pub upkeep: Option<UpkeepCounts>,
    /// By die: the write clock, and erases.
    pub clocks: Vec<(u64, u64)>,
}

/// Of each physical unit: the logical unit, and the number of the write; on a map of blocks what is said of those.
pub(crate) struct SpareAreas {
    pub holders: Vec<u32>,
    pub stamps: Vec<u64>,
    pub labels: Option<Labels>,
    /// Numbers of writes that going back to a snapshot undid, the first left out and the last included.
    pub undone: Vec<(u64, u64)>,
}

impl SpareAreas {
    /// Going back to a snapshot undid a write.
    pub fn is_undone(&self, stamp: u64) -> bool {
        self.undone.iter().any(|&(before, last)| stamp > before && stamp <= last)
    }
}

/// What the drive keeps where it keeps its list of bad blocks.
pub(crate) struct Listed {
    pub read_only: bool,
    /// The snapshots whose records are whole.
    pub snapshots: Option<Records>,
}

/// What became of the flash when the power failed.
#[derive(Default)]
pub(crate) struct Wreck {
    damage: Damage,
    /// Superblocks (numbered over the drive) that are half erased.
    half_erased: Vec<usize>,
    /// Torn page rows that others may protect, each with its superblock.
    torn: Vec<(u32, u32)>,
}

/// What the flash holds when the power is gone: all that outlives a translation layer. The controller, which forgot all it
/// was at, and what was counted come along, for they are the observer's.
pub struct Medium {
    pub(crate) array: FlashArray,
    pub(crate) controller: Controller,
    pub(crate) counted: Counted,
    pub(crate) spare: SpareAreas,
    pub(crate) marks: Vec<Mark>,
    /// What the data of each page row went through.
    pub(crate) regulation: Option<Box<Regulation>>,
    pub(crate) sectors: Option<Box<Sectors>>,
    /// Units whose only copy was marked as lost.
    pub(crate) rebuilds: Rebuilds,
    /// Which superblocks protect each other.
    pub(crate) parity: Option<Box<Stripes>>,
    /// Which superblocks the last whole checkpoint of the map covers.
    pub(crate) checkpoints: Option<Checkpoints>,
    /// What it has of a map of which RAM holds a part.
    pub(crate) translations: Option<Translations>,
    /// What the records of trims say.
    pub(crate) trims: Option<Box<Trims>>,
    pub(crate) listed: Listed,
    /// What the cut destroyed.
    pub damage: Damage,
    /// Units that the host was told are written and that were only in the buffer.
    pub buffered_lost: u32,
}

/// A superblock as it is found on the flash of a drive that was at work before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SuperblockFound {
    /// Page rows that were programmed; torn ones count.
    pub rows_programmed: u32,
    /// It holds one bit a cell.
    pub one_bit: bool,
    /// How often it was erased.
    pub erases: u32,
    /// Where it stands among the others by when it was written: higher is later.
    pub order: u64,
}

impl Medium {
    /// Says what a superblock (numbered over the drive) holds of a flash that is kept in a file.
    pub fn put_superblock(&mut self, superblock: usize, found: SuperblockFound) {
        let SuperblockFound { rows_programmed, one_bit, erases, order } = found;
        let per_die = self.marks.len() / self.counted.clocks.len();
        let (die, within) = ((superblock / per_die) as u32, (superblock % per_die) as u32);
        self.array.restore(superblock, rows_programmed);
        self.array.wear_superblock(die, within, erases);
        let clock = &mut self.counted.clocks[die as usize].0;
        *clock = order.max(*clock);
        if let Some(checkpoints) = &mut self.checkpoints {
            checkpoints.note_closed(superblock); // No checkpoint is known to cover it.
        }
        self.marks[superblock] =
            Mark { stream: NONE, one_bit, failing: false, half_erased: false, closed_at: order };
    }

    /// Says what the spare area of a unit holds: the logical unit, and the number of the host's write. A unit of which
    /// nothing is said holds nothing that can be read.
    pub fn put_unit(&mut self, ppa: Ppa, lpn: Lpn, stamp: u64) {
        self.spare.holders[ppa.index()] = lpn.0;
        self.spare.stamps[ppa.index()] = stamp;
    }
}

impl Media {
    /// A program is over: its units have the stamps of what they were made from.
    #[cold]
    pub fn stamp_programmed(&mut self, transaction: &Transaction, status: ProgramStatus) {
        let first = self.store.first_unit(transaction);
        let units = transaction.rows * self.store.layout.row_units;
        if let Some(power) = self.guards.power.as_mut().filter(|_| status == ProgramStatus::Failed) {
            return power.spoil(first as usize, units as usize);
        }
        for unit in 0..units {
            let source = self.store.programs.get(transaction.owner, unit);
            let Some(power) = &self.guards.power else { return };
            let stamp = match source.origin() {
                Origin::Padding | Origin::Parity => NOTHING,
                Origin::Map if source == Source::SUMMARY => NOTHING,
                Origin::Host | Origin::Map => self.stamp_of_slot(source.slot()),
                _ if source.place() == Ppa::NONE => NOTHING,
                _ => power.stamps[source.place().index()],
            };
            let Some(power) = &mut self.guards.power else { return };
            power.stamps[(first + u64::from(unit)) as usize] = stamp;
            if let Some(trims) = self.guards.trims.as_mut().filter(|_| source.origin() == Origin::Map) {
                let lpn = self.store.map.holder(Ppa(first + u64::from(unit)));
                if stamp != NOTHING && trims.holds(lpn) {
                    trims.note_programmed(lpn, stamp);
                }
            }
        }
    }

    /// The power fails at `now`, in the middle of these programs and erases.
    pub fn interrupt(&mut self, now: SimTime) -> (Vec<Interrupted>, Wreck) {
        let interrupted = self.store.controller.cut(now);
        let mut wreck = Wreck::default();
        for Interrupted { transaction, ending } in &interrupted {
            let global = self.store.space.global(transaction.die.index(), transaction.superblock);
            match (transaction.kind, ending) {
                (Kind::Erase, Ending::Done) => {
                    // Nobody was told, so that nobody can retire a block that failed.
                    let _ = self.erase_cells(transaction.die.index(), transaction.superblock);
                }
                (Kind::Erase, Ending::Halfway) => {
                    wreck.damage.half_erased += 1;
                    wreck.half_erased.push(global);
                    self.spoil_superblock(global);
                }
                (_, Ending::Done) => self.end_program(transaction, global, ProgramStatus::Done),
                (_, Ending::Halfway) => {
                    self.tear_rows(transaction, global, &mut wreck);
                    let status = match self.rules.lapses.has(Lapse::TrustsTornPage) {
                        true => ProgramStatus::Done,
                        false => ProgramStatus::Failed,
                    };
                    self.end_program(transaction, global, status);
                }
            }
        }
        self.cut_groups(&wreck.torn);
        (interrupted, wreck)
    }

    /// What is left when whatever the layer knew is gone.
    ///
    /// # Panics
    /// When the drive was not made for power cuts.
    pub fn left_over(mut self, wreck: Wreck, risk: Risk, turnover: Turnover) -> Medium {
        let buffered_lost = self.buffer.at_risk();
        let marks = self.marks(&wreck.half_erased);
        let moments =
            self.agenda.as_mut().map(|agenda| std::mem::take(&mut agenda.moments)).unwrap_or_default();
        let (store, guards) = (self.store, self.guards);
        let mut regulation = guards.regulation;
        if let Some(regulation) = &mut regulation {
            regulation.cut();
        }
        let power = guards.power.expect("a drive whose power is cut notes what it writes");
        Medium {
            spare: SpareAreas {
                holders: store.map.copied().1,
                stamps: power.stamps,
                labels: power.labels,
                undone: power.undone,
            },
            marks,
            counted: Counted {
                stats: store.stats,
                risk,
                turnover,
                upkeep: self.agenda.map(|agenda| agenda.counts),
                clocks: store.space.dies.iter().map(|die| (die.clock, die.erases)).collect(),
            },
            array: store.array,
            controller: store.controller,
            regulation,
            sectors: guards.sectors,
            parity: guards.parity,
            rebuilds: Rebuilds { lost: guards.rebuilds.lost, ..Rebuilds::default() },
            checkpoints: guards.demand.and_then(|demand| demand.checkpoints).map(Checkpoints::after_cut),
            translations: None,
            trims: guards.trims,
            listed: Listed {
                read_only: self.read_only,
                snapshots: guards.snapshots.map(|snapshots| snapshots.after_cut(moments)),
            },
            damage: wreck.damage,
            buffered_lost,
        }
    }

    /// The cells of a program were changed, though nobody was told.
    fn end_program(&mut self, transaction: &Transaction, global: usize, status: ProgramStatus) {
        self.store.array.restore(global, transaction.row + transaction.rows);
        self.stamp_programmed(transaction, status);
    }

    /// An interrupted program spoils the pages of its wordline that were programmed before it (Tseng, Grupp and Swanson,
    /// DAC 2011), unless the rest of their stripes gives them back.
    fn tear_rows(&mut self, transaction: &Transaction, global: usize, wreck: &mut Wreck) {
        // Of its target, not of what folding in the die reads.
        let first = match self.holds_one_bit(global) {
            true => transaction.row,
            false => self.store.layout.first_row_of_wordline(transaction.row),
        };
        wreck.damage.torn_rows += u64::from(transaction.rows);
        wreck.damage.paired_rows += u64::from(transaction.row - first);
        let (superblock, end) = (global as u32, transaction.row + transaction.rows);
        if self.is_protected_superblock(superblock) {
            wreck.torn.extend((first..end).map(|row| (superblock, row)));
        } else {
            self.void_rows(superblock, first, transaction.row - first);
        }
    }

    /// An interrupted erase leaves nothing that could be read, however many cuts later the superblock is erased anew.
    fn spoil_superblock(&mut self, global: usize) {
        let layout = &self.store.layout;
        let first = layout.first_ppa(global as u32);
        if let Some(power) = &mut self.guards.power {
            power.spoil(first as usize, layout.superblock_units as usize);
        }
    }

    fn marks(&self, half_erased: &[usize]) -> Vec<Mark> {
        let space = &self.store.space;
        let stream_of = |die: usize, superblock: u32| {
            let is_it = |frontier: &Frontier| frontier.superblock == superblock;
            space.dies[die].frontiers.iter().position(is_it).map_or(NONE, |stream| stream as u32)
        };
        let mark = |global: usize| {
            let (die, superblock) = space.place_of(global as u32);
            Mark {
                stream: match space.state[global] {
                    SuperblockState::Open => stream_of(die, superblock),
                    _ => NONE,
                },
                one_bit: self.holds_one_bit(global),
                failing: space.failing[global],
                half_erased: half_erased.contains(&global),
                closed_at: space.closed_at[global],
            }
        };
        (0..space.state.len()).map(mark).collect()
    }
}

impl PageMapped {
    /// The power fails at `now`. Whatever the layer knew is gone; what is left is what the flash holds.
    ///
    /// # Panics
    /// When the drive was not made for power cuts.
    pub fn cut(mut self, now: SimTime) -> (Medium, Vec<Interrupted>) {
        self.account_risk(now);
        let (interrupted, wreck) = self.media.interrupt(now);
        if let Some(demand) = &self.media.guards.demand {
            self.media.store.stats.units_read_cut += demand.tasks.units_awaited();
        }
        let translations = self.translations();
        let medium = self.media.left_over(wreck, self.host.risk, self.upkeep.turnover);
        (Medium { translations, ..medium }, interrupted)
    }
}

impl Layout {
    /// The first page row of the wordline that a row lies on: pages of a wordline are numbered one after the other.
    pub fn first_row_of_wordline(&self, row: u32) -> u32 {
        row - row % (self.rows / self.slc_rows)
    }
}
