//! Drives that a program steps, beside the runs that they must be equal to.

mod calls;
mod equal;

use sim::{Catalogue, RunOptions};
use step::{StepSetup, SteppedDrive};

/// Returns the catalogue of the drives and chips in the repository's root folder.
fn catalogue() -> Catalogue {
    Catalogue::new([concat!(env!("CARGO_MANIFEST_DIR"), "/../..")])
}

fn setup(drive: &str, set: &[&str]) -> StepSetup {
    StepSetup {
        drive: drive.into(),
        set: set.iter().map(|&key| key.to_owned()).collect(),
        ..StepSetup::default()
    }
}

fn open(setup: &StepSetup) -> SteppedDrive {
    SteppedDrive::open(setup, &catalogue()).unwrap()
}

fn small(options: RunOptions) -> SteppedDrive {
    open(&StepSetup { options, ..setup("small-tlc", &[]) })
}
