//! Policies that stand in no catalogue: the caller of a reader may bring them.

use super::Section;
use crate::ConfigError;
use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// Interface of a source of policies from outside the program, such as a user's Python policies, under names that no
/// catalogue has.
pub trait Foreign: Send + Sync {
    /// Returns true when `name` has the form of a name for a policy from outside the catalogue, such as the name of a
    /// file; no policy of the catalogue has such a name.
    fn knows(&self, name: &str) -> bool;

    /// Returns, for error messages, a text on how to name a policy from outside the catalogue for `seam` (a replaceable
    /// decision, such as `ftl.gc.victim`); `None` where such policies cannot make this decision.
    fn offers(&self, _seam: &str) -> Option<&'static str> {
        None
    }

    /// Makes the policy `name` for `seam` (the key path of a replaceable decision), and reads its parameters from
    /// `section`; the result, boxed, is the function that makes instances of the policy (the seam's `Maker`).
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

/// Type of the optional source of policies from outside the program, such as a user's Python policies, attached to a
/// configuration document.
#[derive(Clone, Default)]
pub struct Bringer(Option<Arc<dyn Foreign>>);

impl Bringer {
    /// Wraps `foreign` as the source of a document's policies from outside.
    pub fn new(foreign: Arc<dyn Foreign>) -> Self {
        Self(Some(foreign))
    }

    /// Returns, for error messages, a text on how to name a policy from outside the catalogue for the replaceable
    /// decision `seam`; `None` where such policies cannot make this decision.
    pub(crate) fn offers(&self, seam: &str) -> Option<&'static str> {
        self.0.as_ref().and_then(|foreign| foreign.offers(seam))
    }

    /// Returns the document's source of policies from outside the program, if `name` has the form of a name for such a
    /// policy; `None` for other names, such as those of the catalogue.
    pub(crate) fn of(&self, name: &str) -> Option<Arc<dyn Foreign>> {
        self.0.as_ref().filter(|foreign| foreign.knows(name)).cloned()
    }
}

impl fmt::Debug for Bringer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Bringer" } else { "none" })
    }
}

/// Implements equality for sources of policies from outside the program: all count as equal, so that configuration
/// documents are compared by their text alone.
impl PartialEq for Bringer {
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}
