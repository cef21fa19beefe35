//! A trace as a workload: its requests at their times, or as fast as the drive takes them.

use super::footprint::PAGE;
use super::info::TraceInfo;
use super::input::Origin;
use super::opened::{Opened, Requests};
use super::options::{Addresses, TraceOptions};
use super::place::{Layout, Placement};
use crate::{HostRequest, Poll, Workload, WorkloadError, WorkloadReport};
use std::path::Path;
use units::SimTime;

/// Replays a trace.
///
/// Open loop, the default: the first request arrives at the time of the first [`Workload::poll`], the others
/// as much later as the trace says, divided by the speed-up and rounded down to nanoseconds. Closed loop
/// (`as_fast_as_possible`): a fixed number is outstanding and times are ignored. A request's tag is the
/// number of its volume, in the order in which they appear.
pub struct TraceWorkload {
    requests: Requests,
    layout: Layout,
    placement: Placement,
    drive_bytes: u64,
    pace: Pace,
    info: TraceInfo,
    addresses: Addresses,
    /// The next request, when it was looked at but not yet handed out.
    waiting: Option<Waiting>,
    handed_out: u64,
    origin: Option<SimTime>,
}

/// A request whose place is known, and its time after the first.
struct Waiting {
    request: HostRequest,
    after_first_ns: u64,
}

/// When the next request may go.
enum Pace {
    /// At its own time divided by this.
    Open { speedup: f64 },
    /// When fewer than `depth` are outstanding.
    Closed { depth: u32, outstanding: u32 },
}

/// Opens the trace at `path` for replay on a drive of `drive_bytes`. Reads it once to settle the format,
/// the order of times, the layout of its volumes and its span; [`TraceWorkload::info`] has the result.
///
/// # Errors
/// As [`super::inspect`], and when times go back without `sort`, or addresses lie beyond the drive and the
/// options do not say what to do with them.
pub fn open(path: &Path, options: &TraceOptions, drive_bytes: u64) -> Result<TraceWorkload, WorkloadError> {
    open_origin(Origin::Path(path.to_owned()), options, drive_bytes)
}

pub(crate) fn open_origin(
    origin: Origin,
    options: &TraceOptions,
    drive_bytes: u64,
) -> Result<TraceWorkload, WorkloadError> {
    let mut opened = Opened::survey(origin, options)?;
    opened.check_order()?;
    let ranks = match options.addresses {
        Addresses::Compact => opened.survey.pages.take().map(super::footprint::PageSet::rank),
        _ => None,
    };
    // Placements other than the direct one work in whole pages of the drive.
    let usable = match options.addresses {
        Addresses::Refuse => drive_bytes,
        _ => drive_bytes / PAGE * PAGE,
    };
    let layout = opened.layout.take().ok_or_else(|| no_layout(&opened))?;
    check_fit(&opened, &layout, options, usable, ranks.as_ref().map(|ranks| ranks.pages()))?;
    let placement = Placement::new(options.addresses, &layout, ranks);
    let pace = match options.as_fast_as_possible {
        Some(depth) => Pace::Closed { depth, outstanding: 0 },
        None => Pace::Open { speedup: options.speedup },
    };
    Ok(TraceWorkload {
        info: opened.info.clone(),
        requests: opened.again()?,
        layout,
        placement,
        drive_bytes: usable,
        pace,
        addresses: options.addresses,
        waiting: None,
        handed_out: 0,
        origin: None,
    })
}

fn no_layout(opened: &Opened) -> WorkloadError {
    let found = format!("{} volumes laid end to end exceed 64 bits", opened.info.volumes.len());
    WorkloadError::of(&opened.info.path, found, "fewer volumes; --volume NAME picks some")
}

/// The trace must fit onto the drive as the options place it.
fn check_fit(
    opened: &Opened,
    layout: &Layout,
    options: &TraceOptions,
    drive_bytes: u64,
    touched_pages: Option<u64>,
) -> Result<(), WorkloadError> {
    let (longest, line) = opened.survey.longest;
    // A page of slack: a request keeps its place inside its first page when it is moved.
    if u64::from(longest).next_multiple_of(PAGE) + PAGE > drive_bytes && u64::from(longest) > 0 {
        let fits_exactly = options.addresses == Addresses::Refuse && u64::from(longest) <= drive_bytes;
        if !fits_exactly {
            let found = format!("a request of {longest} bytes on a drive of {drive_bytes} bytes");
            return Err(WorkloadError::of(opened.place(line), found, "requests smaller than the drive"));
        }
    }
    match (options.addresses, touched_pages) {
        (Addresses::Refuse, _) if layout.span > drive_bytes => Err(beyond(opened, layout, drive_bytes)),
        (Addresses::Compact, Some(pages)) if pages.saturating_mul(PAGE) > drive_bytes => {
            let found = format!("{pages} touched pages of 4 KiB on a drive of {drive_bytes} bytes");
            let expected = "a larger drive, fewer volumes (--volume), --wrap or --scale";
            Err(WorkloadError::of(&opened.info.path, found, expected))
        }
        _ => Ok(()),
    }
}

