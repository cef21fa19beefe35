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
    /// What the work that asks has made is still looked at from outside, and must not be freed.
    pub is_kept: fn() -> bool,
}

static ASKED: OnceLock<Embedding> = OnceLock::new();

/// Says who answers; the first who does stays.
pub fn embed(embedding: Embedding) {
    ASKED.get_or_init(|| embedding);
}

/// Looks whether the work is to end.
///
/// # Errors
/// When it is.
pub(crate) fn look() -> Result<(), Error> {
    match ASKED.get().is_some_and(|asked| (asked.is_stopped)()) {
        true => Err(Error("stopped before its end".into())),
        false => Ok(()),
    }
}

/// A drive that policies see, and that its work alone owns: it is freed with the work, unless it is kept.
pub(crate) struct SeenDrive<T>(Option<T>);

impl<T> SeenDrive<T> {
    pub fn new(seen: T) -> Self {
        Self(Some(seen))
    }

    /// The thing itself, for an owner that sees to the rest.
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
