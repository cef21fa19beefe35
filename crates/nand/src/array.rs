//! The blocks of all dies: which are bad, how worn, how far programmed, and what may be done to them.
//!
//! Superblocks are the unit of erasing: one block from each plane that operates together. Which block of a
//! plane takes part is remapped, so that one bad block costs one block and not a whole row of them.

use crate::Geometry;
use crate::tables::Endurance;
use config::{ConfigError, Section, at_least};
use engine::RandomStream;

const NO_BLOCK: u32 = u32::MAX;

/// Set of the probabilities of bad blocks and of failures of flash operations, each from 0 to 1, as set in
/// `[nand.bad_blocks]`: that a block is bad as delivered, that a program operation fails, and that an erase operation
/// fails.
#[derive(Clone, Copy, Debug, PartialEq)]
struct BadBlocks {
    factory_ratio: f64,
    program_fail_ratio: f64,
    erase_fail_ratio: f64,
}

/// Kind of status that the flash chip reports after a program operation: pass or fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramStatus {
    /// Case of status: pass. The program operation succeeded, and the data are on flash.
    Done,
    /// Case of status: fail. The program operation failed, and the data may not be on flash.
    Failed,
}

/// Kind of outcome, one of two, that the retirement of a bad block of a superblock has: a spare block replaces it, or
/// the superblock is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetireOutcome {
    /// Case of outcome: a spare block of the same plane replaced the bad block, and the superblock stays in use.
    Replaced,
    /// Case of outcome: the plane had no spare block, so that the superblock is lost; its remaining good blocks became
    /// spare blocks.
    Lost,
}

/// State of every flash block of the drive (wear, write pointer, bad or spare), in flat arrays.
#[derive(Clone, Debug)]
pub struct FlashArray {
    planes: u32,
    superblocks_per_die: u32,
    blocks_per_die: u32,
    blocks_per_plane: u32,
    bad: BadBlocks,
    random: RandomStream,
    /// List with, for each plane of each superblock (one block from each plane that operates together), the block that
    /// the superblock uses in the plane, as a block number within the die; `NO_BLOCK` in superblocks that are lost to
    /// bad blocks.
    members: Vec<u32>,
    /// Lists of the spare blocks (good blocks in reserve to replace bad ones), one for each plane of each die; a
    /// replacement is taken from the end of the list.
    spares: Vec<Vec<u32>>,
    /// List of the numbers of program/erase cycles that the blocks have had, one for each block.
    pe_cycles: Vec<u32>,
    /// List with, for each superblock of the drive's flash, the index of the page row (the pages with the same index in
    /// all planes of the superblock) that is to be programmed next.
    next_row: Vec<u32>,
    /// List of the blocks' endurances, one for each block: number of program/erase cycles after which the block fails;
    /// empty where the chip's tables have no endurance.
    lives: Vec<u32>,
    /// List of the numbers of erases in SLC mode, one for each block; empty where SLC mode is not allowed.
    slc_erases: Vec<u32>,
    /// Ratio of wear: the number of erases in SLC mode that wear a block as much as one program/erase cycle.
    slc_erases_per_cycle: u32,
    /// Mean of `lives`: mean number of program/erase cycles after which a block fails; 0 if `lives` is empty.
    mean_life: f64,
    /// Index of the plane in which a block of the superblock erased last reached the end of its endurance in that
    /// erase; `None` if no block did.
    failed_plane: Option<u32>,
    bad_blocks: u64,
}

impl FlashArray {
    /// Returns the number of bytes of host memory that the state of all the drive's flash blocks takes, without the
    /// lists of spare blocks.
    pub fn bytes(&self) -> usize {
        let arrays = [&self.members, &self.pe_cycles, &self.next_row, &self.lives, &self.slc_erases];
        4 * arrays.iter().map(|array| array.len()).sum::<usize>()
    }

    /// Makes the state of all blocks as configured by `[nand.bad_blocks]`: draws the factory bad blocks and, from the
    /// distribution `endurance`, the number of cycles that each block lives. `planes` planes of each die operate
    /// together (all planes, or one when multi-plane operation is off).
    ///
    /// # Errors
    /// When a key is unknown, or its value is wrong or outside its range.
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

