//! What the engine lends to a policy in Python for one call: its slices, without a copy, and its random numbers.
//!
//! A slice becomes a NumPy array by Python's buffer protocol. The array is right as long as the call; one that was
//! kept would look at memory that changes or is gone, which the loan counts.

use engine::RandomStream;
use pyo3::exceptions::{PyBufferError, PyRuntimeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use std::os::raw::c_int;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};

/// State of a loan of the simulator's memory to a Python view for one call of a policy: whether the call is over, and
/// the number of arrays that still show the memory.
#[derive(Default)]
pub struct Loan {
    is_over: AtomicBool,
    arrays: AtomicUsize,
}

impl Loan {
    /// Ends the loan of the simulator's memory to a policy's view, so that the memory can no longer be read through new
    /// arrays.
    pub fn end(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }

    /// Returns true if an array still exists that shows the lent memory (memory of the simulator that a policy may read
    /// during one call).
    pub fn is_kept(&self) -> bool {
        self.arrays.load(Ordering::Relaxed) > 0
    }

    fn check<E>(&self, error: impl FnOnce(&'static str) -> E) -> Result<(), E> {
        match self.is_over.load(Ordering::Relaxed) {
            true => Err(error("a view is valid during the call it was given to")),
            false => Ok(()),
        }
    }
}

/// Record that describes a slice of the simulator's memory that Python is shown as an array: address, length in bytes,
/// and width of each number.
#[derive(Clone, Copy)]
pub struct Slice {
    start: usize,
    bytes: usize,
    width: NumberWidth,
}

/// Kind of width of the numbers in a memory slice that is shown to Python as a NumPy array: one, four or eight bytes.
/// It selects the array's data type.
#[derive(Clone, Copy)]
enum NumberWidth {
    One,
    Four,
    Eight,
}

impl Slice {
    /// Makes the description of a slice of numbers of four bytes in the simulator's memory, which a Python policy can
    /// then read as a NumPy array.
    pub fn narrow<T>(slice: &[T]) -> Self {
        assert_eq!(size_of::<T>(), 4, "numbers of four bytes");
        Self { start: slice.as_ptr() as usize, bytes: size_of_val(slice), width: NumberWidth::Four }
    }

    /// Makes the description of a slice of bytes in the simulator's memory, which a Python policy can then read as a
    /// NumPy array.
    pub fn bytes(slice: &[u8]) -> Self {
        Self { start: slice.as_ptr() as usize, bytes: slice.len(), width: NumberWidth::One }
    }

    /// Makes the description of a slice of numbers of eight bytes in the simulator's memory, which a Python policy can
    /// then read as a NumPy array.
    pub fn wide(slice: &[u64]) -> Self {
        Self { start: slice.as_ptr() as usize, bytes: size_of_val(slice), width: NumberWidth::Eight }
    }