/// Which request lies beyond the drive: the highest of the first volume that does.
fn beyond(opened: &Opened, layout: &Layout, drive_bytes: u64) -> WorkloadError {
    let volumes = opened.survey.volumes.iter().enumerate();
    let ends =
        volumes.map(|(index, volume)| (layout.base(index as u32) + volume.span, index, volume.span_line));
    let (end, index, line) =
        ends.into_iter().find(|(end, ..)| *end > drive_bytes).expect("the span is the largest end");
    let mut found = format!("ends at byte {end}, on a drive of {drive_bytes} bytes");
    if opened.info.volumes.len() > 1 {
        let name = &opened.info.volumes[index].name;
        found = format!("volume {name:?}, laid after {index} others, {found}");
    }
    let needs = layout.span;
    let expected = format!("a drive of {needs} bytes, --wrap, --scale or --compact");
    WorkloadError::of(opened.place(line), found, expected)
}

impl TraceWorkload {
    /// What the first pass found: span, rate, footprint and the rest.
    pub fn info(&self) -> &TraceInfo {
        &self.info
    }

    /// Looks at the next request, if none is waiting.
    fn look_ahead(&mut self) -> Result<(), WorkloadError> {
        if self.waiting.is_some() {
            return Ok(());
        }
        let Some(located) = self.requests.next()? else { return Ok(()) };
        let record = &located.record;
        let offset = self.placement.offset(record, &self.layout, self.drive_bytes);
        let after_first = record.time_ns.checked_sub(self.info.first_ns);
        let (Some(offset), Some(after_first_ns)) = (offset, after_first) else {
            return Err(self.changed());
        };
        let (op, bytes, tag) = (record.op, record.bytes, record.volume as u16);
        let request = HostRequest { arrive: SimTime::ZERO, op, offset, bytes, tag, fua: record.fua };
        self.waiting = Some(Waiting { request, after_first_ns });
        Ok(())
    }

    #[cold]
    fn changed(&self) -> WorkloadError {
        WorkloadError::of(&self.info.path, "the file changed while it was read", "a file that stays as it is")
    }

    /// The end: as many requests as the first pass counted.
    fn done(&self) -> Result<Poll, WorkloadError> {
        match self.handed_out == self.info.requests.total() {
            true => Ok(Poll::Done),
            false => Err(self.changed()),
        }
    }
}

/// `ns / speedup`, rounded down; exact for a speed-up of one.
fn sped_up(ns: u64, speedup: f64) -> u64 {
    if speedup == 1.0 { ns } else { (ns as f64 / speedup) as u64 }
}

impl Workload for TraceWorkload {
    fn poll(&mut self, now: SimTime) -> Result<Poll, WorkloadError> {
        let origin = *self.origin.get_or_insert(now);
        self.look_ahead()?;
        let Some(Waiting { mut request, after_first_ns }) = self.waiting.take() else {
            return self.done();
        };
        let arrive = match &mut self.pace {
            Pace::Closed { depth, outstanding } if *outstanding < *depth => {
                *outstanding += 1;
                now
            }
            Pace::Closed { .. } => {
                self.waiting = Some(Waiting { request, after_first_ns });
                return Ok(Poll::Blocked);
            }
            Pace::Open { speedup } => {
                let arrive = origin.ns().saturating_add(sped_up(after_first_ns, *speedup));
                SimTime::from_ns(arrive)
            }
        };
        if arrive > now {
            self.waiting = Some(Waiting { request, after_first_ns });
            return Ok(Poll::At(arrive));
        }
        request.arrive = arrive;
        self.handed_out += 1;
        Ok(Poll::Ready(request))
    }

    fn complete(&mut self, _request: &HostRequest, _now: SimTime, _failed: bool) {
        if let Pace::Closed { outstanding, .. } = &mut self.pace {
            *outstanding = outstanding.checked_sub(1).expect("a completion has its request");
        }
    }

    fn fraction_done(&self, _now: SimTime) -> Option<f64> {
        Some(self.handed_out as f64 / self.info.requests.total() as f64)
    }

    fn report(&self) -> WorkloadReport {
        let mut notes = vec![("addresses".to_owned(), format!("{:?}", self.addresses).to_lowercase())];
        match self.pace {
            Pace::Open { speedup } => notes.push(("speedup".into(), speedup.to_string())),
            Pace::Closed { depth, .. } => notes.push(("as_fast_as_possible".into(), depth.to_string())),
        }
        let counts = [
            ("requests_of_other_volumes", self.info.requests_of_other_volumes),
            ("requests_outside_times", self.info.requests_outside_times),
            ("writes_with_fua", self.info.writes_with_fua),
        ];
        notes.extend(counts.iter().filter(|(_, n)| *n > 0).map(|(name, n)| ((*name).into(), n.to_string())));
        if let Some(disorder) = self.info.first_out_of_order {
            notes.push(("sorted_because_of_line".into(), disorder.line.to_string()));
        }
        notes.extend(self.info.first_skipped.iter().map(|what| ("skipped_line".to_owned(), what.clone())));
        WorkloadReport {
            name: self.info.path.clone(),
            format: self.info.format.to_owned(),
            requests: self.handed_out,
            skipped_lines: self.info.skipped_lines,
            notes,
            tags: self.info.volumes.iter().map(|volume| volume.name.clone()).collect(),
        }
    }
}
