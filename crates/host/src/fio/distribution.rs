//! Which block a random access goes to: uniform, zipf, pareto, normal, or by zones.

use super::value;
use engine::{Permutation, RandomStream};

/// Kind of distribution of a fio job's random accesses over blocks, as the job file names it (`random_distribution`).
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Distribution {
    /// Case of distribution: uniform distribution, in which each block of the fio job's file is accessed with the same
    /// probability.
    #[default]
    Uniform,
    /// Case of distribution: Zipf distribution with this exponent theta: the block of rank k is accessed with a
    /// probability proportional to 1 / k^theta; ranks are scattered over the blocks.
    Zipf(f64),
    /// Case of distribution: self-similar (Pareto) distribution with this h: a fraction h of the accesses goes to all
    /// but a fraction h of the blocks; ranks are scattered over the blocks.
    Pareto(f64),
    /// Case of distribution: normal distribution (fio's bell curve): block ranks follow it, widened by this percentage
    /// of the number of blocks; ranks are scattered over the blocks.
    Normal(f64),
    /// Case of distribution: zoned distribution (`zoned`): parts of the fio job's file in order of address, each with
    /// its own percentage of the accesses.
    Zoned(Vec<Zone>),
}

/// Record of one zone of a zoned access distribution: a part of the file, with the percentage of the accesses that go
/// to it. No zone of a ZNS drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Zone {
    /// Percentage of the fio job's accesses that fall into this zone of the access distribution.
    pub accesses: u64,
    /// Length of this zone of the access distribution (a part of the fio job's region), in bytes or as a percentage of
    /// the region.
    pub part: value::Size,
}

impl Distribution {
    /// Parses `random_distribution` into a distribution for each direction (read, write, trim); only zones may differ
    /// between the directions (`zoned:A/B:C/D,E/F:G/H`).
    pub fn parse_each(text: &str, kb_base: u64) -> Result<[Self; 3], &'static str> {
        let zones = text.split_once(':').filter(|(name, _)| matches!(*name, "zoned" | "zoned_abs"));
        let Some((name, zones)) = zones else {
            let one = Self::parse(text, kb_base)?;
            return Ok([one.clone(), one.clone(), one]);
        };
        let mut each = [Self::Uniform, Self::Uniform, Self::Uniform];
        for (distribution, zones) in each.iter_mut().zip(value::by_direction(zones)?) {
            if let Some(zones) = zones {
                *distribution = Self::Zoned(parse_zones(zones, kb_base, name == "zoned_abs")?);
            }
        }
        Ok(each)
    }

    /// Parses a single distribution of `random_distribution`, such as `zipf:1.2`.
    pub fn parse(text: &str, kb_base: u64) -> Result<Self, &'static str> {
        let (name, rest) = text.split_once(':').map_or((text, None), |(name, rest)| (name, Some(rest)));
        let number = |default| rest.map_or(Ok(default), value::float);
        match (name, rest) {
            ("random", None) => Ok(Self::Uniform),
            ("zipf", _) => {
                within(number(1.1)?, 0.01, 20.0, "zipf:THETA with THETA from 0.01 to 20").map(Self::Zipf)
            }
            ("pareto", _) => {
                within(number(0.2)?, 0.001, 0.999, "pareto:H with H from 0.001 to 0.999").map(Self::Pareto)
            }
            ("normal", _) => within(number(0.0)?, 0.0, 100.0, "normal:PERCENT with PERCENT from 0 to 100")
                .map(Self::Normal),
            ("zoned", Some(zones)) => parse_zones(zones, kb_base, false).map(Self::Zoned),
            ("zoned_abs", Some(zones)) => parse_zones(zones, kb_base, true).map(Self::Zoned),
            _ => Err("random, zipf:THETA, pareto:H, normal:PERCENT, zoned:A/B:C/D... or zoned_abs:A/B:..."),
        }
    }
}

