//! A drive that a program steps: it submits requests, says how far time goes, and takes the answers as they come.
//!
//! The engine is the one that runs, and so are its results: a drive that is given the requests of a trace, each before its
//! time, ends with the figures of the run that plays the trace. What Python ([`SteppedDrive`] behind `fg.Drive`) and C know of
//! a drive that is stepped is here.
//!
//! Not modelled: power cuts and failures while a drive is stepped; the data of the requests, which the simulator does not hold.

mod drive;
mod error;
mod request;
mod setup;

pub use drive::SteppedDrive;
pub use error::StepError;
pub use request::{StepRequest, op_named, op_of};
pub use setup::StepSetup;
pub use sim::{STAGE_COUNT, STAGE_NAMES, SteppedCompletion, SteppedStatus};
