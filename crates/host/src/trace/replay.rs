//! A trace as a workload: its requests at their times, or as fast as the drive takes them.

use super::footprint::PAGE;
use super::info::{TraceInfo, VolumeInfo};
use super::opened::{Opened, TracePurpose, TraceReader, TraceRequests};
use super::options::{Addresses, TraceOptions};
use super::origin::TraceOrigin;
use super::place::{AddressPlacement, VolumePlaces};
use super::record::Record;
use super::source::{Located, TraceStream};
use super::survey::VolumeTally;
use crate::{
    Background, Completion, Effect, Extent, HostRequest, HostSpace, Poll, Telling, Workload, WorkloadError,
    WorkloadReport,
};
use std::path::Path;
use units::SimTime;

/// Type of the workload that replays a trace.
///
/// Open loop, the default: the first request arrives at the time of the first [`Workload::poll`], the others as much
/// later as the trace says, divided by the speed-up and rounded down to nanoseconds. Closed loop
/// (`as_fast_as_possible`): a fixed number of requests is kept in flight and the trace's times are ignored. A request's
/// tag is the number of its volume, in the order in which volumes appear.
pub struct TraceWorkload {
    requests: TraceRequests,
    layout: VolumePlaces,
    placement: AddressPlacement,
    drive_bytes: u64,
    pace: ReplayPace,
    info: TraceInfo,
    addresses: Addresses,
    /// Field of a replay: next request of the trace, if it has been read but not yet returned.
    waiting: Option<ReplayRequest>,
    footprint: FootprintPass,
    handed_out: u64,
    /// Field of a replay: line number in the trace of the request that was returned last.
    line: u64,
    /// Field of a replay: number of the process that made the request of the trace that was returned last; none where
    /// the trace has no processes.
    process: Option<u32>,
    names_processes: bool,
    origin: Option<SimTime>,
}

/// Record of a trace's request to be replayed: address on the drive, time in nanoseconds after the trace's first
/// request, line and process.
struct ReplayRequest {
    request: HostRequest,
    after_first_ns: u64,
    line: u64,
    process: Option<u32>,
}

/// State of the pass that finds what the trace accesses, to lay out data before the run: the file is read once more, so
/// that memory stays constant.
struct FootprintPass {
    reader: TraceReader,
    stream: Option<TraceStream>,
    seen: u64,
    /// Field of a replay: address space of the drive: addresses that the trace writes are laid out as well as addresses
    /// that it reads, because written places held data before, too, but not in zones.
    space: HostSpace,
}

/// Kind of rule for the times at which requests of a trace are made: open loop or closed loop.
enum ReplayPace {
    /// Case of rule for times: open loop, in which each request of the trace is made at its time in the trace divided
    /// by the speed-up.
    Open { speedup: f64 },
    /// Case of rule for times: closed loop, in which a request of the trace is made when fewer than `depth` requests
    /// are in flight; `outstanding` is the number in flight.
    Closed { depth: u32, outstanding: u32 },
}

/// Opens the trace at `path` for replay on a drive `space`. Reads the trace to its end to find its format, the order of
/// its times, its volumes and its span; [`TraceWorkload::info`] returns the result.
///
/// # Errors
/// As [`super::inspect`], and when times are further out of order than is sorted without `sort`, or the trace cannot be
/// placed on the drive as the options say.
pub fn open(
    path: &Path,
    options: &TraceOptions,
    space: impl Into<HostSpace>,
) -> Result<TraceWorkload, WorkloadError> {
    open_origin(TraceOrigin::find(path, options.member.as_deref())?, options, &space.into())
}

