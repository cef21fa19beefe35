//! Programs and erases that are interrupted for a host read, and go on after it.

use super::{Context, Controller, events};
use crate::die::ArrayPhase;
use crate::{Kind, Probe, TransactionId};
use engine::{Calendar, Event};
use units::SimTime;

impl Controller {
    /// Suspends the running program or erase of a die for a waiting host read (the caller knows that one waits), if the
    /// time left exceeds that of a suspension and the scheduler decides so.
    // By itself: what calls it is short, and is called after most events.
    #[inline(never)]
    pub(super) fn consider_suspension<P: Probe>(&mut self, die: usize, ctx: &mut Context<P>) {
        let now = ctx.calendar.now();
        let state = &mut self.dies[die];
        let running = state.array.exists()
            && state.array_phase == ArrayPhase::Busy
            && (state.array_start < now || self.overlap.suspend_for_waiting)
            && !state.register.exists()
            && !state.suspended.exists();
        if !running {
            return;
        }
        if state.array_start > now {
            // Its data are still coming in: it is looked at again when the array begins.
            let again = Event { kind: events::SUSPENDED, index: die as u32 };
            return ctx.calendar.schedule(state.array_start, again);
        }
        let t_suspend = match state.array_kind {
            Kind::Program => self.timing.t_suspend_program,
            Kind::Erase => self.timing.t_suspend_erase,
            Kind::Read | Kind::Copyback => return,
        };
        let remaining = state.array_end.since(now);
        if remaining <= t_suspend || !self.scheduler.suspends(state.array_kind, remaining, state.suspensions)
        {
            return;
        }
        let id = state.array;
        let transaction = &mut self.slab.items[id.index()];
        transaction.times.array_ns += now.since(state.array_start).ns();
        ctx.probe.on_array(id, transaction, state.array_start, now);
        self.work.count(transaction, now.since(state.array_start));
        state.count_array(transaction.origin, state.array_start, now);
        state.suspended = id;
        state.remaining = remaining;
        state.suspensions += 1;
        state.array = TransactionId::NONE;
        state.array_end = SimTime::NEVER;
        state.blocked_until = now + t_suspend;
        state.note_occupant(&self.slab, now);
        ctx.calendar.schedule(state.blocked_until, Event { kind: events::SUSPENDED, index: die as u32 });
    }

    /// Resumes the suspended program or erase of a die.
    pub(super) fn resume(&mut self, die: usize, calendar: &mut Calendar) {
        let now = calendar.now();
        let state = &mut self.dies[die];
        let id = std::mem::replace(&mut state.suspended, TransactionId::NONE);
        let suspensions = state.suspensions;
        let busy = state.remaining + self.timing.t_resume;
        state.array = id;
        state.array_kind = self.slab.items[id.index()].kind;
        self.start_array(die, now, busy, calendar);
        let state = &mut self.dies[die];
        state.suspensions = suspensions;
        state.note_occupant(&self.slab, now);
    }
}
