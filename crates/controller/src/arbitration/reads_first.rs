//! Commands, then data to the host, then data to the dies.

use super::{Arbiter, ChannelView, Want};
use config::{Card, ConfigError, Policy, Section};

/// Policy `reads-first` for `controller.arbitration`: gives the channel to commands first, then to the data-out of
/// reads, then to the data-in of programs.
#[derive(Clone, Debug, Default)]
pub struct ReadsFirst {
    next: u32,
}

impl Policy for ReadsFirst {
    const CARD: Card = Card {
        name: "reads-first",
        rule: "commands, then data-out, then data-in; in turn within each",
        paper: "common practice",
        not_modelled: "starvation of writes behind a stream of reads",
    };

    fn read(_section: &mut Section) -> Result<Self, ConfigError> {
        Ok(Self::default())
    }
}

impl Arbiter for ReadsFirst {
    fn pick(&mut self, view: &ChannelView<'_>) -> (u32, Want) {
        let (set, want) = match (view.commands, view.outs) {
            (0, 0) => (view.ins, Want::Data),
            (0, outs) => (outs, Want::Data),
            (commands, _) => (commands, Want::Command),
        };
        let die = ChannelView::next_in(set, self.next);
        self.next = (die + 1) % 64;
        (die, want)
    }
}
