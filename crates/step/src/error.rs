//! Why a call is refused.

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