fn within(number: f64, least: f64, most: f64, expected: &'static str) -> Result<f64, &'static str> {
    if (least..=most).contains(&number) { Ok(number) } else { Err(expected) }
}

/// Parses zones such as `80/20:20/80`: pairs of a percentage of the accesses and the part of the file that they go to,
/// in percent or, if `absolute`, in bytes. A percentage left out (`50/20:50/`) is the rest to 100; several left out
/// divide that rest, as in fio.
fn parse_zones(text: &str, kb_base: u64, absolute: bool) -> Result<Vec<Zone>, &'static str> {
    const EXPECTED: &str = "zones as ACCESS%/PART%:..., accesses adding up to 100, parts to no more";
    const EXPECTED_ABSOLUTE: &str = "zones as ACCESS%/SIZE:..., accesses adding up to 100";
    let mut zones: Vec<(Option<u64>, Option<value::Size>)> = Vec::new();
    for text in text.split(':').filter(|text| !text.is_empty()) {
        let (accesses, part) = text.split_once('/').unwrap_or((text, ""));
        let given = |text: &str| if text.is_empty() { None } else { Some(text.to_owned()) };
        let accesses = given(accesses).map(|text| value::percent(&text)).transpose()?;
        let part = match (given(part), absolute) {
            (None, true) => return Err(EXPECTED_ABSOLUTE),
            (None, false) => None,
            (Some(part), true) => Some(value::Size::Bytes(value::bytes(&part, kb_base)?)),
            (Some(part), false) => Some(value::Size::Percent(value::percent(&part)?)),
        };
        zones.push((accesses, part));
    }
    if zones.is_empty() || zones.len() > 256 {
        return Err("1 to 256 zones");
    }
    let accesses = shares(zones.iter().map(|zone| zone.0)).ok_or(EXPECTED)?;
    let percent = |part: &Option<value::Size>| match part {
        Some(value::Size::Percent(percent)) => Some(*percent),
        _ => None,
    };
    let parts = if absolute {
        vec![0; zones.len()]
    } else {
        shares(zones.iter().map(|zone| percent(&zone.1))).ok_or(EXPECTED)?
    };
    if accesses.iter().sum::<u64>() != 100 {
        return Err(if absolute { EXPECTED_ABSOLUTE } else { EXPECTED });
    }
    let part = |index: usize| zones[index].1.unwrap_or(value::Size::Percent(parts[index]));
    Ok(accesses
        .into_iter()
        .enumerate()
        .map(|(index, accesses)| Zone { accesses, part: part(index) })
        .collect())
}

/// Fills in the missing percentages in `given` (None), which share the rest to 100 equally, and returns all
/// percentages; returns `None` when the given percentages exceed 100.
fn shares(given: impl Iterator<Item = Option<u64>>) -> Option<Vec<u64>> {
    let given: Vec<Option<u64>> = given.collect();
    let left = 100u64.checked_sub(given.iter().flatten().sum())?;
    let missing = given.iter().filter(|share| share.is_none()).count() as u64;
    Some(given.iter().map(|share| share.unwrap_or_else(|| left / missing.max(1))).collect())
}

/// Kind of sampler of block numbers by an access distribution of fio, of one of five kinds, prepared for a fixed number
/// of blocks.
#[derive(Clone, Debug)]
pub enum Sampler {
    /// Case of sampler: uniform distribution, in which each of this number of blocks is accessed with the same
    /// probability.
    Uniform(u64),
    /// Case of sampler: Zipf distribution, in which block ranks are drawn by Zipf's law and scattered over the blocks.
    Zipf(Zipf, Scatter),
    /// Case of sampler: self-similar (Pareto) distribution, in which a uniform random number from 0 to 1, raised to a
    /// power, gives the rank, and the ranks are scattered over the blocks. The values are the power, the number of
    /// ranks and the scattering.
    Pareto(f64, u64, Scatter),
    /// Case of sampler: fio's bell curve, in which the rank is normally distributed and shifted at random by up to half
    /// of a width, and the ranks are scattered over the blocks. The values are the width in blocks, the number of ranks
    /// and the scattering.
    Normal(u64, u64, Scatter),
    /// Case of sampler: fio's zoned distribution. For each percent of the accesses, the first block and the number of
    /// blocks of the zone that this percent goes to.
    Zoned(Box<[(u64, u64); 100]>),
}

/// Type of the mapping from the popularity rank of a block to the number of the block: a random permutation, which
/// scatters popular blocks over the file, or, without one, the rank itself.
#[derive(Clone, Debug)]
pub struct Scatter(Option<Permutation>);

impl Scatter {
    #[inline]
    fn at(&self, rank: u64) -> u64 {
        self.0.as_ref().map_or(rank, |permutation| permutation.at(rank))
    }
}

