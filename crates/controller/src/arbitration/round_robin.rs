//! Commands first, because they are short and start an array; then data, die after die in turn.

use super::{Arbiter, ChannelView, Want};
use config::{Card, ConfigError, Policy, Section};

/// Policy `round-robin` for `controller.arbitration`: gives the channel to commands first, then to the data transfers
/// of the dies in turn.
#[derive(Clone, Debug, Default)]
pub struct RoundRobinArbitration {
    next: u32,
}

impl Policy for RoundRobinArbitration {
    const CARD: Card = Card {
        name: "round-robin",
        rule: "commands before data, since they are short and start an array; data in turn, die by die",
        paper: "common practice",
        not_modelled: "urgency of the data",
    };

    fn read(_section: &mut Section) -> Result<Self, ConfigError> {
        Ok(Self::default())
    }
}

impl Arbiter for RoundRobinArbitration {
    #[inline]
    fn pick(&mut self, view: &ChannelView<'_>) -> (u32, Want) {
        let (set, want) = if view.commands != 0 {
            (view.commands, Want::Command)
        } else {
            (view.outs | view.ins, Want::Data)
        };
        let die = ChannelView::next_in(set, self.next);
        self.next = (die + 1) % 64;
        (die, want)
    }
}