pub(crate) fn open_origin(
    origin: TraceOrigin,
    options: &TraceOptions,
    space: &HostSpace,
) -> Result<TraceWorkload, WorkloadError> {
    let (mut opened, drive_bytes) = (Opened::survey(origin, options, TracePurpose::Use)?, space.bytes);
    if space.is_parted() {
        opened.layout = Some(in_namespaces(&opened, options.addresses, space)?);
    }
    if space.zones.is_some() && (options.addresses != Addresses::Auto || !fits_as_it_is(&opened, drive_bytes))
    {
        let found = format!("{} on a drive of zones", asked(options.addresses));
        let expected =
            format!("its addresses as they are, within {drive_bytes} bytes: zones are where they are");
        return Err(WorkloadError::of(&opened.info.path, found, expected));
    }
    let addresses = match options.addresses {
        Addresses::Auto if !fits_as_it_is(&opened, drive_bytes) => {
            check_longest(&opened, Addresses::Compact, drive_bytes)?;
            opened = compacted(opened, drive_bytes)?;
            Addresses::Compact
        }
        asked => asked,
    };
    let ranks = match addresses {
        Addresses::Compact => opened.survey.pages.take().map(super::footprint::PageSet::rank),
        _ => None,
    };
    // Placements other than the direct one work in whole pages of the drive.
    let usable = match addresses {
        Addresses::Auto => drive_bytes,
        _ => drive_bytes / PAGE * PAGE,
    };
    let layout = opened.layout.take().ok_or_else(|| no_layout(&opened))?;
    check_longest(&opened, addresses, usable)?;
    check_fit(&opened, addresses, usable, ranks.as_ref().map(|ranks| ranks.pages()))?;
    let placement = AddressPlacement::new(addresses, &layout, ranks);
    let pace = match options.as_fast_as_possible {
        Some(depth) => ReplayPace::Closed { depth, outstanding: 0 },
        None => ReplayPace::Open { speedup: options.speedup },
    };
    let footprint = FootprintPass { reader: opened.reader(), stream: None, seen: 0, space: space.clone() };
    Ok(TraceWorkload {
        info: opened.info.clone(),
        footprint,
        names_processes: opened.survey.names_processes,
        requests: opened.second_pass()?,
        layout,
        placement,
        drive_bytes: usable,
        pace,
        addresses,
        waiting: None,
        handed_out: 0,
        line: 0,
        process: None,
        origin: None,
    })
}

/// Returns the places of the trace's volumes on a drive of several namespaces: each volume in the namespace of the same
/// name. Returns an error if such a namespace is missing or smaller than its volume, or if the user asked for other
/// addresses than the trace's own.
fn in_namespaces(
    opened: &Opened,
    addresses: Addresses,
    space: &HostSpace,
) -> Result<VolumePlaces, WorkloadError> {
    if addresses != Addresses::Auto {
        let found = "--wrap, --scale or --compact on a drive of several namespaces";
        return Err(WorkloadError::of(&opened.info.path, found, "addresses as they are in the trace"));
    }
    let base = |(volume, tally): (&VolumeInfo, &VolumeTally)| {
        let name = &volume.name;
        let Some(namespace) = space.named(name) else {
            return Err(WorkloadError::of(
                &opened.info.path,
                format!("volume {name:?}"),
                space.expected(name),
            ));
        };
        let Extent { offset, bytes } = namespace.extent;
        if tally.span > bytes {
            let found = format!("volume {name:?} ends at byte {}", tally.span);
            let expected = format!("no more than its namespace's {bytes} bytes");
            return Err(WorkloadError::of(opened.place(tally.span_line), found, expected));
        }
        Ok(offset)
    };
    let bases = opened.info.volumes.iter().zip(&opened.survey.volumes).map(base).collect::<Result<_, _>>()?;
    Ok(VolumePlaces::at(bases, space.bytes))
}

fn no_layout(opened: &Opened) -> WorkloadError {
    let found = format!("{} volumes laid end to end exceed 64 bits", opened.info.volumes.len());
    WorkloadError::of(&opened.info.path, found, "fewer volumes; --volume NAME picks some")
}

