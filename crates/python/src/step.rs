//! A drive that Python steps: requests one by one or in arrays, answers as objects or as packed rows.

use crate::errors::{guarded, input};
use crate::held::Held;
use crate::listing::catalogue;
use ::step::{
    STAGE_COUNT, STAGE_NAMES, StepError, StepRequest, StepSetup, SteppedCompletion, SteppedStatus, op_named,
    op_of,
};
use pyo3::buffer::{Element, PyBuffer};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyDict, PyInt};
use sim::RunOptions;
use std::path::PathBuf;

/// Constant: number of bytes of one completion in the packed form that Python gets, in the layout of the function
/// `row`.
const ROW: usize = 4 * 8 + 8 * STAGE_COUNT + 8;

/// Record of a completed request of a drive that a Python program advances step by step: its times, its status, and the
/// stages of its latency.
#[pyclass(name = "Completion", module = "floatgate", frozen, eq)]
#[derive(Clone, PartialEq)]
pub struct PyCompletion(SteppedCompletion);

fn status(status: SteppedStatus) -> &'static str {
    match status {
        SteppedStatus::Success => "success",
        SteppedStatus::Failed => "failed",
        SteppedStatus::Uncorrectable => "uncorrectable",
    }
}

#[pymethods]
impl PyCompletion {
    /// Number of the completed request, as `submit` returned it to the Python program.
    #[getter]
    fn id(&self) -> u64 {
        self.0.id
    }

    /// Simulated time at which the host issued the completed request, in ns.
    #[getter]
    fn submitted_ns(&self) -> u64 {
        self.0.submitted_ns
    }

    /// Simulated time at which the host received the completion of the request, in ns.
    #[getter]
    fn completed_ns(&self) -> u64 {
        self.0.completed_ns
    }

    /// Latency of the completed request, from its submission to its completion, in ns.
    #[getter]
    fn latency_ns(&self) -> u64 {
        self.0.latency_ns()
    }

    /// Operation of the completed request: "read", "write", "trim", "flush", or one of zones or placement handles.
    #[getter]
    fn op(&self) -> PyResult<&'static str> {
        Ok(op_of(self.0.op).map_err(refused)?.name())
    }

    /// Offset in bytes of the completed request's first byte on the whole drive; for a zone append, of the first byte
    /// where the drive put the data.
    #[getter]
    fn offset(&self) -> u64 {
        self.0.offset
    }

    /// Length of the completed request in bytes.
    #[getter]
    fn length(&self) -> u32 {
        self.0.bytes
    }

    /// Status of the completed request: "success", "failed", or "uncorrectable" where data of a read are lost.
    #[getter]
    fn status(&self) -> &'static str {
        status(self.0.status)
    }

    /// Name of the stage (part of the path through the drive) in which the completed request spent the most time, as in
    /// `stages_ns`.
    #[getter]
    fn cause(&self) -> &'static str {
        STAGE_NAMES[usize::from(self.0.cause)]
    }

    /// Greatest number of read retries (attempts beyond the first) that one flash read of the completed request took.
    #[getter]
    fn retries(&self) -> u8 {
        self.0.retries
    }

    /// Time that the completed request spent in each stage of its path through the drive, in ns by the name of the
    /// stage; the sum of the times is the latency.
    #[getter]
    fn stages_ns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let stages = PyDict::new(py);
        STAGE_NAMES.iter().zip(self.0.stages_ns).try_for_each(|(name, ns)| stages.set_item(name, ns))?;
        Ok(stages)
    }

    fn __repr__(&self) -> PyResult<String> {
        Ok(format!(
            "Completion(id={}, op={:?}, completed_ns={}, latency_ns={}, status={:?}, cause={:?})",
            self.0.id,
            self.op()?,
            self.0.completed_ns,
            self.0.latency_ns(),
            self.status(),
            self.cause()
        ))
    }
}

fn refused(error: StepError) -> PyErr {
    input(error.text())
}

/// Converts a whole number that the caller gave as argument `name`. Raises InputError outside the range, TypeError for
/// other values.
fn whole<T: for<'a, 'py> FromPyObject<'a, 'py>>(name: &str, value: &Bound<'_, PyAny>) -> PyResult<T> {
    value.extract::<T>().map_err(|_| match value.is_instance_of::<PyInt>() {
        true => {
            let most = if size_of::<T>() == 8 { u64::MAX } else { u64::from(u32::MAX) };
            input(format!("{name} = {value}: expected a whole number from 0 to {most}"))
        }
        false => PyTypeError::new_err(format!("{name} = {value}: expected a whole number")),
    })
}

