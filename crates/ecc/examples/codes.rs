//! Writes the codes of our own construction into a folder: `make codes`.

use ecc::ldpc::grow::{OWN, file};
use std::path::Path;

fn main() -> std::io::Result<()> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "codes".to_owned());
    for (name, growth, high, wide) in &OWN {
        let path = Path::new(&folder).join(name).with_extension("toml");
        std::fs::write(&path, file(growth, *high, *wide))?;
        println!("wrote {}", path.display());
    }
    Ok(())
}
