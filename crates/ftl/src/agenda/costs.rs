//! What each piece of upkeep takes of a die's time, and of its channel's, by the drive file's times alone.

use crate::Layout;
use controller::Controller;
use units::Nanos;

/// Record of the times, in ns, for which each flash operation of timer-driven background work on unworn blocks keeps a
/// die, or its channel, busy.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Costs {
    /// Time for the read of a page row, in ns: array read and transfer over the channel; in the times of a channel, the
    /// array read is left out.
    pub row_read: u64,
    /// Time for the program of a program unit (pages of one program operation), in ns: transfer over the channel and
    /// array program; in the times of a channel, the array program is left out.
    pub program: u64,
    /// Time for the erase of a superblock, in ns; in the times of a channel, for the erase command alone.
    pub erase: u64,
    /// Time to relocate all mapping units of a superblock full of valid data and to erase it, in ns.
    pub superblock: u64,
}

impl Costs {
    /// Calculates the busy times of a die for background work from mean page times, where each read takes `senses`
    /// array senses and a program is one of the write costs (ways to program a page) in `costs`; the slowest way
    /// counts.
    pub fn of_die(layout: &Layout, controller: &Controller, senses: u64, costs: &[u8]) -> Self {
        let mean = |times: &mut dyn Iterator<Item = Nanos>| {
            let (sum, count) = times.fold((0, 0), |(sum, count), time| (sum + time.ns(), count + 1));
            sum / count.max(1)
        };
        let t_r = mean(&mut (0..layout.rows).map(|row| controller.t_r(row))) * senses;
        let programs = |cost: u8| {
            let rows = (0..layout.rows).step_by(layout.program_rows as usize);
            mean(&mut rows.map(|row| controller.t_prog(row, 0, cost)))
        };
        let t_prog = costs.iter().map(|&cost| programs(cost)).max().unwrap_or(0);
        Self::with_arrays(t_r, t_prog, controller.t_bers(0).ns(), layout, controller)
    }

    /// Calculates the busy times of a channel for the timer-driven background work of one die: the times of commands
    /// and data transfers, without array times.
    pub fn of_channel(layout: &Layout, controller: &Controller) -> Self {
        Self::with_arrays(0, 0, 0, layout, controller)
    }

    fn with_arrays(t_r: u64, t_prog: u64, t_bers: u64, layout: &Layout, controller: &Controller) -> Self {
        let bus = controller.bus();
        let mut costs = Self {
            row_read: bus.read_command().ns() + t_r + bus.data_out(layout.row_units).ns(),
            program: bus.data_in().ns() + t_prog,
            erase: bus.erase_command().ns() + t_bers,
            superblock: 0,
        };
        costs.superblock = costs.moving(layout.data_units(), layout);
        costs
    }

    /// Returns one die's part of the time to write a checkpoint of the map, in ns: programs of the die that gets the
    /// most of them, and a share of the erases that free the space.
    pub fn checkpoint(&self, layout: &Layout) -> u64 {
        let [units, dies] = [layout.translation_units, layout.dies].map(u64::from);
        units.div_ceil(u64::from(layout.program_units)).div_ceil(dies) * self.program
            + units * self.erase / u64::from(layout.data_units()) / dies
    }

    /// Returns the time to relocate `valid` mapping units out of a superblock and to erase it, in ns.
    pub fn moving(&self, valid: u32, layout: &Layout) -> u64 {
        let rows = u64::from(valid.div_ceil(layout.row_units));
        let programs = u64::from(valid.div_ceil(layout.program_units));
        rows * self.row_read + programs * self.program + self.erase
    }
}