/// Copies the column `name` of an array of requests out of a Python buffer.
fn column<T: Element + Copy>(py: Python<'_>, name: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec<T>> {
    let buffer = PyBuffer::<T>::get(value);
    let buffer = buffer.map_err(|error| PyTypeError::new_err(format!("{name}: {error}")))?;
    buffer.to_vec(py)
}

/// Packs one completion into `bytes`, in the layout of the structured type that `fg.Drive.completion_array` returns.
fn row(found: &SteppedCompletion, bytes: &mut [u8]) {
    let SteppedCompletion { id, submitted_ns, completed_ns, offset, stages_ns, .. } = found;
    let (words, rest) = bytes.split_at_mut(ROW - 8);
    let (heads, stages) = words.split_at_mut(32);
    let heads = heads.as_chunks_mut::<8>().0.iter_mut().zip([id, submitted_ns, completed_ns, offset]);
    heads.for_each(|(bytes, word)| *bytes = word.to_le_bytes());
    let stages = stages.as_chunks_mut::<8>().0.iter_mut().zip(stages_ns);
    stages.for_each(|(bytes, word)| *bytes = word.to_le_bytes());
    rest[..4].copy_from_slice(&found.bytes.to_le_bytes());
    rest[4..].copy_from_slice(&[found.op, found.status as u8, found.cause, found.retries]);
}

/// Makes a byte array of `count` packed completions; `give` is called once and passes the completions one by one.
fn packed<'py>(
    py: Python<'py>,
    count: usize,
    give: impl FnOnce(&mut dyn FnMut(&SteppedCompletion)),
) -> PyResult<Bound<'py, PyByteArray>> {
    PyByteArray::new_with(py, count * ROW, |bytes| {
        let mut rows = bytes.chunks_exact_mut(ROW);
        give(&mut |found| rows.by_ref().take(1).for_each(|bytes| row(found, bytes)));
        Ok(())
    })
}

/// Python class: simulated drive that a Python program advances step by step; `fg.Drive` is derived from it.
#[pyclass(name = "SteppedDrive", subclass)]
pub struct PySteppedDrive {
    /// Field: the simulated drive that the Python program advances; `None` once it was closed.
    inner: Held<Option<::step::SteppedDrive>>,
}

fn opened(drive: &mut Option<::step::SteppedDrive>) -> PyResult<&mut ::step::SteppedDrive> {
    drive.as_mut().ok_or_else(|| input("the drive was closed: expected calls before that"))
}

impl PySteppedDrive {
    /// Runs `work`, which takes no simulated time, on the open drive; keeps Python's interpreter lock meanwhile unless
    /// another thread uses the drive.
    fn quick<R: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut ::step::SteppedDrive) -> PyResult<R> + Send,
    ) -> PyResult<R> {
        match self.inner.try_lock() {
            Some(mut drive) => work(opened(&mut drive)?),
            None => self.long(py, work),
        }
    }

    /// Runs `work`, which may advance simulated time, on the open drive without Python's interpreter lock.
    fn long<R: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut ::step::SteppedDrive) -> PyResult<R> + Send,
    ) -> PyResult<R> {
        self.inner.work(py, |drive| work(opened(drive)?))
    }
}

#[pymethods]
impl PySteppedDrive {
    #[new]
    fn new(
        py: Python<'_>,
        drive: String,
        toml: Option<String>,
        set: Vec<String>,
        folders: Vec<String>,
        options: &str,
    ) -> PyResult<Self> {
        let options = RunOptions::from_json(options).map_err(input)?;
        guarded(py, move || {
            let setup = StepSetup { drive, toml, set, options };
            let drive = ::step::SteppedDrive::open(&setup, &catalogue(folders)).map_err(refused)?;
            Ok(Self { inner: Held::new(Some(drive)) })
        })
    }

    /// Name of the simulated drive: as the Python program asked for it, or that of its file, without folder and `.toml`.
    #[getter]
    fn name(&self, py: Python<'_>) -> PyResult<String> {
        self.quick(py, |drive| Ok(drive.name().to_owned()))
    }

    /// Title of the simulated drive, as its drive file gives it.
    #[getter]
    fn title(&self, py: Python<'_>) -> PyResult<String> {
        self.quick(py, |drive| Ok(drive.title().to_owned()))
    }

