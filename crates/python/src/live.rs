//! A served drive, as Python drives it: slices without the interpreter lock.

use crate::errors::{guarded, input};
use crate::held::Held;
use crate::listing::catalogue;
use crate::tables::{ArrowTable, schema};
use ::live::{Board, ServeOptions};
use pyo3::prelude::*;
use serde_json::json;
use sim::{Drive, RunOptions};
use std::sync::Arc;
use std::time::Duration;

/// A server that is killed cuts the drive's power, which must then find its map again, and nothing writes its buffer out.
const SERVED: [&str; 2] = ["power.cut.drawn=0", "ftl.buffer.power_loss_protection=false"];

/// A drive as a network block device.
#[pyclass(name = "Server")]
pub struct PyServer {
    inner: Held<::live::Server>,
    board: Arc<Board>,
}

#[pymethods]
impl PyServer {
    /// Builds the drive called `drive` (or in that file) as its image has it, and listens.
    #[new]
    fn new(
        py: Python<'_>,
        drive: &str,
        overrides: Vec<String>,
        folders: Vec<String>,
        options: &str,
        serve: &str,
    ) -> PyResult<Self> {
        let options = RunOptions::from_json(options).map_err(input)?;
        let serve = ServeOptions::from_json(serve).map_err(input)?;
        guarded(py, move || {
            let overrides = [SERVED.map(str::to_owned).to_vec(), overrides].concat();
            let drive = Drive::load(&catalogue(folders), drive, &overrides).map_err(input)?;
            let server = ::live::Server::new(drive, options, &serve).map_err(input)?;
            Ok(Self { board: server.board(), inner: Held::new(server) })
        })
    }

    /// URI by which clients reach the server.
    fn uri(&self) -> PyResult<String> {
        Ok(self.inner.lock()?.uri())
    }

    /// Serves for about so many milliseconds, or until `stop`. Other threads may ask how far it is meanwhile.
    fn serve(&self, py: Python<'_>, slice_ms: u64) -> PyResult<()> {
        let slice = Duration::from_millis(slice_ms);
        self.inner.work(py, |server| server.serve(slice).map_err(input))
    }

    /// The server's progress as it last reported it, at most a second ago.
    fn progress(&self, py: Python<'_>) -> PyResult<String> {
        guarded(py, || Ok(json!(self.board.progress()).to_string()))
    }

    /// Makes `serve` return soon.
    fn stop(&self) {
        self.board.stop();
    }

    /// Answers requests in flight and takes leave of all clients.
    fn end(&self, py: Python<'_>) -> PyResult<()> {
        self.inner.work(py, |server| server.end().map_err(input))
    }

    /// Everything measured.
    fn result(&self, py: Python<'_>) -> PyResult<String> {
        self.inner.work(py, |server| Ok(server.result().map_err(input)?.to_string()))
    }

    /// Brings the drive to rest and leaves its image so that the next server finds it.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        self.inner.work(py, |server| server.close().map_err(input))
    }

    /// Drains the requests completed since the last call.
    fn requests(&self) -> PyResult<ArrowTable> {
        Ok(ArrowTable::of_bytes(schema(&sim::tables::REQUESTS), self.inner.lock()?.take_requests()))
    }
}
