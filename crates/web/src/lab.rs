//! Questions and their answers.

use crate::fits::{self, MEMORY_MOST};
use crate::picture;
use serde::Deserialize;
use serde_json::{Value, json};
use sim::{Catalogue, Checking, Drive, Error, RunOptions, Session, WorkloadSpec};

/// A drive as the page names it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setup {
    /// Name of the drive, or the path of its file.
    drive: String,
    /// Settings `key=value` on top of the drive's file.
    #[serde(default)]
    set: Vec<String>,
    /// Workload to run on the drive; none where the page asks about the drive alone.
    #[serde(default)]
    workload: Option<WorkloadSpec>,
    /// Options of the run, as the command takes them.
    #[serde(default)]
    options: Value,
}

/// What the page asks.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case", deny_unknown_fields)]
pub enum PageQuestion {
    /// Which drives, workloads and version there are.
    Shelf,
    /// The question whether the setup is correct, and to what drive it leads.
    Check(Setup),
    /// Begin a run.
    Begin(Setup),
    /// Go on for about so many events.
    Advance {
        /// Number of events.
        events: u64,
    },
    /// The question how far the run is, with the measures so far and the state of the blocks.
    Look,
    /// The request that the run takes no more requests of the workload, and answers requests in flight.
    Interrupt,
    /// Everything that the run measured, as its result.
    Result,
}

/// One run at a time, and what was seen of it.
#[derive(Default)]
pub struct Lab {
    session: Option<Session>,
    picture: picture::Album,
}

impl Lab {
    /// Returns the answer to a question in JSON; `{"error": ...}` holds the message that the command would
    /// have.
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

/// Returns where drives and chips are: in the root of the files that the page shows.
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