/// Returns the words by which an error message names how the user wants the trace's addresses placed on the drive:
/// `--wrap`, `--scale` or `--compact`, or without such an option that the addresses lie beyond the drive.
fn asked(addresses: Addresses) -> &'static str {
    match addresses {
        Addresses::Auto => "addresses beyond it",
        Addresses::Wrap => "--wrap",
        Addresses::Scale => "--scale",
        Addresses::Compact => "--compact",
    }
}

fn fits_as_it_is(opened: &Opened, drive_bytes: u64) -> bool {
    opened.layout.as_ref().is_some_and(|layout| layout.span <= drive_bytes)
}

/// Counts the trace's touched pages exactly, because its addresses reach beyond the drive, so that the touched pages
/// can be numbered without gaps and placed so on the drive; adds a remark. An error if the touched pages do not fit
/// either.
fn compacted(opened: Opened, drive_bytes: u64) -> Result<Opened, WorkloadError> {
    // An estimate keeps a trace that is far too large from being counted page by page.
    const SURELY: u64 = 2;
    if opened.info.footprint_pages / SURELY > drive_bytes / PAGE {
        return Err(beyond(&opened, drive_bytes));
    }
    let mut counted = opened.counted_exactly()?;
    if counted.info.footprint_bytes > drive_bytes {
        return Err(beyond(&counted, drive_bytes));
    }
    let reach = counted.info.laid_out_bytes.map_or("64 bits".to_owned(), size);
    counted.info.notes.push(format!(
        "its addresses reach {reach}, beyond the drive's {}: the 4 KiB pages it touches, {} in all, are laid side by \
         side in order of address, as --compact does (else --wrap, --scale, or a larger drive)",
        size(drive_bytes),
        size(counted.info.footprint_bytes),
    ));
    Ok(counted)
}

/// Returns a size in bytes as text in binary units, with one digit after the point.
fn size(bytes: u64) -> String {
    let (unit, name) = match bytes {
        0..=0xfffff => (1u64 << 10, "KiB"),
        0x100000..=0x3fffffff => (1 << 20, "MiB"),
        0x40000000..=0xffffffffff => (1 << 30, "GiB"),
        _ => (1 << 40, "TiB"),
    };
    format!("{:.1} {name}", bytes as f64 / unit as f64)
}

/// Checks that the longest request of the trace fits onto the drive: with a 4 KiB page to spare, unless the addresses
/// are used as they are in the trace. Otherwise returns an error.
fn check_longest(opened: &Opened, addresses: Addresses, drive_bytes: u64) -> Result<(), WorkloadError> {
    let (longest, line) = opened.survey.longest;
    // A page of slack: a request keeps its place inside its first page when it is moved.
    if u64::from(longest).next_multiple_of(PAGE) + PAGE > drive_bytes && u64::from(longest) > 0 {
        let fits_exactly = addresses == Addresses::Auto && u64::from(longest) <= drive_bytes;
        if !fits_exactly {
            let found = format!("a request of {longest} bytes on a drive of {drive_bytes} bytes");
            return Err(WorkloadError::of(opened.place(line), found, "requests smaller than the drive"));
        }
    }
    Ok(())
}

/// Checks for the placement `--compact`, which places the touched pages of the trace without gaps between them, that
/// these pages fit onto the drive; every other placement passes.
fn check_fit(
    opened: &Opened,
    addresses: Addresses,
    drive_bytes: u64,
    touched_pages: Option<u64>,
) -> Result<(), WorkloadError> {
    match (addresses, touched_pages) {
        (Addresses::Compact, Some(pages)) if pages.saturating_mul(PAGE) > drive_bytes => {
            let found = format!("{pages} touched pages of 4 KiB on a drive of {drive_bytes} bytes");
            let expected = "a larger drive, fewer volumes (--volume), --wrap or --scale";
            Err(WorkloadError::of(&opened.info.path, found, expected))
        }
        _ => Ok(()),
    }
}

