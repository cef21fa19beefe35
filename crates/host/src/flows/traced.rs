//! A flow from a file: time, device, first sector, sectors, and 0 for a write.

use super::{Region, SECTOR};
use crate::{HostRequest, Op, Poll, WorkloadError, regular};
use serde::Deserialize;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use units::SimTime;

/// Record that describes a flow whose requests replay a trace file: the file, the region of the drive, and how much of
/// the file is replayed.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReplaySpec {
    /// Path of the trace file that the flow replays.
    pub path: PathBuf,
    /// Size of the trace file in bytes when the flow was described; a file of another size is refused when the flow is
    /// opened.
    pub file_bytes: u64,
    /// Setting of a replayed flow: range of sectors of the drive that the flow uses.
    pub region: Region,
    /// Percentage of the trace file's requests that the flow makes; counts only if `replays` is 1.
    pub percent: u32,
    /// Number of times that the trace file is replayed, one after the other.
    pub replays: u32,
}

/// State of a running flow that replays a trace file; reads one line at a time, so that a long file takes no more
/// memory.
pub(super) struct Replay {
    spec: ReplaySpec,
    tag: u16,
    lines: BufReader<File>,
    number: u64,
    /// Field of a replayed trace: number of requests in the trace file.
    in_file: u64,
    /// Field of a replayed trace: number of requests that the flow makes in all: the requests of the file times the
    /// number of replays, or with a single replay the percentage of them that the flow's settings ask for.
    total: u64,
    made: u64,
    /// Simulated time in nanoseconds at which the present replay of the trace file began: 0, or the time at which the
    /// flow was first asked for a request after the last request of the replay before.
    begun: u64,
    waiting: Option<(u64, HostRequest)>,
}

impl Replay {
    /// Opens the trace file of a flow, checks the file, counts its requests, and returns the state of the flow before
    /// its first request.
    pub fn open(spec: ReplaySpec, index: usize) -> Result<Self, WorkloadError> {
        let size = std::fs::metadata(&spec.path).map_err(|error| refuse(&spec, &error))?.len();
        if size != spec.file_bytes {
            let expected = format!("{} bytes, as when the flow was described", spec.file_bytes);
            return Err(WorkloadError::of(place(&spec), format!("the file has {size} bytes"), expected));
        }
        let lines = reader(&spec)?;
        let mut flow = Self {
            spec,
            tag: index as u16,
            lines,
            number: 0,
            in_file: 0,
            total: 0,
            made: 0,
            begun: 0,
            waiting: None,
        };
        let mut last = 0;
        while let Some((time, _)) = flow.read_line()? {
            if time < last {
                let found = format!("a request at {time} after one at {last}");
                return Err(flow.fault(found, "times in order"));
            }
            last = time;
            flow.in_file += 1;
        }
        if flow.in_file == 0 {
            return Err(WorkloadError::of(place(&flow.spec), "no request", "a line for each request"));
        }
        flow.total = match flow.spec.replays {
            1 => flow.in_file * u64::from(flow.spec.percent) / 100,
            replays => flow.in_file * u64::from(replays),
        };
        (flow.lines, flow.number) = (reader(&flow.spec)?, 0);
        Ok(flow)
    }

    fn fault(&self, found: String, expected: &str) -> WorkloadError {
        WorkloadError::at_line(&place(&self.spec), self.number, found, expected)
    }

    /// Reads the next line of the trace file and returns the line's time in nanoseconds and its request; none at the
    /// end of the file.
    fn read_line(&mut self) -> Result<Option<(u64, HostRequest)>, WorkloadError> {
        let mut line = String::new();
        // A line without anything in it ends the trace in MQSim; a note says where that drops requests.
        while line.trim_ascii().is_empty() {
            line.clear();
            self.number += 1;
            if self.lines.read_line(&mut line).map_err(|error| refuse(&self.spec, &error))? == 0 {
                return Ok(None);
            }
        }
        let columns: Vec<&str> = line.split_ascii_whitespace().collect();
        let [time, _device, first, sectors, kind] = columns[..] else {
            let found = format!("{} columns", columns.len());
            return Err(self.fault(found, "time, device, first sector, sectors, 0 for a write"));
        };
        let number = |what: &str, text: &str| {
            text.parse::<u64>()
                .map_err(|_| self.fault(format!("{what} {text:?}"), "a whole number, at least 0"))
        };
        let (time, first, sectors) =
            (number("time", time)?, number("sector", first)?, number("size", sectors)?);
        if sectors == 0 || sectors > u64::from(u16::MAX) {
            return Err(self.fault(format!("a size of {sectors} sectors"), "1 to 65535 sectors"));
        }
        if kind != "0" && kind != "1" {
            return Err(self.fault(format!("type {kind:?}"), "0 for a write, 1 for a read"));
        }
        let op = if kind == "0" { Op::WRITE } else { Op::READ };
        let region = self.spec.region;
        let span = region.last - region.first;
        if sectors > span {
            return Err(self.fault(format!("{sectors} sectors"), "requests smaller than the flow's part"));
        }
        let within = if first <= span { first } else { first % span };
        let offset = region.place(region.first + within, sectors);
        let bytes = (sectors * SECTOR) as u32;
        let request = HostRequest { tag: self.tag, ..HostRequest::plain(SimTime::ZERO, op, offset, bytes) };
        Ok(Some((time, request)))
    }

    pub fn poll(&mut self, now: SimTime) -> Result<Poll, WorkloadError> {
        if self.made >= self.total {
            return Ok(Poll::Done);
        }
        if self.waiting.is_none() {
            self.waiting = match self.read_line()? {
                Some(found) => Some(found),
                None => {
                    (self.lines, self.number) = (reader(&self.spec)?, 0);
                    self.begun = now.ns();
                    self.read_line()?
                }
            };
        }
        let Some((time, mut request)) = self.waiting.take() else {
            let found = "the file changed while it was read".to_owned();
            return Err(self.fault(found, "a file that stays as it is"));
        };
        let arrive = SimTime::from_ns(self.begun + time);
        if arrive > now {
            self.waiting = Some((time, request));
            return Ok(Poll::At(arrive));
        }
        request.arrive = arrive;
        self.made += 1;
        Ok(Poll::Ready(request))
    }

    pub fn fraction_done(&self) -> f64 {
        self.made as f64 / self.total.max(1) as f64
    }
}

fn place(spec: &ReplaySpec) -> String {
    spec.path.display().to_string()
}

fn refuse(spec: &ReplaySpec, error: &dyn std::fmt::Display) -> WorkloadError {
    WorkloadError::of(place(spec), error.to_string(), "a trace that can be read")
}

fn reader(spec: &ReplaySpec) -> Result<BufReader<File>, WorkloadError> {
    Ok(BufReader::new(regular::open(&spec.path).map_err(|found| refuse(spec, &found))?))
}
