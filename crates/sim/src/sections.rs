//! How a part of a result is described: once, where it is made.

/// Structs that are parts of `run.json`. Each key has a sentence, its doc comment, and a unit behind `=`; a table whose
/// numbers have one unit gives it where the table is used. The JSON Schema, the reference and the Python classes follow.
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
