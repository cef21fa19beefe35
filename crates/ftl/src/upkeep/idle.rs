//! What a die does when it has had nothing to do for a while: it collects, folds, and writes units anew.

use crate::Probe;
use crate::events;
use crate::media::Media;
use crate::upkeep::Upkeep;
use controller::Context;
use engine::{Calendar, Event};
use units::{DieId, Nanos};

impl Upkeep {
    /// Returns how long a die must be idle before the work of event kind `kind` starts: background garbage collection,
    /// folding of the SLC cache, or rewriting (programming units again so that later reads take less time). `None` if
    /// idle dies do not do that work.
    fn idle_wait(&self, media: &Media, kind: u8) -> Option<Nanos> {
        match kind {
            events::IDLE => self.trigger.idle_after(),
            events::FOLD => media.features.folds_after(),
            _ => Some(media.core.rules.rewrite_after),
        }
    }

    /// Starts, on a die that has just become idle, the idle timers of background garbage collection, of folding of the
    /// SLC cache, of rewriting (programming again the units that a write cost regulator has queued, so that later reads
    /// of them take less time) and of the patrol scrub. Age-driven refresh has timers of its own.
    #[inline]
    pub fn arm_idle_timers(&mut self, media: &mut Media, die: usize, calendar: &mut Calendar) {
        let idle = &mut media.core.collections[die].idle;
        idle.since = calendar.now();
        if !idle.is_armed(events::IDLE)
            && self.trigger.idle_after().is_some()
            && self.trigger.background(&self.trigger_view(media, die))
        {
            self.arm_idle_timer(media, die, events::IDLE, calendar);
        }
        if media.features.has_to_fold(&media.core, die) {
            self.arm_idle_timer(media, die, events::FOLD, calendar);
        }
        // Only so many units are worth a program.
        let program = media.core.store.layout.program_units as usize;
        if media.features.waiting_anew(die) >= program {
            self.arm_idle_timer(media, die, events::REWRITE, calendar);
        }
        self.arm_patrol(media, die, calendar);
    }

    fn arm_idle_timer(&self, media: &mut Media, die: usize, kind: u8, calendar: &mut Calendar) {
        if let Some(wait) = self.idle_wait(media, kind) {
            let event = Event { kind, index: die as u32 };
            media.core.collections[die].idle.arm(calendar.now() + wait, event, calendar);
        }
    }

    /// Handles an idle timer of a die: starts the timer's work if the die was idle for long enough. Returns true when
    /// the work frees space for the host, now or later.
    pub fn on_idle_timer<P: Probe>(&mut self, media: &mut Media, event: Event, ctx: &mut Context<P>) -> bool {
        let die = event.index as usize;
        let Some(wait) = self.idle_wait(media, event.kind) else { return false };
        let is_idle = media.core.store.controller.is_idle(DieId(event.index));
        let idle = &mut media.core.collections[die].idle;
        idle.disarm(event.kind);
        if !is_idle || media.core.assembly.is_still || !idle.has_lasted(wait, event, &mut ctx.calendar) {
            return false;
        }
        match event.kind {
            events::IDLE => media.core.collections[die].background = true,
            events::FOLD => media.core.folding[die].background = true,
            _ => {
                self.rewrite_some(media, die, ctx);
                return false;
            }
        }
        self.collect(media, die, ctx);
        true
    }
}
