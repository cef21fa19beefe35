//! From a description to a source of requests.

use crate::Error;
use host::fio::{self, FioWorkload, JobFile, Variables};
use host::flows::{FlowSpec, FlowsWorkload};
use host::foreseen::Foreseen;
use host::place::PlaceMaker;
use host::trace::{self, TraceOptions};
use host::volume::VolumeWorkload;
use host::{HostSpace, Workload, WorkloadError};
use serde::Deserialize;
use std::path::PathBuf;

/// What to run, as the caller gives it (JSON, `kind` says which).
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum WorkloadSpec {
    /// A fio job file.
    Fio {
        /// Path of the workload's file.
        path: PathBuf,
        /// Values of the workload's variables.
        #[serde(default)]
        variables: Variables,
    },
    /// A fio job, given as text.
    FioText {
        /// Name of the workload in messages.
        name: String,
        /// Text of the job file.
        text: String,
        /// Values of the workload's variables.
        #[serde(default)]
        variables: Variables,
    },
    /// A fio job, given as lines that were made from something else.
    FioLines {
        /// Name of the workload in messages.
        name: String,
        /// The lines, with where each was written.
        lines: Vec<fio::Line>,
        /// Values of the workload's variables.
        #[serde(default)]
        variables: Variables,
    },
    /// A named generator.
    Generator {
        /// Name of the generator.
        name: String,
    },
    /// A synthetic volume.
    Volume {
        /// Name and parameters of the volume: `volume:prn_0,interleaved=0.1`.
        spec: String,
    },
    /// Flows of requests, each on a part of the drive.
    Flows {
        /// Name of the flows in messages.
        name: String,
        /// The flows.
        flows: Vec<FlowSpec>,
    },
    /// A block trace.
    Trace {
        /// Path of the workload's file.
        path: PathBuf,
        /// Options for reading and replaying the trace.
        #[serde(default)]
        options: TraceOptions,
    },
}

/// What a host sees of a drive, and by which rule it places what it writes.
#[derive(Clone, Debug)]
pub(crate) struct Reach {
    pub space: HostSpace,
    pub place: PlaceMaker,
}

impl WorkloadSpec {
    /// Reads the description.
    ///
    /// # Errors
    /// When a key is unknown.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        serde_json::from_str(text).map_err(|error| Error(format!("workload: {error}")))
    }

    /// Opens the source in `space`, such as a drive of so many bytes.
    ///
    /// # Errors
    /// When the source is faulty or does not fit the drive.
    pub fn open(&self, space: impl Into<HostSpace>, seed: u64) -> Result<Box<dyn Workload>, Error> {
        self.open_again(&space.into(), seed, 0)
    }

    /// Opens the source for its run after `pass` others: with other draws where it draws, else the same again.
    ///
    /// # Errors
    /// As for [`Self::open`].
    pub fn open_again(&self, space: &HostSpace, seed: u64, pass: u32) -> Result<Box<dyn Workload>, Error> {
        let capacity = self.whole_drive(space)?;
        let fio = |job| -> Result<Box<dyn Workload>, Error> {
            let workload = FioWorkload::new(job, space, seed)?;
            Ok(Box::new(if pass > 0 { workload.drawn_anew(seed, pass) } else { workload }))
        };
        Ok(match self {
            Self::Fio { .. } | Self::FioText { .. } | Self::FioLines { .. } | Self::Generator { .. } => {
                fio(self.jobs()?.ok_or_else(|| Error("no jobs".to_owned()))?)?
            }
            Self::Volume { spec } => {
                let workload = VolumeWorkload::new(spec, capacity, seed)?;
                Box::new(if pass > 0 { workload.drawn_anew(seed, pass) } else { workload })
            }
            Self::Flows { name, flows } => {
                Box::new(FlowsWorkload::new(name, flows, capacity, seed.wrapping_add(u64::from(pass)))?)
            }
            Self::Trace { path, options } => Box::new(trace::open(path, options, space)?),
        })
    }

    /// As [`Self::open_again`], for a drive and its rule of placement: where that asks how long data live, they are known.
    ///
    /// # Errors
    /// As for [`Self::open`].
    pub(crate) fn open_on(&self, reach: &Reach, seed: u64, pass: u32) -> Result<Box<dyn Workload>, Error> {
        self.foreseen(self.open_again(&reach.space, seed, pass)?, reach, seed, pass)
    }

    /// Returns `source`, which was opened from this, as the drive's rule of placement needs it.
    ///
    /// # Errors
    /// As for [`Self::open`].
    pub(crate) fn foreseen(
        &self,
        source: Box<dyn Workload>,
        reach: &Reach,
        seed: u64,
        pass: u32,
    ) -> Result<Box<dyn Workload>, Error> {
        if reach.space.handles == 0 || !reach.place.foresees() {
            return Ok(source);
        }
        let copy = self.open_again(&reach.space, seed, pass)?;
        Ok(Box::new(Foreseen::new(source, copy, &reach.space)?))
    }

    /// Returns the bytes of a drive whose namespaces this names, or that has one.
    fn whole_drive(&self, space: &HostSpace) -> Result<u64, WorkloadError> {
        let name = match self {
            Self::Volume { spec } => spec,
            Self::Flows { name, .. } => name,
            _ => return Ok(space.bytes),
        };
        if space.zones.is_some() {
            let expected =
                "fio jobs with zonemode=zbd, or a trace: zones take writes at their pointers alone";
            return Err(WorkloadError::of(name, "writes in any order on a drive of zones", expected));
        }
        if !space.is_parted() {
            return Ok(space.bytes);
        }
        let expected = "fio jobs or a trace, which name the namespace that each request goes to";
        Err(WorkloadError::of(name, "the whole of a drive of several namespaces", expected))
    }

    /// Returns the fio jobs that the workload consists of; none where it is something else.
    ///
    /// # Errors
    /// When a job file is faulty, and for a generator that does not exist.
    pub fn jobs(&self) -> Result<Option<JobFile>, Error> {
        Ok(match self {
            Self::Fio { path, variables } => Some(fio::parse(path, variables)?),
            Self::FioText { name, text, variables } => Some(parse_text(name, text, variables)?),
            Self::FioLines { name, lines, variables } => Some(fio::parse_lines(name, lines, variables)?),
            Self::Generator { name } => {
                let known = fio::generators();
                let Some(generator) = known.iter().find(|generator| generator.name == name) else {
                    let near = config::nearest(name, known.iter().map(|generator| generator.name));
                    let hint = near.map_or_else(String::new, |near| format!("; did you mean {near:?}?"));
                    return Err(Error(format!("{name}: no such file and no generator of that name{hint}")));
                };
                Some(parse_text(name, generator.job_text, &Variables::new())?)
            }
            _ => None,
        })
    }
}

/// Returns a job given as text, which cannot include files.
fn parse_text(name: &str, text: &str, variables: &Variables) -> Result<JobFile, WorkloadError> {
    let refuse = |include: &str| {
        Err(WorkloadError::of(name.to_owned(), format!("include {include}"), "a text without includes"))
    };
    fio::parse_text(name, text, variables, &refuse)
}