/// Makes the error for a trace of which neither the addresses nor the touched pages fit onto the drive; it names the
/// highest request of the first volume that reaches beyond the end.
fn beyond(opened: &Opened, drive_bytes: u64) -> WorkloadError {
    let Some(layout) = &opened.layout else { return no_layout(opened) };
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
    let (needs, pages) = (layout.span, opened.info.footprint_pages);
    let about = if opened.info.footprint_exact { "" } else { "about " };
    let expected = format!(
        "a drive of {needs} bytes, or of {about}{} for the {about}{pages} pages it touches; --wrap or --scale",
        opened.info.footprint_bytes
    );
    WorkloadError::of(opened.place(line), found, expected)
}

impl TraceWorkload {
    /// Returns the description of the trace that the first pass found: counts, span, rate, footprint and so on.
    pub fn info(&self) -> &TraceInfo {
        &self.info
    }

    /// Reads the next request of the trace, maps its address to the drive, and stores it in `waiting` until its time,
    /// unless a request is stored there already.
    fn look_ahead(&mut self) -> Result<(), WorkloadError> {
        if self.waiting.is_some() {
            return Ok(());
        }
        let Some(located) = self.requests.next()? else { return Ok(()) };
        let record = &located.record;
        let offset = self.offset(record)?;
        let Some(after_first_ns) = record.time_ns.checked_sub(self.info.first_ns) else {
            return Err(self.changed());
        };
        let (op, bytes, tag, placement) = (record.op, record.bytes, record.volume as u16, record.placement);
        let request =
            HostRequest { arrive: SimTime::ZERO, op, offset, bytes, tag, fua: record.fua, placement };
        self.waiting =
            Some(ReplayRequest { request, after_first_ns, line: located.line, process: record.process });
        Ok(())
    }

    /// Returns the byte of the drive at which the request `record` begins.
    #[inline]
    fn offset(&self, record: &Record) -> Result<u64, WorkloadError> {
        self.placement.offset(record, &self.layout, self.drive_bytes).ok_or_else(|| self.changed())
    }

    #[cold]
    fn changed(&self) -> WorkloadError {
        WorkloadError::of(&self.info.path, "the file changed while it was read", "a file that stays as it is")
    }

    /// Ends the replay if as many requests were made as the first pass counted; otherwise the file has changed, which
    /// is an error.
    fn done(&self) -> Result<Poll, WorkloadError> {
        match self.handed_out == self.info.requests.total() {
            true => Ok(Poll::Done),
            false => Err(self.changed()),
        }
    }
}

/// Returns the time `ns / speedup`, rounded down to nanoseconds; exact for a speed-up of one.
fn sped_up(ns: u64, speedup: f64) -> u64 {
    if speedup == 1.0 { ns } else { (ns as f64 / speedup) as u64 }
}

impl Workload for TraceWorkload {
    /// Names for the layout before the run the address ranges of all reads and, except on zoned drives, all writes of
    /// the trace: where the trace was recorded, both held data.
    fn lay_out(&mut self, count: u64, name: &mut dyn FnMut(Extent)) -> Result<Option<f64>, WorkloadError> {
        let mut stream = match self.footprint.stream.take() {
            Some(stream) => stream,
            None => self.footprint.reader.open()?,
        };
        for _ in 0..count {
            let Some(Located { record, .. }) = stream.next()? else { return Ok(None) };
            self.footprint.seen += 1;
            let is_found = match record.op.effect() {
                Effect::Read => true,
                // Zones are empty before they are written.
                Effect::Write => self.footprint.space.zones_at(self.offset(&record)?).is_none(),
                Effect::Trim | Effect::Flush | Effect::Manage => false,
            };
            if is_found && record.bytes > 0 {
                name(Extent { offset: self.offset(&record)?, bytes: u64::from(record.bytes) });
            }
        }
        self.footprint.stream = Some(stream);
        // A request that was issued twice is seen twice here.
        Ok(Some((self.footprint.seen as f64 / self.info.requests.total() as f64).min(1.0)))
    }

