//! The blocks of all dies: which are bad, how worn, how far programmed, and what may be done to them.
//!
//! Superblocks are the unit of erasing: one block from each plane that operates together. Which block of a
//! plane takes part is remapped, so that one bad block costs one block and not a whole row of them.

use crate::Geometry;
use crate::tables::Endurance;
use config::{ConfigError, Section, at_least};
use engine::RandomStream;

const NO_BLOCK: u32 = u32::MAX;

/// Chances that blocks fail.
#[derive(Clone, Copy, Debug, PartialEq)]
struct BadBlocks {
    factory_ratio: f64,
    program_fail_ratio: f64,
    erase_fail_ratio: f64,
}

/// Status that the chip reports for a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramStatus {
    /// The program succeeded: the data are on flash.
    Done,
    /// The program failed: the data may not be on flash.
    Failed,
}

/// Result of retiring the bad blocks of a superblock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetireOutcome {
    /// A spare block of the same plane took the place; the superblock goes on.
    Replaced,
    /// There was no spare; the superblock is gone and its good blocks became spares.
    Lost,
}

/// State of every block of the drive, in flat arrays.
#[derive(Clone, Debug)]
pub struct FlashArray {
    planes: u32,
    superblocks_per_die: u32,
    blocks_per_die: u32,
    blocks_per_plane: u32,
    bad: BadBlocks,
    random: RandomStream,
    /// Block (within the die) of each plane of each superblock; `NO_BLOCK` in lost superblocks.
    members: Vec<u32>,
    /// Spare blocks of each (die, plane), taken from the end.
    spares: Vec<Vec<u32>>,
    /// Program/erase cycles of each block.
    pe_cycles: Vec<u32>,
    /// The next page row to be programmed in each superblock.
    next_row: Vec<u32>,
    /// Program/erase cycles that each block lives; empty where the chip's tables have no endurance.
    lives: Vec<u32>,
    /// For each block, its erases while in SLC mode; empty where the chip has no SLC mode.
    slc_erases: Vec<u32>,
    /// Number of erases in SLC mode that wear a block as much as one program/erase cycle.
    slc_erases_per_cycle: u32,
    /// Mean of the blocks' lives, in program/erase cycles.
    mean_life: f64,
    /// The plane whose block failed in the last erase.
    failed_plane: Option<u32>,
    bad_blocks: u64,
}

impl FlashArray {
    /// Returns the number of bytes of state of the simulator.
    pub fn bytes(&self) -> usize {
        let arrays = [&self.members, &self.pe_cycles, &self.next_row, &self.lives, &self.slc_erases];
        4 * arrays.iter().map(|array| array.len()).sum::<usize>()
    }

    /// Reads `[nand.bad_blocks]` and draws the factory bad blocks and, from the ranks of `endurance`, how long each
    /// block lives. `planes` of each die operate together (all of them, or one when multi-plane operation is off).
    ///
    /// # Errors
    /// When a ratio lies outside its range or a plane has no good block.
    pub fn read(
        nand: &mut Section,
        geometry: &Geometry,
        planes: u32,
        endurance: Option<&Endurance>,
        seed: u64,
    ) -> Result<Self, ConfigError> {
        let mut section = nand.child("bad_blocks")?;
        let bad = BadBlocks {
            factory_ratio: ratio(&mut section, "factory_ratio", "fraction of blocks bad as delivered")?,
            program_fail_ratio: ratio(&mut section, "program_fail_ratio", "chance that a program fails")?,
            erase_fail_ratio: ratio(&mut section, "erase_fail_ratio", "chance that an erase fails")?,
        };
        let worn: u32 =
            nand.or("pe_cycles", 0, "program/erase cycles each block has behind it at the start")?;
        let blocks = geometry.dies() * geometry.blocks_per_die();
        let mut ranks = RandomStream::new(seed, "nand.endurance");
        let mut life = |endurance: &Endurance| endurance.cycles(ranks.unit());
        let mut array = Self {
            planes,
            superblocks_per_die: geometry.blocks_per_die() / planes,
            blocks_per_die: geometry.blocks_per_die(),
            blocks_per_plane: geometry.blocks_per_plane,
            bad,
            random: RandomStream::new(seed, "nand.bad_blocks"),
            members: Vec::new(),
            spares: Vec::new(),
            pe_cycles: vec![worn; blocks as usize],
            next_row: Vec::new(),
            lives: endurance.map_or_else(Vec::new, |known| (0..blocks).map(|_| life(known)).collect()),
            slc_erases: Vec::new(),
            slc_erases_per_cycle: 1,
            mean_life: 0.0,
            failed_plane: None,
            bad_blocks: 0,
        };
        array.mean_life = mean_of(&array.lives);
        let count = (geometry.dies() * array.superblocks_per_die) as usize;
        array.members = vec![NO_BLOCK; count * planes as usize];
        array.next_row = vec![0; count];
        for die in 0..geometry.dies() {
            array.form_superblocks(die, geometry.blocks_per_plane * (geometry.planes / planes));
        }
        section.finish()?;
        Ok(array)
    }

