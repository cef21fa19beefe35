//! The sizes of requests: what `bs`, `bsrange` and `bssplit` come to together.

/// Kind of request sizes that a fio job has in one direction (reads, writes or trims): one size, a range, or a table of
/// sizes with percentages; all in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BlockSizes {
    /// Case of one size: all requests of the fio job in this direction have this size in bytes.
    Fixed(u64),
    /// Case of a range: request sizes of the fio job are multiples of the first number up to the second, in bytes, all
    /// equally likely; a second number that is no multiple is a possible size, too, less likely than the others.
    Range(u64, u64),
    /// Case of a table: each request size of the fio job in bytes with its percentage of the requests, the rarest size
    /// first; the percentages add up to 100.
    Split(Vec<(u64, u64)>),
}

impl BlockSizes {
    /// Returns the shortest request size of the fio job in this direction, in bytes.
    pub fn least(&self) -> u64 {
        match self {
            Self::Fixed(bytes) | Self::Range(bytes, _) => *bytes,
            Self::Split(parts) => parts.iter().map(|part| part.0).min().unwrap_or(512),
        }
    }

    /// Returns the longest request size of the fio job in this direction, in bytes.
    pub fn most(&self) -> u64 {
        match self {
            Self::Fixed(bytes) => *bytes,
            Self::Range(_, most) => *most,
            Self::Split(parts) => parts.iter().map(|part| part.0).max().unwrap_or(512),
        }
    }

    /// Returns the mean request size of the fio job in this direction, in bytes, if no request has to be shortened to
    /// fit its file.
    pub fn mean(&self) -> f64 {
        match self {
            Self::Fixed(bytes) => *bytes as f64,
            Self::Range(least, most) => {
                // What is drawn beyond the longest is cut to it.
                let steps = most.div_ceil(*least).min(1 << 16);
                let one = |step: u64| (least + most * step / steps) / least * least;
                (0..steps).map(|step| one(step).min(*most) as f64).sum::<f64>() / steps as f64
            }
            Self::Split(parts) => {
                let least = self.least();
                parts.iter().map(|(bytes, percent)| ((bytes - bytes % least) * percent) as f64).sum::<f64>()
                    / 100.0
            }
        }
    }
}

/// Set of values of the block size options (`bs`, `bsrange`, `bssplit`) of a fio job for one direction, in any order. A
/// `bssplit` and a `bsrange` each replace the shortest and the longest size, a `bsrange` keeps the sizes of a `bssplit`
/// before it, and `bs` counts only where neither gives a size, even if they are in another section. So in fio.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SizeOptions {
    /// Setting: request size of the fio job in bytes, from `bs`.
    pub block: u64,
    /// Pair of sizes in bytes from `bsrange` or `bssplit`: the shortest and the longest request of the fio job; 0
    /// stands for the size of `bs`.
    pub range: (u64, u64),
    /// List of the request sizes of the fio job in bytes with their percentages, from `bssplit`, the rarest first;
    /// empty without a `bssplit`.
    pub split: Vec<(u64, u64)>,
}

impl Default for SizeOptions {
    fn default() -> Self {
        Self { block: 4096, range: (0, 0), split: Vec::new() }
    }
}

impl SizeOptions {
    /// Stores the sizes and percentages of the fio option `bssplit`, and replaces the shortest and the longest size by
    /// those of `split`.
    pub fn set_split(&mut self, split: Vec<(u64, u64)>) {
        let sizes = || split.iter().map(|part| part.0);
        self.range = (sizes().min().unwrap_or(0), sizes().max().unwrap_or(0));
        self.split = split;
    }

    /// Computes, from all block size options of the direction, its kind of request sizes: one size, a range, or a
    /// table.
    ///
    /// # Errors
    /// With the pair of texts found and expected, where fio itself would make no request, or requests of other sizes
    /// than the options say.
    pub fn blocks(&self) -> Result<BlockSizes, (&'static str, &'static str)> {
        let or_block = |bytes: u64| if bytes == 0 { self.block } else { bytes };
        let (least, most) = (or_block(self.range.0), or_block(self.range.1));
        if least > most {
            return Err((
                "a longest size of bsrange or bssplit below bs, which stands for its 0",
                "a longest size of bs or more",
            ));
        }
        if least == most {
            // Nothing is drawn.
            let one = if self.split.is_empty() {
                BlockSizes::Fixed(least)
            } else {
                BlockSizes::Split(vec![(least, 100)])
            };
            return Ok(one);
        }
        if self.split.is_empty() {
            return Ok(BlockSizes::Range(least, most));
        }
        if self.split.iter().any(|part| part.0 < least) {
            return Err((
                "a bssplit with a size below the shortest of bsrange, or 0 beside other sizes",
                "sizes from the shortest of bsrange on: fio itself makes no request of such a size",
            ));
        }
        if self.split.iter().all(|part| part.0 - part.0 % least > least) {
            return Err((
                "a bsrange that begins below all sizes of the bssplit before it",
                "one that begins with the shortest of them",
            ));
        }
        let drawn = |&(bytes, percent): &(u64, u64)| ((bytes - bytes % least).min(most), percent);
        Ok(BlockSizes::Split(self.split.iter().map(drawn).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_sizes_are_taken_together() {
        let of =
            |block, range, split: &[(u64, u64)]| SizeOptions { block, range, split: split.to_vec() }.blocks();
        let split = [(4096, 50), (8192, 50)];
        assert_eq!(of(8192, (0, 0), &[]), Ok(BlockSizes::Fixed(8192)));
        assert_eq!(of(8192, (4096, 16_384), &[]), Ok(BlockSizes::Range(4096, 16_384)), "bs has no effect");
        assert_eq!(of(8192, (0, 16_384), &[]), Ok(BlockSizes::Range(8192, 16_384)));
        assert_eq!(of(4096, (0, 4096), &[]), Ok(BlockSizes::Fixed(4096)));
        assert!(of(8192, (0, 4096), &[]).is_err());
        assert_eq!(of(16_384, (4096, 8192), &split), Ok(BlockSizes::Split(split.to_vec())));
        assert_eq!(of(4096, (4096, 4096), &split), Ok(BlockSizes::Split(vec![(4096, 100)])));
        assert_eq!(of(4096, (0, 0), &[(0, 100)]), Ok(BlockSizes::Split(vec![(4096, 100)])));
        assert!(
            of(4096, (0, 8192), &[(0, 50), (8192, 50)]).is_err(),
            "fio makes requests of nothing, and ends"
        );
        assert!(of(4096, (4096, 65_536), &[(8192, 50), (16_384, 50)]).is_err());
    }
}
