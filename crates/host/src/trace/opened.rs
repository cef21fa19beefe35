//! A trace whose format is settled and which was read once: what it holds is known, and it can be read again.

use super::disorder::{Disorder, REMEMBERED};
use super::format::FormatCard;
use super::info::TraceInfo;
use super::options::{Addresses, Align, TraceOptions};
use super::origin::TraceOrigin;
use super::place::VolumePlaces;
use super::recognize::{recognize, spoken};
use super::record::RecordMark;
use super::requeued::Requeued;
use super::sort::{ReorderWindow, Sorted};
use super::source::{Located, Met, TraceStream};
use super::survey::{Footprint, Survey};
use crate::WorkloadError;

/// Kind of way in which the requests of a trace are brought into order of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TimeOrder {
    /// Way to order: none is needed, since the trace file is in order of time already.
    Given,
    /// Way to order: a window of this number of the trace's requests, which are held back in memory, restores the order
    /// of time.
    Within(usize),
    /// Way to order: all requests of the trace are sorted by time.
    Sorted,
}

/// Reader of the requests of a trace, from its beginning and each once: second issues of requeued requests are left
/// out.
pub(crate) struct TraceRequests {
    ordered: Ordered,
    requeued: Requeued,
}

/// Kind of reader of the records of a trace: in the order of the file, through a window, or sorted.
enum Ordered {
    /// Case of reader of a trace's records: it yields the records in the order of the file.
    AsTheyAre(Box<TraceStream>),
    /// Case of reader of a trace's records: it yields the records in order of time; a few are held back in memory to
    /// restore the order.
    Held(Box<ReorderWindow>),
    /// Case of reader of a trace's records: it yields the records in order of time, after all of them were sorted.
    Sorted(Box<Sorted>),
}

impl TraceRequests {
    fn open(
        origin: &TraceOrigin,
        card: &FormatCard,
        options: &TraceOptions,
        order: TimeOrder,
    ) -> Result<Self, WorkloadError> {
        let stream = TraceStream::open(origin, card, options)?.with_requeued();
        let ordered = match order {
            TimeOrder::Given => Ordered::AsTheyAre(Box::new(stream)),
            TimeOrder::Within(reach) => Ordered::Held(Box::new(ReorderWindow::new(stream, reach))),
            TimeOrder::Sorted => Ordered::Sorted(Box::new(Sorted::build(stream, options.sort_window)?)),
        };
        Ok(Self { ordered, requeued: Requeued::default() })
    }

    /// Returns the next request of the trace; none at the end.
    #[inline]
    pub fn next(&mut self) -> Result<Option<Located>, WorkloadError> {
        loop {
            match self.next_record()? {
                Some(located) if located.record.mark == RecordMark::Requeued => {}
                found => return Ok(found),
            }
        }
    }

    /// Returns the next record of the trace: a request, or a record marked as requeued (given back by the driver, or
    /// issued again), which is no request but has a place in the file.
    #[inline]
    fn next_record(&mut self) -> Result<Option<Located>, WorkloadError> {
        let Some(mut located) = self.ordered.next()? else { return Ok(None) };
        self.requeued.note(&mut located)?;
        Ok(Some(located))
    }

    fn met(&self) -> &Met {
        match &self.ordered {
            Ordered::AsTheyAre(stream) => stream.met(),
            Ordered::Held(window) => window.met(),
            Ordered::Sorted(sorted) => sorted.met(),
        }
    }

    fn packing(&self) -> String {
        match &self.ordered {
            Ordered::AsTheyAre(stream) => stream.packing(),
            Ordered::Held(window) => window.packing(),
            Ordered::Sorted(sorted) => sorted.packing(),
        }
    }
}

impl Ordered {
    #[inline]
    fn next(&mut self) -> Result<Option<Located>, WorkloadError> {
        match self {
            Self::AsTheyAre(stream) => stream.next(),
            Self::Held(window) => window.next(),
            Self::Sorted(sorted) => sorted.next(),
        }
    }
}

/// Kind of purpose for which a trace is read: to describe it, or to use its requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TracePurpose {
    /// Case of purpose: the trace is read to describe its content, for which requests far out of order are no error.
    Look,
    /// Case of purpose: the trace is read to be replayed or converted: requests too far out of order are an error,
    /// unless the user asked for sorting.
    Use,
}

