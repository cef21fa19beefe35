//! What a result says of how the drive was brought into its state.

use crate::sections::sections;

sections! {
    /// Results on preconditioning: how the drive was brought into its state before the run. All but `kind` are null
    /// without preconditioning.
    Preconditioning {
        /// Kind of preconditioning: `none`, `fill`, `steady`, `instant` or `workload`.
        #[schemars(extend("enum" = ["none", "fill", "steady", "instant", "workload"]))]
        kind: String = "text",
        /// Number of copies of the workload that preconditioning wrote one after the other; null for other kinds than
        /// `workload`.
        copies: Option<u64> = "count",
        /// Number of mapping units of the logical space that preconditioning filled.
        filled_units: Option<u32> = "mapping units",
        /// Number of mapping units that preconditioning wrote in all, fill included.
        units_written: Option<u64> = "mapping units",
        /// List of the write amplification in each window of preconditioning, a stretch of `rule.window_overwrites`
        /// overwrites.
        waf_by_window: Option<Vec<f64>> = "ratio",
        /// True if write amplification had become steady in preconditioning.
        steady: Option<bool> = "yes/no",
        /// Rule by which write amplification counts as steady in preconditioning.
        rule: Option<Steadiness>,
        /// Results on the warm-up: copies of the workload that ran after preconditioning with simulated time,
        /// unmeasured, until the write buffer was as this workload leaves it; null without a warm-up.
        warm_up: Option<WarmedUp>,
    }

    /// Results on the warm-up: copies of the workload, one after the other, that ran with simulated time before the
    /// measured window.
    WarmedUp {
        /// Number of host requests in the warm-up.
        requests: u64 = "requests",
        /// Number of mapping units that the warm-up wrote.
        units_written: u64 = "mapping units",
        /// Simulated time in ns that the warm-up took.
        t_ns: u64 = "ns",
        /// Number of mapping units in the write buffer when the warm-up was over.
        buffer_units: u32 = "mapping units",
    }

    /// Rule by which write amplification counts as steady in preconditioning: the lengths, numbers and deviations that
    /// are compared.
    Steadiness {
        /// Length of a window of preconditioning, a stretch over which write amplification is averaged, in overwrites
        /// of the filled space.
        window_overwrites: f64 = "ratio",
        /// Number of windows whose write amplification is compared.
        windows: usize = "count",
        /// Least number of overwrites of the filled space before write amplification can count as steady.
        least_overwrites: f64 = "ratio",
        /// Greatest deviation of a window's write amplification from the mean of the compared windows, as a share of
        /// the mean.
        tolerance: f64 = "ratio",
        /// Greatest number of overwrites of the filled space in preconditioning, after which the drive is used as it
        /// is.
        limit_overwrites: f64 = "ratio",
    }
}
