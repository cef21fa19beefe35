//! A drive that a program steps: it submits requests, says how far time goes, and takes the answers as they come.
//!
//! The engine is the one that runs, and so are its results: a drive that is given the requests of a trace, each before its
//! time, ends with the figures of the run that plays the trace. What Python ([`SteppedDrive`] behind `fg.Drive`) and C know of
//! a drive that is stepped is here.
//!
//! Not modelled: power cuts and failures while a drive is stepped; the data of the requests, which the simulator does not hold.

mod drive;
mod request;
mod setup;
mod source;

pub use drive::SteppedDrive;
pub use request::{StepRequest, op_named, op_of};
pub use setup::StepSetup;
pub use sim::{STAGE_COUNT, STAGE_NAMES, SteppedCompletion, SteppedStatus};

/// Why a drive that is stepped refuses a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StepError {
    /// The input is not right; the text is one line.
    Input(String),
    /// A time lies before the drive's present.
    Past(String),
    /// The drive was finished, and takes no more requests.
    Over(String),
}

impl StepError {
    /// The message, in one line.
    pub fn text(&self) -> &str {
        match self {
            Self::Input(text) | Self::Past(text) | Self::Over(text) => text,
        }
    }
}

impl StepError {
    /// The same of the request at this place of several.
    fn at(self, place: usize) -> Self {
        let told = |text: String| format!("request {place}: {text}");
        match self {
            Self::Input(text) => Self::Input(told(text)),
            Self::Past(text) => Self::Past(told(text)),
            Self::Over(text) => Self::Over(text),
        }
    }
}

impl From<sim::Error> for StepError {
    fn from(error: sim::Error) -> Self {
        Self::Input(error.to_string())
    }
}
