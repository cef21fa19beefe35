//! Which options are known, and what becomes of each: honoured, without effect here, or not modelled.

/// What becomes of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It shapes the requests.
    Honoured,
    /// It means nothing to a raw simulated drive: accepted, and listed in the report.
    NoEffect,
    /// It would change the requests and is not modelled: an error, but for values that leave it off.
    NotModelled {
        /// The values that leave it off.
        off: &'static [&'static str],
        /// What to do instead.
        instead: &'static str,
    },
}

/// Options that shape the requests, by their first name.
const HONOURED: &[&str] = &[
    "blockalign",
    "bs",
    "bsrange",
    "bssplit",
    "end_fsync",
    "fdatasync",
    "filename",
    "fsync",
    "io_size",
    "iodepth",
    "ioengine",
    "kb_base",
    "loops",
    "name",
    "new_group",
    "group_reporting",
    "description",
    "norandommap",
    "number_ios",
    "numjobs",
    "offset",
    "offset_increment",
    "percentage_random",
    "ramp_time",
    "random_distribution",
    "randrepeat",
    "randseed",
    "rate",
    "rate_iops",
    "rate_process",
    "runtime",
    "rw",
    "rwmixread",
    "rwmixwrite",
    "size",
    "startdelay",
    "stonewall",
    "sync",
    "thinktime",
    "thinktime_blocks",
    "time_based",
    "writefua",
];

/// Options that may stand alone, without a value.
const SWITCHES: &[&str] = &[
    "description",
    "end_fsync",
    "group_reporting",
    "new_group",
    "norandommap",
    "randrepeat",
    "stonewall",
    "time_based",
];

/// Second names, each with the first.
const ALIASES: &[(&str, &str)] = &[
    ("readwrite", "rw"),
    ("blocksize", "bs"),
    ("ba", "blockalign"),
    ("blocksize_range", "bsrange"),
    ("io_limit", "io_size"),
    ("wait_for_previous", "stonewall"),
    ("timeout", "runtime"),
    ("allrandrepeat", "randrepeat"),
    ("fsync_on_close", "end_fsync"),
];

/// Options that mean nothing to a raw simulated drive: how the host machine does it, what it logs, what it prints.
const NO_EFFECT: &[&str] = &[
    "allow_file_create",
    "allow_mounted_write",
    "atomic",
    "buffer_compress_chunk",
    "buffer_compress_percentage",
    "buffer_pattern",
    "buffered",
    "bwavgtime",
    "clat_percentiles",
    "clocksource",
    "cpumask",
    "cpus_allowed",
    "cpus_allowed_policy",
    "create_fsync",
    "create_on_open",
    "create_serialize",
    "dedupe_global",
    "dedupe_mode",
    "dedupe_percentage",
    "dedupe_working_set_percentage",
    "direct",
    "directory",
    "disable_bw",
    "disable_bw_measurement",
    "disable_clat",
    "disable_lat",
    "disable_slat",
    "disk_util",
    "exec_postrun",
    "exec_prerun",
    "exitall_on_error",
    "fadvise_hint",
    "fallocate",
    "file_service_type",
    "filecreate_on_open",
    "fixedbufs",
    "force_async",
    "gid",
    "gtod_cpu",
    "gtod_reduce",
    "hipri",
    "hipri_percentage",
    "hugepage-size",
    "idle_prof",
    "ignore_error",
    "invalidate",
    "io_submit_mode",
    "iomem",
    "iomem_align",
    "ioscheduler",
    "iopsavgtime",
    "kill_sig",
    "lat_percentiles",
    "libaio_vectored",
    "lockmem",
    "log_alternate_epoch",
    "log_avg_msec",
    "log_compression",
    "log_compression_cpus",
    "log_entries",
    "log_hist_coarseness",
    "log_hist_msec",
    "log_issue_time",
    "log_max_value",
    "log_offset",
    "log_prio",
    "log_store_compressed",
    "log_unix_epoch",
    "log_window_value",
    "mem",
    "mem_align",
    "mtime_check",
    "nice",
    "nodisk",
    "nonvectored",
    "nowait",
    "numa_cpu_nodes",
    "numa_mem_policy",
    "openfiles",
    "overwrite",
    "percentile_list",
    "per_job_logs",
    "random_generator",
    "prio",
    "prioclass",
    "priority",
    "refill_buffers",
    "registerfiles",
    "scramble_buffers",
    "significant_figures",
    "slat_percentiles",
    "softrandommap",
    "sqthread_poll",
    "sqthread_poll_cpu",
    "status_interval",
    "sync_file_range",
    "thread",
    "unified_rw_reporting",
    "uid",
    "unit_base",
    "unlink",
    "unlink_each_loop",
    "use_os_rand",
    "userspace_reap",
    "warnings_fatal",
    "write_bw_log",
    "write_hist_log",
    "write_iops_log",
    "write_lat_log",
    "zero_buffers",
    "continue_on_error",
    "error_dump",
    "filename_format",
    "lockfile",
    "stats",
    "thinktime_blocks_type",
    "verify_header_seed",
    "cgroup",
    "cgroup_nodelete",
    "cgroup_weight",
    "nvme_sgl",
    "cmdprio",
    "cmdprio_class",
    "cmdprio_percentage",
    "eta",
    "eta-newline",
    "minimal",
    "output",
    "output-format",
];

