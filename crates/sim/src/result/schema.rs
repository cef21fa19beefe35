//! The JSON Schema of `run.json`, from the structs that make it.

use super::RunResult;
use schemars::Schema;
use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, Transform};
use serde_json::{Value, json};

/// The schema (2020-12) of `run.json`. Nothing that is not described may stand there.
pub fn schema() -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut schema = settings.into_generator().into_root_schema_for::<RunResult>();
    RecursiveTransform(closed).transform(&mut schema);
    schema.insert("title".into(), json!("run.json"));
    schema.to_value()
}

/// A table with keys of its own has no others.
fn closed(schema: &mut Schema) {
    if schema.get("properties").is_some() {
        schema.insert("additionalProperties".into(), json!(false));
    }
}
