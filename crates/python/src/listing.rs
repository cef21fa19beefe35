//! What there is to choose from: policies, drives, chips, generators.

use crate::errors::input;
use config::{Entry, PolicyEntry};
use pyo3::prelude::*;
use serde_json::{Value, json};
use units::{Nanos, Quantity};

/// Every policy of every seam, as JSON.
#[pyfunction]
pub fn policies() -> String {
    json!(ftl::policies().iter().map(policy).collect::<Vec<_>>()).to_string()
}

fn policy(entry: &PolicyEntry) -> Value {
    let parameter = |parameter: &Entry| {
        // The key path begins with the seam, which stands beside it already.
        let key = parameter.key.rsplit('.').next().unwrap_or(&parameter.key);
        json!({
            "key": key,
            "default": parameter.value.to_string(),
            "help": parameter.help,
            "expected": parameter.expected,
        })
    };
    json!({
        "seam": entry.seam,
        "question": entry.question,
        "default": entry.default,
        "name": entry.card.name,
        "rule": entry.card.rule,
        "paper": entry.card.paper,
        "not_modelled": entry.card.not_modelled,
        "parameters": entry.parameters.iter().map(parameter).collect::<Vec<_>>(),
    })
}

/// A resolved configuration, as JSON.
pub fn entries(entries: &[Entry]) -> Value {
    let entry = |entry: &Entry| {
        json!({
            "key": entry.key,
            "value": entry.value.to_string(),
            "place": entry.place.to_string(),
            "source": entry.source,
            "help": entry.help,
            "expected": entry.expected,
        })
    };
    json!(entries.iter().map(entry).collect::<Vec<_>>())
}

/// A time as people write it, `10s`, in nanoseconds.
#[pyfunction]
pub fn nanoseconds(text: &str) -> PyResult<u64> {
    let time = Nanos::parse(text).map_err(|error| input(format!("{error}: expected {}", Nanos::EXPECTED)))?;
    Ok(time.ns())
}