    /// Combines the good blocks of a die into superblocks; the blocks that remain in a plane become spare blocks.
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

    /// Returns true if a block (numbered over the drive) has reached its endurance in program/erase cycles.
    #[inline]
    fn is_dead(&self, block: u32) -> bool {
        self.lives.get(block as usize).is_some_and(|life| self.pe_cycles[block as usize] >= *life)
    }

    #[inline]
    fn member_index(&self, die: u32, superblock: u32, plane: u32) -> usize {
        ((die * self.superblocks_per_die + superblock) * self.planes + plane) as usize
    }

    /// Returns the number of superblocks of each die, including superblocks that are lost to bad blocks.
    pub fn superblocks_per_die(&self) -> u32 {
        self.superblocks_per_die
    }

    /// Returns true if programs or erases can fail in this configuration.
    pub fn may_fail(&self) -> bool {
        self.bad.program_fail_ratio > 0.0 || self.bad.erase_fail_ratio > 0.0 || !self.lives.is_empty()
    }

    /// Returns the number of bad blocks of the drive, both from the factory and retired since.
    pub fn bad_blocks(&self) -> u64 {
        self.bad_blocks
    }

    /// Returns true if the superblock has a good block in each plane; false once the superblock is lost to bad blocks.
    pub fn is_whole(&self, die: u32, superblock: u32) -> bool {
        self.members[self.member_index(die, superblock, 0)] != NO_BLOCK
    }

    /// Returns the index of the plane in which a superblock of a single block lies, on a drive without multi-plane
    /// operation.
    pub fn plane_of(&self, die: u32, superblock: u32) -> u32 {
        self.members[self.member_index(die, superblock, 0)] / self.blocks_per_plane
    }

    /// Returns the number of program/erase cycles of the most worn block of a superblock; 0 if the superblock is lost.
    pub fn pe_cycles(&self, die: u32, superblock: u32) -> u32 {
        (0..self.planes)
            .map(|plane| self.members[self.member_index(die, superblock, plane)])
            .filter(|block| *block != NO_BLOCK)
            .map(|block| self.pe_cycles[(die * self.blocks_per_die + block) as usize])
            .max()
            .unwrap_or(0)
    }

    /// Returns the wear of a superblock by which operation times are looked up: the number of program/erase cycles at
    /// which a block of mean endurance has used the same part of its endurance as the superblock's most worn block;
    /// times of all blocks change at nearly the same part (docs/how-to/laboratory.md, remaining life).
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

    /// Returns the blocks of a superblock (all numbered over the drive); empty if the superblock is lost to bad blocks.
    pub fn blocks_of(&self, superblock: usize) -> impl Iterator<Item = usize> {
        let planes = self.planes as usize;
        let first = superblock / self.superblocks_per_die as usize * self.blocks_per_die as usize;
        let blocks = &self.members[superblock * planes..][..planes];
        blocks.iter().filter(|block| **block != NO_BLOCK).map(move |block| first + *block as usize)
    }

    /// Returns all flash blocks (numbered over the drive) that are part of a superblock: blocks that are neither bad
    /// nor spare (in reserve to replace bad ones).
    pub fn blocks_in_use(&self) -> impl Iterator<Item = u32> {
        let per_die = (self.superblocks_per_die * self.planes) as usize;
        let of_drive = move |(at, block): (usize, &u32)| (at / per_die) as u32 * self.blocks_per_die + block;
        self.members.iter().enumerate().filter(|(_, block)| **block != NO_BLOCK).map(of_drive)
    }

    /// Returns the mean endurance of the blocks, in program/erase cycles; 0 where the chip's tables have no endurance.
    pub fn mean_life(&self) -> f64 {
        self.mean_life
    }

    /// Returns the number of program/erase cycles of every block, die after die.
    pub fn pe_cycles_by_block(&self) -> &[u32] {
        &self.pe_cycles
    }

    /// Returns the endurance of each block, in program/erase cycles, die after die; empty where the chip's tables have
    /// no endurance.
    pub fn lives(&self) -> &[u32] {
        &self.lives
    }

