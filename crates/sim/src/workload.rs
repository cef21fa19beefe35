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

/// Description of a workload, as the caller gives it in JSON, with one case for each kind of workload; the key `kind`
/// selects the case.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum WorkloadSpec {
    /// Case of workload: a fio job file on disk.
    Fio {
        /// Path of the fio job file that describes the workload.
        path: PathBuf,
        /// Values of the variables (`${NAME}`) that occur in the fio job file of the workload.
        #[serde(default)]
        variables: Variables,
    },
    /// Case of workload: a fio job, given as the text of a job file.
    FioText {
        /// Name, given by the caller, by which error messages call the workload's fio job, whose text comes without a
        /// file.
        name: String,
        /// Text of the workload's fio job, in the format of a fio job file.
        text: String,
        /// Values of the variables (`${NAME}`) that occur in the text of the workload's fio job.
        #[serde(default)]
        variables: Variables,
    },
    /// Case of workload: a fio job, given as single lines that the caller made from another form.
    FioLines {
        /// Name, given by the caller, by which error messages call the workload's fio job, which comes as single lines
        /// without a file.
        name: String,
        /// List of the lines of the fio job, each with the place where it was written, for messages.
        lines: Vec<fio::Line>,
        /// Values of the variables (`${NAME}`) that occur in the lines of the workload's fio job.
        #[serde(default)]
        variables: Variables,
    },
    /// Case of workload: a built-in workload generator (a fio job that comes with the simulator), selected by name.
    Generator {
        /// Name of the built-in workload generator, a fio job that comes with the simulator.
        name: String,
    },
    /// Case of workload: a synthetic volume, with requests drawn at random from a statistical description of a volume
    /// of a block trace.
    Volume {
        /// Name and parameters of the synthetic volume to run as the workload, such as `volume:prn_0,interleaved=0.1`.
        spec: String,
    },
    /// Case of workload: several flows (independent streams of synthetic or replayed requests), each on its own part of
    /// the drive.
    Flows {
        /// Name of the workload of flows in error messages, given by the caller.
        name: String,
        /// List of the descriptions of the flows, each an independent stream of synthetic or replayed requests.
        flows: Vec<FlowSpec>,
    },
    /// Case of workload: the replay of a block trace.
    Trace {
        /// Path of the trace file that is replayed as the workload.
        path: PathBuf,
        /// Options for reading the trace file and replaying it as the workload.
        #[serde(default)]
        options: TraceOptions,
    },
}

/// Description of what a host sees of a drive (bytes, namespaces, placement handles, zones), with the host's policy
/// that chooses a placement handle for each write.
#[derive(Clone, Debug)]
pub(crate) struct Reach {
    pub space: HostSpace,
    pub place: PlaceMaker,
}

impl WorkloadSpec {
    /// Parses the description of a workload from JSON text.
    ///
    /// # Errors
    /// When the text is no valid JSON, or a key is unknown, missing, or has a value of a wrong type.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        serde_json::from_str(text).map_err(|error| Error(format!("workload: {error}")))
    }

    /// Opens the workload as a source of requests for the address space `space`, such as that of a drive.
    ///
    /// # Errors
    /// When the workload is faulty or does not fit the drive.
    pub fn open(&self, space: impl Into<HostSpace>, seed: u64) -> Result<Box<dyn Workload>, Error> {
        self.open_again(&space.into(), seed, 0)
    }

    /// Opens the workload for a repetition after `pass` earlier ones: random workloads draw other requests in each
    /// pass, traces repeat the same requests.
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

    /// Opens the workload for the drive and placement policy in `reach`, for the repetition `pass`. If the policy needs
    /// the lifetime of data, and the drive has placement handles, each write carries the class of lifetime of its data.
    ///
    /// # Errors
    /// As for [`Self::open`].
    pub(crate) fn open_on(&self, reach: &Reach, seed: u64, pass: u32) -> Result<Box<dyn Workload>, Error> {
        self.foreseen(self.open_again(&reach.space, seed, pass)?, reach, seed, pass)
    }

    /// Returns `source` as the placement policy in `reach` needs it: if the policy needs the lifetime of data, and the
    /// drive has placement handles, a second copy of the workload is run through first to learn the lifetime of the
    /// data of each write. `source` must have been opened from this description.
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

    /// Returns the size of the drive in bytes; an error for a synthetic volume or flows, which cover the whole drive,
    /// on a drive with zones or several namespaces.
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

    /// Returns the fio jobs that the workload consists of; `None` for synthetic volumes, flows and traces.
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

/// Parses the text of a fio job, in which `include` is refused.
fn parse_text(name: &str, text: &str, variables: &Variables) -> Result<JobFile, WorkloadError> {
    let refuse = |include: &str| {
        Err(WorkloadError::of(name.to_owned(), format!("include {include}"), "a text without includes"))
    };
    fio::parse_text(name, text, variables, &refuse)
}
