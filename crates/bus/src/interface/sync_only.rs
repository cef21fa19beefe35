//! SYNC_ONLY: the strobe of the chip (DVS) accompanies its data, on one edge (Chung et al., section 5.3).

use super::proposed::Strobed;
use super::{Interface, Spoken};
use crate::family::{Family, ModeSet};
use crate::signalling::Signalling;
use crate::strobes::Strobes;
use config::{Card, ConfigError, Policy, Section};

/// Model of the NAND flash interface `sync-only` (a policy for `bus.interface`): source-synchronous with single data
/// rate.
#[derive(Clone, Debug)]
pub struct SyncOnly(Strobed);

impl Policy for SyncOnly {
    const CARD: Card = Card {
        name: "sync-only",
        rule: "the chip's strobe travels with its data, one byte per cycle; the clock is that of the proposed interface",
        paper: "Son et al. as compared in Chung et al., section 5.3",
        not_modelled: "the relaxed set-up time that one edge per cycle would allow: the paper keeps the clock",
    };

    fn read(section: &mut Section) -> Result<Self, ConfigError> {
        Strobed::read(section).map(Self)
    }
}

impl Spoken for SyncOnly {
    const FAMILY: Option<Family> = Some(Family { name: "sync-only", highest: None, older: &["conv"] });
}

impl Interface for SyncOnly {
    fn signalling(&self) -> Signalling {
        self.0.signalling(1)
    }

    fn strobes(&self) -> Option<Strobes> {
        Some(self.0.strobes)
    }

    fn needs(&self) -> Option<ModeSet> {
        Self::in_mode(0)
    }
}
