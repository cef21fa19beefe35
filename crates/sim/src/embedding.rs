//! What a program that embeds the simulator answers long work in between: whether to stop, and whether memory must stay.
//!
//! Work in slices can be left by its caller. What constructs a state goes on for seconds, and asks here.

use crate::Error;
use std::ops::{Deref, DerefMut};
use std::sync::OnceLock;

/// The questions.
#[derive(Clone, Copy, Debug)]
pub struct Embedding {
    /// The work that asks is to end.
    pub is_stopped: fn() -> bool,
    /// True while an object made by the current work is still in use outside, so that it must not be freed.
    pub is_kept: fn() -> bool,
}

static ASKED: OnceLock<Embedding> = OnceLock::new();

/// Sets the embedding program that answers; the first one set stays.
pub fn embed(embedding: Embedding) {
    ASKED.get_or_init(|| embedding);
}

/// Checks whether the embedding program wants the work to end.
///
/// # Errors
/// When the work is to end.
pub(crate) fn look() -> Result<(), Error> {
    match ASKED.get().is_some_and(|asked| (asked.is_stopped)()) {
        true => Err(Error("stopped before its end".into())),
        false => Ok(()),
    }
}

/// A drive that policies can see and one piece of work owns: freed with that work, unless it is still in use outside.
pub(crate) struct SeenDrive<T>(Option<T>);

impl<T> SeenDrive<T> {
    pub fn new(seen: T) -> Self {
        Self(Some(seen))
    }

    /// Returns the drive itself, for an owner that frees it in its own way.
    pub fn into_inner(mut self) -> T {
        self.0.take().expect("there until it is dropped")
    }
}

impl<T> Deref for SeenDrive<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.as_ref().expect("there until it is dropped")
    }
}

impl<T> DerefMut for SeenDrive<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.0.as_mut().expect("there until it is dropped")
    }
}

impl<T> Drop for SeenDrive<T> {
    fn drop(&mut self) {
        if ASKED.get().is_some_and(|asked| (asked.is_kept)()) {
            std::mem::forget(self.0.take());
        }
    }
}
