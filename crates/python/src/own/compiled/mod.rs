//! Policies in Python that became machine code, called through C functions without the interpreter.
//!
//! `floatgate.own.machine` compiles the methods and keeps the state; what a call is told lies in a `#[repr(C)]` struct,
//! whose fields are those of the list that the seam's module of `floatgate.own` lists.

pub mod arbitration;
pub mod eviction;
pub mod placement;
mod random;
pub mod regulator;
pub mod scheduler;

use super::asked::{PolicyObject, UserClass, Wrong, fail};
use super::{heart, watch};
use crate::stop;
use pyo3::call::PyCallArgs;
use pyo3::prelude::*;
use random::CompiledRandom;
use std::marker::PhantomData;
use std::sync::Arc;

/// Type of the C function of a policy method compiled to machine code: gets the policy's state, the arguments and the
/// place for the answer; returns [`ANSWERED`], or 0 after an exception.
type CompiledEntry = unsafe extern "C" fn(*mut u8, *const u8, *mut i64) -> i32;
const ANSWERED: i32 = 1;

/// Marker trait of the structs of arguments for compiled policy methods, in the memory layout that the compiled code
/// expects.
///
/// # Safety
/// The type is `#[repr(C)]`, all its fields take multiples of eight bytes, and memory that they point to is valid
/// during a call.
#[allow(unsafe_code)]
unsafe trait Told {}

/// Record that describes an array of numbers in memory for compiled policy methods: address, length and stride of a
/// slice of numbers, or of one field of a slice of structs.
#[repr(C)]
struct Array {
    start: usize,
    length: usize,
    stride: usize,
}

impl Array {
    fn of<T>(slice: &[T]) -> Self {
        Self::field(slice, 0)
    }

    /// Describes, without a copy, the array (address, length, stride) that the field at byte `offset` of each element
    /// of `slice` forms.
    fn field<T>(slice: &[T], offset: usize) -> Self {
        Self { start: slice.as_ptr() as usize + offset, length: slice.len(), stride: size_of::<T>() }
    }
}

/// Type of an instance of a user's compiled policy: the Python object, its random stream, and the machine code of its
/// methods; no code until the methods are compiled.
struct Machine {
    asked: PolicyObject,
    random: CompiledRandom,
    code: Option<Py<PyAny>>,
}

impl Machine {
    fn new(class: &Arc<UserClass>) -> Self {
        Self { asked: PolicyObject::new(class), random: CompiledRandom::default(), code: None }
    }

    /// Asks the Python object, before its methods are compiled, a question that is asked only once; returns the default
    /// answer `usual` where the object's class has no method for the question.
    fn plain<T>(&self, name: &'static str, usual: T, expected: &str) -> T
    where
        T: for<'a, 'py> FromPyObject<'a, 'py>,
    {
        self.asked.defined(name).map_or(usual, |question| {
            self.asked.ask(&question, expected, (), |answer: &Bound<'_, PyAny>| answer.extract().ok())
        })
    }

    /// Lets the Python object build the policy's state (method `attach`, if its class defines that), then compiles the
    /// methods.
    fn attach(&mut self, known: impl for<'py> PyCallArgs<'py>) {
        if let Some(attach) = self.asked.defined("attach") {
            self.asked.tell(&attach, known);
        }
        watch::begin();
        self.code = Some(self.asked.helped("machine", None));
    }

    /// Returns a compiled method of the policy; `None` if the policy's class does not define the method.
    ///
    /// # Panics
    /// When the size of the arguments here differs from the size for which the code was compiled.
    fn method<T: Told>(&self, name: &'static str) -> Option<Method<T>> {
        let code = self.code.as_ref().expect("compiled");
        let found = Python::attach(|py| -> PyResult<_> {
            let code = code.bind(py);
            let state: usize = code.getattr("address")?.extract()?;
            let entry = code.getattr("entries")?.call_method1("get", (name,))?;
            Ok((state, entry.extract::<Option<(usize, usize)>>()?))
        });
        let (state, entry) = found.unwrap_or_else(|error| fail(error.to_string()));
        let (entry, told) = entry?;
        assert_eq!(told, size_of::<T>(), "{name} is told so many bytes");
        // SAFETY: the address is that of a function which Numba made with this signature.
        #[allow(unsafe_code)]
        let entry = unsafe { std::mem::transmute::<usize, CompiledEntry>(entry) };
        Some(Method { name, entry, state: state as *mut u8, told: PhantomData })
    }

    /// Calls a compiled method of the policy with the arguments `told`; returns the two numbers of its answer, -1 for
    /// each that the method does not give.
    #[inline]
    fn ask<T: Told>(&self, method: &Method<T>, told: &T) -> [i64; 2] {
        self.ask_from(method, told, [-1; 2])
    }

    /// Calls a compiled method with the arguments `told`; returns the two numbers of `answer`, of which the method may
    /// replace either.
    #[inline]
    #[allow(unsafe_code)]
    fn ask_from<T: Told>(&self, method: &Method<T>, told: &T, mut answer: [i64; 2]) -> [i64; 2] {
        let (state, at) = (method.state, std::ptr::from_ref(told).cast());
        // SAFETY: `self` keeps the code and the state; the struct is what the code was made for.
        let status = heart::beating(|| unsafe { (method.entry)(state, at, answer.as_mut_ptr()) });
        if status != ANSWERED {
            self.raised(method.name);
        }
        answer
    }

    /// Ends the simulation with the exception that a compiled method raised, or because the method exceeded the time
    /// limit.
    #[cold]
    fn raised(&self, method: &'static str) -> ! {
        let is_late = heart::was_late();
        if stop::is_overdue() {
            Wrong::Signal(stop::overdue()).end();
        }
        let said = self.asked.helped("raised", Some(method));
        if is_late {
            self.asked.refuse_late(method);
        }
        let text = Python::attach(|py| said.extract(py));
        fail(text.unwrap_or_else(|_| format!("{method} raised an exception")))
    }
}

/// Record of a compiled method of one policy object: its name, its machine code, and the address of the object's state.
struct Method<T> {
    name: &'static str,
    entry: CompiledEntry,
    state: *mut u8,
    told: PhantomData<fn(&T)>,
}

// SAFETY: the owner of the policy alone has its state, as with all that is `Send`.
#[allow(unsafe_code)]
unsafe impl<T> Send for Method<T> {}
