//! The JSON Schema of `run.json`, from the structs that make it.

use super::RunResult;
use schemars::Schema;
use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, Transform};
use serde_json::{Value, json};

/// Returns the JSON Schema (2020-12) of `run.json`, which allows only keys that it describes.
pub fn schema() -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut schema = settings.into_generator().into_root_schema_for::<RunResult>();
    RecursiveTransform(closed).transform(&mut schema);
    schema.insert("title".into(), json!("run.json"));
    schema.to_value()
}

/// Forbids further keys in one object of the JSON Schema, if the schema lists the keys (`properties`) of that object.
fn closed(schema: &mut Schema) {
    if schema.get("properties").is_some() {
        schema.insert("additionalProperties".into(), json!(false));
    }
}
