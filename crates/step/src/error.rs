//! Why a call is refused.

/// Kind of error of a call on a stepped drive, with the error message in one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StepError {
    /// Case of error: an argument of the call, or a file or key that it names, is wrong, or the drive cannot go on; the
    /// string is the message.
    Input(String),
    /// Case of error: a time in the call is before the drive's present, the simulated time to which the caller has
    /// advanced it. The string is the error message.
    Past(String),
    /// Case of error: the drive was already finished and accepts no more calls; the string is the error message.
    Over(String),
}

impl StepError {
    /// Returns the error message, which is one line.
    pub fn text(&self) -> &str {
        match self {
            Self::Input(text) | Self::Past(text) | Self::Over(text) => text,
        }
    }
}

impl StepError {
    /// Returns this error with the index `place`, from 0, of the wrong request among several in its message; the error
    /// of a finished drive is returned unchanged.
    pub(crate) fn at(self, place: usize) -> Self {
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
