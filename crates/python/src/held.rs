//! A drive that Python holds, and the work on it.

use crate::errors::{BrokenInvariant, guarded};
use crate::kept;
use pyo3::prelude::*;
use std::mem;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard};

/// Type for a Rust object that contains a simulated drive, for use by Python. A lock protects it because Python may
/// pass an object to any thread.
pub struct Held<T> {
    inner: Option<Mutex<T>>,
    /// True once a user's policy has kept a reference, after its call, to an array that shows the object's memory; the
    /// object must then never be freed.
    kept: AtomicBool,
}

impl<T: Send> Held<T> {
    pub fn new(inner: T) -> Self {
        Self { inner: Some(Mutex::new(inner)), kept: AtomicBool::new(false) }
    }

    /// Locks the object; returns an error if an earlier panic left the object unusable.
    pub fn lock(&self) -> PyResult<MutexGuard<'_, T>> {
        let inner = self.inner.as_ref().expect("taken when dropped");
        inner.lock().map_err(|_| BrokenInvariant::new_err("the run ended with a broken invariant before"))
    }

    /// Locks the object if no other thread uses it and no panic has left it unusable; else returns `None`.
    pub fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
        self.inner.as_ref().expect("taken when dropped").try_lock().ok()
    }

    /// Returns true after a panic during work on the object, which left it unusable.
    pub fn is_broken(&self) -> bool {
        self.inner.as_ref().is_some_and(Mutex::is_poisoned)
    }

    /// Runs `work` on the locked object without the interpreter lock; panics and signals become Python exceptions, as
    /// by [`guarded`].
    pub fn work<R: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut T) -> PyResult<R> + Send,
    ) -> PyResult<R> {
        let done = guarded(py, || work(&mut *self.lock()?));
        if kept::left_behind() {
            self.kept.store(true, Ordering::Relaxed);
        }
        done
    }
}

impl<T> Drop for Held<T> {
    fn drop(&mut self) {
        if self.kept.load(Ordering::Relaxed) {
            mem::forget(self.inner.take());
        }
    }
}