impl Sampler {
    /// Makes a sampler that draws block numbers out of a region of `blocks` blocks of `block` bytes each.
    ///
    /// # Errors
    /// When a zone of the distribution that is accessed holds no block, or the zones do not fit the region.
    pub fn new(
        distribution: &Distribution,
        blocks: u64,
        block: u64,
        random: &mut RandomStream,
    ) -> Result<Self, &'static str> {
        if let Distribution::Zoned(zones) = distribution {
            return Ok(Self::Zoned(zone_table(zones, blocks, block)?));
        }
        let scatter = match distribution {
            Distribution::Uniform => None,
            _ => Some(Permutation::draw(blocks, random)),
        };
        Ok(Self::over(distribution, blocks, Scatter(scatter)))
    }

    /// Makes a sampler that draws popularity ranks below `count` without scattering them over blocks, so that under a
    /// skewed distribution low numbers are drawn the most often; `None` for a zoned distribution.
    pub fn in_order(distribution: &Distribution, count: u64) -> Option<Self> {
        let ranked = !matches!(distribution, Distribution::Zoned(_));
        ranked.then(|| Self::over(distribution, count, Scatter(None)))
    }

    fn over(distribution: &Distribution, count: u64, scatter: Scatter) -> Self {
        match distribution {
            Distribution::Uniform | Distribution::Zoned(_) => Self::Uniform(count),
            Distribution::Zipf(theta) => Self::Zipf(Zipf::new(count, *theta), scatter),
            Distribution::Pareto(h) => Self::Pareto(libm::log(*h) / libm::log(1.0 - h), count, scatter),
            Distribution::Normal(percent) => {
                let width = (count as f64 * percent / 100.0).ceil() as u64;
                Self::Normal(width.min(count / 2), count, scatter)
            }
        }
    }

    /// Draws, from a fio job's access distribution, the number of the block that is accessed next.
    #[inline]
    pub fn draw(&self, random: &mut RandomStream) -> u64 {
        match self {
            Self::Uniform(blocks) => random.below(*blocks),
            Self::Zipf(zipf, scatter) => scatter.at(zipf.draw(random) - 1),
            Self::Pareto(power, count, scatter) => {
                // As fio: n - 1 ranks times a power of a uniform number.
                scatter.at(((count - 1) as f64 * libm::pow(random.unit(), *power)) as u64)
            }
            Self::Normal(deviation, count, scatter) => scatter.at(bell(*deviation, *count, random)),
            Self::Zoned(table) => {
                let (first, count) = table[random.below(100) as usize];
                first + random.below(count)
            }
        }
    }
}

fn zone_table(zones: &[Zone], blocks: u64, block: u64) -> Result<Box<[(u64, u64); 100]>, &'static str> {
    let mut table = Box::new([(0, 0); 100]);
    let (mut row, mut percent_before, mut first) = (0, 0, 0);
    for zone in zones {
        let end = match zone.part {
            value::Size::Percent(percent) => {
                percent_before += percent;
                value::Size::Percent(percent_before).of(blocks)
            }
            value::Size::Bytes(bytes) => first + bytes / block,
        };
        if end > blocks {
            return Err("zones that fit the job's size");
        }
        if zone.accesses > 0 && end == first {
            return Err("a part of at least one block for every zone that is accessed");
        }
        for _ in 0..zone.accesses {
            table[row] = (first, end - first);
            row += 1;
        }
        first = end;
    }
    Ok(table)
}

/// Constant: number of uniform random draws whose mean makes fio's bell curve.
const BELL_DRAWS: u64 = 12;

/// Draws a rank below `count` from fio's bell curve: the mean of twelve uniform draws, plus a random shift of up to
/// half of `width` ranks either way, which is halved until the rank lies within range. Even with a `width` of 0, the
/// standard deviation is a twelfth of `count`.
fn bell(width: u64, count: u64, random: &mut RandomStream) -> u64 {
    let sum: u64 = (0..BELL_DRAWS).map(|_| random.below(count + 1)).sum();
    let middle = sum.div_ceil(BELL_DRAWS).min(count - 1) as i64;
    let mut by = if width > 0 { random.below(width) as i64 - (width / 2) as i64 } else { 0 };
    while !(0..count as i64).contains(&(middle + by)) {
        by /= 2;
    }
    (middle + by) as u64
}

/// Type of a sampler of ranks 1 to n by Zipf's law (the probability of rank k is proportional to 1 / k^theta), which
/// works by rejection and inversion (Hoermann and Derflinger 1996): exact for every exponent, with constant work per
/// draw and no work beforehand.
#[derive(Clone, Debug)]
pub struct Zipf {
    count: f64,
    theta: f64,
    integral_first: f64,
    integral_last: f64,
    accept: f64,
}

impl Zipf {
    /// Makes a sampler of the ranks 1 to `count` by Zipf's law with exponent `theta`.
    pub fn new(count: u64, theta: f64) -> Self {
        let mut zipf =
            Self { count: count as f64, theta, integral_first: 0.0, integral_last: 0.0, accept: 0.0 };
        zipf.integral_first = zipf.integral(1.5) - 1.0;
        zipf.integral_last = zipf.integral(zipf.count + 0.5);
        zipf.accept = 2.0 - zipf.inverse(zipf.integral(2.5) - libm::pow(2.0, -theta));
        zipf
    }

