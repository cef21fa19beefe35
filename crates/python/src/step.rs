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

/// Bytes of a completion in an array: see `row`.
const ROW: usize = 4 * 8 + 8 * STAGE_COUNT + 8;

/// A request that the drive has answered.
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
    /// Number of the request, as its submission gave it.
    #[getter]
    fn id(&self) -> u64 {
        self.0.id
    }

    /// Simulated time at which the host issued the request, in ns.
    #[getter]
    fn submitted_ns(&self) -> u64 {
        self.0.submitted_ns
    }

    /// Simulated time at which the host had the answer, in ns.
    #[getter]
    fn completed_ns(&self) -> u64 {
        self.0.completed_ns
    }

    /// Time between the two, in ns.
    #[getter]
    fn latency_ns(&self) -> u64 {
        self.0.latency_ns()
    }

    /// What was asked: "read", "write", "trim", "flush", or an operation of zones.
    #[getter]
    fn op(&self) -> PyResult<&'static str> {
        Ok(op_of(self.0.op).map_err(refused)?.name())
    }

    /// First byte on the drive; of an append, the first byte where the drive put the data.
    #[getter]
    fn offset(&self) -> u64 {
        self.0.offset
    }

    /// Bytes of the request.
    #[getter]
    fn length(&self) -> u32 {
        self.0.bytes
    }

    /// Status of the answer: "success", "failed", or "uncorrectable" where data of a read are lost.
    #[getter]
    fn status(&self) -> &'static str {
        status(self.0.status)
    }

    /// The stage that took longest, a name of `stages_ns`.
    #[getter]
    fn cause(&self) -> &'static str {
        STAGE_NAMES[usize::from(self.0.cause)]
    }

    /// Attempts of a read beyond the first.
    #[getter]
    fn retries(&self) -> u8 {
        self.0.retries
    }

    /// Where the time went, in ns by the name of the stage; together they are the latency.
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

/// A whole number of the caller's.
fn whole<T: for<'a, 'py> FromPyObject<'a, 'py>>(name: &str, value: &Bound<'_, PyAny>) -> PyResult<T> {
    value.extract::<T>().map_err(|_| match value.is_instance_of::<PyInt>() {
        true => {
            let most = if size_of::<T>() == 8 { u64::MAX } else { u64::from(u32::MAX) };
            input(format!("{name} = {value}: expected a whole number from 0 to {most}"))
        }
        false => PyTypeError::new_err(format!("{name} = {value}: expected a whole number")),
    })
}

/// The column `name` of an array of requests.
fn column<T: Element + Copy>(py: Python<'_>, name: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec<T>> {
    let buffer = PyBuffer::<T>::get(value);
    let buffer = buffer.map_err(|error| PyTypeError::new_err(format!("{name}: {error}")))?;
    buffer.to_vec(py)
}

/// Packs a completion as the structured type of `fg.Drive.completion_array` says.
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

/// An array of `count` completions, which `give` hands over one by one.
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

/// A drive that is stepped: what `fg.Drive` is made of.
#[pyclass(name = "SteppedDrive", subclass)]
pub struct PySteppedDrive {
    /// None once it was closed.
    inner: Held<Option<::step::SteppedDrive>>,
}

fn opened(drive: &mut Option<::step::SteppedDrive>) -> PyResult<&mut ::step::SteppedDrive> {
    drive.as_mut().ok_or_else(|| input("the drive was closed: expected calls before that"))
}

impl PySteppedDrive {
    /// Does what takes no time, with the interpreter lock unless another thread has the drive.
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

    /// Lets time go on, without the interpreter lock.
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

    /// Name of the drive, as it was asked for.
    #[getter]
    fn name(&self, py: Python<'_>) -> PyResult<String> {
        self.quick(py, |drive| Ok(drive.name().to_owned()))
    }

    /// Title of the drive, as its file gives it.
    #[getter]
    fn title(&self, py: Python<'_>) -> PyResult<String> {
        self.quick(py, |drive| Ok(drive.title().to_owned()))
    }

    /// Bytes the host sees.
    #[getter]
    fn capacity_bytes(&self, py: Python<'_>) -> PyResult<u64> {
        self.quick(py, |drive| Ok(drive.capacity_bytes()))
    }

    /// Bytes of each namespace; a drive that is one has one.
    #[getter]
    fn namespaces(&self, py: Python<'_>) -> PyResult<Vec<u64>> {
        self.quick(py, |drive| Ok(drive.namespaces().collect()))
    }

