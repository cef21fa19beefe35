//! Placement identifiers of a job's writes, in the words of fio 3.42: `dataplacement`, `plids`, `plid_select`, `dp_scheme`,
//! their older names, and `write_hint`.
//!
//! fio's engines that send commands themselves (`io_uring_cmd`, `xnvme`) put an identifier into each write: the next of the
//! job's list, a random one, or what a scheme file says of its offset in the file. `write_hint` is what Linux 4.13 to 5.17 made
//! of it: streams 1 to 4, for data that live shorter and longer.

use super::files::{CloneFiles, FileRegion};
use super::job::JobSpec;
use crate::{HostSpace, WorkloadError};
use engine::RandomStream;
use std::path::Path;

/// Constant: greatest number of placement identifiers of a job (`plids`); fio takes no more.
const IDENTIFIERS_MOST: usize = 128;
const LINES_MOST: usize = 32;
/// Constant list of the names of the fio engines whose writes can carry placement identifiers.
const ENGINES: &[&str] = &["io_uring_cmd", "xnvme"];

/// One of the two NVMe directives with which the writes of a fio job can carry placement identifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Directive {
    /// Case of directive: Flexible Data Placement, so that the placement identifiers of fio's writes are numbers of the
    /// drive's placement handles.
    DataPlacement,
    /// Case of directive: Streams, so that the placement identifiers of fio's writes are stream numbers.
    Streams,
}

/// One of the ways in which the placement identifier of a fio job's next write can be chosen (`plid_select`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Selection {
    /// Way to choose: the placement identifiers of the fio job's list take turns, separately for each file.
    #[default]
    RoundRobin,
    /// Way to choose: the placement identifier is drawn at random from the fio job's list.
    Random,
    /// Way to choose: the placement identifier is looked up in the fio job's scheme (`dp_scheme`), by the offset of the
    /// write in the file.
    Scheme,
}

/// Set of the data placement options of a fio job: the directive, and the identifiers that writes carry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JobPlacement {
    /// Value of the fio option `dataplacement`; the outer option is none where the fio job does not set it, the inner
    /// option is none for no placement.
    pub directive: Option<Option<Directive>>,
    /// True if the fio job sets `fdp`, the older option for data placement.
    pub fdp: bool,
    /// List of the placement identifiers of the fio job's writes (`plids`), in ascending order.
    pub identifiers: Vec<u16>,
    /// Setting of a fio job, from `plid_select`: the way in which the placement identifier of each write is chosen.
    pub selection: Selection,
    /// Value of the fio option `dp_scheme`: path of the file that assigns placement identifiers to offsets.
    pub scheme: Option<String>,
    /// Setting of a fio job, from its option `write_hint`: number of the stream that its writes name, from 1 for
    /// `short` to 4 for `extreme`; none without a hint.
    pub hint: Option<u16>,
}

impl JobPlacement {
    /// Parses the value of the fio option `dataplacement`: `none`, `fdp` or `streams`.
    pub fn directive(text: &str) -> Result<Option<Directive>, &'static str> {
        match text.trim() {
            "none" => Ok(None),
            "fdp" => Ok(Some(Directive::DataPlacement)),
            "streams" => Ok(Some(Directive::Streams)),
            _ => Err("none, fdp or streams"),
        }
    }

    /// Parses the value of the fio option `plid_select` into the way in which a write's placement identifier is chosen.
    pub fn selection(text: &str) -> Result<Selection, &'static str> {
        match text.trim() {
            "roundrobin" => Ok(Selection::RoundRobin),
            "random" => Ok(Selection::Random),
            "scheme" => Ok(Selection::Scheme),
            _ => Err("random, roundrobin or scheme"),
        }
    }

    /// Parses the value of the fio option `plids`: placement identifiers and ranges of them, into an ascending list.
    pub fn identifiers(text: &str) -> Result<Vec<u16>, &'static str> {
        const EXPECTED: &str = "numbers and ranges up to 65535, such as 0,2-4: at most 128 identifiers";
        let number = |text: &str| text.trim().parse::<u16>().map_err(|_| EXPECTED);
        let mut all = Vec::new();
        for part in text.split(',') {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let (first, last) = (number(first)?, number(last)?);
            if first > last || all.len() + usize::from(last - first) >= IDENTIFIERS_MOST {
                return Err(EXPECTED);
            }
            all.extend(first..=last);
        }
        all.sort_unstable();
        Ok(all)
    }

    /// Parses the value of the fio option `write_hint` into a stream number: 1 for `short` to 4 for `extreme`, `None`
    /// for `none`.
    pub fn hint(text: &str) -> Result<Option<u16>, &'static str> {
        const LIVES: [&str; 5] = ["none", "short", "medium", "long", "extreme"];
        let at = LIVES.iter().position(|life| *life == text.trim());
        let stream = at.ok_or("none, short, medium, long or extreme")? as u16;
        Ok(Some(stream).filter(|stream| *stream > 0))
    }

    /// Returns the kind of directive with which the fio job's writes carry placement identifiers, if any does.
    fn wanted(&self) -> Option<Directive> {
        self.directive.unwrap_or_else(|| self.fdp.then_some(Directive::DataPlacement))
    }
}

