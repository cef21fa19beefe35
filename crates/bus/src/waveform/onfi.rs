//! Set-up, hold and access times of the ONFI modes (revision 5.0; the Linux kernel's tables agree).

/// Set of set-up, hold and access times of one ONFI SDR timing mode, in ns.
pub(super) struct SdrTimes {
    pub t_ds: u64,
    pub t_dh: u64,
    /// Times tREH and tWH: the shortest high time of a strobe, the same for both, in ns.
    pub t_high: u64,
    pub t_rea: u64,
    pub t_rhoh: u64,
    pub t_rloh: u64,
}

const fn sdr([t_ds, t_dh, t_high, t_rea, t_rhoh, t_rloh]: [u64; 6]) -> SdrTimes {
    SdrTimes { t_ds, t_dh, t_high, t_rea, t_rhoh, t_rloh }
}

/// Constant: set-up, hold and access times of ONFI SDR timing modes 0 to 5, in ns.
pub(super) const SDR: [SdrTimes; 6] = [
    sdr([40, 20, 30, 40, 0, 0]),
    sdr([20, 10, 15, 30, 15, 0]),
    sdr([15, 5, 15, 25, 15, 0]),
    sdr([10, 5, 10, 20, 15, 0]),
    sdr([10, 5, 10, 20, 15, 5]),
    sdr([7, 5, 7, 16, 15, 5]),
];

/// Set of set-up, hold and access times of one ONFI NV-DDR timing mode, in ps.
pub(super) struct NvDdrTimes {
    pub t_ds: u64,
    pub t_dh: u64,
    pub t_dqsq: u64,
    pub t_qhs: u64,
    /// Set-up time tCAS and hold time tCAH, the same for both, of commands and addresses at the clock's edge, in ps.
    pub t_cas: u64,
}

const fn nv_ddr([t_ds, t_dh, t_dqsq, t_qhs, t_cas]: [u64; 5]) -> NvDdrTimes {
    NvDdrTimes { t_ds, t_dh, t_dqsq, t_qhs, t_cas }
}

/// Constant: set-up, hold and access times of ONFI NV-DDR timing modes 0 to 5, in ps.
pub(super) const NV_DDR: [NvDdrTimes; 6] = [
    nv_ddr([5000, 5000, 5000, 6000, 10000]),
    nv_ddr([3000, 2500, 2500, 3000, 5000]),
    nv_ddr([2000, 1700, 1700, 2000, 4000]),
    nv_ddr([1500, 1300, 1300, 1500, 3000]),
    nv_ddr([1100, 1100, 1000, 1200, 2500]),
    nv_ddr([900, 900, 850, 1000, 2000]),
];
