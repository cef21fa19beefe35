//! A trace whose format is settled and which was read once: what it holds is known, and it can be read again.

use super::format::FormatCard;
use super::info::TraceInfo;
use super::input::Origin;
use super::options::{Addresses, TraceOptions};
use super::place::Layout;
use super::recognize::{recognize, spoken};
use super::sort::Sorted;
use super::source::{Located, Met, Stream};
use super::survey::Survey;
use crate::WorkloadError;

/// Requests of a trace, from its beginning.
pub(crate) enum Requests {
    /// In the order of the file.
    AsTheyAre(Box<Stream>),
    /// In order of time.
    Sorted(Box<Sorted>),
}

impl Requests {
    fn open(origin: &Origin, card: &FormatCard, options: &TraceOptions) -> Result<Self, WorkloadError> {
        let stream = Stream::open(origin, card, options)?;
        Ok(match options.sort {
            false => Self::AsTheyAre(Box::new(stream)),
            true => Self::Sorted(Box::new(Sorted::build(stream, options.sort_window)?)),
        })
    }

    /// The next request.
    #[inline]
    pub fn next(&mut self) -> Result<Option<Located>, WorkloadError> {
        match self {
            Self::AsTheyAre(stream) => stream.next(),
            Self::Sorted(sorted) => sorted.next(),
        }
    }

    fn met(&self) -> &Met {
        match self {
            Self::AsTheyAre(stream) => stream.met(),
            Self::Sorted(sorted) => sorted.met(),
        }
    }

    fn packing(&self) -> &'static str {
        match self {
            Self::AsTheyAre(stream) => stream.packing(),
            Self::Sorted(sorted) => sorted.packing(),
        }
    }
}

/// A trace after its first pass.
pub(crate) struct Opened {
    origin: Origin,
    pub card: &'static FormatCard,
    options: TraceOptions,
    pub info: TraceInfo,
    pub survey: Survey,
    /// `None` when the volumes do not fit into 64 bits.
    pub layout: Option<Layout>,
    requests: Requests,
}

impl Opened {
    /// Reads `origin` once.
    ///
    /// # Errors
    /// When the options contradict themselves, the format is unknown or ambiguous, a line cannot be read,
    /// or there is no request at all.
    pub fn survey(origin: Origin, options: &TraceOptions) -> Result<Self, WorkloadError> {
        options.check()?;
        let card = recognize(&origin, options)?;
        let mut requests = Requests::open(&origin, card, options)?;
        let exact = options.exact_footprint || options.addresses == Addresses::Compact;
        let mut survey = Survey::new(exact, options.access);
        while let Some(located) = requests.next()? {
            survey.add(&located);
        }
        let name = origin.name();
        check_met(&name, requests.met(), &survey, options)?;
        let spans: Vec<u64> = survey.volumes.iter().map(|volume| volume.span).collect();
        let layout = Layout::new(&spans);
        let head = TraceInfo {
            path: name,
            format: card.name,
            units: card.units,
            compression: requests.packing(),
            laid_out_bytes: layout.as_ref().map(|layout| layout.span),
            ..TraceInfo::default()
        };
        let disorder = match &requests {
            Requests::AsTheyAre(_) => None,
            Requests::Sorted(sorted) => sorted.first_disorder(),
        };
        let mut info = survey.info(head, requests.met(), disorder);
        if options.sort {
            info.out_of_order = None;
        }
        Ok(Self { origin, card, options: options.clone(), info, survey, layout, requests })
    }

    /// The requests from the beginning; an error when their times go back and no sorting was asked for.
    pub fn again(self) -> Result<Requests, WorkloadError> {
        match self.requests {
            Requests::Sorted(mut sorted) => {
                sorted.rewind()?;
                Ok(Requests::Sorted(sorted))
            }
            Requests::AsTheyAre(_) => Requests::open(&self.origin, self.card, &self.options),
        }
    }

    /// Times must not go back, unless they are sorted.
    pub fn check_order(&self) -> Result<(), WorkloadError> {
        let Some(d) = self.survey.disorder else { return Ok(()) };
        let back = spoken(d.previous_ns - d.time_ns);
        let found = format!("time {} ns is {back} before the latest, {} ns", d.time_ns, d.previous_ns);
        Err(WorkloadError::of(self.place(d.line), found, "times in order, or --sort"))
    }

    /// Where line or record `number` stands.
    pub fn place(&self, number: u64) -> String {
        match self.card.framing {
            super::format::Framing::Lines => format!("{}:{number}", self.info.path),
            super::format::Framing::Records { .. } => format!("{}: record {number}", self.info.path),
        }
    }
}

/// There must be requests, and every volume asked for must exist.
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

/// The first few of `names`.
fn some<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut few: Vec<&str> = names.take(9).collect();
    if few.len() == 9 {
        few[8] = "...";
    }
    few.join(", ")
}