    /// Sorts the good blocks of a die into superblocks; what is left over in a plane is spare.
    fn form_superblocks(&mut self, die: u32, blocks_per_group: u32) {
        let mut good: Vec<Vec<u32>> = Vec::new();
        for plane in 0..self.planes {
            let first = plane * blocks_per_group;
            let blocks = first..first + blocks_per_group;
            let first_of_die = die * self.blocks_per_die;
            good.push(
                blocks
                    .filter(|block| {
                        !self.random.chance(self.bad.factory_ratio) && !self.is_dead(first_of_die + block)
                    })
                    .collect(),
            );
        }
        let formed = good.iter().map(Vec::len).min().unwrap_or(0);
        self.bad_blocks +=
            good.iter().map(|blocks| u64::from(blocks_per_group) - blocks.len() as u64).sum::<u64>();
        for superblock in 0..formed {
            for (plane, blocks) in good.iter().enumerate() {
                let member = self.member_index(die, superblock as u32, plane as u32);
                self.members[member] = blocks[superblock];
            }
        }
        for blocks in good {
            let mut spare = blocks[formed..].to_vec();
            spare.reverse();
            self.spares.push(spare);
        }
    }

    /// True once a block (numbered over the drive) has had all the cycles of its life.
    #[inline]
    fn is_dead(&self, block: u32) -> bool {
        self.lives.get(block as usize).is_some_and(|life| self.pe_cycles[block as usize] >= *life)
    }

    #[inline]
    fn member_index(&self, die: u32, superblock: u32, plane: u32) -> usize {
        ((die * self.superblocks_per_die + superblock) * self.planes + plane) as usize
    }

    /// Returns the superblock slots of each die; some may be lost to bad blocks.
    pub fn superblocks_per_die(&self) -> u32 {
        self.superblocks_per_die
    }

    /// True when programs or erases can fail.
    pub fn may_fail(&self) -> bool {
        self.bad.program_fail_ratio > 0.0 || self.bad.erase_fail_ratio > 0.0 || !self.lives.is_empty()
    }

    /// Returns the number of blocks that are bad, from the factory or since.
    pub fn bad_blocks(&self) -> u64 {
        self.bad_blocks
    }

    /// True when the superblock has a good block in each plane.
    pub fn is_whole(&self, die: u32, superblock: u32) -> bool {
        self.members[self.member_index(die, superblock, 0)] != NO_BLOCK
    }

    /// Returns the plane that a superblock of one block lies in.
    pub fn plane_of(&self, die: u32, superblock: u32) -> u32 {
        self.members[self.member_index(die, superblock, 0)] / self.blocks_per_plane
    }

    /// Returns the program/erase cycles of the most worn block of a superblock.
    pub fn pe_cycles(&self, die: u32, superblock: u32) -> u32 {
        (0..self.planes)
            .map(|plane| self.members[self.member_index(die, superblock, plane)])
            .filter(|block| *block != NO_BLOCK)
            .map(|block| self.pe_cycles[(die * self.blocks_per_die + block) as usize])
            .max()
            .unwrap_or(0)
    }

    /// Returns the cycles that would wear a block of mean life as the most worn block of the superblock is:
    /// what times go by. In all blocks of a part times change at nearly the same part of their lives
    /// (docs/how-to/laboratory.md, remaining life).
    pub fn worn(&self, die: u32, superblock: u32) -> u32 {
        if self.lives.is_empty() {
            return self.pe_cycles(die, superblock);
        }
        let worn = |block: u32| {
            let block = (die * self.blocks_per_die + block) as usize;
            f64::from(self.pe_cycles[block]) * self.mean_life / f64::from(self.lives[block])
        };
        (0..self.planes)
            .map(|plane| self.members[self.member_index(die, superblock, plane)])
            .filter(|block| *block != NO_BLOCK)
            .map(worn)
            .fold(0.0, f64::max) as u32
    }

