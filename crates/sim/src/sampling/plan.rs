//! How long warm-ups and windows of a sampled run are, and how far they lie apart.
//!
//! The requests after the beginning are divided into strata of equal length with a window each, at a place that is drawn: so
//! windows are never in step with a workload that repeats itself.

use engine::RandomStream;

/// Constant: number of measured windows that a sampled run of a closed loop has where it is long enough.
pub(super) const WINDOWS: u64 = 12;
/// Constant: number of measured windows of a sampled run of an open loop, whose requests come now fast and now slowly.
pub(super) const WINDOWS_OPEN: u64 = 40;
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
#[derive(Clone, Debug)]
pub(super) struct SampleLengths {
    /// Number of requests that run in detail, unmeasured, before each window.
    pub warm_up: u64,
    /// Number of requests of each measured window.
    pub window: u64,
    /// Number of requests of each stratum that are carried forward.
    free: u64,
    /// Number of requests between the last warm-up's first request and the latest that it could have been in its
    /// stratum, which are carried forward after its window.
    left: u64,
    /// Field of the lengths: random numbers for the places of windows in their strata.
    random: RandomStream,
}

impl SampleLengths {
    /// Makes lengths for a run before its first window: no request is carried forward. `seed` is the seed of the run.
    pub fn unknown(seed: u64) -> Self {
        let random = RandomStream::new(seed, "sampling");
        Self { warm_up: 0, window: WINDOW_LEAST, free: 0, left: 0, random }
    }

    /// Plans a run whose beginning settled after `settled` requests; each die programs one superblock in `turn`
    /// requests (0 where warm-ups need not last that long), `requests_left` requests are left of the run (`None` where
    /// unknown), and the run has `windows` windows where it is long enough.
    pub fn plan(&mut self, settled: u64, turn: f64, requests_left: Option<u64>, windows: u64) {
        let turns = (TURNS * turn) as u64;
        // Requests in flight gather at some dies only after many have come.
        let mut warm_up = WINDOW_LEAST.max(settled).max(turns);
        let mut window = warm_up;
        let most = requests_left.map_or(u64::MAX, |left| (DETAIL_MOST * left as f64) as u64 / windows);
        let detail = warm_up + window;
        if detail > most {
            // A drive that settles slowly: as long as the run allows.
            let share = most as f64 / detail as f64;
            (warm_up, window) = ((warm_up as f64 * share) as u64, (window as f64 * share) as u64);
            (warm_up, window) = (warm_up.max(settled), window.max(settled).max(WINDOW_LEAST));
        }
        let detail = warm_up + window;
        let free =
            requests_left.map_or(FORWARD_PER_DETAIL * detail, |left| (left / windows).saturating_sub(detail));
        (self.warm_up, self.window, self.free, self.left) = (warm_up, window, free, 0);
    }

    /// Returns true if the plan carries any request forward.
    pub fn carries_forward(&self) -> bool {
        self.free > 0
    }

    /// Draws the place of the next window in its stratum, and returns the number of requests to carry forward before its
    /// warm-up.
    pub fn next_skip(&mut self) -> u64 {
        let offset = self.random.below(self.free + 1);
        let skip = self.left + offset;
        self.left = self.free - offset;
        skip.max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns, for a test, the warm-up, the window and the requests that are carried forward of a stratum.
    fn planned(settled: u64, turn: f64, left: Option<u64>, windows: u64) -> [u64; 3] {
        let mut lengths = SampleLengths::unknown(1);
        lengths.plan(settled, turn, left, windows);
        [lengths.warm_up, lengths.window, lengths.free]
    }

    #[test]
    fn a_run_has_twelve_windows_of_four_turns_where_it_is_long_enough() {
        assert_eq!(planned(200, 500.0, Some(1_200_000), WINDOWS), [2_000, 2_000, 96_000]);
        assert_eq!(planned(200, 500.0, Some(60_000), WINDOWS), [625, 1_000, 3_375]);
        assert_eq!(planned(300, 0.0, None, WINDOWS), [1_000, 1_000, 19 * 2_000]);
        assert_eq!(planned(0, 500.0, Some(1_200_000), WINDOWS_OPEN), [2_000, 2_000, 26_000]);
    }

    #[test]
    fn windows_lie_anywhere_in_their_strata() {
        let mut lengths = SampleLengths::unknown(7);
        lengths.plan(200, 500.0, Some(1_200_000), WINDOWS);
        let (mut at, mut places) = (0, Vec::new());
        for stratum in 0..12 {
            at += lengths.next_skip();
            let place = at - stratum * 100_000;
            assert!(place <= 96_000, "window {stratum} begins at {place} of its stratum");
            places.push(place / 32_001);
            at += 4_000;
        }
        assert!((0..3).all(|third| places.contains(&third)), "{places:?}");
    }
}