/// Checks the data placement options of a fio job, once the whole section is known.
///
/// # Errors
/// With the pair of texts found and expected, at options that say nothing together, or that fio refuses.
pub fn check(job: &JobSpec) -> Result<(), (&'static str, &'static str)> {
    let placement = &job.placement;
    if placement.fdp && !matches!(placement.directive, None | Some(Some(Directive::DataPlacement))) {
        return Err(("fdp=1 beside dataplacement=none or streams", "one of them, as in fio"));
    }
    let Some(directive) = placement.wanted() else { return Ok(()) };
    if placement.hint.is_some() && job.writes() {
        return Err(("write_hint beside dataplacement", "one of them: a write carries one identifier"));
    }
    if directive == Directive::Streams && placement.identifiers.is_empty() {
        return Err(("dataplacement=streams without plids", "plids=, the streams to use, as in fio"));
    }
    if placement.selection == Selection::Scheme && placement.scheme.is_none() {
        return Err((
            "plid_select=scheme without dp_scheme",
            "dp_scheme=, the file that says which offsets go where",
        ));
    }
    let engine = job.engine.as_deref().unwrap_or("");
    if job.writes() && !ENGINES.contains(&engine) {
        return Err((
            "dataplacement on an engine that carries no identifiers",
            "ioengine=io_uring_cmd or xnvme: on others fio itself fails, or leaves streams without effect",
        ));
    }
    Ok(())
}

/// Type of an entry of a fio placement scheme (`dp_scheme`), one line of its file: a range of offsets in a file, in
/// bytes (the end is excluded), and the placement identifier of writes to the range.
type SchemeLine = (u64, u64, u16);

/// Reads a fio placement scheme (`dp_scheme`) from the file at `path`: lines of `start,end,identifier`.
fn read_scheme(path: &str) -> Result<Vec<SchemeLine>, WorkloadError> {
    let text = super::read(Path::new(path))?;
    let mut scheme = Vec::new();
    for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        let parts: Vec<&str> = line.split(',').map(str::trim).collect();
        let read = || match parts[..] {
            [start, end, identifier] => {
                Some((start.parse().ok()?, end.parse().ok()?, identifier.parse().ok()?))
            }
            _ => None,
        };
        let place = format!("{path}:{number}");
        let Some(line) = read() else {
            let expected = "first offset, end and placement identifier, such as 0,10737418240,1";
            return Err(WorkloadError::of(place, line, expected));
        };
        if scheme.len() == LINES_MOST {
            let found = format!("more than {LINES_MOST} lines");
            return Err(WorkloadError::of(place, found, "as many as fio takes, which leaves out the rest"));
        }
        scheme.push(line);
    }
    Ok(scheme)
}

/// Record of a fio job's file: its address range on the drive, and the position, in the list of placement identifiers,
/// of its next write's identifier.
#[derive(Clone, Debug)]
struct PlacedFile {
    offset: u64,
    bytes: u64,
    next: usize,
}

