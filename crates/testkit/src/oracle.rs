//! Write amplification in closed form: one open block for host and garbage collection, page mapping, long run.
//!
//! Throughout, `alpha` is usable blocks over user blocks (at least 1, the open block not counted), `units` the
//! mapping units of a block, and the answer all units written over those the host wrote.

/// Returns the write amplification, in closed form, of a drive whose garbage collection chooses victims uniformly at
/// random; `alpha` is usable flash capacity over user capacity. The formula is exact, as every victim is on average as
/// full as the drive.
pub fn random(alpha: f64) -> f64 {
    1.0 / (1.0 - 1.0 / alpha)
}

/// Returns the principal branch of Lambert's W function: the `w >= -1` with `w e^w = x`, for `-1/e <= x <= 0`.
pub fn lambert_w0(x: f64) -> f64 {
    // w e^w grows on [-1, 0], so halving the interval always ends at the root, even near the branch point.
    bisect(-1.0, 0.0, |w| w * w.exp() - x)
}

/// Returns the write amplification, in closed form, of garbage collection that takes blocks in the order in which they
/// were closed (FIFO), under uniform random writes; `alpha` is usable flash capacity over user capacity (Desnoyers,
/// SYSTOR 2012, equation 4).
pub fn fifo(alpha: f64) -> f64 {
    alpha / (alpha + lambert_w0(-alpha * (-alpha).exp()))
}

/// Returns the write amplification, in closed form, of FIFO garbage collection where the fraction `hot_writes` of the
/// writes goes to the fraction `hot_space` of the units, uniformly within the hot and the cold part; `alpha` is usable
/// flash capacity over user capacity (Desnoyers, SYSTOR 2012, equation 14).
pub fn fifo_hot_cold(alpha: f64, hot_writes: f64, hot_space: f64) -> f64 {
    let moved = |writes: f64, space: f64, amplification: f64| {
        writes / ((writes / space * alpha / amplification).exp() - 1.0)
    };
    // The right side grows slower than the left: to the left of the root it is larger, to the right smaller.
    bisect(1.0, 2.0 * random(alpha), |amplification| {
        amplification
            - 1.0
            - moved(hot_writes, hot_space, amplification)
            - moved(1.0 - hot_writes, 1.0 - hot_space, amplification)
    })
}

/// Returns the write amplification of greedy garbage collection, which takes the block with the fewest valid units,
/// under uniform random writes to very many blocks of `units` units; `alpha` is usable over user capacity.
///
/// In the limit of many blocks every victim holds `j` or `j + 1` valid units. A block loses its units at a rate
/// proportional to the number it has left, so the time it takes to fall to `j` is a harmonic sum; this time equals the
/// time in which all blocks are written once, which fixes `j` and the fraction of each.
///
/// # Panics
/// When no such `j` exists: for `alpha` below 1, or above `1 + 1/2 + ... + 1/units`, where blocks lose all their units
/// before they are taken.
pub fn greedy(alpha: f64, units: u32) -> f64 {
    let block = f64::from(units);
    let load = block / alpha;
    let mut harmonic = 0.0;
    // H_b - H_(j+1), built from the top: j + 1 = b first.
    for next in (1..=units).rev() {
        let next = f64::from(next);
        let share = (load * harmonic - (block - next)) / (1.0 - load / next);
        if (0.0..=1.0).contains(&share) && next < block {
            return block / (block - next + share);
        }
        harmonic += 1.0 / next;
    }
    panic!("no number of valid units satisfies the balance at alpha {alpha}, {units} units");
}

/// Returns the write amplification of garbage collection that takes the block with the fewest valid units among
/// `choices` blocks drawn at random, under uniform random writes; `alpha` is usable flash capacity over user capacity,
/// `units` the units of a block (mean-field model of Van Houdt, SIGMETRICS 2013, iterated in time until it is steady).
pub fn d_choices(alpha: f64, units: u32, choices: u32) -> f64 {
    const STEP: f64 = 0.005;
    let block = units as usize;
    let mut share = vec![0.0; block + 1];
    // Start with every block as full as the drive is.
    let mean = f64::from(units) / alpha;
    let below = mean.floor() as usize;
    share[below] = 1.0 - mean.fract();
    share[below + 1] += mean.fract();
    loop {
        let mut at_least = 0.0;
        let mut victims = vec![0.0; block + 1];
        for valid in (0..=block).rev() {
            let above = at_least;
            at_least = f64::min(at_least + share[valid], 1.0);
            victims[valid] = f64::powi(at_least, choices as i32) - f64::powi(above, choices as i32);
        }
        let moved: f64 = victims.iter().enumerate().map(|(valid, ratio)| valid as f64 * ratio).sum();
        let rate = (f64::from(units) - moved) * alpha / f64::from(units);
        let mut change = 0.0f64;
        let before = share.clone();
        for valid in 0..=block {
            let gained = before.get(valid + 1).map_or(0.0, |above| (valid + 1) as f64 * above);
            let opened = if valid == block { 1.0 } else { 0.0 };
            let slope = rate * (gained - valid as f64 * before[valid]) + opened - victims[valid];
            share[valid] += STEP * slope;
            change = change.max(slope.abs());
        }
        if change < 1e-9 {
            return f64::from(units) / (f64::from(units) - moved);
        }
    }
}

/// Returns the root of `f` between `low` and `high` by bisection, to the last bits of a double; `f` is negative at
/// `low` and positive at `high`.
fn bisect(mut low: f64, mut high: f64, f: impl Fn(f64) -> f64) -> f64 {
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if f(middle) < 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asserts that a computed write amplification equals the value of a published or derived table to the table's
    /// three digits.
    fn same(computed: f64, tabled: f64) {
        assert!((computed - tabled).abs() < 0.0006, "computed {computed}, tabled {tabled}");
    }

    #[test]
    fn the_forms_give_the_tabled_values() {
        for (alpha, tabled) in [(1.07, 7.817), (1.10, 5.678), (1.25, 2.693), (1.50, 1.716)] {
            same(fifo(alpha), tabled);
        }
        for (alpha, units, tabled) in
            [(1.07, 64, 7.010), (1.07, 16, 5.328), (1.10, 16, 4.334), (1.25, 64, 2.599), (1.50, 64, 1.681)]
        {
            same(greedy(alpha, units), tabled);
        }
        for (alpha, units, choices, tabled) in
            [(1.07, 16, 2, 9.472), (1.10, 64, 5, 5.831), (1.25, 16, 10, 2.474), (1.50, 64, 2, 2.190)]
        {
            same(d_choices(alpha, units, choices), tabled);
        }
        for (alpha, writes, space, tabled) in
            [(1.10, 0.8, 0.2, 6.038), (1.10, 0.9, 0.05, 7.469), (1.25, 0.9, 0.1, 3.533)]
        {
            same(fifo_hot_cold(alpha, writes, space), tabled);
        }
    }

    #[test]
    fn the_forms_agree_where_they_meet() {
        assert!((d_choices(1.2, 16, 1) - random(1.2)).abs() < 1e-6);
        assert!((fifo_hot_cold(1.2, 0.3, 0.3) - fifo(1.2)).abs() < 1e-9);
        let w = lambert_w0(-0.2);
        assert!((w * w.exp() + 0.2).abs() < 1e-12 && w > -1.0);
    }
}
