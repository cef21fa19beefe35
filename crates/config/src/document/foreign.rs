//! Policies that stand in no catalogue: the caller of a reader may bring them.

use super::Section;
use crate::ConfigError;
use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// Brings policies under names that no catalogue has.
pub trait Foreign: Send + Sync {
    /// True when `name` can only be the name of a policy from outside.
    fn knows(&self, name: &str) -> bool;

    /// Returns the form in which names of policies from outside are written at `seam`, for messages; none
    /// where there are none.
    fn offers(&self, _seam: &str) -> Option<&'static str> {
        None
    }

    /// Makes the policy `name` for `seam` and reads its parameters; the result is the seam's `Maker`, boxed.
    ///
    /// # Errors
    /// When there is no such policy, it does not answer this seam's question, or a parameter is wrong.
    fn maker(
        &self,
        seam: &'static str,
        name: &str,
        section: &mut Section,
    ) -> Result<Box<dyn Any>, ConfigError>;
}

/// The caller that adds policies from outside to a document, if there is one.
#[derive(Clone, Default)]
pub struct Bringer(Option<Arc<dyn Foreign>>);

impl Bringer {
    /// Makes a bringer for the policies of `foreign`.
    pub fn new(foreign: Arc<dyn Foreign>) -> Self {
        Self(Some(foreign))
    }

    /// Returns the form in which names of policies from outside are written at `seam`.
    pub(crate) fn offers(&self, seam: &str) -> Option<&'static str> {
        self.0.as_ref().and_then(|foreign| foreign.offers(seam))
    }

    /// Returns the source of the policy `name`, if it comes from outside.
    pub(crate) fn of(&self, name: &str) -> Option<Arc<dyn Foreign>> {
        self.0.as_ref().filter(|foreign| foreign.knows(name)).cloned()
    }
}

impl fmt::Debug for Bringer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Bringer" } else { "none" })
    }
}

/// Documents are compared by their text alone: all bringers are equal.
impl PartialEq for Bringer {
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}
