//! `[controller]`: what may overlap and how much is bound to a die ahead of time.

use crate::{arbitration, scheduler};
use config::{ConfigError, Section, at_least};
use units::{Energy, Power};

/// Set of settings of the flash controller, from `[controller]`, with the makers of its policies.
pub struct ControllerConfig {
    /// Setting: true if the planes of a die operate together (multi-plane operations), so that a superblock has one
    /// block in each plane.
    pub multi_plane: bool,
    /// Setting: true if an array read overlaps the data-out of the read before it on the same die (cache read).
    pub cache_read: bool,
    /// Setting: true if the data-in of a program overlaps the program before it, which is still running on the same die
    /// (cache program).
    pub cache_program: bool,
    /// Setting: true if garbage collection relocates data inside a die (copyback, without the channel) where the chip
    /// allows copyback.
    pub copyback: bool,
    /// Setting: true if only one die of a way works at a time, as the dies of a chip that has a single ready/busy line.
    pub dies_take_turns: bool,
    /// Setting: number of simulated dies of a way that stand for the planes of one real die: programs with equal page
    /// numbers go to them with one command.
    pub paired_planes: u32,
    /// Setting: true if the next operation of a chip is chosen only when the channel is free to send its command,
    /// instead of when the operation before it ends; data-out of reads goes before that command.
    pub late_choice: bool,
    /// Setting: greatest number of host program operations that may be queued or in progress at one die; further host
    /// data stay in the write buffer.
    pub program_queue: u32,
    /// Setting: power of the controller while the drive runs; none if not known.
    pub power: Option<Power>,
    /// Setting: energy of the controller for each byte that crosses a channel, in addition to its power.
    pub energy_per_byte: Energy,
    /// Setting: maker of the policy (`controller.scheduler`) that chooses which class of operations (queue of the die)
    /// a die serves next.
    pub scheduler: scheduler::Maker,
    /// Setting: maker of the policy that chooses which of the dies that wait for a channel uses it next.
    pub arbitration: arbitration::Maker,
}

impl ControllerConfig {
    /// Reads the settings of the flash controller from `[controller]`.
    ///
    /// # Errors
    /// When a key or a policy is unknown or wrong.
    pub fn read(root: &mut Section) -> Result<Self, ConfigError> {
        let mut section = root.child("controller")?;
        let multi_plane = section.or("multi_plane", true, "planes of a die operate together")?;
        let cache_read = section.or("cache_read", false, "an array read overlaps the data-out before it")?;
        let cache_program = section.or("cache_program", false, "a data-in overlaps the program before it")?;
        let copyback = section.or("copyback", false, "garbage collection moves data inside the die")?;
        let dies_take_turns =
            section.or("dies_take_turns", false, "the dies of a way work one at a time, as one chip")?;
        let late_choice = section.or(
            "late_choice",
            false,
            "a die's next operation is chosen when the channel is free for it; data-out goes first",
        )?;
        let paired_planes = section.within(at_least(1u32)).or(
            "paired_planes",
            1u32,
            "dies of a way that are planes of one die, and program pages of one number together",
        )?;
        let program_queue = section.within(at_least(1u32).at_most(65_536u32)).or(
            "program_queue",
            2u32,
            "program operations bound to a die ahead of time",
        )?;
        let power = section.optional("power", "power of the controller while the drive runs")?;
        let energy_per_byte = section.or(
            "energy_per_byte",
            Energy::default(),
            "energy of the controller for each byte on a channel, on top of its power",
        )?;
        let mut child = section.child("scheduler")?;
        let scheduler = scheduler::read(&mut child)?;
        child.finish()?;
        let mut child = section.child("arbitration")?;
        let arbitration = arbitration::read(&mut child)?;
        child.finish()?;
        section.finish()?;
        Ok(Self {
            multi_plane,
            cache_read,
            cache_program,
            copyback,
            dies_take_turns,
            paired_planes,
            late_choice,
            program_queue,
            power,
            energy_per_byte,
            scheduler,
            arbitration,
        })
    }
}
