//! The requests as a trace: blkparse text of what the drive was asked for, to the nanosecond of simulated time.

use host::{Effect, HostRequest};
use sim::Error;
use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::Path;

/// Number of bytes of trace lines that are collected in memory before they are written to the file.
const TOGETHER: usize = 1 << 20;
const SECOND: u64 = 1_000_000_000;
const SECTOR: u64 = 512;

/// Recorder that writes the requests to the drive of a live server to a trace file.
pub struct Recorder {
    file: File,
    lines: String,
    sequence: u64,
    ended: Option<String>,
}

impl Recorder {
    /// Makes a recorder that writes to a new trace file at `path`, replacing any file there.
    ///
    /// # Errors
    /// When the file cannot be made.
    pub fn at(path: &Path) -> Result<Self, Error> {
        let file = OpenOptions::new().write(true).create(true).truncate(true).open(path);
        let file = file.map_err(|error| Error(format!("--record {}: {error}", path.display())))?;
        Ok(Self { file, lines: String::new(), sequence: 0, ended: None })
    }

    /// Adds a request to the drive to the recorded trace.
    pub fn note(&mut self, request: &HostRequest) {
        if self.ended.is_some() {
            return;
        }
        self.sequence += 1;
        let (ns, sector) = (request.arrive.ns(), request.offset / SECTOR);
        let what = match request.op.effect() {
            Effect::Read => "R",
            Effect::Write if request.fua => "WF",
            Effect::Write => "W",
            Effect::Trim => "D",
            Effect::Flush => "F",
            // Blocks are exported, no zones.
            Effect::Manage => "N",
        };
        let (seconds, rest) = (ns / SECOND, ns % SECOND);
        // 43 is the number of network block devices.
        let _ = write!(self.lines, "43,0 0 {} {seconds}.{rest:09} 1 D {what}", self.sequence);
        let _ = match request.op.effect() {
            Effect::Flush => writeln!(self.lines, " [nbd]"),
            _ => writeln!(self.lines, " {sector} + {} [nbd]", u64::from(request.bytes) / SECTOR),
        };
        if self.lines.len() >= TOGETHER {
            self.write();
        }
    }

    /// Writes the collected lines to the trace file; if that fails, the recording ends there.
    pub fn write(&mut self) {
        if let Err(error) = self.file.write_all(self.lines.as_bytes()) {
            self.ended = Some(error.to_string());
        }
        self.lines.clear();
    }

    /// Returns the error message with which the recording of requests to the trace file ended; none while it continues.
    pub fn ended(&self) -> Option<&str> {
        self.ended.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use host::Op;
    use units::SimTime;

    #[test]
    fn each_request_is_a_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("trace");
        let mut recorder = Recorder::at(&path).unwrap();
        let request = HostRequest {
            fua: true,
            ..HostRequest::plain(SimTime::from_ns(1_000_000_007), Op::WRITE, 1024, 512)
        };
        recorder.note(&request);
        recorder.note(&HostRequest { op: Op::FLUSH, offset: 0, bytes: 0, fua: false, ..request });
        recorder.note(&HostRequest { op: Op::TRIM, fua: false, ..request });
        recorder.write();
        let expected = "43,0 0 1 1.000000007 1 D WF 2 + 1 [nbd]\n\
                        43,0 0 2 1.000000007 1 D F [nbd]\n\
                        43,0 0 3 1.000000007 1 D D 2 + 1 [nbd]\n";
        assert_eq!(std::fs::read_to_string(&path).unwrap(), expected);
        recorder.file = File::open(&path).unwrap();
        recorder.note(&request);
        recorder.write();
        assert!(recorder.ended().is_some(), "a file that takes no writes stands for a full disk");
    }
}