/// Record that describes a trace that can be read again from the beginning, in the order of the file: where it lies,
/// its format and the options of reading.
pub(crate) struct TraceReader {
    origin: TraceOrigin,
    card: &'static FormatCard,
    options: TraceOptions,
}

impl TraceReader {
    /// Opens the trace once more and returns a reader of its requests from the beginning.
    pub fn open(&self) -> Result<TraceStream, WorkloadError> {
        TraceStream::open(&self.origin, self.card, &self.options)
    }
}

/// Record of a trace that was read through once, so that its format, order, volumes and the description of its content
/// are known.
pub(crate) struct Opened {
    origin: TraceOrigin,
    pub card: &'static FormatCard,
    options: TraceOptions,
    order: TimeOrder,
    pub info: TraceInfo,
    pub survey: Survey,
    /// Field of an opened trace: table of the first byte on the drive of each volume, with all volumes laid end to end
    /// or each in its namespace; `None` when the sum of their spans does not fit into 64 bits.
    pub layout: Option<VolumePlaces>,
    requests: TraceRequests,
}

impl Opened {
    /// Reads the trace `origin` through, once more if it is out of order of time and once before if a time range is
    /// selected, and finds its format, order and content.
    ///
    /// # Errors
    /// When the options contradict themselves or have no effect on this trace, the format is unknown or ambiguous, a
    /// line cannot be parsed, times are further out of order than is sorted without `sort`, or there is no request at
    /// all.
    pub fn survey(
        origin: TraceOrigin,
        options: &TraceOptions,
        purpose: TracePurpose,
    ) -> Result<Self, WorkloadError> {
        options.check()?;
        let mut notes = origin.notes.clone();
        let (card, why) = recognize(&origin, options)?;
        notes.extend(why);
        notes.extend((!card.note.is_empty()).then(|| card.note.to_owned()));
        let options = settled(&origin, card, options, &mut notes)?;
        let several = origin.parts().len() > 1;
        let order = if options.sort || several { TimeOrder::Sorted } else { TimeOrder::Given };
        let mut opened = Self::pass(origin, card, options, order)?;
        let disorder = opened.disorder();
        if order == TimeOrder::Given && disorder.first.is_some() {
            let order = match disorder.reach.filter(|reach| *reach <= REMEMBERED as u64) {
                Some(reach) => TimeOrder::Within(reach as usize),
                None if purpose == TracePurpose::Look => TimeOrder::Sorted,
                None => return Err(opened.too_far_out_of_order(disorder)),
            };
            let Self { origin, options, .. } = opened;
            opened = Self::pass(origin, card, options, order)?;
            opened.info.first_out_of_order = disorder.first.map(Into::into);
            opened.info.out_of_order = disorder.requests;
            opened.info.out_of_order_by_requests = disorder.reach;
            opened.info.out_of_order_by_ns = disorder.back_ns;
        }
        if !several {
            notes.extend(order_note(&opened.info));
        }
        notes.extend(opened.survey.jump().map(jump_note));
        notes.extend(event_notes(&opened.info));
        opened.info.notes = notes;
        Ok(opened)
    }

    fn pass(
        origin: TraceOrigin,
        card: &'static FormatCard,
        options: TraceOptions,
        order: TimeOrder,
    ) -> Result<Self, WorkloadError> {
        let mut requests = TraceRequests::open(&origin, card, &options, order)?;
        let exact = options.exact_footprint || options.addresses == Addresses::Compact;
        let mut survey =
            Survey::new(if exact { Footprint::Exact } else { Footprint::Estimated }, options.access);
        while let Some(located) = requests.next_record()? {
            survey.add(&located);
        }
        let name = origin.name();
        check_met(&name, requests.met(), &survey, &options)?;
        let spans: Vec<u64> = survey.volumes.iter().map(|volume| volume.span).collect();
        let layout = VolumePlaces::new(&spans);
        let head = TraceInfo {
            path: name,
            format: card.name,
            units: card.units,
            compression: requests.packing(),
            laid_out_bytes: layout.as_ref().map(|layout| layout.span),
            requests_requeued: requests.requeued.reissues,
            ..TraceInfo::default()
        };
        let disorder = match &requests.ordered {
            Ordered::Sorted(sorted) => sorted.disorder(),
            _ => survey.disorder(),
        };
        let info = survey.info(head, requests.met(), disorder);
        Ok(Self { origin, card, options, order, info, survey, layout, requests })
    }

