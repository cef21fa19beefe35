//! What a sampled run is asked for: how well write amplification is to be known.

use crate::Error;

/// Constant: value of the option `--sample` that asks for a sampled run without a bound on the error.
const AUTO: &str = "auto";
/// Constant: names of figures that the option `--sample` refuses, as the measured windows alone give them with a bias.
const BIASED: [&str; 3] = ["iops", "mean", "p99"];

/// Value of the option `--sample`: the error that a sampled run's estimate of write amplification may have.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct AskedErrors {
    /// String of the option `--sample`.
    pub text: String,
    /// Greatest half width of the confidence interval of write amplification, as a share of the value; `None` where no
    /// error was asked for.
    pub waf: Option<f64>,
}

impl AskedErrors {
    /// Reads the string of the option `--sample`: `auto`, or the error of write amplification in percent, as in
    /// `waf:1%`.
    ///
    /// # Errors
    /// When the string is neither of these; the message says what was expected.
    pub fn parse(text: &str) -> Result<Self, Error> {
        if text == AUTO {
            return Ok(Self { text: AUTO.to_owned(), waf: None });
        }
        let wrong =
            |why: &str| Error(format!("--sample {text}: {why}expected auto, or waf:ERROR, as in waf:1%"));
        let (name, error) = text.split_once(':').unwrap_or((text, ""));
        if BIASED.contains(&name) {
            return Err(wrong(
                "rates and latencies of a sampled run are those of its windows alone, not of the whole; ",
            ));
        }
        let share = error.strip_suffix('%').and_then(|number| number.parse::<f64>().ok());
        let share = share.map(|percent| percent / 100.0).filter(|share| *share > 0.0 && *share < 1.0);
        match share {
            Some(share) if name == "waf" => Ok(Self { text: text.to_owned(), waf: Some(share) }),
            _ => Err(wrong("")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_read_strictly() {
        assert_eq!(AskedErrors::parse("waf:2.5%").map(|asked| asked.waf), Ok(Some(0.025)));
        assert_eq!(AskedErrors::parse("auto").map(|asked| asked.waf), Ok(None));
        for text in
            ["", "waf", "waf:1", "waf:0%", "waf:100%", "waf:nan%", "waf:-1%", "waf:1%,waf:2%", "auto,waf:1%"]
        {
            let error = AskedErrors::parse(text).expect_err(text).to_string();
            assert!(error.contains("expected auto, or waf:ERROR") && !error.contains('\n'), "{error}");
        }
        assert!(AskedErrors::parse("p99:5%").expect_err("no p99").to_string().contains("windows alone"));
    }
}