    /// Makes a read-only NumPy array that shows the slice's memory without a copy, until the loan for the present call
    /// of a policy ends.
    pub fn array(self, py: Python<'_>, loan: &Arc<Loan>) -> PyResult<Py<PyAny>> {
        loan.check(PyRuntimeError::new_err)?;
        let numpy = NumPy::get(py)?;
        let kind = match self.width {
            NumberWidth::One => &numpy.bytes,
            NumberWidth::Four => &numpy.narrow,
            NumberWidth::Eight => &numpy.wide,
        };
        let lent = Py::new(py, Lent { slice: self, loan: loan.clone() })?;
        Ok(numpy.from_buffer.bind(py).call1((lent, kind))?.unbind())
    }
}

/// Record of the functions and data types of NumPy that are used to show arrays, looked up once.
struct NumPy {
    from_buffer: Py<PyAny>,
    bytes: Py<PyAny>,
    narrow: Py<PyAny>,
    wide: Py<PyAny>,
}

impl NumPy {
    fn get(py: Python<'_>) -> PyResult<&'static Self> {
        static FOUND: PyOnceLock<NumPy> = PyOnceLock::new();
        FOUND.get_or_try_init(py, || {
            // The package says which of its extras brings a library that is not there.
            let numpy = py.import("floatgate.extras")?.call_method1("needed", ("numpy",))?;
            let kind = |name: &str| PyResult::Ok(numpy.call_method1("dtype", (name,))?.unbind());
            let from_buffer = numpy.getattr("frombuffer")?.unbind();
            Ok(Self { from_buffer, bytes: kind("=u1")?, narrow: kind("=u4")?, wide: kind("=u8")? })
        })
    }
}

/// Python class of the object through whose buffer protocol a slice of the simulator's memory can be read during one
/// call of a policy.
#[pyclass(frozen)]
struct Lent {
    slice: Slice,
    loan: Arc<Loan>,
}

#[pymethods]
impl Lent {
    /// Fills the buffer description `view` with the address and length of the lent bytes, which are read-only, and adds
    /// one to the number of arrays that show them.
    #[allow(unsafe_code)]
    unsafe fn __getbuffer__(slf: &Bound<'_, Self>, view: *mut ffi::Py_buffer, flags: c_int) -> PyResult<()> {
        let Self { slice, loan } = slf.get();
        loan.check(PyBufferError::new_err)?;
        let start = slice.start as *mut std::ffi::c_void;
        // SAFETY: the loan is not over, so that the slice is there; the interpreter gives a `view` to fill.
        let filled =
            unsafe { ffi::PyBuffer_FillInfo(view, slf.as_ptr(), start, slice.bytes as isize, 1, flags) };
        if filled != 0 {
            return Err(PyErr::fetch(slf.py()));
        }
        loan.arrays.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// Subtracts one from the number of arrays that show the lent memory (memory of the simulator that a policy may
    /// read during one call), when Python releases one of them.
    #[allow(unsafe_code)]
    unsafe fn __releasebuffer__(&self, _view: *mut ffi::Py_buffer) {
        self.loan.arrays.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Python class: random stream of a policy (its own random number generator), lent to Python for the call in which the
/// policy is asked.
#[pyclass(name = "Random", frozen)]
pub struct LentRandom {
    stream: AtomicPtr<RandomStream>,
    is_drawn: AtomicBool,
    loan: Arc<Loan>,
}

impl LentRandom {
    pub fn new(py: Python<'_>, stream: *mut RandomStream, loan: &Arc<Loan>) -> PyResult<Py<Self>> {
        let (stream, is_drawn) = (AtomicPtr::new(stream), AtomicBool::new(false));
        Py::new(py, Self { stream, is_drawn, loan: loan.clone() })
    }

    #[allow(unsafe_code)]
    fn draw<T>(&self, draw: impl FnOnce(&mut RandomStream) -> T) -> PyResult<T> {
        self.loan.check(PyRuntimeError::new_err)?;
        if self.is_drawn.swap(true, Ordering::Acquire) {
            return Err(PyRuntimeError::new_err("another thread draws: expected one thread"));
        }
        // SAFETY: the loan is not over and no other policy draws, so that this is the only reference to the stream.
        let drawn = draw(unsafe { &mut *self.stream.load(Ordering::Relaxed) });
        self.is_drawn.store(false, Ordering::Release);
        Ok(drawn)
    }
}

#[pymethods]
impl LentRandom {
    /// Draws, for a Python policy, a whole number from 0 to below `bound`; all numbers are equally likely.
    fn below(&self, bound: u64) -> PyResult<u64> {
        if bound == 0 {
            return Err(PyValueError::new_err("bound = 0: expected at least 1"));
        }
        self.draw(|stream| stream.below(bound))
    }

    /// Draws, for a Python policy, a random number from 0 to below 1; all numbers are equally likely.
    fn unit(&self) -> PyResult<f64> {
        self.draw(RandomStream::unit)
    }

    /// Draws, for a Python policy, 64 random bits, as a whole number.
    fn bits(&self) -> PyResult<u64> {
        self.draw(RandomStream::bits)
    }
}