    /// The drive's present in ns: all up to it has happened.
    #[getter]
    fn now_ns(&self, py: Python<'_>) -> PyResult<u64> {
        self.quick(py, |drive| Ok(drive.now_ns()))
    }

    /// When something happens next in the drive, in ns, work of its own too; None where nothing will.
    #[getter]
    fn next_event_ns(&self, py: Python<'_>) -> PyResult<Option<u64>> {
        self.quick(py, |drive| drive.next_event_ns().map_err(refused))
    }

    /// Requests submitted whose completions were not taken.
    #[getter]
    fn outstanding(&self, py: Python<'_>) -> PyResult<u64> {
        self.quick(py, |drive| Ok(drive.outstanding()))
    }

    /// True once the drive was closed.
    #[getter]
    fn is_closed(&self) -> PyResult<bool> {
        Ok(self.inner.lock()?.is_none())
    }

    /// Submit a request, and give the id that its completion has, from 0.
    ///
    /// `time_ns` is when the host issues it; `op` is read, write, trim or flush (whose offset and length are 0), on a drive of
    /// zones append, open, close, finish or reset, too; `offset` and `length` are bytes, multiples of 512, in the namespace of
    /// that number, from 1, or name. `fua`: a write that is durable when it is answered; `placement`: its placement identifier.
    ///
    /// Raises InputError for a time before `now_ns` and for what the drive does not take; nothing has changed then.
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

    /// Within: columns of equal length: u64, u8, u64, u32, u32; the number of the first request.
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

    /// Let all happen that happens up to `time_ns`, that moment included. Other threads run meanwhile.
    ///
    /// Raises InputError for a time before `now_ns`.
    fn run_until(&self, py: Python<'_>, time_ns: &Bound<'_, PyAny>) -> PyResult<()> {
        let time_ns = whole("time_ns", time_ns)?;
        self.long(py, |drive| drive.run_until(time_ns).map_err(refused))
    }

    /// Take the next completion; without one that waits, let time go on to it, at the latest to `until_ns`.
    ///
    /// None where no request is outstanding, or none is answered until then.
    #[pyo3(signature = (until_ns = None))]
    fn next(&self, py: Python<'_>, until_ns: Option<&Bound<'_, PyAny>>) -> PyResult<Option<PyCompletion>> {
        let until_ns = until_ns.map(|until| whole("until_ns", until)).transpose()?;
        let found = self.long(py, |drive| drive.next(until_ns).map_err(refused))?;
        Ok(found.map(PyCompletion))
    }

    /// Take the completions that wait, at most `most`, in the order of their times; time stays where it is.
    #[pyo3(signature = (most = None))]
    fn completions(&self, py: Python<'_>, most: Option<usize>) -> PyResult<Vec<PyCompletion>> {
        let most = most.unwrap_or(usize::MAX);
        self.quick(py, |drive| Ok(drive.take(most).map_err(refused)?.into_iter().map(PyCompletion).collect()))
    }

    /// Within: completions one behind the other, packed.
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

    /// Let time go on to the last completion; no request follows. Completions can still be taken.
    fn finish(&self, py: Python<'_>) -> PyResult<()> {
        self.long(py, |drive| drive.finish().map_err(refused))
    }

    /// Within: everything measured, as JSON.
    fn measured(&self, py: Python<'_>) -> PyResult<String> {
        self.long(py, |drive| Ok(drive.statistics().map_err(refused)?.to_string()))
    }

    /// Within: see `save`.
    fn save_to(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        self.long(py, |drive| drive.save(&path).map_err(refused))
    }

    /// Give the drive's memory back; later calls raise InputError, but for this one.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        self.inner.work(py, |drive| {
            *drive = None;
            Ok(())
        })
    }
}

/// The code of the operation of this name.
#[pyfunction]
pub fn step_op(name: &str) -> PyResult<u8> {
    Ok(op_named(name).map_err(refused)?.code())
}

/// Names of the stages of a latency, and of each operation by its number.
#[pyfunction]
pub fn step_words() -> (Vec<&'static str>, Vec<(u8, &'static str)>, Vec<&'static str>) {
    let ops = (0..=u8::MAX).filter_map(|code| op_of(code).ok()).map(|op| (op.code(), op.name()));
    let all = [SteppedStatus::Success, SteppedStatus::Failed, SteppedStatus::Uncorrectable];
    (STAGE_NAMES.to_vec(), ops.collect(), all.map(status).to_vec())
}