/// Chooser of the placement identifier of each write of one fio job clone.
#[derive(Clone, Debug)]
pub struct ClonePlacer {
    identifiers: Vec<u16>,
    selection: Selection,
    scheme: Vec<SchemeLine>,
    files: Vec<PlacedFile>,
    random: RandomStream,
}

impl ClonePlacer {
    /// Makes the chooser of placement identifiers for a clone of the fio job `job` with its `share` of `files`; `None`
    /// where its writes carry no identifier.
    ///
    /// # Errors
    /// When the drive has no placement handles, or not the handles of the job's identifiers, and when the scheme cannot
    /// be read.
    pub fn of(
        job: &JobSpec,
        (share, files): (&CloneFiles, &[FileRegion]),
        space: &HostSpace,
        random: RandomStream,
    ) -> Result<Option<Box<Self>>, WorkloadError> {
        // Those of its namespaces, where the drive has several.
        let begins = share.parts.iter().map(|part| files[part.file as usize].offset);
        let handles = begins.map(|offset| space.handles_at(offset)).min().unwrap_or(space.handles);
        let placement = &job.placement;
        let wrong = |found: String, expected: String| {
            Err(job.place.error(format!("job {}: {found}", job.name), expected))
        };
        let directive = placement.wanted();
        if !job.writes() || (directive.is_none() && placement.hint.is_none()) {
            return Ok(None);
        }
        if handles == 0 {
            let found = if directive.is_some() { "dataplacement" } else { "write_hint" };
            let expected =
                "a drive with placement handles, such as ftl.streams.name = fdp: this one has none";
            return wrong(found.to_owned(), expected.to_owned());
        }
        let all = || (0..handles).take(IDENTIFIERS_MOST).collect();
        let identifiers = match (directive, placement.hint) {
            (None, hint) => hint.into_iter().collect(),
            (Some(Directive::DataPlacement), _) if placement.identifiers.is_empty() => all(),
            _ => placement.identifiers.clone(),
        };
        let missing = identifiers.iter().find(|identifier| **identifier >= handles);
        if let Some(missing) = missing.filter(|_| directive == Some(Directive::DataPlacement)) {
            return wrong(
                format!("plids has {missing}"),
                format!("placement identifiers below {handles}, the number that there are, as in fio"),
            );
        }
        // A hint is one identifier, in which nothing is left to choose.
        let selection = directive.map_or(Selection::default(), |_| placement.selection);
        let scheme = placement.scheme.as_ref().filter(|_| selection == Selection::Scheme);
        let region = |part: &super::files::FilePart| {
            let file = &files[part.file as usize];
            PlacedFile { offset: file.offset, bytes: file.bytes, next: 0 }
        };
        Ok(Some(Box::new(Self {
            identifiers,
            selection,
            scheme: scheme.map_or(Ok(Vec::new()), |path| read_scheme(path))?,
            files: share.parts.iter().map(region).collect(),
            random,
        })))
    }

    /// Returns the placement identifier of the fio job clone's next write, which begins at byte `offset` of the drive,
    /// chosen as the job's `plid_select` says; 0 where its scheme has no line for the offset, `None` outside the
    /// clone's files.
    pub fn next(&mut self, offset: u64) -> Option<u16> {
        let holds = |file: &&mut PlacedFile| (file.offset..file.offset + file.bytes).contains(&offset);
        let file = self.files.iter_mut().find(holds)?;
        match self.selection {
            Selection::RoundRobin => {
                let at = file.next % self.identifiers.len();
                file.next = at + 1;
                Some(self.identifiers[at])
            }
            Selection::Random => {
                let at = self.random.below(self.identifiers.len() as u64);
                Some(self.identifiers[at as usize])
            }
            Selection::Scheme => {
                let within = offset - file.offset;
                let line = self.scheme.iter().find(|(start, end, _)| (*start..*end).contains(&within));
                Some(line.map_or(0, |(_, _, identifier)| *identifier))
            }
        }
    }

    /// Replaces the random stream from which the placement identifiers of a fio job clone's writes are drawn.
    pub fn draw_anew(&mut self, random: RandomStream) {
        self.random = random;
    }
}