    /// Returns the blocks (numbered over the drive) of a superblock (numbered over the drive); none of one
    /// that is lost.
    pub fn blocks_of(&self, superblock: usize) -> impl Iterator<Item = usize> {
        let planes = self.planes as usize;
        let first = superblock / self.superblocks_per_die as usize * self.blocks_per_die as usize;
        let blocks = &self.members[superblock * planes..][..planes];
        blocks.iter().filter(|block| **block != NO_BLOCK).map(move |block| first + *block as usize)
    }

    /// Returns the blocks (numbered over the drive) of the superblocks that are left: neither bad nor spare.
    pub fn blocks_in_use(&self) -> impl Iterator<Item = u32> {
        let per_die = (self.superblocks_per_die * self.planes) as usize;
        let of_drive = move |(at, block): (usize, &u32)| (at / per_die) as u32 * self.blocks_per_die + block;
        self.members.iter().enumerate().filter(|(_, block)| **block != NO_BLOCK).map(of_drive)
    }

    /// Returns the mean life of the blocks, in program/erase cycles; 0 where the chip's tables have no
    /// endurance.
    pub fn mean_life(&self) -> f64 {
        self.mean_life
    }

    /// Returns the program/erase cycles of every block, die after die.
    pub fn pe_cycles_by_block(&self) -> &[u32] {
        &self.pe_cycles
    }

    /// Returns the life of each block, in program/erase cycles, die after die; empty where the chip's tables
    /// have no endurance.
    pub fn lives(&self) -> &[u32] {
        &self.lives
    }

    /// Adds wear to every block: `times` times its cycles in `worn`, as if those cycles had been repeated. A block that
    /// reaches the end of its life fails at its next erase.
    ///
    /// # Panics
    /// When there are not as many numbers as blocks.
    pub fn wear_on(&mut self, worn: &[u32], times: u32) {
        assert_eq!(worn.len(), self.pe_cycles.len(), "a number for each block");
        for (cycles, worn) in self.pe_cycles.iter_mut().zip(worn) {
            *cycles = cycles.saturating_add(worn.saturating_mul(times));
        }
    }

    /// Wears the blocks of a superblock by `cycles` more.
    pub fn wear_superblock(&mut self, die: u32, superblock: u32, cycles: u32) {
        for plane in 0..self.planes {
            let block = self.members[self.member_index(die, superblock, plane)];
            if block != NO_BLOCK {
                self.pe_cycles[(die * self.blocks_per_die + block) as usize] += cycles;
            }
        }
    }

    /// Returns the next page row that a superblock (numbered over the whole drive) can program.
    #[inline]
    pub fn next_row(&self, superblock: usize) -> u32 {
        self.next_row[superblock]
    }

    /// Programs `rows` page rows of a superblock, beginning with `row`.
    ///
    /// # Panics
    /// When the row was programmed before or is out of order: the FTL broke the chip's rule.
    #[inline]
    pub fn program(&mut self, superblock: usize, row: u32, rows: u32) -> ProgramStatus {
        assert_eq!(
            self.next_row[superblock], row,
            "superblock {superblock}: rows are programmed once and in order"
        );
        self.next_row[superblock] = row + rows;
        if self.random.chance(self.bad.program_fail_ratio) {
            ProgramStatus::Failed
        } else {
            ProgramStatus::Done
        }
    }

    /// Allows that blocks are used with one bit a cell from now on; `erases_per_cycle` of their erases wear
    /// as one cycle.
    ///
    /// # Panics
    /// When `erases_per_cycle` is zero.
    pub fn allow_slc_mode(&mut self, erases_per_cycle: u32) {
        assert!(erases_per_cycle > 0, "an erase wears a block");
        self.slc_erases = vec![0; self.pe_cycles.len()];
        self.slc_erases_per_cycle = erases_per_cycle;
    }

    /// Erases of every block that held one bit a cell, die after die; empty where that does not occur.
    pub fn slc_erases(&self) -> &[u32] {
        &self.slc_erases
    }

    /// Erases a superblock, which wears each of its blocks by one cycle; false when the erase failed.
    pub fn erase(&mut self, die: u32, superblock: u32) -> bool {
        self.erase_of(die, superblock, false)
    }

    /// Erases a superblock that was in SLC mode: only one of `slc_erases_per_cycle` such erases wears a block by a
    /// cycle.
    pub fn erase_slc(&mut self, die: u32, superblock: u32) -> bool {
        self.erase_of(die, superblock, true)
    }

