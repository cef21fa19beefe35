//! Dies that are one chip, and a channel whose free moment decides what comes next.
//!
//! A chip is a set of dies of which one works at a time. Its next operation is chosen when the channel is free to carry
//! the command; a die whose data wait to be given goes before that, and chips have their turns one after the other.

use super::Controller;
use crate::scheduler::DieView;
use crate::{Class, Context, ControllerConfig, Probe};
use nand::Geometry;
use units::SimTime;

/// State of the dies grouped into chips, each of which works on one die at a time, with, for each channel, the chip
/// that may start an operation next.
pub(super) struct Chips {
    /// Difference between the number of a die of a chip and the number of the next die of the same chip.
    stride: usize,
    dies_per_chip: usize,
    /// Difference between the numbers of simulated dies that stand for neighbouring planes of one real die.
    plane_stride: usize,
    per_channel: usize,
    /// For each channel: index of the chip that is asked first for its next operation when the channel becomes free.
    turn: Vec<usize>,
    /// For each channel: true while a chip waits for the channel to become free.
    awaited: Vec<bool>,
}

impl Chips {
    pub fn new(config: &ControllerConfig, geometry: &Geometry) -> Option<Box<Self>> {
        if !config.late_choice {
            return None;
        }
        let dies_per_chip = if config.dies_take_turns { geometry.dies_per_way as usize } else { 1 };
        let stride = geometry.dies() as usize / dies_per_chip;
        let channels = geometry.channels as usize;
        Some(Box::new(Self {
            stride,
            dies_per_chip,
            plane_stride: stride * (dies_per_chip / config.paired_planes as usize).max(1),
            per_channel: stride / channels,
            turn: vec![0; channels],
            awaited: vec![false; channels],
        }))
    }

    /// Returns the number of a die's chip, which is the number of the chip's first die.
    pub fn of(&self, die: usize) -> usize {
        die % self.stride
    }

    fn dies(&self, chip: usize) -> impl Iterator<Item = usize> + use<> {
        (chip..chip + self.dies_per_chip * self.stride).step_by(self.stride)
    }

    /// Marks, for all channels, that no chip waits for the channel, as after a power cut.
    pub fn rest(&mut self) {
        self.awaited.fill(false);
    }

    /// Returns true while a chip waits for channel `channel` to become free.
    pub fn is_awaited(&self, channel: usize) -> bool {
        self.awaited[channel]
    }

    /// Returns true if a chip waits for channel `channel` to become free, and clears that mark, because the chips are
    /// now asked in turn for their next operation.
    pub fn take_awaited(&mut self, channel: usize) -> bool {
        std::mem::take(&mut self.awaited[channel])
    }
}

impl Controller {
    /// Starts the next operation of a chip, or resumes a suspended one, if no die of the chip works; if something waits
    /// and the channel is taken, notes that the chip waits for it.
    #[cold]
    pub(super) fn start_chip<P: Probe>(&mut self, chip: usize, ctx: &mut Context<P>) {
        let now = ctx.calendar.now();
        let chips = self.chips.as_ref().expect("the caller saw chips");
        let mut suspended = None;
        let mut waits = false;
        for die in chips.dies(chip) {
            let state = &self.dies[die];
            let busy = state.array.exists() || state.register.exists() || state.status.exists();
            if busy || now < state.blocked_until {
                return;
            }
            waits |= state.waiting != 0;
            if state.suspended.exists() {
                suspended = Some(die);
            }
        }
        if let Some(die) = suspended
            && self.dies[die].waiting & Class::HostRead.bit() == 0
        {
            return self.resume(die, &mut ctx.calendar);
        }
        if !waits {
            return;
        }
        let index = chip % self.channel_count as usize;
        let channel = &self.channels[index];
        let others = self.chips.as_ref().is_some_and(|chips| chips.is_awaited(index));
        if channel.free_at > now || channel.is_wanted() || others {
            self.chips.as_mut().expect("seen above").awaited[index] = true;
            return self.wake_channel(index, &mut ctx.calendar);
        }
        let (die, class) = match suspended {
            Some(die) => (die, Class::HostRead),
            None => self.choose_in_chip(chip, now),
        };
        let page = self.slab.items[self.dies[die].first(class).index()].page;
        self.take_up(die, class, ctx);
        if page != u32::MAX {
            self.pair(die, class, page, ctx);
        }
    }

