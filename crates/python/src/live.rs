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

/// Constant with default settings of a drive that a server offers: the end of the server process by a kill counts as a
/// power cut, after which the drive must recover its map, and the write buffer has no power-loss protection.
const SERVED: [&str; 2] = ["power.cut.drawn=0", "ftl.buffer.power_loss_protection=false"];

/// Python class: network block device server that offers a simulated drive to clients.
#[pyclass(name = "Server")]
pub struct PyServer {
    inner: Held<::live::Server>,
    board: Arc<Board>,
}

#[pymethods]
impl PyServer {
    /// Loads the drive `drive` (a name or a file), in the state that its image file has, and begins to listen for
    /// clients; `options` and `serve` are JSON.
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

    /// Returns the URI by which clients reach the network block device (NBD) server.
    fn uri(&self) -> PyResult<String> {
        Ok(self.inner.lock()?.uri())
    }

    /// Serves clients for about `slice_ms` milliseconds, or until `stop`. Other threads may call `progress` meanwhile.
    fn serve(&self, py: Python<'_>, slice_ms: u64) -> PyResult<()> {
        let slice = Duration::from_millis(slice_ms);
        self.inner.work(py, |server| server.serve(slice).map_err(input))
    }

    /// Returns the server's progress as JSON, as it was at most a second ago.
    fn progress(&self, py: Python<'_>) -> PyResult<String> {
        guarded(py, || Ok(json!(self.board.progress()).to_string()))
    }

    /// Asks the running call of `serve` to return soon; each later call returns at once.
    fn stop(&self) {
        self.board.stop();
    }

    /// Completes the requests in flight and disconnects all clients.
    fn end(&self, py: Python<'_>) -> PyResult<()> {
        self.inner.work(py, |server| server.end().map_err(input))
    }

    /// Returns, as JSON, all results that were measured on the simulated drive while the server offered it.
    fn result(&self, py: Python<'_>) -> PyResult<String> {
        self.inner.work(py, |server| Ok(server.result().map_err(input)?.to_string()))
    }

    /// Completes all work of the drive, saves its state beside the image file, and marks the image as cleanly closed,
    /// so that the next server can start from the saved state.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        self.inner.work(py, |server| server.close().map_err(input))
    }

    /// Returns the requests of the server's clients that the drive completed since the last call, as a table, and
    /// removes them from the server.
    fn requests(&self) -> PyResult<ArrowTable> {
        Ok(ArrowTable::of_bytes(schema(&sim::tables::REQUESTS), self.inner.lock()?.take_requests()))
    }
}