    /// Capacity of the simulated drive in bytes, as the host sees it.
    #[getter]
    fn capacity_bytes(&self, py: Python<'_>) -> PyResult<u64> {
        self.quick(py, |drive| Ok(drive.capacity_bytes()))
    }

    /// List of the sizes of the drive's namespaces in bytes; a drive without declared namespaces has one.
    #[getter]
    fn namespaces(&self, py: Python<'_>) -> PyResult<Vec<u64>> {
        self.quick(py, |drive| Ok(drive.namespaces().collect()))
    }

    /// Present simulated time of the drive in ns: all events up to this time have happened.
    #[getter]
    fn now_ns(&self, py: Python<'_>) -> PyResult<u64> {
        self.quick(py, |drive| Ok(drive.now_ns()))
    }

    /// Simulated time in ns of the next event in the drive, background work included; None where no event will come.
    #[getter]
    fn next_event_ns(&self, py: Python<'_>) -> PyResult<Option<u64>> {
        self.quick(py, |drive| drive.next_event_ns().map_err(refused))
    }

    /// Number of requests that the Python program submitted and whose completions it has not taken yet.
    #[getter]
    fn outstanding(&self, py: Python<'_>) -> PyResult<u64> {
        self.quick(py, |drive| Ok(drive.outstanding()))
    }

    /// True once the drive was closed with `close`.
    #[getter]
    fn is_closed(&self) -> PyResult<bool> {
        Ok(self.inner.lock()?.is_none())
    }

    /// Submit a request, and return its number, from 0 on, which its completion has as `id`.
    ///
    /// `time_ns` is when the host issues it; `op` is read, write, trim or flush (whose offset and length are 0), on a
    /// drive of zones append, open, close, finish or reset, on one of placement handles update, too; `offset` and
    /// `length` are bytes, multiples of 512, in the namespace of that number, from 1, or name. `fua`: a write that is
    /// durable when it is completed; `placement`: its placement identifier.
    ///
    /// Raises InputError for a time before `now_ns` and for a request that the drive does not take; nothing has changed
    /// then.
    #[pyo3(signature = (time_ns, op, offset, length, *, namespace = None, fua = false, placement = None))]
    #[allow(clippy::too_many_arguments)] // Python names them at its call.
    fn submit(
        &self,
        py: Python<'_>,
        time_ns: &Bound<'_, PyAny>,
        op: &str,
        offset: &Bound<'_, PyAny>,
        length: &Bound<'_, PyAny>,
        namespace: Option<&Bound<'_, PyAny>>,
        fua: bool,
        placement: Option<u16>,
    ) -> PyResult<u64> {
        let (time_ns, offset) = (whole("time_ns", time_ns)?, whole("offset", offset)?);
        let (bytes, op) = (whole("length", length)?, op_named(op).map_err(refused)?);
        let named = namespace.and_then(|namespace| namespace.extract::<String>().ok());
        let number = match (namespace, &named) {
            (Some(number), None) => whole("namespace", number)?,
            _ => 0,
        };
        self.quick(py, |drive| {
            let number = named.map_or(Ok(number), |name| drive.namespace_named(&name));
            let namespace = number.map_err(refused)?;
            let request = StepRequest { time_ns, op, offset, bytes, namespace, fua, placement };
            drive.submit(&request).map_err(refused)
        })
    }

    /// Within: method for the Python package itself: submits requests given as columns of equal length: times as u64,
    /// operations as u8, offsets as u64, lengths and namespaces as u32; returns the number of the first request.
    fn submit_columns(
        &self,
        py: Python<'_>,
        times_ns: &Bound<'_, PyAny>,
        ops: &Bound<'_, PyAny>,
        offsets: &Bound<'_, PyAny>,
        lengths: &Bound<'_, PyAny>,
        namespaces: &Bound<'_, PyAny>,
    ) -> PyResult<u64> {
        let times: Vec<u64> = column(py, "time_ns", times_ns)?;
        let ops: Vec<u8> = column(py, "op", ops)?;
        let offsets: Vec<u64> = column(py, "offset", offsets)?;
        let lengths: Vec<u32> = column(py, "length", lengths)?;
        let namespaces: Vec<u32> = column(py, "namespace", namespaces)?;
        let lines = times.into_iter().zip(ops).zip(offsets).zip(lengths).zip(namespaces);
        let requests = lines.map(|((((time_ns, op), offset), bytes), namespace)| {
            let op = op_of(op)?;
            Ok(StepRequest { time_ns, op, offset, bytes, namespace, fua: false, placement: None })
        });
        self.long(py, |drive| drive.submit_all(requests).map_err(refused))
    }

