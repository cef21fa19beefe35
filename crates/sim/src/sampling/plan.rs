//! How long warm-ups and windows of a sampled run are, and how far they lie apart.

/// Constant: number of measured windows that a sampled run has where it is long enough.
const WINDOWS: u64 = 12;
/// Constant: least number of requests of a measured window of a sampled run, and of a warm-up where the run is long
/// enough.
const WINDOW_LEAST: u64 = 1_000;
/// Constant: least length of a warm-up, and of a window, in turns (requests in which each die programs one superblock),
/// where the run is long enough.
const TURNS: f64 = 4.0;
/// Constant: number of requests carried forward for each request in detail where the length of the sampled run is not
/// known.
const FORWARD_PER_DETAIL: u64 = 19;
/// Constant: greatest share of a sampled run's requests (0 to 1) that the plan of windows runs in detail, unless the
/// least lengths of warm-ups and windows need more.
const DETAIL_MOST: f64 = 0.25;

/// Record of the lengths of a sampled run's warm-ups, windows and stretches to carry forward, in requests.
#[derive(Clone, Copy, Debug)]
pub(super) struct SampleLengths {
    /// Number of requests that run in detail, unmeasured, before each window.
    pub warm_up: u64,
    /// Number of requests of each measured window.
    pub window: u64,
    /// Number of requests that are carried forward between two windows.
    pub skip: u64,
}

impl SampleLengths {
    /// Makes lengths for a run before its first window: no request is carried forward.
    pub fn unknown() -> Self {
        Self { warm_up: 0, window: WINDOW_LEAST, skip: 0 }
    }

    /// Plans a run whose beginning settled after `settled` requests; each die programs one superblock in `turn`
    /// requests (0 where warm-ups need not last that long), and `left` requests are left of the run (`None` where
    /// unknown).
    pub fn plan(settled: u64, turn: f64, left: Option<u64>) -> Self {
        let turns = (TURNS * turn) as u64;
        // Requests in flight gather at some dies only after many have come.
        let mut warm_up = WINDOW_LEAST.max(settled).max(turns);
        let mut window = warm_up;
        let most = left.map_or(u64::MAX, |left| (DETAIL_MOST * left as f64) as u64 / WINDOWS);
        let detail = warm_up + window;
        if detail > most {
            // A drive that settles slowly: as long as the run allows.
            let share = most as f64 / detail as f64;
            (warm_up, window) = ((warm_up as f64 * share) as u64, (window as f64 * share) as u64);
            (warm_up, window) = (warm_up.max(settled), window.max(settled).max(WINDOW_LEAST));
        }
        let detail = warm_up + window;
        let skip = left.map_or(FORWARD_PER_DETAIL * detail, |left| (left / WINDOWS).saturating_sub(detail));
        Self { warm_up, window, skip }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_has_twelve_windows_of_four_turns_where_it_is_long_enough() {
        let lengths = SampleLengths::plan(200, 500.0, Some(1_200_000));
        assert_eq!([lengths.warm_up, lengths.window, lengths.skip], [2_000, 2_000, 96_000]);
        let short = SampleLengths::plan(200, 500.0, Some(60_000));
        assert_eq!([short.warm_up, short.window, short.skip], [625, 1_000, 3_375]);
        let reads = SampleLengths::plan(300, 0.0, None);
        assert_eq!([reads.warm_up, reads.window, reads.skip], [1_000, 1_000, 19 * 2_000]);
    }
}