    /// Starts programs of page number `page` on the other simulated dies that stand for planes of the same real die as
    /// `die`; their data cross the channel after the data for `die`.
    fn pair<P: Probe>(&mut self, die: usize, class: Class, page: u32, ctx: &mut Context<P>) {
        let chips = self.chips.as_ref().expect("the caller saw chips");
        let (stride, dies) = (chips.plane_stride, self.dies.len());
        for other in (die % stride..dies).step_by(stride).filter(|&other| other != die) {
            if self.dies[other].waiting & class.bit() != 0 && self.bring_forward(other, class, page) {
                self.take_up(other, class, ctx);
            }
        }
    }

    /// Exchanges the page numbers of the oldest waiting operation of a class at a die and of the waiting operation with
    /// page number `page`, so that the oldest one gets `page`; returns false if no operation waits with it. (MQSim
    /// takes the operation with that page itself, ahead of older ones; here pages of a block are programmed in order.)
    fn bring_forward(&mut self, die: usize, class: Class, page: u32) -> bool {
        let first = self.dies[die].first(class);
        let mut at = first;
        while at.exists() {
            if self.slab.items[at.index()].page == page {
                self.slab.items[at.index()].page = self.slab.items[first.index()].page;
                self.slab.items[first.index()].page = page;
                return true;
            }
            at = self.slab.items[at.index()].next;
        }
        false
    }

    /// Returns the die and the class of the operation that the scheduler would start next among all operations that
    /// wait at the chip.
    fn choose_in_chip(&mut self, chip: usize, now: SimTime) -> (usize, Class) {
        let mut view = DieView {
            ready: 0,
            queued: [SimTime::ZERO; Class::COUNT],
            submitted: [u64::MAX; Class::COUNT],
            urgent: false,
            now,
        };
        let mut at = [chip; Class::COUNT];
        for die in self.chips.as_ref().expect("the caller saw chips").dies(chip) {
            let mut waiting = self.dies[die].waiting;
            if waiting & Class::Erase.bit() != 0 && self.reads_before_erase(die) {
                waiting &= !Class::Erase.bit();
            }
            let state = &self.dies[die];
            view.urgent |= state.urgent;
            for class in Class::ALL {
                if waiting & class.bit() == 0 {
                    continue;
                }
                let first = &self.slab.items[state.first(class).index()];
                if first.submitted < view.submitted[class as usize] {
                    view.ready |= class.bit();
                    view.queued[class as usize] = first.queued;
                    view.submitted[class as usize] = first.submitted;
                    at[class as usize] = die;
                }
            }
        }
        let class = self.scheduler.pick(&view);
        assert!(
            view.ready & class.bit() != 0,
            "the scheduler picked {class:?} on chip {chip}, which is not ready"
        );
        (at[class as usize], class)
    }

    /// Asks the chips of a channel in turn to start an operation, until one uses the channel, which is free and for
    /// which no data wait.
    #[cold]
    pub(super) fn start_in_turn<P: Probe>(&mut self, index: usize, ctx: &mut Context<P>) {
        let Some(chips) = &mut self.chips else { return };
        if !chips.take_awaited(index) {
            return;
        }
        let per_channel = chips.per_channel;
        for _ in 0..per_channel {
            let chips = self.chips.as_mut().expect("seen above");
            let chip = index + chips.turn[index] * self.channel_count as usize;
            chips.turn[index] = (chips.turn[index] + 1) % per_channel;
            self.start_chip(chip, ctx);
            if self.channels[index].free_at > ctx.calendar.now() {
                self.chips.as_mut().expect("seen above").awaited[index] = true;
                return self.wake_channel(index, &mut ctx.calendar);
            }
        }
    }
}
