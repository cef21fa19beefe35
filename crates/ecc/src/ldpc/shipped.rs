//! The codes that come along.

use super::Code;

macro_rules! files {
    ($($name:literal),+ $(,)?) => {
        const FILES: &[(&str, &str)] = &[$((
            $name,
            include_str!(concat!("../../../../codes/", $name, ".toml")),
        )),+];
    };
}

files![
    "10gbase-t-2048-1723",
    "dvb-s2-16200-10800",
    "dvb-s2-16200-14400",
    "nand-4k-889",
    "nand-4k-928",
    "wifi-648-540",
    "wimax-576-288"
];

/// Returns a list with the name of each shipped code and the text of its code file.
pub const fn shipped() -> &'static [(&'static str, &'static str)] {
    FILES
}

/// Parses the shipped LDPC code of this name and returns it; `None` when there is none of this name.
///
/// # Panics
/// When its file is wrong, which a test of all files would find.
pub fn named(name: &str) -> Option<Code> {
    let (_, text) = FILES.iter().find(|(each, _)| *each == name)?;
    Some(Code::parse(&format!("codes/{name}.toml"), text).unwrap_or_else(|error| panic!("{error}")))
}