/// Values that turn a switch or a limit off, which is also its default.
const OFF: &[&str] = &["0"];
/// Off, for options that name what they turn on.
const NONE: &[&str] = &["0", "none"];
/// One, where one is the default.
const ONE: &[&str] = &["1"];
/// No value leaves the requests as they are.
const NEVER: &[&str] = &[];

const AS_TRACE: &str = "the iolog given as the workload itself: it is read as a trace";
const NO_VERIFY: &str = "a job without verification: the simulator checks data itself (--check)";
const FIXED_LOAD: &str = "a fixed iodepth or rate";
const PLAIN_RATE: &str = "rate or rate_iops alone";
const NO_ZONES: &str = "a job without zones: the drives have none";
const ONE_BY_ONE: &str = "iodepth alone: requests go out one at a time, and the queue is refilled after each";
const STEADY: &str = "runtime and ramp_time; whether a run was steady is in its report";
const WHOLE_SECTORS: &str = "blocks and offsets that are multiples of 512";
const BALANCE: &str = "rate or rwmixread to balance jobs";
const OWN_TRIM: &str = "rw=randtrim in a job of its own";
const ONE_DRIVE: &str = "size and offset: the drive is the only file";
const SAME_END: &str = "the same runtime and time_based for jobs that are to end together";
const NO_HINTS: &str = "a job without placement hints";

/// Options that would change the requests: the values that do not, and what to do instead.
const NOT_MODELLED: &[(&str, &[&str], &str)] = &[
    ("read_iolog", NEVER, AS_TRACE),
    ("replay_no_stall", OFF, "the iolog given as a trace, with --as-fast-as-possible"),
    ("replay_redirect", NEVER, AS_TRACE),
    ("replay_time_scale", NEVER, "the iolog given as a trace, with --speedup"),
    ("replay_align", OFF, AS_TRACE),
    ("replay_scale", ONE, AS_TRACE),
    ("replay_skip", NEVER, AS_TRACE),
    ("write_iolog", NEVER, "a job without write_iolog: a run does not write iologs"),
    ("merge_blktrace_file", NEVER, "the trace given as the workload itself"),
    ("verify", NONE, NO_VERIFY),
    ("do_verify", OFF, NO_VERIFY),
    ("verify_only", OFF, NO_VERIFY),
    ("verify_fatal", OFF, NO_VERIFY),
    ("verify_backlog", OFF, NO_VERIFY),
    ("verify_backlog_batch", OFF, NO_VERIFY),
    ("verify_async", OFF, NO_VERIFY),
    ("verify_pattern", NEVER, NO_VERIFY),
    ("verify_interval", OFF, NO_VERIFY),
    ("verify_offset", OFF, NO_VERIFY),
    ("verify_dump", OFF, NO_VERIFY),
    ("verifysort", OFF, NO_VERIFY),
    ("verify_state_load", OFF, NO_VERIFY),
    ("verify_state_save", OFF, NO_VERIFY),
    ("experimental_verify", OFF, NO_VERIFY),
    ("latency_target", OFF, FIXED_LOAD),
    ("latency_window", OFF, FIXED_LOAD),
    ("latency_percentile", NEVER, FIXED_LOAD),
    ("latency_run", OFF, FIXED_LOAD),
    ("max_latency", OFF, "a job without max_latency; read the latencies in the report"),
    ("rate_min", OFF, PLAIN_RATE),
    ("rate_iops_min", OFF, PLAIN_RATE),
    ("rate_cycle", NEVER, PLAIN_RATE),
    ("rate_ignore_thinktime", OFF, "either rate or thinktime"),
    ("thinkcycles", OFF, "thinktime alone"),
    ("thinktime_spin", OFF, "thinktime alone"),
    ("thinktime_iotime", OFF, "thinktime alone"),
    ("zonemode", NONE, NO_ZONES),
    ("zonesize", OFF, NO_ZONES),
    ("zonerange", OFF, NO_ZONES),
    ("zoneskip", OFF, NO_ZONES),
    ("zonecapacity", OFF, NO_ZONES),
    ("max_open_zones", OFF, NO_ZONES),
    ("job_max_open_zones", OFF, NO_ZONES),
    ("read_beyond_wp", OFF, NO_ZONES),
    ("zone_reset_threshold", OFF, NO_ZONES),
    ("zone_reset_frequency", OFF, NO_ZONES),
    ("iodepth_batch", ONE, ONE_BY_ONE),
    ("iodepth_batch_submit", ONE, ONE_BY_ONE),
    ("iodepth_batch_complete_min", ONE, ONE_BY_ONE),
    ("iodepth_batch_complete", ONE, ONE_BY_ONE),
    ("iodepth_batch_complete_max", ONE, ONE_BY_ONE),
    ("iodepth_low", NEVER, ONE_BY_ONE),
    ("serialize_overlap", OFF, "a job without serialize_overlap: the drive orders overlapping requests"),
    ("steadystate", NEVER, STEADY),
    ("steadystate_duration", NEVER, STEADY),
    ("steadystate_ramp_time", NEVER, STEADY),
    ("ss", NEVER, STEADY),
    ("ss_dur", NEVER, STEADY),
    ("ss_ramp", NEVER, STEADY),
    ("rw_sequencer", NEVER, "rw without a sequencer"),
    ("bs_unaligned", OFF, WHOLE_SECTORS),
    ("blocksize_unaligned", OFF, WHOLE_SECTORS),
    ("bs_is_seq_rand", OFF, "bs=read,write"),
    ("blocksize_is_seq_rand", OFF, "bs=read,write"),
    ("flow", OFF, BALANCE),
    ("flow_watermark", NEVER, BALANCE),
    ("flow_sleep", OFF, BALANCE),
    ("flow_id", NEVER, BALANCE),
    ("trim_percentage", OFF, OWN_TRIM),
    ("trim_verify_zero", OFF, OWN_TRIM),
    ("trim_backlog", OFF, OWN_TRIM),
    ("trim_backlog_batch", OFF, OWN_TRIM),
    ("num_range", ONE, "trims of one range each"),
    ("offset_align", NEVER, "an offset in bytes"),
    ("filesize", NEVER, ONE_DRIVE),
    ("file_size", NEVER, ONE_DRIVE),
    ("nrfiles", ONE, ONE_DRIVE),
    ("opendir", NEVER, ONE_DRIVE),
    ("fill_device", OFF, "size=100%"),
    ("fill_fs", OFF, "size=100%"),
    ("pre_read", OFF, "a job that reads, and a stonewall after it"),
    ("create_only", OFF, "a job that does something"),
    ("write_barrier", OFF, "fsync=N"),
    ("readfua", OFF, "a job without readfua"),
    ("exitall", OFF, SAME_END),
    ("exit_what", NEVER, SAME_END),
    ("wait_for", NEVER, "stonewall"),
    ("profile", NEVER, "the job written out"),
    ("fdp", OFF, NO_HINTS),
    ("fdp_pli", NEVER, NO_HINTS),
    ("dataplacement", NONE, NO_HINTS),
    ("write_hint", NONE, NO_HINTS),
];

