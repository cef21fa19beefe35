//! A workload that is run over and over: how often, and when it is enough.
//!
//! Each pass begins when the last request of the one before is answered. A trace comes again as it is, its times shifted;
//! a fio job or a volume is started again, on the same files, with what it finds popular, and with other draws: a
//! continuation and not a copy. The ramp of a job is left out of the first pass only.

use crate::observe::Observer;
use crate::result::Loop;
use crate::result::amplification::long_run;
use crate::run::Run;
use crate::sampling::Sampling;
use crate::{Drive, Error, WorkloadSpec};
use host::later::Later;

/// Constant: greatest number of passes of a workload with `--loop until=...`, where the option gives no number itself.
const PASSES_MOST: u32 = 100;

/// Kind of rule of `--loop` for the number of passes of the workload, repetitions one after the other.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Rule {
    /// Case of the rule of `--loop`: the workload is run in this number of passes.
    Times(u32),
    /// Case of the rule of `--loop`: the workload is run until the half width of the confidence interval of long-run
    /// write amplification is at most the fraction `half` of the value, but in at most `most` passes.
    Until { half: f64, most: u32 },
}

impl Rule {
    /// Parses the rule of `--loop` for the number of passes: `3`, `until=waf:5%` or `until=waf:5%,max=20`; `None` for
    /// other text.
    fn parse(text: &str) -> Option<Self> {
        let Some(rest) = text.strip_prefix("until=waf:") else {
            return text.parse().ok().filter(|&times| times > 0).map(Self::Times);
        };
        let (percent, most) = match rest.split_once(',') {
            Some((percent, most)) => (percent, most.strip_prefix("max=")?.parse().ok()?),
            None => (rest, PASSES_MOST),
        };
        let half = percent.strip_suffix('%')?.parse::<f64>().ok()? / 100.0;
        (half > 0.0 && half < 1.0 && most > 0).then_some(Self::Until { half, most })
    }
}

/// State of the passes of the workload in a run (repetitions one after the other): rule of `--loop`, number of passes
/// begun, and outcome.
pub(crate) struct WorkloadPasses {
    rule: Option<(String, Rule)>,
    spec: Option<WorkloadSpec>,
    begun: u32,
    reached: Option<bool>,
    /// Field: state of a sampled run (`--sample`); `None` where all of the run is simulated in detail.
    pub sampling: Option<Box<Sampling>>,
}

impl WorkloadPasses {
    /// Makes the state of the passes of a run from the option `--loop`; without it the workload runs once.
    ///
    /// # Errors
    /// When the option cannot be understood.
    pub fn new(text: Option<&str>) -> Result<Self, Error> {
        let rule = text.map(|text| {
            let rule = Rule::parse(text).ok_or_else(|| {
                Error(format!(
                    "--loop {text}: expected a number of passes (3), or until=waf:5% (known to 5 %), \
                     until=waf:5%,max=20"
                ))
            })?;
            Ok::<_, Error>((text.to_owned(), rule))
        });
        Ok(Self { rule: rule.transpose()?, spec: None, begun: 1, reached: None, sampling: None })
    }

    /// Returns two numbers of passes of the workload: begun, and planned by the option `--loop`, which is 1 where no
    /// number is known.
    pub fn counts(&self) -> [u32; 2] {
        match self.rule {
            Some((_, Rule::Times(times))) => [self.begun, times],
            _ => [self.begun, 1],
        }
    }

    /// Sets the workload that further passes of the run repeat.
    pub fn repeat(&mut self, spec: WorkloadSpec) {
        self.spec = Some(spec);
    }

    /// Begins the next pass when a pass is over and the rule asks for another one.
    ///
    /// # Errors
    /// When the workload cannot be opened again, or all passes together would be too long.
    pub fn go_on<P: Observer>(&mut self, run: &mut Run<P>, drive: &Drive, seed: u64) -> Result<(), Error> {
        if !run.is_done() || !self.wants_more(run) {
            return Ok(());
        }
        if let (1, Some((_, Rule::Times(times)))) = (self.begun, &self.rule) {
            run.look_ahead(*times)?;
        }
        let Some(spec) = &self.spec else {
            return Err(Error("--loop: this workload cannot be run again".into()));
        };
        let source = spec.open_on(&drive.reach_of_host(), seed, self.begun)?;
        self.begun += 1;
        run.go_on_with(Box::new(Later::new(source, run.ctx.calendar.now())));
        Ok(())
    }

    fn wants_more<P: Observer>(&mut self, run: &Run<P>) -> bool {
        let more = match &self.rule {
            None => false,
            Some((_, Rule::Times(times))) => self.begun < *times,
            Some((_, Rule::Until { half, most })) => {
                let known = long_run(run).interval.is_some_and(|interval| interval.relative() <= *half);
                self.reached = Some(known);
                // What writes nothing never takes a victim.
                let writes = run.ftl.stats().bytes_written > run.baseline.bytes_written;
                !known && writes && self.begun < *most
            }
        };
        more && !run.is_at_limit() && !run.ftl.is_read_only()
    }

    /// Returns the progress of all passes of the workload together, from 0 to 1, where `part` is the progress of the
    /// present pass; `None` where unknown.
    pub fn fraction(&self, part: Option<f64>) -> Option<f64> {
        match &self.rule {
            None => part,
            Some((_, Rule::Times(times))) => {
                part.map(|part| (f64::from(self.begun - 1) + part) / f64::from(*times))
            }
            Some((_, Rule::Until { .. })) => None,
        }
    }

    /// Returns the section of the result about the passes of the workload; `None` without `--loop`.
    pub fn report(&self) -> Option<Loop> {
        let (rule, _) = self.rule.as_ref()?;
        Some(Loop { rule: rule.clone(), passes: self.begun, reached: self.reached })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_read_strictly() {
        assert_eq!(Rule::parse("3"), Some(Rule::Times(3)));
        assert_eq!(Rule::parse("until=waf:5%"), Some(Rule::Until { half: 0.05, most: PASSES_MOST }));
        assert_eq!(Rule::parse("until=waf:2.5%,max=7"), Some(Rule::Until { half: 0.025, most: 7 }));
        let wrong = ["", "0", "-1", "2.5", "until=waf", "until=waf:5", "until=waf:0%", "until=waf:100%"];
        let wrong =
            wrong.iter().chain(&["until=iops:5%", "until=waf:5%,max=0", "until=waf:5%,7", "until=waf:x%"]);
        for text in wrong {
            assert_eq!(Rule::parse(text), None, "{text}");
            let error = WorkloadPasses::new(Some(text)).err().expect("refused").to_string();
            assert!(error.contains(text) && !error.contains('\n'), "{error}");
        }
    }
}
