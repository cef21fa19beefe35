//! What a result says of how the drive was brought into its state.

use crate::sections::sections;

sections! {
    /// Results on preconditioning: how the drive was brought into its state before the run. All but `kind` are null
    /// without preconditioning.
    Preconditioning {
        /// Name of the kind of preconditioning that the run used: `none`, `fill`, `steady`, `instant` or `workload`.
        #[schemars(extend("enum" = ["none", "fill", "steady", "instant", "workload"]))]
        kind: String = "text",
        /// Number of copies of the workload that preconditioning wrote one after the other, the last perhaps in part; null
        /// for other kinds than `workload`.
        copies: Option<u64> = "count",
        /// Number of mapping units of the logical space that preconditioning filled with data, each counted once.
        filled_units: Option<u32> = "mapping units",
        /// Number of mapping units that preconditioning wrote in all, fill included.
        units_written: Option<u64> = "mapping units",
        /// List of the write amplification in each window of preconditioning, a stretch of `rule.window_overwrites`
        /// overwrites.
        waf_by_window: Option<Vec<f64>> = "ratio",
        /// True if write amplification had become steady in preconditioning.
        steady: Option<bool> = "yes/no",
        /// Description of the rule by which preconditioning of this run judged whether write amplification was steady:
        /// lengths, numbers and deviations compared.
        rule: Option<Steadiness>,
        /// Results on the warm-up: copies of the workload that ran after preconditioning with simulated time,
        /// unmeasured, until the write buffer was as this workload leaves it; null without a warm-up.
        warm_up: Option<WarmedUp>,
    }

    /// Results on the warm-up: copies of the workload, one after the other, that ran with simulated time before the
    /// measured window.
    WarmedUp {
        /// Number of host requests in the run's unmeasured warm-up.
        requests: u64 = "requests",
        /// Number of mapping units that the copies of the workload wrote in the run's unmeasured warm-up.
        units_written: u64 = "mapping units",
        /// Simulated time in ns that the run's unmeasured warm-up took.
        t_ns: u64 = "ns",
        /// Number of mapping units in the write buffer at the end of the run's unmeasured warm-up.
        buffer_units: u32 = "mapping units",
    }

    /// Rule by which write amplification counts as steady in preconditioning: the lengths, numbers and deviations that
    /// are compared.
    Steadiness {
        /// Value in the result, part of the rule for steady write amplification in preconditioning: length of a window
        /// (stretch over which write amplification is averaged), in overwrites of the filled space.
        window_overwrites: f64 = "ratio",
        /// Value in the result, part of the rule for steady write amplification in preconditioning: number of windows
        /// (stretches over which write amplification is averaged) that are compared.
        windows: usize = "count",
        /// Value in the result, part of the rule for steady write amplification in preconditioning: least number of
        /// overwrites of the filled space before write amplification can count as steady.
        least_overwrites: f64 = "ratio",
        /// Value in the result, part of the rule for steady write amplification in preconditioning: tolerance, the
        /// greatest permitted deviation of a window's write amplification from the mean of the compared windows, as a
        /// share of the mean.
        tolerance: f64 = "ratio",
        /// Value in the result, part of the rule for steady write amplification in preconditioning: greatest number of
        /// overwrites of the filled space, after which the drive is used even if write amplification is not steady.
        limit_overwrites: f64 = "ratio",
    }
}
