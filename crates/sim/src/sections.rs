//! How a part of a result is described: once, where it is made.

/// Defines structs that are sections of the result file `run.json`. Each key has a doc comment as its description, and
/// a unit behind `=`; a table whose numbers share one unit gives the unit where the table is used. The JSON Schema, the
/// reference and the Python classes follow from them.
macro_rules! sections {
    ($(
        $(#[$doc:meta])*
        $name:ident { $($(#[$attribute:meta])* $field:ident: $type:ty $(= $unit:literal)?),* $(,)? }
    )*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, serde::Serialize, schemars::JsonSchema)]
        pub(crate) struct $name {
            $($(#[$attribute])* $(#[schemars(extend("unit" = $unit))])? pub $field: $type,)*
        }
    )*};
}

pub(crate) use sections;