    fn poll(&mut self, now: SimTime) -> Result<Poll, WorkloadError> {
        let origin = *self.origin.get_or_insert(now);
        self.look_ahead()?;
        let Some(ReplayRequest { mut request, after_first_ns, line, process }) = self.waiting.take() else {
            return self.done();
        };
        let arrive = match &mut self.pace {
            ReplayPace::Closed { depth, outstanding } if *outstanding < *depth => {
                *outstanding += 1;
                now
            }
            ReplayPace::Closed { .. } => {
                self.waiting = Some(ReplayRequest { request, after_first_ns, line, process });
                return Ok(Poll::Blocked);
            }
            ReplayPace::Open { speedup } => {
                let arrive = origin.ns().saturating_add(sped_up(after_first_ns, *speedup));
                SimTime::from_ns(arrive)
            }
        };
        if arrive > now {
            self.waiting = Some(ReplayRequest { request, after_first_ns, line, process });
            return Ok(Poll::At(arrive));
        }
        request.arrive = arrive;
        self.handed_out += 1;
        (self.line, self.process) = (line, process);
        Ok(Poll::Ready(request))
    }

    fn is_open_loop(&self) -> bool {
        matches!(self.pace, ReplayPace::Open { .. })
    }

    fn number(&self) -> Option<u64> {
        Some(self.line)
    }

    fn background(&self) -> Background {
        Background { process: self.process, life: None }
    }

    fn tells(&self, what: Telling) -> bool {
        match what {
            Telling::Volumes => self.info.volumes.len() > 1,
            Telling::Processes => self.names_processes,
            Telling::Lives => false,
        }
    }

    fn complete(&mut self, _: &HostRequest, _: &Completion) {
        if let ReplayPace::Closed { outstanding, .. } = &mut self.pace {
            *outstanding = outstanding.checked_sub(1).expect("a completion has its request");
        }
    }

    fn fraction_done(&self, _now: SimTime) -> Option<f64> {
        Some(self.handed_out as f64 / self.info.requests.total() as f64)
    }

    fn report(&self) -> WorkloadReport {
        let addresses = match self.addresses {
            Addresses::Auto => "as they are",
            Addresses::Wrap => "wrap",
            Addresses::Scale => "scale",
            Addresses::Compact => "compact",
        };
        let mut notes = vec![("addresses".to_owned(), addresses.to_owned())];
        match self.pace {
            ReplayPace::Open { speedup } => notes.push(("speedup".into(), speedup.to_string())),
            ReplayPace::Closed { depth, .. } => notes.push(("as_fast_as_possible".into(), depth.to_string())),
        }
        let counts = [
            ("requests_of_other_volumes", self.info.requests_of_other_volumes),
            ("requests_outside_times", self.info.requests_outside_times),
            ("requests_aligned", self.info.requests_aligned),
            ("writes_with_fua", self.info.writes_with_fua),
            ("write_zeroes", self.info.write_zeroes),
            ("requests_requeued", self.info.requests_requeued),
            ("events_without_data", self.info.events_without_data),
        ];
        notes.extend(counts.iter().filter(|(_, n)| *n > 0).map(|(name, n)| ((*name).into(), n.to_string())));
        if let Some(disorder) = self.info.first_out_of_order {
            notes.push(("sorted_because_of_line".into(), disorder.line.to_string()));
        }
        if !self.info.notes.is_empty() {
            notes.push(("reading".into(), self.info.notes.join("; ")));
        }
        notes.extend(self.info.first_skipped.iter().map(|what| ("skipped_line".to_owned(), what.clone())));
        WorkloadReport {
            name: self.info.path.clone(),
            format: self.info.format.to_owned(),
            requests: self.handed_out,
            skipped_lines: self.info.skipped_lines,
            notes,
            tags: self.info.volumes.iter().map(|volume| volume.name.clone()).collect(),
            ..WorkloadReport::default()
        }
    }
}
