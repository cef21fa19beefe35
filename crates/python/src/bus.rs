//! The waveforms of the bus, for drawing.

use crate::errors::{guarded, input};
use bus::waveform::{Level, MarkKind, WaveEdge, WaveOperation, Waveform, draw};
use config::{Document, Section};
use pyo3::prelude::*;
use serde_json::{Value, json};

/// Returns the waveform of `operation` (read, program or write, erase, status) with `bytes` bytes of data on the flash
/// interface that `assignments` of the form `bus.interface.name=conv` describe. JSON; times in femtoseconds.
#[pyfunction]
pub fn bus_waveform(
    py: Python<'_>,
    operation: &str,
    bytes: u32,
    assignments: Vec<String>,
) -> PyResult<String> {
    guarded(py, || {
        let Some(operation) = WaveOperation::named(operation) else {
            let known = WaveOperation::ALL.map(|(_, name)| name);
            let near = config::nearest(operation, known)
                .map_or(String::new(), |near| format!("; did you mean {near:?}?"));
            return Err(input(format!(
                "operation {operation:?}: expected one of {}{near}",
                known.join(", ")
            )));
        };
        let mut document = Document::empty();
        for assignment in &assignments {
            document.set(assignment).map_err(input)?;
        }
        let mut root = Section::root(&document);
        let waveform = draw(&mut root, operation, bytes).map_err(input)?;
        root.finish().map_err(input)?;
        Ok(to_json(&waveform).to_string())
    })
}

fn to_json(waveform: &Waveform) -> Value {
    json!({
        "interface": waveform.interface,
        "operation": waveform.operation.name(),
        "end": waveform.end.get(),
        "signals": waveform.signals.iter().map(|signal| json!({
            "name": signal.name,
            "what": signal.what,
            "wide": signal.wide,
            "edges": signal.edges.iter().map(edge).collect::<Vec<_>>(),
        })).collect::<Vec<_>>(),
        "marks": waveform.marks.iter().map(|mark| json!({
            "name": mark.name,
            "kind": match mark.kind {
                MarkKind::SetUp => "set-up",
                MarkKind::Hold => "hold",
                MarkKind::Delay => "delay",
                MarkKind::Wait => "wait",
            },
            "from_signal": mark.from_signal,
            "from": mark.from.get(),
            "to_signal": mark.to_signal,
            "to": mark.to.get(),
            "least": mark.least.map(units::Femtos::get),
            "slack_ns": mark.slack_ns(),
        })).collect::<Vec<_>>(),
        "captures": waveform.captures.iter().map(|at| at.get()).collect::<Vec<_>>(),
        "phases": waveform.phases.iter().map(|phase| json!({
            "name": phase.name,
            "from": phase.from.get(),
            "to": phase.to.get(),
            "byte": phase.byte.map(units::Femtos::get),
        })).collect::<Vec<_>>(),
        "notes": waveform.notes,
    })
}

/// Returns one signal edge of a bus waveform as JSON: its time in fs, and the new level; for a byte on the data lines,
/// the value of the byte and its text in diagrams, too: `[12000, "byte", 48, "30h"]`.
fn edge(edge: &WaveEdge) -> Value {
    let at = edge.at.get();
    match &edge.level {
        Level::Low => json!([at, "low"]),
        Level::High => json!([at, "high"]),
        Level::Released => json!([at, "released"]),
        Level::Unknown => json!([at, "unknown"]),
        Level::Byte(byte, word) => json!([at, "byte", byte, word]),
    }
}
