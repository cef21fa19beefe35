//! Questions and their answers.

use crate::fits::{self, MEMORY_MOST};
use crate::picture;
use serde::Deserialize;
use serde_json::{Value, json};
use sim::{Catalogue, Checking, Drive, Error, RunOptions, Session, WorkloadSpec};

/// Record that describes, in a question of the web page, a drive with its settings and the workload to run on it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setup {
    /// Name of the drive, or of its drive file, in a setup that the web page sends.
    drive: String,
    /// List of settings `key=value`, in a setup that the web page sends, that override keys of the drive file.
    #[serde(default)]
    set: Vec<String>,
    /// Workload to run on the drive, in a setup that the web page sends; none if the page asks about the drive alone.
    #[serde(default)]
    workload: Option<WorkloadSpec>,
    /// Field of a setup that the web page sends: options of the run (such as seed and preconditioning), as the command
    /// line takes them, in JSON.
    #[serde(default)]
    options: Value,
}

/// Kind of message from the web page to the simulator: a question, or a request to begin, advance or end a run.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case", deny_unknown_fields)]
pub enum PageQuestion {
    /// Message of the web page, a question: which drives and workload generators are there to choose from, and which
    /// version is the simulator?
    Shelf,
    /// Message of the web page, a question: is this setup correct, and which drive results from it?
    Check(Setup),
    /// Message of the web page, a request: begin a run with this setup (drive, settings, workload and options).
    Begin(Setup),
    /// Message of the web page, a request: advance the run by about the given number of simulation events.
    Advance {
        /// Number of simulation events by which the web page asks to advance the run.
        events: u64,
    },
    /// Message of the web page, a question: how far is the run, what are the measurements so far, and in which state
    /// are the flash blocks?
    Look,
    /// Message of the web page, a request: end the run early, so that it takes no more requests of the workload and
    /// completes the requests in flight.
    Interrupt,
    /// Message of the web page, a question: what has the run measured, as the whole result of a run?
    Result,
}

/// State of the simulator behind the web page: at most one run at a time, and the P/E cycles that each superblock had
/// in the picture of the drive that was drawn last.
#[derive(Default)]
pub struct Lab {
    session: Option<Session>,
    picture: picture::Album,
}

impl Lab {
    /// Returns the simulator's answer to a question of the web page, both in JSON; an answer `{"error": ...}` holds the
    /// error message that the command line would print.
    pub fn answer(&mut self, question: &str) -> String {
        let asked = serde_json::from_str(question).map_err(|error| Error(format!("question: {error}")));
        let answer = asked.and_then(|question| self.reply(question));
        answer.unwrap_or_else(|error| json!({ "error": error.to_string() })).to_string()
    }

    fn reply(&mut self, question: PageQuestion) -> Result<Value, Error> {
        match question {
            PageQuestion::Shelf => Ok(shelf()),
            PageQuestion::Check(asked) => check(&asked),
            PageQuestion::Begin(asked) => {
                self.session = None; // Two drives at once may not fit.
                let session = begin(&asked)?;
                let drive = session.drive();
                let about = json!({ "drive": drive.name, "title": drive.title, "capacity_bytes": drive.capacity().get() });
                self.picture = picture::Album::default();
                self.session = Some(session);
                Ok(about)
            }
            PageQuestion::Advance { events } => Ok(json!({ "progress": self.running()?.advance(events)? })),
            PageQuestion::Look => self.look(),
            PageQuestion::Interrupt => {
                self.running()?.interrupt()?;
                Ok(json!({}))
            }
            PageQuestion::Result => self.running()?.result(),
        }
    }

    fn running(&mut self) -> Result<&mut Session, Error> {
        self.session.as_mut().ok_or_else(|| Error("no run: expected one to be begun".into()))
    }

    fn look(&mut self) -> Result<Value, Error> {
        let Some(session) = &mut self.session else { return self.running().map(|_| Value::Null) };
        let progress = session.progress();
        let glance = if progress.phase == "run" { session.glance()? } else { Value::Null };
        let picture = session.ftl().map(|ftl| self.picture.take(ftl));
        Ok(json!({ "progress": progress, "glance": glance, "picture": picture }))
    }
}

/// Makes the catalogue of drive and chip files, which lie in the root folder of the files that the page shows.
fn catalogue() -> Catalogue {
    Catalogue::new([""])
}

fn shelf() -> Value {
    let text = |path: &std::path::Path| std::fs::read_to_string(path).unwrap_or_default();
    let drives: Vec<Value> = (catalogue().drives().iter())
        .map(|drive| {
            json!({ "name": drive.name, "title": drive.title, "path": drive.path, "text": text(&drive.path) })
        })
        .collect();
    let generators: Vec<Value> = (host::fio::generators().iter())
        .map(|found| json!({ "name": found.name, "title": found.title, "text": found.job_text }))
        .collect();
    json!({ "version": sim::version(), "drives": drives, "generators": generators, "memory_most": MEMORY_MOST })
}

fn load(asked: &Setup) -> Result<Drive, Error> {
    let drive = Drive::load(&catalogue(), &asked.drive, &asked.set)?;
    fits::check(&drive, |set| {
        Drive::load(&catalogue(), &asked.drive, &[asked.set.clone(), vec![set]].concat())
    })?;
    Ok(drive)
}

fn options(asked: &Setup) -> Result<RunOptions, Error> {
    let given = if asked.options.is_null() { json!({}) } else { asked.options.clone() };
    Ok(RunOptions { memory_limit: Some(MEMORY_MOST), ..RunOptions::from_json(&given.to_string())? })
}

fn check(asked: &Setup) -> Result<Value, Error> {
    let drive = load(asked)?;
    let options = options(asked)?;
    if let Some(workload) = &asked.workload {
        // A trace is read whole by this: the run does so.
        if !matches!(workload, WorkloadSpec::Trace { .. }) {
            workload.open(drive.space(), options.seed)?;
        }
    }
    let entries: Vec<Value> =
        (drive.entries().iter()).map(|entry| json!([entry.key, entry.value.to_string()])).collect();
    Ok(json!({
        "name": drive.name,
        "title": drive.title,
        "capacity_bytes": drive.capacity().get(),
        "memory_bytes": drive.memory_bytes(Checking::Off),
        "entries": entries,
    }))
}

fn begin(asked: &Setup) -> Result<Session, Error> {
    let (drive, options) = (load(asked)?, options(asked)?);
    let workload =
        asked.workload.as_ref().ok_or_else(|| Error("no workload: expected a job or a trace".into()))?;
    Session::new(drive, workload, options)
}