    /// Draws a rank by Zipf's law, from 1 to the number of ranks.
    #[inline]
    pub fn draw(&self, random: &mut RandomStream) -> u64 {
        loop {
            let u = self.integral_last + random.unit() * (self.integral_first - self.integral_last);
            let x = self.inverse(u);
            let rank = x.round().clamp(1.0, self.count);
            if rank - x <= self.accept || u >= self.integral(rank + 0.5) - libm::pow(rank, -self.theta) {
                return rank as u64;
            }
        }
    }

    /// Returns the integral of x^-theta, up to a constant: (x^(1-theta) - 1) / (1 - theta), or ln x where theta is 1.
    fn integral(&self, x: f64) -> f64 {
        let (power, log) = (1.0 - self.theta, libm::log(x));
        if (power * log).abs() < 1e-8 { log } else { libm::expm1(power * log) / power }
    }

    /// Returns the inverse of [`Self::integral`], by which ranks of Zipf's law are drawn: the x at which the integral
    /// is `y`.
    fn inverse(&self, y: f64) -> f64 {
        let power = 1.0 - self.theta;
        // Rounding may carry the argument of the logarithm to or below its edge; the rank is clamped after.
        let t = (y * power).max(-1.0 + f64::EPSILON);
        if t.abs() < 1e-8 { libm::exp(y) } else { libm::exp(libm::log1p(t) / power) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns, for a test, how often each of `blocks` blocks is accessed in `draws` draws from the distribution
    /// `text`.
    fn counts(text: &str, blocks: u64, draws: u32) -> Vec<u32> {
        let mut random = RandomStream::new(11, "test");
        let distribution = Distribution::parse(text, 1024).unwrap();
        let sampler = Sampler::new(&distribution, blocks, 4096, &mut random).unwrap();
        let mut counts = vec![0; blocks as usize];
        for _ in 0..draws {
            counts[sampler.draw(&mut random) as usize] += 1;
        }
        counts
    }

    /// Returns, for a test, the access counts of the blocks, the most accessed block first.
    fn by_rank(text: &str, blocks: u64, draws: u32) -> Vec<u32> {
        let mut counts = counts(text, blocks, draws);
        counts.sort_unstable_by(|a, b| b.cmp(a));
        counts
    }

    /// Panics, in a test, unless `count` of `draws` is within 4.5 standard deviations of a binomial with probability
    /// `p`.
    fn assert_binomial(count: u32, draws: u32, p: f64, what: &str) {
        let (mean, deviation) = (f64::from(draws) * p, (f64::from(draws) * p * (1.0 - p)).sqrt());
        assert!((f64::from(count) - mean).abs() < 4.5 * deviation.max(1.0), "{what}: {count}, not {mean}");
    }

    #[test]
    fn zipf_ranks_follow_the_law() {
        let (blocks, draws) = (1000u64, 1_000_000);
        for theta in [0.5, 0.99, 1.0, 1.2, 2.0] {
            let counts = by_rank(&format!("zipf:{theta}"), blocks, draws);
            let zeta: f64 = (1..=blocks).map(|rank| (rank as f64).powf(-theta)).sum();
            // Neighbouring ranks are told apart by their counts only while those differ by more than noise: the
            // first three, and the sums of the first ten and hundred.
            let share = |ranks: u64| (1..=ranks).map(|rank| (rank as f64).powf(-theta)).sum::<f64>() / zeta;
            for rank in 1..=3 {
                let p = share(rank) - share(rank - 1);
                assert_binomial(counts[rank as usize - 1], draws, p, &format!("zipf {theta} rank {rank}"));
            }
            if theta >= 0.99 {
                let first_ten: u32 = counts[..10].iter().sum();
                assert_binomial(first_ten, draws, share(10), &format!("zipf {theta} first ten"));
            }
        }
    }

    #[test]
    fn hot_blocks_are_scattered() {
        let counts = counts("zipf:1.2", 1000, 100_000);
        let mut ranked: Vec<usize> = (0..1000).collect();
        ranked.sort_by_key(|block| std::cmp::Reverse(counts[*block]));
        let neighbours = ranked[..50].windows(2).filter(|pair| pair[0].abs_diff(pair[1]) == 1).count();
        // Two random blocks are neighbours with probability 0.002: 0.1 expected of 49.
        assert!(neighbours <= 3, "{neighbours}");
    }

    #[test]
    fn pareto_keeps_its_promise() {
        // A fraction 1 - h of the accesses goes to a fraction h of the blocks.
        for h in [0.1, 0.2, 0.4] {
            let (blocks, draws) = (10_001u64, 500_000);
            let counts = by_rank(&format!("pareto:{h}"), blocks, draws);
            let hot: u32 = counts[..(10_000.0 * h) as usize].iter().sum();
            // Sorting by count instead of rank moves noise of single blocks upwards; beyond the hot part blocks are
            // drawn so much less that this stays below one percent.
            let share = f64::from(hot) / f64::from(draws);
            assert!((share - (1.0 - h)).abs() < 0.01, "{h}: {share}");
        }
    }

    #[test]
    fn normal_has_its_deviation() {
        let mut random = RandomStream::new(4, "test");
        let (count, draws) = (100_000u64, 200_000u32);
        // Twelve even draws and the width add their variances; standard errors are deviation / sqrt(n), / sqrt(2 n).
        for (width, deviation) in [(0, 8_333.3), (30_000, 12_018.5)] {
            let at: Vec<f64> = (0..draws).map(|_| bell(width, count, &mut random) as f64).collect();
            let mean = at.iter().sum::<f64>() / f64::from(draws);
            let variance = at.iter().map(|at| (at - mean).powi(2)).sum::<f64>() / f64::from(draws);
            assert!((mean - 50_000.0).abs() < deviation * 0.009, "{mean}");
            assert!((variance.sqrt() - deviation).abs() < deviation * 0.0065, "{}", variance.sqrt());
        }
        let counts = by_rank("normal:10", 1000, 100_000);
        let middle: u32 = counts[..200].iter().sum();
        assert!((f64::from(middle) / 100_000.0 - 0.739).abs() < 0.012, "{middle}");
    }

    #[test]
    fn zones_get_their_accesses() {
        let draws = 400_000;
        let counts = counts("zoned:60/10:30/20:8/30:2/40", 1000, draws);
        for (range, p) in [(0..100, 0.6), (100..300, 0.3), (300..600, 0.08), (600..1000, 0.02)] {
            let inside = &counts[range.clone()];
            assert_binomial(inside.iter().sum(), draws, p, "zone");
            for count in inside {
                assert_binomial(*count, draws, p / range.len() as f64, "block in zone");
            }
        }
        // 400 KiB and 800 KiB of 4 KiB blocks.
        let counts = self::counts("zoned_abs:70/400k:30/800k", 1000, draws);
        assert_binomial(counts[..100].iter().sum(), draws, 0.7, "first");
        assert_binomial(counts[100..300].iter().sum(), draws, 0.3, "second");
        assert_eq!(counts[300..].iter().sum::<u32>(), 0);
    }

    #[test]
    fn a_share_left_out_is_what_the_others_leave() {
        let zones = |text: &str| match Distribution::parse(text, 1024) {
            Ok(Distribution::Zoned(zones)) => {
                zones.iter().map(|zone| (zone.accesses, zone.part.of(100))).collect()
            }
            _ => Vec::new(),
        };
        assert_eq!(zones("zoned:60/10:30/20:10/"), [(60, 10), (30, 20), (10, 70)]);
        assert_eq!(zones("zoned:50/5:30/15:20/"), [(50, 5), (30, 15), (20, 80)]);
        assert_eq!(zones("zoned:60/10:40"), [(60, 10), (40, 90)]);
        assert!(
            zones("zoned:60/10:30/20:20/").is_empty()
                && zones("zoned:60/10:30/20").is_empty()
                && zones("zoned:50/60:50/60").is_empty()
        );
        let each = Distribution::parse_each("zoned:90/10:10/90,50/50:50/50", 1024).unwrap();
        assert_ne!(each[0], each[1]);
        assert_eq!(each[1], each[2], "a value not followed by a comma holds for the rest");
    }

    #[test]
    fn uniform_is_uniform() {
        let counts = counts("random", 100, 1_000_000);
        let expected = 10_000.0;
        let chi: f64 = counts.iter().map(|count| (f64::from(*count) - expected).powi(2) / expected).sum();
        // 99 degrees of freedom: mean 99, standard deviation 14; above 160 once in ten thousand.
        assert!(chi < 160.0, "{chi}");
    }

    #[test]
    fn one_block_is_always_the_one() {
        for text in ["random", "zipf:1.2", "pareto:0.2", "normal:5", "zoned:100/100"] {
            assert_eq!(counts(text, 1, 100), [100], "{text}");
        }
    }
}
