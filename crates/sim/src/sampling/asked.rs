//! What a sampled run is asked for: how well figures of the whole run are to be known.

use crate::Error;
use config::nearest;

/// Constant: value of the option `--sample` that asks for a sampled run without a bound on the error.
const AUTO: &str = "auto";
/// Constant: names of the figures whose error the option `--sample` can bound: write amplification, requests per
/// second, mean latency, and 99th percentile of the latency.
const NAMES: [&str; 4] = ["waf", "iops", "mean", "p99"];

/// Record of the value of the option `--sample`: the errors that a sampled run's estimates may have. Each is the
/// greatest half width of a confidence interval, as a share of the value; `None` where no error was asked for.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct AskedErrors {
    /// String of the option `--sample`, as the user gave it.
    pub text: String,
    /// Error (half width of the interval, as a share of the value) that the estimate of write amplification may have;
    /// `None`: any.
    pub waf: Option<f64>,
    /// Error (half width of the interval, as a share of the value) that the estimates of reads and of writes per second
    /// may have; `None`: any.
    pub iops: Option<f64>,
    /// Error (half width of the interval, as a share of the value) that the estimates of the mean latencies of reads
    /// and of writes may have; `None`: any.
    pub mean: Option<f64>,
    /// Error (half width of the interval, as a share of the value) that the estimates of the 99th percentiles of the
    /// latencies of reads and of writes may have; `None`: any.
    pub p99: Option<f64>,
}

impl AskedErrors {
    /// Reads the string of the option `--sample`: `auto`, or errors in percent, each after the name of its figure, with
    /// a comma or a space between, as in `waf:1%,iops:2%,p99:5%`.
    ///
    /// # Errors
    /// When the string is neither of these, names a figure twice, or has an error that is not above 0 % or not below
    /// 100 %; the message tells which text was expected.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let mut asked = Self { text: text.to_owned(), ..Self::default() };
        if text == AUTO {
            return Ok(asked);
        }
        for part in text.split([',', ' ']) {
            let wrong = |why: String| {
                let names = NAMES.join(", ");
                Error(format!(
                    "--sample {text}: {why}expected auto, or errors of {names} with commas between, as in waf:1%,iops:2%"
                ))
            };
            let (name, error) = part.split_once(':').unwrap_or((part, ""));
            let place = match name {
                "waf" => &mut asked.waf,
                "iops" => &mut asked.iops,
                "mean" => &mut asked.mean,
                "p99" => &mut asked.p99,
                _ => {
                    let like = nearest(name, NAMES)
                        .map_or(String::new(), |name| format!(" (did you mean {name:?}?)"));
                    return Err(wrong(format!("{part:?}{like}; ")));
                }
            };
            let percent = error.strip_suffix('%').and_then(|number| number.parse::<f64>().ok());
            let share = percent.map(|percent| percent / 100.0).filter(|share| *share > 0.0 && *share < 1.0);
            if share.is_none() || place.is_some() {
                let why = if share.is_some() { "twice" } else { "not an error above 0 % and below 100 %" };
                return Err(wrong(format!("{part:?} is {why}; ")));
            }
            *place = share;
        }
        Ok(asked)
    }

    /// Returns true if the option `--sample` bounds the error of a rate or of a latency (requests per second, mean, or
    /// 99th percentile).
    pub fn has_times(&self) -> bool {
        self.iops.or(self.mean).or(self.p99).is_some()
    }

    /// Returns true if a sampled run estimates rates and latencies: if `--sample` bounds the error of any of them, or
    /// bounds no error at all (`auto`). With a bound for write amplification alone it does not, and its warm-ups are
    /// shorter.
    pub fn tells_times(&self) -> bool {
        self.has_times() || !self.has_any()
    }

    /// Returns true if the option `--sample` bounds the error of any figure; false for `auto`.
    pub fn has_any(&self) -> bool {
        self.waf.is_some() || self.has_times()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_read_strictly() {
        assert_eq!(AskedErrors::parse("waf:2.5%").map(|asked| asked.waf), Ok(Some(0.025)));
        let several = AskedErrors::parse("p99:5%,waf:1%,iops:2%").unwrap();
        assert_eq!(
            (several.waf, several.iops, several.mean, several.p99),
            (Some(0.01), Some(0.02), None, Some(0.05))
        );
        assert!(several.tells_times() && !AskedErrors::parse("waf:1%").unwrap().tells_times());
        let auto = AskedErrors::parse("auto").unwrap();
        assert!(auto.tells_times() && !auto.has_any() && !auto.has_times());
        for text in [
            "",
            "waf",
            "waf:1",
            "waf:0%",
            "waf:100%",
            "waf:nan%",
            "waf:-1%",
            "waf:1%,waf:2%",
            "auto,waf:1%",
            "waf:1%,",
        ] {
            let error = AskedErrors::parse(text).expect_err(text).to_string();
            assert!(error.contains("expected auto, or errors of waf") && !error.contains('\n'), "{error}");
        }
        assert!(
            AskedErrors::parse("iopss:5%")
                .expect_err("unknown")
                .to_string()
                .contains("did you mean \"iops\"?")
        );
    }
}
