//! Which options are known, and what becomes of each: honoured, without effect here, or not modelled.

/// What becomes of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It shapes the requests.
    Honoured,
    /// It means nothing to a raw simulated drive: accepted, and listed in the report.
    NoEffect,
    /// It would change the requests and is not modelled: an error, with what to do instead.
    NotModelled(&'static str),
}

/// Options that shape the requests, by their first name.
const HONOURED: &[&str] = &[
    "blockalign",
    "bs",
    "bsrange",
    "bssplit",
    "fdatasync",
    "filename",
    "fsync",
    "io_size",
    "iodepth",
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
    "thinktime",
    "thinktime_blocks",
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
    "create_only",
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
    "end_fsync",
    "exec_postrun",
    "exec_prerun",
    "exitall",
    "exitall_on_error",
    "experimental_verify",
    "fadvise_hint",
    "fallocate",
    "file_service_type",
    "filecreate_on_open",
    "fill_fs",
    "fixedbufs",
    "force_async",
    "fsync_on_close",
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
    "ioengine",
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
    "nrfiles",
    "numa_cpu_nodes",
    "numa_mem_policy",
    "openfiles",
    "overwrite",
    "percentile_list",
    "per_job_logs",
    "pre_read",
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
    "sync",
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

/// Options that would change the requests, with what to do instead.
const NOT_MODELLED: &[(&str, &str)] = &[
    ("read_iolog", "the iolog given as the workload itself: it is read as a trace"),
    ("replay_no_stall", "the iolog given as a trace, with --as-fast-as-possible"),
    ("replay_redirect", "the iolog given as the workload itself: it is read as a trace"),
    ("replay_time_scale", "the iolog given as a trace, with --speedup"),
    ("replay_align", "the iolog given as the workload itself: it is read as a trace"),
    ("replay_scale", "the iolog given as the workload itself: it is read as a trace"),
    ("replay_skip", "the iolog given as the workload itself: it is read as a trace"),
    ("write_iolog", "a job without write_iolog: a run does not write iologs"),
    ("merge_blktrace_file", "the trace given as the workload itself"),
    ("verify", "a job without verification: the simulator checks data itself (--check)"),
    ("do_verify", "a job without verification: the simulator checks data itself (--check)"),
    ("verify_only", "a job without verification: the simulator checks data itself (--check)"),
    ("verify_fatal", "a job without verification: the simulator checks data itself (--check)"),
    ("verify_backlog", "a job without verification: the simulator checks data itself (--check)"),
    ("verify_backlog_batch", "a job without verification: the simulator checks data itself (--check)"),
    ("verify_async", "a job without verification: the simulator checks data itself (--check)"),
    ("verify_pattern", "a job without verification: the simulator checks data itself (--check)"),
    ("verify_interval", "a job without verification: the simulator checks data itself (--check)"),
    ("verify_offset", "a job without verification: the simulator checks data itself (--check)"),
    ("verify_dump", "a job without verification: the simulator checks data itself (--check)"),
    ("verifysort", "a job without verification: the simulator checks data itself (--check)"),
    ("verify_state_load", "a job without verification: the simulator checks data itself (--check)"),
    ("verify_state_save", "a job without verification: the simulator checks data itself (--check)"),
    ("latency_target", "a fixed iodepth or rate"),
    ("latency_window", "a fixed iodepth or rate"),
    ("latency_percentile", "a fixed iodepth or rate"),
    ("latency_run", "a fixed iodepth or rate"),
    ("max_latency", "a job without max_latency; read the latencies in the report"),
    ("rate_min", "rate or rate_iops"),
    ("rate_iops_min", "rate or rate_iops"),
    ("rate_cycle", "rate or rate_iops"),
    ("rate_ignore_thinktime", "either rate or thinktime"),
    ("thinktime_spin", "thinktime alone"),
    ("thinktime_iotime", "thinktime alone"),
    ("thinktime_blocks_type", "thinktime alone: blocks are counted when issued"),
    ("zonemode", "a job without zones: the drives have none"),
    ("zonesize", "a job without zones: the drives have none"),
    ("zonerange", "a job without zones: the drives have none"),
    ("zoneskip", "a job without zones: the drives have none"),
    ("zonecapacity", "a job without zones: the drives have none"),
    ("max_open_zones", "a job without zones: the drives have none"),
    ("job_max_open_zones", "a job without zones: the drives have none"),
    ("read_beyond_wp", "a job without zones: the drives have none"),
    ("zone_reset_threshold", "a job without zones: the drives have none"),
    ("zone_reset_frequency", "a job without zones: the drives have none"),
    ("iodepth_batch", "iodepth alone: requests go out one at a time"),
    ("iodepth_batch_submit", "iodepth alone: requests go out one at a time"),
    ("iodepth_batch_complete", "iodepth alone: requests go out one at a time"),
    ("iodepth_batch_complete_min", "iodepth alone: requests go out one at a time"),
    ("iodepth_batch_complete_max", "iodepth alone: requests go out one at a time"),
    ("iodepth_low", "iodepth alone: the queue is refilled after each completion"),
    ("serialize_overlap", "a job without serialize_overlap: the drive orders overlapping requests"),
    ("steadystate", "runtime; whether a run was steady is in its report"),
    ("steadystate_duration", "runtime; whether a run was steady is in its report"),
    ("steadystate_ramp_time", "ramp_time; whether a run was steady is in its report"),
    ("ss", "runtime; whether a run was steady is in its report"),
    ("ss_dur", "runtime; whether a run was steady is in its report"),
    ("ss_ramp", "ramp_time; whether a run was steady is in its report"),
    ("rw_sequencer", "rw without a sequencer"),
    ("bs_unaligned", "blocks and offsets that are multiples of 512"),
    ("blocksize_unaligned", "blocks and offsets that are multiples of 512"),
    ("bs_is_seq_rand", "bs=read,write"),
    ("blocksize_is_seq_rand", "bs=read,write"),
    ("flow", "rate or rwmixread to balance jobs"),
    ("flow_watermark", "rate or rwmixread to balance jobs"),
    ("flow_sleep", "rate or rwmixread to balance jobs"),
    ("flow_id", "rate or rwmixread to balance jobs"),
    ("trim_percentage", "rw=randtrim in a job of its own"),
    ("trim_verify_zero", "rw=randtrim in a job of its own"),
    ("trim_backlog", "rw=randtrim in a job of its own"),
    ("trim_backlog_batch", "rw=randtrim in a job of its own"),
    ("offset_align", "blockalign"),
    ("filesize", "size: the drive is the only file"),
    ("file_size", "size: the drive is the only file"),
    ("fill_device", "size=100%"),
    ("write_barrier", "fsync=N"),
    ("profile", "the job written out"),
    ("wait_for", "stonewall"),
    ("opendir", "one raw drive"),
    ("fdp", "a job without placement hints"),
    ("fdp_pli", "a job without placement hints"),
    ("dataplacement", "a job without placement hints"),
    ("write_hint", "a job without placement hints"),
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
    let (name, instead) = NOT_MODELLED.iter().find(|(name, _)| *name == first)?;
    Some((name, Fate::NotModelled(instead)))
}

/// The known option most like `key`, if one is near: an honoured one where there is one.
pub fn nearest(key: &str) -> Option<&'static str> {
    let honoured = HONOURED.iter().copied().chain(ALIASES.iter().map(|(alias, _)| *alias));
    let others = NO_EFFECT.iter().copied().chain(NOT_MODELLED.iter().map(|(name, _)| *name));
    config::nearest(key, honoured).or_else(|| config::nearest(key, others))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_option_has_one_fate() {
        let mut seen = BTreeSet::new();
        let all = HONOURED.iter().chain(NO_EFFECT).chain(NOT_MODELLED.iter().map(|(name, _)| name));
        for name in all.chain(ALIASES.iter().map(|(alias, _)| alias)) {
            assert!(seen.insert(*name), "{name} stands twice");
        }
        assert!(ALIASES.iter().all(|(_, first)| HONOURED.contains(first)));
    }

    #[test]
    fn second_names_lead_to_the_first() {
        assert_eq!(find("readwrite"), Some(("rw", Fate::Honoured)));
        assert_eq!(find("direct"), Some(("direct", Fate::NoEffect)));
        assert!(matches!(find("zonemode"), Some((_, Fate::NotModelled(_)))));
        assert_eq!(find("no_such"), None);
    }

    #[test]
    fn a_misspelt_option_finds_its_neighbour() {
        assert_eq!(nearest("iodpeth"), Some("iodepth"));
        assert_eq!(nearest("ramdrepeat"), Some("randrepeat"));
        assert_eq!(nearest("xxxxxxxxxxxxxxxx"), None);
    }
}
