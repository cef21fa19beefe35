//! Policies that stand in no catalogue: the caller of a reader may bring them.

use super::Section;
use crate::ConfigError;
use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// Brings policies under names that no catalogue has.
pub trait Foreign: Send + Sync {
    /// True when `name` can only be one of its own.
    fn knows(&self, name: &str) -> bool;

    /// What may stand beside the catalogue's names at `seam`, as one would write it; none where it brings nothing.
    fn offers(&self, _seam: &str) -> Option<&'static str> {
        None
    }

    /// Reads the parameters of `name`, a policy for `seam`; what comes out is the seam's `Maker`, boxed.
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

/// The caller that brings policies to a document, if there is one.
#[derive(Clone, Default)]
pub struct Bringer(Option<Arc<dyn Foreign>>);

impl Bringer {
    /// This one brings them.
    pub fn new(foreign: Arc<dyn Foreign>) -> Self {
        Self(Some(foreign))
    }

    /// What it offers at a seam.
    pub(crate) fn offers(&self, seam: &str) -> Option<&'static str> {
        self.0.as_ref().and_then(|foreign| foreign.offers(seam))
    }

    /// Who brings `name`, if it is none of a catalogue's.
    pub(crate) fn of(&self, name: &str) -> Option<Arc<dyn Foreign>> {
        self.0.as_ref().filter(|foreign| foreign.knows(name)).cloned()
    }
}

impl fmt::Debug for Bringer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Bringer" } else { "none" })
    }
}

/// Documents are equal by what is written in them.
impl PartialEq for Bringer {
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}