    fn erase_of(&mut self, die: u32, superblock: u32, slc: bool) -> bool {
        self.failed_plane = None;
        for plane in 0..self.planes {
            let block = self.members[self.member_index(die, superblock, plane)];
            assert_ne!(block, NO_BLOCK, "die {die}: superblock {superblock} was lost to bad blocks");
            let block = die * self.blocks_per_die + block;
            let worn = !slc || {
                self.slc_erases[block as usize] += 1;
                self.slc_erases[block as usize].is_multiple_of(self.slc_erases_per_cycle)
            };
            self.pe_cycles[block as usize] += u32::from(worn);
            if self.is_dead(block) {
                self.failed_plane = Some(plane);
            }
        }
        self.next_row[(die * self.superblocks_per_die + superblock) as usize] = 0;
        !self.random.chance(self.bad.erase_fail_ratio) && self.failed_plane.is_none()
    }

    /// Marks one block of the superblock bad (the one whose life just ended, else drawn among its planes) and
    /// repairs the superblock if it can.
    pub fn retire(&mut self, die: u32, superblock: u32) -> RetireOutcome {
        self.bad_blocks += 1;
        let drawn = self.random.below(u64::from(self.planes)) as u32;
        let plane = self.failed_plane.take().unwrap_or(drawn);
        let member = self.member_index(die, superblock, plane);
        self.next_row[(die * self.superblocks_per_die + superblock) as usize] = 0;
        if let Some(spare) = self.spares[(die * self.planes + plane) as usize].pop() {
            self.members[member] = spare;
            return RetireOutcome::Replaced;
        }
        for other in 0..self.planes {
            let index = self.member_index(die, superblock, other);
            let block = std::mem::replace(&mut self.members[index], NO_BLOCK);
            if other != plane {
                self.spares[(die * self.planes + other) as usize].push(block);
            }
        }
        RetireOutcome::Lost
    }

    /// Sets the state of a superblock directly: constructed states and saved states.
    pub fn restore(&mut self, superblock: usize, next_row: u32) {
        self.next_row[superblock] = next_row;
    }

    /// Returns the stream that failures are drawn from.
    pub fn random_mut(&mut self) -> &mut RandomStream {
        &mut self.random
    }

    /// See [`Self::random_mut`].
    pub fn random(&self) -> &RandomStream {
        &self.random
    }

    /// Returns the whole state as words, for a saved state.
    pub fn save(&self) -> Vec<Vec<u32>> {
        let mut words = vec![self.members.clone(), self.pe_cycles.clone(), self.next_row.clone()];
        words.push(vec![self.bad_blocks as u32]);
        words.extend(self.spares.iter().cloned());
        if !self.slc_erases.is_empty() {
            words.push(self.slc_erases.clone());
        }
        if !self.lives.is_empty() {
            words.push(self.lives.clone());
        }
        words
    }

    /// Restores the state that [`Self::save`] gave; false when its shape does not fit this geometry.
    pub fn load(&mut self, words: &[Vec<u32>]) -> bool {
        let spares_end = 4 + self.spares.len();
        let slc = usize::from(!self.slc_erases.is_empty());
        let lives_at = spares_end + slc;
        let fits = words.len() == lives_at + usize::from(!self.lives.is_empty())
            && words[spares_end..lives_at].iter().all(|erases| erases.len() == self.slc_erases.len())
            && words[lives_at..].iter().all(|lives| lives.len() == self.lives.len() && !lives.contains(&0))
            && words[0].len() == self.members.len()
            && words[1].len() == self.pe_cycles.len()
            && words[2].len() == self.next_row.len()
            && words[3].len() == 1;
        if fits {
            self.members.clone_from(&words[0]);
            self.pe_cycles.clone_from(&words[1]);
            self.next_row.clone_from(&words[2]);
            self.bad_blocks = u64::from(words[3][0]);
            self.spares = words[4..spares_end].to_vec();
            if slc > 0 {
                self.slc_erases.clone_from(&words[spares_end]);
            }
            if let Some(lives) = words.get(lives_at) {
                self.lives.clone_from(lives);
                self.mean_life = mean_of(&self.lives);
            }
        }
        fits
    }
}

/// Returns the mean of the lives of blocks; 0 where none is known.
fn mean_of(lives: &[u32]) -> f64 {
    lives.iter().map(|life| f64::from(*life)).sum::<f64>() / (lives.len() as f64).max(1.0)
}

fn ratio(section: &mut Section, key: &str, help: &'static str) -> Result<f64, ConfigError> {
    section.unit("ratio").within(at_least(0.0).below(1.0)).or(key, 0.0, help)
}