    /// Reads the trace once more to count its touched pages exactly, as the mapping of addresses by `--compact`
    /// (touched pages numbered without gaps) needs, and returns the trace with the exact numbers.
    ///
    /// # Errors
    /// As [`Self::survey`].
    pub fn counted_exactly(self) -> Result<Self, WorkloadError> {
        let Self { origin, card, options, order, info, .. } = self;
        let options = TraceOptions { addresses: Addresses::Compact, ..options };
        let again = Self::pass(origin, card, options, order)?;
        let counted = TraceInfo {
            footprint_pages: again.info.footprint_pages,
            footprint_bytes: again.info.footprint_bytes,
            footprint_exact: true,
            ..info
        };
        Ok(Self { info: counted, ..again })
    }

    /// Makes a description of the trace with which it can be read again, in the order of the file.
    pub fn reader(&self) -> TraceReader {
        TraceReader { origin: self.origin.clone(), card: self.card, options: self.options.clone() }
    }

    /// Opens the trace once more and returns a reader of its requests from the beginning; each is returned once.
    pub fn second_pass(self) -> Result<TraceRequests, WorkloadError> {
        match self.requests.ordered {
            Ordered::Sorted(mut sorted) => {
                sorted.rewind()?;
                Ok(TraceRequests { ordered: Ordered::Sorted(sorted), requeued: Requeued::default() })
            }
            _ => TraceRequests::open(&self.origin, self.card, &self.options, self.order),
        }
    }

    fn disorder(&self) -> Disorder {
        match &self.requests.ordered {
            Ordered::Sorted(sorted) => sorted.disorder(),
            _ => self.survey.disorder(),
        }
    }

    fn too_far_out_of_order(&self, disorder: Disorder) -> WorkloadError {
        let first = disorder.first.expect("asked because there is one");
        let found = format!(
            "time {} ns is {} before the latest, {} ns; {} requests are late, by more than {REMEMBERED} requests",
            first.time_ns,
            spoken(first.previous_ns - first.time_ns),
            first.previous_ns,
            disorder.requests,
        );
        let expected = format!("times out of order by at most {REMEMBERED} requests, or --sort");
        WorkloadError::of(self.place(first.line), found, expected)
    }

    /// Returns file name and number, for error messages, of line or record `number`, which is counted through all parts
    /// of the trace.
    pub fn place(&self, number: u64) -> String {
        let (mut within, mut part) = (number, 0);
        for lines in &self.requests.met().part_lines {
            if within <= *lines {
                break;
            }
            (within, part) = (within - lines, part + 1);
        }
        self.card.framing.place(self.origin.parts()[part].name(), within)
    }
}

/// Returns the options with values filled in that depend on this trace: the action (issued, queued, completed) of a
/// block trace whose events are taken as the requests, and limits of time converted to the trace's own clock. Appends
/// remarks on the choice to `notes`.
fn settled(
    origin: &TraceOrigin,
    card: &'static FormatCard,
    options: &TraceOptions,
    notes: &mut Vec<String>,
) -> Result<TraceOptions, WorkloadError> {
    let mut settled = options.clone();
    match (&options.action, card.has_events) {
        (Some(action), false) => {
            let expected = "blkparse or blktrace with this option; others list requests, not events";
            return Err(WorkloadError::of(
                format!("--action {action}"),
                format!("the trace is {}", card.name),
                expected,
            ));
        }
        (None, true) => {
            let found = ["D", "Q", "C"].into_iter().find(|action| {
                let one = TraceOptions { action: Some((*action).into()), ..options.clone() };
                has_a_request(origin, card, &one)
            });
            settled.action = found.map(Into::into);
            notes.extend(match found {
                Some("Q") => Some("no request was issued (D) in it: those queued (Q) are taken".to_owned()),
                Some("C") => Some(
                    "only completions (C) are in it: requests arrive when they were completed at home"
                        .to_owned(),
                ),
                _ => None,
            });
        }
        _ => {}
    }
    if options.from_ns.is_some() || options.until_ns.is_some() {
        let first_ns = earliest(origin, card, &settled)?;
        settled.from_ns = options.from_ns.map(|ns| ns.saturating_add(first_ns));
        settled.until_ns = options.until_ns.map(|ns| ns.saturating_add(first_ns));
    }
    Ok(settled)
}