/// The first name of an option, and what becomes of it; none when it is not known.
pub fn find(key: &str) -> Option<(&'static str, Fate)> {
    let first = ALIASES.iter().find(|(alias, _)| *alias == key).map_or(key, |(_, first)| *first);
    let in_table = |table: &[&'static str]| table.iter().find(|name| **name == first).copied();
    if let Some(name) = in_table(HONOURED) {
        return Some((name, Fate::Honoured));
    }
    if let Some(name) = in_table(NO_EFFECT) {
        return Some((name, Fate::NoEffect));
    }
    let (name, off, instead) = NOT_MODELLED.iter().find(|(name, ..)| *name == first)?;
    Some((name, Fate::NotModelled { off, instead }))
}

/// Whether a honoured option, by its first name, means something without a value.
pub fn may_stand_alone(name: &str) -> bool {
    SWITCHES.contains(&name)
}

/// The known option most like `key`, if one is near: an honoured one where there is one.
pub fn nearest(key: &str) -> Option<&'static str> {
    let honoured = HONOURED.iter().copied().chain(ALIASES.iter().map(|(alias, _)| *alias));
    let others = NO_EFFECT.iter().copied().chain(NOT_MODELLED.iter().map(|(name, ..)| *name));
    config::nearest(key, honoured).or_else(|| config::nearest(key, others))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_option_has_one_fate() {
        let mut seen = BTreeSet::new();
        let all = HONOURED.iter().chain(NO_EFFECT).chain(NOT_MODELLED.iter().map(|(name, ..)| name));
        for name in all.chain(ALIASES.iter().map(|(alias, _)| alias)) {
            assert!(seen.insert(*name), "{name} stands twice");
        }
        assert!(ALIASES.iter().all(|(_, first)| HONOURED.contains(first)));
        assert!(SWITCHES.iter().all(|name| HONOURED.contains(name)));
    }

    #[test]
    fn second_names_lead_to_the_first() {
        assert_eq!(find("readwrite"), Some(("rw", Fate::Honoured)));
        assert_eq!(find("direct"), Some(("direct", Fate::NoEffect)));
        assert!(matches!(find("zonemode"), Some((_, Fate::NotModelled { off: NONE, .. }))));
        assert_eq!(find("no_such"), None);
    }

    #[test]
    fn a_misspelt_option_finds_its_neighbour() {
        assert_eq!(nearest("iodpeth"), Some("iodepth"));
        assert_eq!(nearest("ramdrepeat"), Some("randrepeat"));
        assert_eq!(nearest("xxxxxxxxxxxxxxxx"), None);
    }
}