    /// Advance the drive's simulated time to `time_ns`; all events up to then happen, events at that time included.
    /// Other threads run meanwhile.
    ///
    /// Raises InputError for a time before `now_ns`.
    fn run_until(&self, py: Python<'_>, time_ns: &Bound<'_, PyAny>) -> PyResult<()> {
        let time_ns = whole("time_ns", time_ns)?;
        self.long(py, |drive| drive.run_until(time_ns).map_err(refused))
    }

    /// Take the next completion; if none waits to be taken, let simulated time go on to it, at the latest to
    /// `until_ns`.
    ///
    /// None where no request is outstanding, or none completes until then.
    #[pyo3(signature = (until_ns = None))]
    fn next(&self, py: Python<'_>, until_ns: Option<&Bound<'_, PyAny>>) -> PyResult<Option<PyCompletion>> {
        let until_ns = until_ns.map(|until| whole("until_ns", until)).transpose()?;
        let found = self.long(py, |drive| drive.next(until_ns).map_err(refused))?;
        Ok(found.map(PyCompletion))
    }

    /// Take the completions that wait to be taken, at most `most`, in the order of their times; simulated time does not
    /// go on.
    #[pyo3(signature = (most = None))]
    fn completions(&self, py: Python<'_>, most: Option<usize>) -> PyResult<Vec<PyCompletion>> {
        let most = most.unwrap_or(usize::MAX);
        self.quick(py, |drive| Ok(drive.take(most).map_err(refused)?.into_iter().map(PyCompletion).collect()))
    }

    /// Within: method for the Python package itself: takes the completions that wait to be taken, at most `most`, and
    /// returns them packed one behind the other as bytes.
    fn completion_bytes<'py>(
        &self,
        py: Python<'py>,
        most: Option<usize>,
    ) -> PyResult<Bound<'py, PyByteArray>> {
        let most = most.unwrap_or(usize::MAX);
        let Some(mut drive) = self.inner.try_lock() else {
            let found = self.long(py, |drive| drive.take(most).map_err(refused))?;
            return packed(py, found.len(), |pack| found.iter().for_each(pack));
        };
        // From where they lie into the array, without a copy between.
        let drive = opened(&mut drive)?;
        let count = drive.untaken().map_err(refused)?.min(most);
        packed(py, count, |pack| _ = drive.take_with(count, pack))
    }

    /// Let simulated time go on to the completion of the last outstanding request, after which the drive takes no more
    /// requests. Completions can still be taken.
    fn finish(&self, py: Python<'_>) -> PyResult<()> {
        self.long(py, |drive| drive.finish().map_err(refused))
    }

    /// Within: method for the Python package itself: returns all results that the drive has measured, as JSON.
    fn measured(&self, py: Python<'_>) -> PyResult<String> {
        self.long(py, |drive| Ok(drive.statistics().map_err(refused)?.to_string()))
    }

    /// Within: method for `save` of the Python package: lets all requests of the drive complete and saves the drive's
    /// state in the file `path`.
    fn save_to(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        self.long(py, |drive| drive.save(&path).map_err(refused))
    }

    /// Free the drive's memory; later calls, except of `close` itself, raise InputError.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        self.inner.work(py, |drive| {
            *drive = None;
            Ok(())
        })
    }
}

/// Returns, for Python, the numeric code of the request operation with this name, such as "read".
#[pyfunction]
pub fn step_op(name: &str) -> PyResult<u8> {
    Ok(op_named(name).map_err(refused)?.code())
}

/// Returns three lists of names: the stages into which a request's latency is divided, the operations with their
/// numeric codes, and the statuses of completions in the order of their codes.
#[pyfunction]
pub fn step_words() -> (Vec<&'static str>, Vec<(u8, &'static str)>, Vec<&'static str>) {
    let ops = (0..=u8::MAX).filter_map(|code| op_of(code).ok()).map(|op| (op.code(), op.name()));
    let all = [SteppedStatus::Success, SteppedStatus::Failed, SteppedStatus::Uncorrectable];
    (STAGE_NAMES.to_vec(), ops.collect(), all.map(status).to_vec())
}