/// Returns true if any event of the trace is a request under these options. An error also counts as true, since it is
/// met again, and reported, when the trace is read.
fn has_a_request(origin: &TraceOrigin, card: &FormatCard, options: &TraceOptions) -> bool {
    let any = TraceOptions { from_ns: None, until_ns: None, volumes: Vec::new(), ..options.clone() };
    TraceStream::open(origin, card, &any).is_ok_and(|mut stream| !matches!(stream.next(), Ok(None)))
}

/// Reads the trace through and returns the earliest time, in nanoseconds, of all its requests, also of volumes and
/// times that the user did not select.
fn earliest(origin: &TraceOrigin, card: &FormatCard, options: &TraceOptions) -> Result<u64, WorkloadError> {
    let all = TraceOptions { from_ns: None, until_ns: None, volumes: Vec::new(), ..options.clone() };
    let mut stream = TraceStream::open(origin, card, &all)?;
    let mut first_ns = u64::MAX;
    while let Some(located) = stream.next()? {
        first_ns = first_ns.min(located.record.time_ns);
    }
    Ok(first_ns)
}

/// Returns the remark for the results that a trace was put into order of time, with the number of late requests; none
/// if the trace was in order.
fn order_note(info: &TraceInfo) -> Option<String> {
    info.first_out_of_order?;
    let (late, all) = (info.out_of_order, info.requests.total());
    let by = match info.out_of_order_by_requests {
        Some(requests) => format!("{requests} requests"),
        None => format!("more than {REMEMBERED} requests"),
    };
    let back = spoken(info.out_of_order_by_ns);
    Some(format!("put in order of time: {late} of {all} requests were late, by at most {by} and {back}"))
}

/// Returns remarks for the results on trace events that are no plain requests, each with a count: writes of zeroes
/// taken as trims, requeued requests, events without data.
fn event_notes(info: &TraceInfo) -> Vec<String> {
    let said = [
        (info.write_zeroes, "requests to write zeroes, which carry no data and are trims here"),
        (
            info.requests_requeued,
            "requests issued again after the driver gave them back (R), each taken once, at its first issue",
        ),
        (info.events_without_data, "events that move no data, as of failed requests, left out"),
    ];
    let met = said.iter().filter(|(count, _)| *count > 0);
    met.map(|(count, what)| format!("{what}: {count}")).collect()
}

/// Returns the remark for the results on one interval that is nearly all of a trace's time, because a clock was set or
/// events have another clock; names the options that leave out the requests before or after the interval.
fn jump_note((before_ns, gap_ns): (u64, u64)) -> String {
    format!(
        "one gap of {} is nearly all of its time: --until {} leaves out what is after it, --since {} what is before",
        spoken(gap_ns),
        format_args!("{}ns", before_ns + 1),
        format_args!("{}ns", before_ns + gap_ns),
    )
}

/// Checks that the trace has requests, that every selected volume exists, and that a selected alignment changed
/// something.
fn check_met(name: &str, met: &Met, survey: &Survey, options: &TraceOptions) -> Result<(), WorkloadError> {
    for wanted in &options.volumes {
        if met.volumes.contains(wanted) {
            continue;
        }
        let known = || met.volumes.iter().chain(&met.other_volumes).map(String::as_str);
        let hint = match config::nearest(wanted, known()) {
            Some(near) => format!("a volume of the trace; did you mean {near:?}?"),
            None => format!("one of its {} volumes: {}", known().count(), some(known())),
        };
        return Err(WorkloadError::of(name, format!("--volume {wanted:?} is not in the trace"), hint));
    }
    if options.align != Align::Refuse && met.aligned == 0 && survey.requests() > 0 {
        let found = "every address and size is a multiple of 512 bytes";
        return Err(WorkloadError::of(name, found, "the trace without --align"));
    }
    if survey.requests() > 0 {
        return Ok(());
    }
    let left_out = [
        (met.skipped_lines, "lines that cannot be read"),
        (met.unselected, "requests of other volumes"),
        (met.outside_times, "requests outside the times asked for"),
    ];
    let left_out: Vec<String> = left_out
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    let found = match left_out.is_empty() {
        true => "no request in it".to_owned(),
        false => format!("no request left after leaving out {}", left_out.join(", ")),
    };
    Err(WorkloadError::of(name, found, "at least one request"))
}

/// Returns the first eight of `names` as a list for a message, with `...` for any further names.
fn some<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut few: Vec<&str> = names.take(9).collect();
    if few.len() == 9 {
        few[8] = "...";
    }
    few.join(", ")
}
