//! What a result says of how the drive was brought into its state.

use crate::sections::sections;

sections! {
    /// How the drive was brought into its state. All but `kind` are null without preconditioning.
    Preconditioning {
        /// `none`, `fill`, `steady`, `instant` or `workload`.
        #[schemars(extend("enum" = ["none", "fill", "steady", "instant", "workload"]))]
        kind: String = "text",
        /// Copies of the workload that were written; null for other kinds than `workload`.
        copies: Option<u64> = "count",
        /// Units of the logical space that were filled.
        filled_units: Option<u32> = "mapping units",
        /// Units written altogether.
        units_written: Option<u64> = "mapping units",
        /// Write amplification of each window of writing.
        waf_by_window: Option<Vec<f64>> = "ratio",
        /// Write amplification had become steady.
        steady: Option<bool> = "yes/no",
        /// When it counts as steady.
        rule: Option<Steadiness>,
        /// Copies of the workload that then ran in time, unmeasured, until the write buffer was as this workload leaves it;
        /// null where none did.
        warm_up: Option<WarmedUp>,
    }

    /// Copies of the workload that ran before the measured window.
    WarmedUp {
        /// Requests.
        requests: u64 = "requests",
        /// Units that they wrote.
        units_written: u64 = "mapping units",
        /// Simulated time that they took.
        t_ns: u64 = "ns",
        /// Units in the write buffer when they were done.
        buffer_units: u32 = "mapping units",
    }

    /// When write amplification counts as steady.
    Steadiness {
        /// The length of a window, in overwrites of the filled space.
        window_overwrites: f64 = "ratio",
        /// Windows that are compared.
        windows: usize = "count",
        /// Overwrites that are done at least.
        least_overwrites: f64 = "ratio",
        /// How far a window may be from the mean of all.
        tolerance: f64 = "ratio",
        /// Overwrites after which the drive is used as it is.
        limit_overwrites: f64 = "ratio",
    }
}
