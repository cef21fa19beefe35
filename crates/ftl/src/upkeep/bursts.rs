//! Whether a die collects now: because it must, because it is idle, or because all dies do for a while.

use crate::media::Media;
use crate::upkeep::Upkeep;

impl Upkeep {
    /// Whether the die is short of superblocks. Where collection comes in bursts, one of all dies then begins.
    pub fn must_collect(&self, media: &mut Media, die: usize) -> bool {
        let foreground = self.trigger.foreground(&self.trigger_view(media, die));
        if foreground && media.core.rules.burst_share.is_some() && !media.core.collections[die].bursting {
            Self::begin_burst(media, die);
        }
        foreground
    }

    #[cold]
    fn begin_burst(media: &mut Media, die: usize) {
        for (at, collection) in media.core.collections.iter_mut().enumerate() {
            if !collection.bursting && at != die {
                media.core.woken.push(at);
            }
            collection.bursting = true;
        }
    }

    /// Whether a die that is not short of superblocks collects all the same. One that has enough takes no part in a burst
    /// any more.
    pub fn may_collect(&self, media: &mut Media, die: usize) -> bool {
        let collection = &media.core.collections[die];
        if !collection.background && !collection.bursting {
            return false;
        }
        let wanted = self.trigger.background(&self.trigger_view(media, die));
        media.core.collections[die].bursting &= wanted;
        wanted
    }
}