    /// Adds wear to every block of the drive without erasing: the block's number of program/erase cycles rises by
    /// `times` times its entry in `worn`. A block that reaches its endurance fails at its next erase.
    ///
    /// # Panics
    /// When `worn` does not have one entry for each block.
    pub fn wear_on(&mut self, worn: &[u32], times: u32) {
        assert_eq!(worn.len(), self.pe_cycles.len(), "a number for each block");
        for (cycles, worn) in self.pe_cycles.iter_mut().zip(worn) {
            *cycles = cycles.saturating_add(worn.saturating_mul(times));
        }
    }

    /// Adds `cycles` program/erase cycles of wear to each block of a superblock, without erasing.
    pub fn wear_superblock(&mut self, die: u32, superblock: u32, cycles: u32) {
        for plane in 0..self.planes {
            let block = self.members[self.member_index(die, superblock, plane)];
            if block != NO_BLOCK {
                self.pe_cycles[(die * self.blocks_per_die + block) as usize] += cycles;
            }
        }
    }

    /// Returns the index of the page row (the pages with the same index in all planes) that a superblock, numbered over
    /// the whole drive, is to program next.
    #[inline]
    pub fn next_row(&self, superblock: usize) -> u32 {
        self.next_row[superblock]
    }

    /// Programs `rows` page rows (each the pages with the same index in all planes) of a superblock of the drive's
    /// flash, from the row of index `row` on, and returns whether the chip reports success or failure.
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

    /// Allows SLC mode (one bit a cell) for blocks; `erases_per_cycle` erases in SLC mode wear a block as one
    /// program/erase cycle does.
    ///
    /// # Panics
    /// When `erases_per_cycle` is zero.
    pub fn allow_slc_mode(&mut self, erases_per_cycle: u32) {
        assert!(erases_per_cycle > 0, "an erase wears a block");
        self.slc_erases = vec![0; self.pe_cycles.len()];
        self.slc_erases_per_cycle = erases_per_cycle;
    }

    /// Returns the number of erases in SLC mode of every block, die after die; empty where SLC mode is not allowed.
    pub fn slc_erases(&self) -> &[u32] {
        &self.slc_erases
    }

    /// Erases a superblock of the drive's flash, which adds one program/erase cycle to each of its blocks. Returns
    /// false if the erase failed.
    pub fn erase(&mut self, die: u32, superblock: u32) -> bool {
        self.erase_of(die, superblock, false)
    }

    /// Erases a superblock that was in SLC mode; only every `slc_erases_per_cycle`-th erase of this kind adds a
    /// program/erase cycle. Returns false if the erase failed.
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

    /// Marks one block of a superblock bad (the block whose endurance ended in the last erase, else one drawn at random
    /// among the planes) and replaces the block by a spare block of the plane if there is one.
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

    /// Sets the index of the page row that a superblock programs next, without programming; used when a constructed or
    /// a saved state is loaded.
    pub fn restore(&mut self, superblock: usize, next_row: u32) {
        self.next_row[superblock] = next_row;
    }

    /// Returns the random stream, for changes, by which bad blocks and failures of programs and erases are decided.
    pub fn random_mut(&mut self) -> &mut RandomStream {
        &mut self.random
    }

    /// Returns the random stream, read-only, by which bad blocks and failures of programs and erases are decided.
    pub fn random(&self) -> &RandomStream {
        &self.random
    }

    /// Returns the state of all flash blocks of the drive as lists of numbers, to be stored in a saved state.
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

    /// Restores the state of all flash blocks of the drive from the lists of numbers that [`Self::save`] returned.
    /// Returns false, without a change, when the lists do not fit the numbers of blocks of this geometry.
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

/// Returns the mean endurance of blocks from the endurance of each; 0 for an empty list.
fn mean_of(lives: &[u32]) -> f64 {
    lives.iter().map(|life| f64::from(*life)).sum::<f64>() / (lives.len() as f64).max(1.0)
}

fn ratio(section: &mut Section, key: &str, help: &'static str) -> Result<f64, ConfigError> {
    section.unit("ratio").within(at_least(0.0).below(1.0)).or(key, 0.0, help)
}
