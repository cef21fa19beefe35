//! Latencies of jobs or volumes, each for itself.

use crate::measure::latencies::Latencies;
use host::{Effect, HostRequest};

/// How many tags get latency histograms of their own; more are counted together by effect only.
const TAGS_MAX: usize = 64;

/// Significant digits of the latencies of one of several tags: they may be many.
const DIGITS: u8 = 2;

/// Tags seen so far among the requests of one effect: none, a single tag, or several.
#[derive(Clone, Copy, Default, PartialEq)]
enum TagsSeen {
    #[default]
    NoRequest,
    /// One tag's, as in most runs: what is measured of all is measured of that one.
    Only(u16),
    Several,
}

/// What is measured of jobs or volumes for themselves, of reads, writes and trims.
#[derive(Default)]
pub(crate) struct Tags {
    seen: [TagsSeen; 3],
    of: Vec<[Option<Box<Latencies>>; 3]>,
}

impl Tags {
    /// Adds a request that is not yet counted in `all` of its effect.
    #[inline]
    pub fn add(&mut self, request: &HostRequest, latency: u64, all: &Latencies) {
        match self.seen.get_mut(request.op.effect() as usize) {
            Some(TagsSeen::Only(tag)) if *tag == request.tag => {}
            Some(seen @ TagsSeen::NoRequest) => *seen = TagsSeen::Only(request.tag),
            Some(_) => self.add_one_of_several(request, latency, all),
            None => {}
        }
    }

    #[inline(never)]
    fn add_one_of_several(&mut self, request: &HostRequest, latency: u64, all: &Latencies) {
        let op = request.op.effect() as usize;
        if let TagsSeen::Only(tag) = std::mem::replace(&mut self.seen[op], TagsSeen::Several)
            && let Some(of) = self.place(tag, op)
        {
            *of = Some(Box::new(all.coarser(DIGITS)));
        }
        let Some(of) = self.place(request.tag, op) else { return };
        of.get_or_insert_with(|| Box::new(Latencies::new(DIGITS))).add(latency, u64::from(request.bytes));
    }

    /// Returns the place of the measures of a tag that has a place.
    fn place(&mut self, tag: u16, op: usize) -> Option<&mut Option<Box<Latencies>>> {
        let tag = usize::from(tag);
        if tag >= TAGS_MAX {
            return None;
        }
        if tag >= self.of.len() {
            self.of.resize_with(tag + 1, || [None, None, None]);
        }
        self.of[tag].get_mut(op)
    }

    /// Returns how many there were, up to the last one that is measured for itself.
    pub fn count(&self) -> usize {
        let only = self.seen.iter().map(|seen| match seen {
            TagsSeen::Only(tag) if usize::from(*tag) < TAGS_MAX => usize::from(*tag) + 1,
            _ => 0,
        });
        only.max().unwrap_or(0).max(self.of.len())
    }

    /// Returns what the requests of a tag were like, if there were any: `all` of their effect, whose
    /// histogram is finer, where all are this tag's.
    pub fn get<'a>(
        &'a self,
        tag: usize,
        effect: Effect,
        all: &'a [Latencies; Effect::COUNT],
    ) -> Option<&'a Latencies> {
        if self.seen[effect as usize] == TagsSeen::Only(tag as u16) {
            return Some(&all[effect as usize]);
        }
        self.of.get(tag)?[effect as usize].as_deref()
    }
}
