//! Latencies of jobs or volumes, each for itself.

use crate::measure::latencies::Latencies;
use host::{Effect, HostRequest};

/// Constant: greatest number of tags (fio jobs, or volumes of a trace) with a latency histogram of their own; further
/// tags count only in the totals.
const TAGS_MAX: usize = 64;

/// Constant: number of significant digits of the latency histogram of one tag (a fio job, or a volume of a trace) among
/// several.
const DIGITS: u8 = 2;

/// Kind of the set of tags (fio jobs, or volumes of a trace) that occurred so far among the requests of one effect
/// (reads, writes or trims): none, a single tag, or several.
#[derive(Clone, Copy, Default, PartialEq)]
enum TagsSeen {
    #[default]
    NoRequest,
    /// Case of the set of tags: all requests so far have this one tag, so that the latencies of all requests are also
    /// those of the tag.
    Only(u16),
    Several,
}

/// Type of the set of latency records by tag (a fio job, or a volume of a trace): one record each for the reads, the
/// writes and the trims of a tag.
#[derive(Default)]
pub(crate) struct Tags {
    seen: [TagsSeen; 3],
    of: Vec<[Option<Box<Latencies>>; 3]>,
}

impl Tags {
    /// Adds the latency of a request to the record of its tag, if requests of its effect had several tags so far;
    /// called before the request is counted in `all`, the record of the effect.
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

    /// Returns a mutable reference to the list entry for the latency record of tag `tag` and of the effect (read, write
    /// or trim) with index `op`; `None` if the tag's number is too high for a record of its own.
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

    /// Returns the number of tags (fio jobs, or volumes of a trace), up to the last one that has a latency record.
    pub fn count(&self) -> usize {
        let only = self.seen.iter().map(|seen| match seen {
            TagsSeen::Only(tag) if usize::from(*tag) < TAGS_MAX => usize::from(*tag) + 1,
            _ => 0,
        });
        only.max().unwrap_or(0).max(self.of.len())
    }

    /// Returns the latency record of the requests with tag `tag` and effect `effect`; `None` if there were none. If all
    /// requests of the effect have this tag, that is the finer record of the effect in `all`.
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
