//! What a program that embeds the simulator answers long work in between: whether to stop, and whether memory must stay.
//!
//! Work in slices can be left by its caller. What constructs a state goes on for seconds, and asks here.

use crate::Error;
use std::ops::{Deref, DerefMut};
use std::sync::OnceLock;

/// Set of two callbacks through which the simulator, during long work, asks the embedding program (such as the Python
/// module) whether to stop, and whether memory must not be freed yet.
#[derive(Clone, Copy, Debug)]
pub struct Embedding {
    /// Callback that returns true if the current work of the simulator is to stop.
    pub is_stopped: fn() -> bool,
    /// Callback that returns true while the program that embeds the simulator still has a reference to memory of the
    /// present work (such as a Python array that shows memory of the drive), so that this memory must not be freed.
    pub is_kept: fn() -> bool,
}

static ASKED: OnceLock<Embedding> = OnceLock::new();

/// Sets the callbacks of the program that embeds the simulator; only the first call has an effect.
pub fn embed(embedding: Embedding) {
    ASKED.get_or_init(|| embedding);
}

/// Checks whether the program that embeds the simulator wants the current work to stop, and returns an error if so.
///
/// # Errors
/// When the work is to end.
pub(crate) fn look() -> Result<(), Error> {
    match ASKED.get().is_some_and(|asked| (asked.is_stopped)()) {
        true => Err(Error("stopped before its end".into())),
        false => Ok(()),
    }
}

/// Type of a wrapper of a simulated drive that policies outside the simulator (such as Python policies) can see. When
/// the wrapper is dropped, the drive is freed, unless the program that embeds the simulator still has a reference to
/// the drive's memory.
pub(crate) struct SeenDrive<T>(Option<T>);

impl<T> SeenDrive<T> {
    pub fn new(seen: T) -> Self {
        Self(Some(seen))
    }

    /// Takes the drive out of its wrapper, for an owner that frees the drive in its own way.
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
