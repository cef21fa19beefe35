//! The tables that come along.

use super::Table;

macro_rules! files {
    ($($name:literal),+ $(,)?) => {
        const FILES: &[(&str, &str)] = &[$((
            $name,
            include_str!(concat!("../../../../codes/tables/", $name, ".toml")),
        )),+];
    };
}

files!["nand-4k-889", "nand-4k-928"];

/// Returns a list with the name of each shipped table of counted failures and the text of its file.
pub const fn shipped() -> &'static [(&'static str, &'static str)] {
    FILES
}

/// Parses the shipped table of counted failures of this name and returns it; `None` when there is none of this name.
///
/// # Panics
/// When its file is wrong, which a test of all files would find.
pub fn named(name: &str) -> Option<Table> {
    let (_, text) = FILES.iter().find(|(each, _)| *each == name)?;
    Some(Table::parse(&format!("codes/tables/{name}.toml"), text).unwrap_or_else(|error| panic!("{error}")))
}
