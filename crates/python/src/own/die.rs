//! What policies are shown of a die: its superblocks and random numbers, lent for one question.

use super::asked::{PolicyObject, Question, fail};
use super::lent::{LentRandom, Loan, Slice};
use engine::RandomStream;
use ftl::Blocks;
use pyo3::exceptions::PyAttributeError;
use pyo3::prelude::*;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use units::SuperblockId;

/// Record of the facts about a die that are shown to a user's policy when it is asked a question: the candidate
/// superblocks, the state of the die's superblocks, and further named numbers.
pub struct AskedDie<'a> {
    pub candidates: &'a [SuperblockId],
    pub blocks: Blocks<'a>,
    pub random: &'a mut RandomStream,
    pub clock: u64,
    pub more: [(&'static str, u64); 2],
    /// Field of the facts about a die: name and contents of an array of per-superblock numbers that only the views of
    /// this kind of policy have; none where there is no such array.
    pub own_array: Option<(&'static str, Slice)>,
}

/// Kind of check of a policy's answer to a question about superblocks: which answers are valid.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum TakenAnswers {
    /// Case of check: a policy's answer is valid only if it is one of the candidate superblocks.
    Candidate,
    /// Case of check: a policy's answer is valid if it is one of the candidate superblocks, or None for no choice.
    CandidateOrNone,
}

impl TakenAnswers {
    fn expected(self) -> &'static str {
        match self {
            Self::Candidate => "one of view.candidates",
            Self::CandidateOrNone => "one of view.candidates, or None",
        }
    }
}

impl AskedDie<'_> {
    /// Asks the policy the question about the die; returns the superblock that the policy chose among the candidates,
    /// or `None` where the policy chose none.
    pub fn ask(self, asked: &PolicyObject, question: &Question, kinds: TakenAnswers) -> Option<SuperblockId> {
        let candidates = self.candidates;
        let taken = |answer: &Bound<'_, PyAny>| match answer.extract::<Option<u32>>().ok()?.map(SuperblockId)
        {
            Some(picked) => candidates.contains(&picked).then_some(Some(picked)),
            None => (kinds == TakenAnswers::CandidateOrNone).then_some(None),
        };
        Python::attach(|py| {
            let view = Py::new(py, LentDie::new(self)).unwrap_or_else(|error| fail(error.to_string()));
            let said = asked.call(py, question, kinds.expected(), (view.clone_ref(py),), taken);
            if view.get().is_kept(py) {
                asked.keep(py, question);
            }
            said.unwrap_or_else(|wrong| wrong.end())
        })
    }
}

/// Python class: view of a die during one question to a policy. Its arrays are made when the policy reads them, since
/// many policies read only one.
#[pyclass(name = "DieView", frozen)]
pub struct LentDie {
    slices: [Slice; 6],
    arrays: Mutex<[Option<Py<PyAny>>; 6]>,
    /// Name of the array that only the views of this kind of policy have; none where there is no such array.
    own_array: Option<&'static str>,
    stream: AtomicPtr<RandomStream>,
    random: Mutex<Option<Py<LentRandom>>>,
    clock: u64,
    more: [(&'static str, u64); 2],
    loan: Arc<Loan>,
}

impl LentDie {
    fn new(die: AskedDie<'_>) -> Self {
        let slices = [
            Slice::narrow(die.candidates),
            Slice::narrow(die.blocks.valid_units),
            Slice::narrow(die.blocks.pe_cycles),
            Slice::wide(die.blocks.closed_at),
            Slice::bytes(die.blocks.streams),
            die.own_array.map_or(Slice::wide(&[]), |(_, slice)| slice),
        ];
        Self {
            slices,
            arrays: Mutex::default(),
            own_array: die.own_array.map(|(name, _)| name),
            stream: AtomicPtr::new(die.random),
            random: Mutex::default(),
            clock: die.clock,
            more: die.more,
            loan: Arc::default(),
        }
    }

    /// Ends the view's use of the drive's memory after the call. Returns true if the policy kept a reference to an
    /// array of that memory: one still exists after Python's garbage collector ran.
    fn is_kept(&self, py: Python<'_>) -> bool {
        self.loan.end();
        *self.arrays.lock().unwrap_or_else(PoisonError::into_inner) = Default::default();
        self.loan.is_kept() && {
            let _ = py.import("gc").and_then(|gc| gc.call_method0("collect"));
            self.loan.is_kept()
        }
    }

    fn array(&self, py: Python<'_>, at: usize) -> PyResult<Py<PyAny>> {
        let mut arrays = self.arrays.lock().unwrap_or_else(PoisonError::into_inner);
        match &arrays[at] {
            Some(array) => Ok(array.clone_ref(py)),
            None => {
                let array = self.slices[at].array(py, &self.loan)?;
                arrays[at] = Some(array.clone_ref(py));
                Ok(array)
            }
        }
    }
}

#[pymethods]
impl LentDie {
    #[getter]
    fn candidates(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.array(py, 0)
    }

    #[getter]
    fn valid_units(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.array(py, 1)
    }

    #[getter]
    fn pe_cycles(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.array(py, 2)
    }

    #[getter]
    fn closed_at(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.array(py, 3)
    }

    #[getter]
    fn streams(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.array(py, 4)
    }

    #[getter]
    fn clock(&self) -> u64 {
        self.clock
    }

    #[getter]
    fn random(&self, py: Python<'_>) -> PyResult<Py<LentRandom>> {
        let mut random = self.random.lock().unwrap_or_else(PoisonError::into_inner);
        match &*random {
            Some(random) => Ok(random.clone_ref(py)),
            None => {
                let made = LentRandom::new(py, self.stream.load(Ordering::Relaxed), &self.loan)?;
                *random = Some(made.clone_ref(py));
                Ok(made)
            }
        }
    }

    /// Returns the attribute `name` of the view, one that only the views of this kind of policy have.
    fn __getattr__(&self, py: Python<'_>, name: &str) -> PyResult<Py<PyAny>> {
        if self.own_array == Some(name) {
            return self.array(py, 5);
        }
        let found = self.more.iter().find(|(known, _)| *known == name && !known.is_empty());
        if let Some((_, number)) = found {
            return Ok(number.into_pyobject(py)?.into_any().unbind());
        }
        let there = "candidates, valid_units, pe_cycles, closed_at, streams, clock, random";
        let names = self.more.iter().map(|(name, _)| *name).filter(|name| !name.is_empty());
        let more: String = names.chain(self.own_array).map(|name| format!(", {name}")).collect();
        Err(PyAttributeError::new_err(format!("a view has no {name}: there are {there}{more}")))
    }
}
