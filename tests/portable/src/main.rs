//! Runs, saved states and converted traces on any target, without Python: `portable < questions.json`.
//!
//! A list of questions in JSON is read, a list of answers is printed. Drives and chips are found from the working directory, and
//! all paths count from there. `make portable` builds it for each target and compares what it writes.

use host::codec::read_zstd;
use host::trace::{TraceOptions, convert, convert_volume};
use serde::Deserialize;
use serde_json::{Value, json};
use sim::{Catalogue, Drive, Error, RunOptions, Session, WorkloadSpec};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Constant: number of simulation events between two checks of whether a run is complete.
const SLICE: u64 = 1 << 20;

/// Kind of question, read as JSON with its arguments, that the program `portable` (simulator without Python) answers.
#[derive(Debug, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case", deny_unknown_fields)]
enum PortableQuestion {
    /// Case of question: run this workload on the drive; the answer is the result of the run.
    Run { drive: String, set: Vec<String>, workload: Box<WorkloadSpec>, options: Box<RunOptions> },
    /// Case of question: convert the trace at `path` to the format `to` in the file `out`; the answer is the number of
    /// requests.
    Convert { path: PathBuf, options: Box<TraceOptions>, out: PathBuf, to: String },
    /// Case of question: write the requests of the synthetic volume `spec` to the file `out`; the answer is their
    /// number.
    Volume { spec: String, seed: u64, out: PathBuf, to: String },
    /// Case of question: decompress (zstd) the file `path` after its first `skip` bytes into `out`; the answer is the
    /// number of bytes.
    Unpack { path: PathBuf, skip: usize, out: PathBuf },
}

impl PortableQuestion {
    fn answer(self) -> Result<Value, Error> {
        match self {
            Self::Run { drive, set, workload, options } => run(&drive, &set, &workload, *options),
            Self::Convert { path, options, out, to } => Ok(json!(convert(&path, &options, &out, &to)?)),
            Self::Volume { spec, seed, out, to } => Ok(json!(convert_volume(&spec, seed, &out, &to)?)),
            Self::Unpack { path, skip, out } => {
                let fail = |error: std::io::Error| Error(format!("{}: {error}", path.display()));
                unpack(&path, skip, &out).map_err(fail)
            }
        }
    }
}

fn run(drive: &str, set: &[String], workload: &WorkloadSpec, options: RunOptions) -> Result<Value, Error> {
    let drive = Drive::load(&Catalogue::new([""]), drive, set)?;
    let mut session = Session::new(drive, workload, options)?;
    while !session.advance(SLICE)?.done {}
    session.result()
}

fn unpack(path: &Path, skip: usize, out: &Path) -> std::io::Result<Value> {
    let packed = std::fs::read(path)?;
    let mut bytes = Vec::new();
    read_zstd(packed.get(skip..).unwrap_or_default())?.read_to_end(&mut bytes)?;
    std::fs::write(out, &bytes)?;
    Ok(json!(bytes.len()))
}

fn main() -> ExitCode {
    let asked: Result<Vec<PortableQuestion>, _> = serde_json::from_reader(std::io::stdin());
    let answers = asked
        .map_err(|error| Error(format!("questions: {error}")))
        .and_then(|asked| asked.into_iter().map(PortableQuestion::answer).collect::<Result<Vec<_>, _>>());
    match answers {
        Ok(answers) => {
            println!("{}", Value::from(answers));
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}
