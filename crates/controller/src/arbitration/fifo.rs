//! Who waits longest.

use super::{Arbiter, ChannelView, Want};
use config::{Card, ConfigError, Policy, Section};

/// Type of the policy `fifo` for `controller.arbitration`: the die that has waited longest gets the channel; among
/// equals commands go first, then the lowest die.
#[derive(Clone, Debug)]
pub struct FifoArbitration;

impl Policy for FifoArbitration {
    const CARD: Card = Card {
        name: "fifo",
        rule: "the die that has waited longest; among equals commands first, then the lowest die",
        paper: "baseline of every comparison",
        not_modelled: "that a short command could start an idle array sooner",
    };

    fn read(_section: &mut Section) -> Result<Self, ConfigError> {
        Ok(Self)
    }
}

impl Arbiter for FifoArbitration {
    fn pick(&mut self, view: &ChannelView<'_>) -> (u32, Want) {
        let members = |set: u64| (0..64u32).filter(move |die| set >> die & 1 == 1);
        let commands = members(view.commands).map(|die| (view.since[2 * die as usize], die, Want::Command));
        let data =
            members(view.outs | view.ins).map(|die| (view.since[2 * die as usize + 1], die, Want::Data));
        let first = commands.chain(data).min_by_key(|(since, die, want)| (*since, *want as u8, *die));
        let (_, die, want) = first.expect("something is waiting");
        (die, want)
    }
}
