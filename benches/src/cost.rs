//! What a piece of work costs: wall time, processor time and instructions, and the median of several pieces.
//!
//! Wall time counts what other programs do meanwhile. Processor time does not, though they still share its caches and
//! its cores' halves. Instructions depend on neither, where the kernel lets a program count its own.

use std::time::Instant;

/// Constant: least number of times that each benchmark case is measured.
pub const ROUNDS: usize = 5;

/// Record of the measured cost of one piece of work in the benchmark: times and number of instructions.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// Wall-clock time of the work, in ns.
    pub wall_ns: f64,
    /// Processor time that the work took on its thread, in ns.
    pub cpu_ns: f64,
    /// Number of instructions of the work on its thread, outside the kernel; none where they cannot be counted.
    pub instructions: Option<f64>,
}

impl Cost {
    /// Returns the cost of one of `count` equal parts of the work.
    pub fn per(self, count: f64) -> Self {
        Self {
            wall_ns: self.wall_ns / count,
            cpu_ns: self.cpu_ns / count,
            instructions: self.instructions.map(|total| total / count),
        }
    }
}

/// Type of a meter of the cost of a piece of work: times, and instructions where the kernel lets a program count them.
pub struct InstructionMeter {
    counter: Option<counter::Counter>,
}

impl InstructionMeter {
    /// Makes a cost meter for the calling thread.
    pub fn new() -> Self {
        Self { counter: counter::Counter::new() }
    }

    /// Returns true if the kernel lets this program count its instructions.
    pub fn counts_instructions(&self) -> bool {
        self.counter.is_some()
    }

    /// Runs `work` and returns its measured cost, and the value that it returned.
    pub fn of<T>(&mut self, work: impl FnOnce() -> T) -> (Cost, T) {
        if let Some(counter) = &mut self.counter {
            counter.begin();
        }
        let (cpu, wall) = (thread_ns(), Instant::now());
        let made = work();
        let (wall_ns, cpu_ns) = (wall.elapsed().as_nanos() as f64, thread_ns() - cpu);
        let instructions = self.counter.as_mut().and_then(counter::Counter::end);
        (Cost { wall_ns, cpu_ns, instructions }, made)
    }
}

/// Returns the processor time of this thread so far, in ns. It calls the C library, because valgrind supports no other
/// call for it.
#[allow(unsafe_code)]
fn thread_ns() -> f64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call writes the time to `now`, which lives here, and nothing else.
    let failed = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut now) };
    assert_eq!(failed, 0, "every POSIX system has this clock");
    now.tv_sec as f64 * 1e9 + now.tv_nsec as f64
}

/// Record of the median, the least and the greatest of several measured values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ValueSpread {
    /// Median of the measured values.
    pub median: f64,
    /// Least of the measured values.
    pub min: f64,
    /// Greatest of the measured values.
    pub max: f64,
}

impl ValueSpread {
    /// Returns the median, least and greatest of `values`, of which there must be at least one.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Self {
        let mut sorted: Vec<f64> = values.into_iter().collect();
        sorted.sort_by(f64::total_cmp);
        let (below, above) = (sorted[(sorted.len() - 1) / 2], sorted[sorted.len() / 2]);
        Self { median: (below + above) / 2.0, min: sorted[0], max: sorted[sorted.len() - 1] }
    }
}

/// Record of the measured costs of several rounds: median, least and greatest value for each kind of cost separately.
#[derive(Clone, Copy, Debug)]
pub struct CostSpread {
    /// Number of rounds that were measured.
    pub rounds: usize,
    /// Median, least and greatest wall-clock time of a round, in ns.
    pub wall_ns: ValueSpread,
    /// Median, least and greatest processor time of a round, in ns; none if only wall-clock time was measured.
    pub cpu_ns: Option<ValueSpread>,
    /// Median, least and greatest number of instructions of a round; none if they were not counted in every round.
    pub instructions: Option<ValueSpread>,
}

impl CostSpread {
    /// Returns the median, least and greatest of the costs in `costs`, one for each round.
    pub fn of(costs: &[Cost]) -> Self {
        let counted: Option<Vec<f64>> = costs.iter().map(|cost| cost.instructions).collect();
        Self {
            rounds: costs.len(),
            wall_ns: ValueSpread::of(costs.iter().map(|cost| cost.wall_ns)),
            cpu_ns: Some(ValueSpread::of(costs.iter().map(|cost| cost.cpu_ns))),
            instructions: counted.map(ValueSpread::of),
        }
    }

    /// Makes the result of a single measurement of which only the wall-clock time, `ns`, is known.
    pub fn of_wall(ns: f64) -> Self {
        Self { rounds: 1, wall_ns: ValueSpread::of([ns]), cpu_ns: None, instructions: None }
    }

    /// Returns the time in ns that says most about the code: the median processor time, or the median wall-clock time
    /// if only that was measured.
    pub fn main_ns(&self) -> f64 {
        self.cpu_ns.unwrap_or(self.wall_ns).median
    }
}

#[cfg(target_os = "linux")]
mod counter {
    use perf_event::Builder;
    use perf_event::events::Hardware;

    /// Type of the processor's hardware counter of instructions, for this thread and outside the kernel.
    pub struct Counter(perf_event::Counter);

    impl Counter {
        /// Opens the hardware counter of instructions; returns none if the kernel or the virtual machine has no such
        /// counter or forbids it.
        pub fn new() -> Option<Self> {
            let mut builder = Builder::new(Hardware::INSTRUCTIONS);
            builder.observe_self().any_cpu().exclude_kernel(true).exclude_hv(true);
            builder.build().ok().map(Self)
        }

        /// Starts the hardware counter of instructions from zero. If this fails, `end` returns none in place of a
        /// count.
        pub fn begin(&mut self) {
            let _ = self.0.reset().and_then(|()| self.0.enable());
        }

        /// Stops the counter and returns the number of instructions, or none if nothing was counted.
        pub fn end(&mut self) -> Option<f64> {
            self.0.disable().ok()?;
            self.0.read().ok().filter(|&count| count > 0).map(|count| count as f64)
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod counter {
    /// Type in place of the hardware counter of instructions on systems other than Linux, where instructions are not
    /// counted.
    pub struct Counter;

    impl Counter {
        pub fn new() -> Option<Self> {
            None
        }

        pub fn begin(&mut self) {}

        pub fn end(&mut self) -> Option<f64> {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_an_even_number_lies_between_the_two_in_the_middle() {
        assert_eq!(ValueSpread::of([4.0, 1.0, 2.0, 9.0]), ValueSpread { median: 3.0, min: 1.0, max: 9.0 });
        assert_eq!(ValueSpread::of([5.0]), ValueSpread { median: 5.0, min: 5.0, max: 5.0 });
    }

    #[test]
    fn instructions_that_one_round_lacks_are_not_shown() {
        let of = |instructions| Cost { wall_ns: 2.0, cpu_ns: 1.0, instructions };
        assert_eq!(CostSpread::of(&[of(Some(7.0)), of(None)]).instructions, None);
        assert_eq!(CostSpread::of(&[of(Some(7.0)), of(Some(9.0))]).instructions.unwrap().median, 8.0);
    }

    #[test]
    fn instructions_are_those_of_the_work_or_none() {
        let (cost, sum) =
            InstructionMeter::new().of(|| (0..10_000_000_u64).fold(0, |a, b| std::hint::black_box(a ^ b)));
        std::hint::black_box(sum);
        assert!(cost.instructions.is_none_or(|count| count > 10_000_000.0));
    }
}
