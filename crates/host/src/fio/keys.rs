//! Which options are known, and what becomes of each: honoured, without effect here, or not modelled.
//!
//! Longer than a file should be, since it is a table: all options of fio 3.33 and of its later releases up to 3.41.

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
    "description",
    "directory",
    "do_verify",
    "end_fsync",
    "exit_what",
    "exitall",
    "experimental_verify",
    "fdatasync",
    "file_service_type",
    "filename",
    "filename_format",
    "filesize",
    "fill_device",
    "fsync",
    "group_reporting",
    "io_size",
    "io_submit_mode",
    "iodepth",
    "iodepth_batch_complete_min",
    "iodepth_low",
    "ioengine",
    "kb_base",
    "loops",
    "name",
    "new_group",
    "norandommap",
    "nrfiles",
    "number_ios",
    "numjobs",
    "offset",
    "offset_align",
    "offset_increment",
    "openfiles",
    "overwrite",
    "percentage_random",
    "ramp_time",
    "random_distribution",
    "random_generator",
    "randrepeat",
    "randseed",
    "rate",
    "rate_iops",
    "rate_process",
    "runtime",
    "rw",
    "rw_sequencer",
    "rwmixread",
    "rwmixwrite",
    "serialize_overlap",
    "size",
    "startdelay",
    "steadystate",
    "steadystate_check_interval",
    "steadystate_duration",
    "steadystate_ramp_time",
    "stonewall",
    "sync",
    "thinktime",
    "thinktime_blocks",
    "thinktime_blocks_type",
    "time_based",
    "verify",
    "verify_backlog",
    "verify_backlog_batch",
    "verify_only",
    "wait_for",
    "writefua",
];

/// Options that may stand alone, without a value.
const SWITCHES: &[&str] = &[
    "description",
    "do_verify",
    "end_fsync",
    "exitall",
    "experimental_verify",
    "fill_device",
    "group_reporting",
    "new_group",
    "norandommap",
    "overwrite",
    "randrepeat",
    "serialize_overlap",
    "stonewall",
    "time_based",
    "verify_only",
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
    ("fileoffset", "offset"),
    ("nr_files", "nrfiles"),
    ("file_size", "filesize"),
    ("ratemin", "rate_min"),
    ("ratecycle", "rate_cycle"),
    ("threads", "thread"),
    ("iomem", "mem"),
    ("mem_align", "iomem_align"),
    ("log_max_value", "log_window_value"),
    ("log_unix_epoch", "log_alternate_epoch"),
    ("disable_bw", "disable_bw_measurement"),
    ("iodepth_batch_submit", "iodepth_batch"),
    ("iodepth_batch_complete", "iodepth_batch_complete_min"),
    ("fill_fs", "fill_device"),
    ("blocksize_unaligned", "bs_unaligned"),
    ("blocksize_is_seq_rand", "bs_is_seq_rand"),
    ("ss", "steadystate"),
    ("ss_dur", "steadystate_duration"),
    ("ss_ramp", "steadystate_ramp_time"),
    ("ss_interval", "steadystate_check_interval"),
    ("fdp_pli", "plids"),
    ("fdp_pli_select", "plid_select"),
    ("data_placement", "dataplacement"),
];

/// Options that mean nothing to a raw simulated drive: how the host machine does it, what it logs, what it prints.
const NO_EFFECT: &[&str] = &[
    "allow_file_create",
    "allow_mounted_write",
    "arbitration_burst",
    "atomic",
    "bit_bucket_data_len",
    "block_error_percentiles",
    "buffer_compress_chunk",
    "buffer_compress_percentage",
    "buffer_pattern",
    "buffered",
    "bwavgtime",
    "cdb_len",
    "cgroup",
    "cgroup_nodelete",
    "cgroup_weight",
    "clat_percentiles",
    "clocksource",
    "cmd_type",
    "cmdprio",
    "cmdprio_bssplit",
    "cmdprio_class",
    "cmdprio_hint",
    "cmdprio_percentage",
    "comm",
    "continue_on_error",
    "cpumask",
    "cpus_allowed",
    "cpus_allowed_policy",
    "create_fsync",
    "create_on_open",
    "create_serialize",
    "cuda_io",
    "dedupe_global",
    "dedupe_mode",
    "dedupe_percentage",
    "dedupe_working_set_percentage",
    "digest_enable",
    "direct",
    "disable_bw_measurement",
    "disable_clat",
    "disable_lat",
    "disable_pcie_sgl_merge",
    "disable_slat",
    "disk_util",
    "enable_interrupts",
    "enable_sgl",
    "enable_vmd",
    "enable_wrr",
    "env_context",
    "error_dump",
    "eta",
    "eta-newline",
    "exec_postrun",
    "exec_prerun",
    "exitall_on_error",
    "fadvise_hint",
    "fallocate",
    "filecreate_on_open",
    "filetype",
    "fixedbufs",
    "force_async",
    "gid",
    "gpu_dev_id",
    "gpu_dev_ids",
    "gtod_cpu",
    "gtod_reduce",
    "high_weight",
    "hipri",
    "hipri_percentage",
    "hostnqn",
    "hugepage-size",
    "idle_prof",
    "ignore_error",
    "ignore_zone_limits",
    "invalidate",
    "iodepth_batch",
    "iodepth_batch_complete_max",
    "iomem_align",
    "iopsavgtime",
    "ioscheduler",
    "job_start_clock_id",
    "kill_sig",
    "lat_percentiles",
    "libaio_vectored",
    "libblkio_driver",
    "libblkio_force_enable_completion_eventfd",
    "libblkio_num_entries",
    "libblkio_path",
    "libblkio_pre_connect_props",
    "libblkio_pre_start_props",
    "libblkio_queue_size",
    "libblkio_vectored",
    "libblkio_wait_mode",
    "lockfile",
    "lockmem",
    "log_alternate_epoch",
    "log_alternate_epoch_clock_id",
    "log_avg_msec",
    "log_compression",
    "log_compression_cpus",
    "log_entries",
    "log_flags",
    "log_hist_coarseness",
    "log_hist_msec",
    "log_issue_time",
    "log_offset",
    "log_prio",
    "log_store_compressed",
    "log_window_value",
    "low_weight",
    "medium_weight",
    "mem",
    "mem_size_mb",
    "merge_blktrace_iters",
    "merge_blktrace_scalars",
    "minimal",
    "mtime_check",
    "nice",
    "no_completion_thread",
    "nodisk",
    "nonvectored",
    "nowait",
    "numa_cpu_nodes",
    "numa_mem_policy",
    "nvme_sgl",
    "output",
    "output-format",
    "per_job_logs",
    "percentile_list",
    "print_qid_mappings",
    "prio",
    "prioclass",
    "priohint",
    "priority",
    "read_iolog_chunked",
    "refill_buffers",
    "registerfiles",
    "rocm_io",
    "rwmixcycle",
    "scramble_buffers",
    "sge_size",
    "shm_id",
    "significant_figures",
    "slat_percentiles",
    "softrandommap",
    "spdk_conf",
    "spdk_json_conf",
    "spdk_mem",
    "spdk_rpc_listen_addr",
    "spdk_single_seg",
    "spdk_tracing",
    "sqthread_poll",
    "sqthread_poll_cpu",
    "stats",
    "status_interval",
    "stream_id",
    "sync_file_range",
    "thinktime_spin",
    "thp",
    "thread",
    "uid",
    "uncached",
    "unified_rw_reporting",
    "unique_filename",
    "unit_base",
    "unlink",
    "unlink_each_loop",
    "use_os_rand",
    "userspace_reap",
    "verify_async",
    "verify_async_cpus",
    "verify_dump",
    "verify_fatal",
    "verify_header_seed",
    "verify_interval",
    "verify_offset",
    "verify_pattern",
    "verify_pattern_interval",
    "verify_policy",
    "verify_state_load",
    "verify_state_save",
    "verify_write_sequence",
    "verifysort",
    "verifysort_nr",
    "warnings_fatal",
    "write_bw_log",
    "write_hist_log",
    "write_iolog",
    "write_iops_log",
    "write_lat_log",
    "wrr_priority",
    "xnvme_admin",
    "xnvme_async",
    "xnvme_be",
    "xnvme_dev_nsid",
    "xnvme_dev_subnqn",
    "xnvme_iovec",
    "xnvme_mem",
    "xnvme_sync",
    "zero_buffers",
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
const FIXED_LOAD: &str = "a fixed iodepth or rate";
const PLAIN_RATE: &str = "rate or rate_iops alone";
const NO_ZONES: &str = "a job without zones: the drives have none";
const SPIN: &str = "thinktime alone";
const WHOLE_SECTORS: &str = "blocks and offsets that are multiples of 512";
const BALANCE: &str = "rate or rwmixread to balance jobs";
const OWN_TRIM: &str = "rw=randtrim in a job of its own";
const NO_HINTS: &str = "a job without placement hints";
const NO_METADATA: &str = "a job without protection information: the drives' sectors carry none";
const OTHER_ENGINE: &str =
    "an engine that does block I/O to a local drive, such as libaio, io_uring or psync";
const PLAIN_WRITE: &str = "plain writes: this command does not exist on the drives";

/// Options that would change the requests: the values that do not, and what to do instead.
const NOT_MODELLED: &[(&str, &[&str], &str)] = &[
    ("read_iolog", NEVER, AS_TRACE),
    ("replay_no_stall", OFF, "the iolog given as a trace, with --as-fast-as-possible"),
    ("replay_redirect", NEVER, AS_TRACE),
    ("replay_time_scale", NEVER, "the iolog given as a trace, with --speedup"),
    ("replay_align", OFF, AS_TRACE),
    ("replay_scale", ONE, AS_TRACE),
    ("replay_skip", NEVER, AS_TRACE),
    ("merge_blktrace_file", NEVER, "the trace given as the workload itself"),
    ("latency_target", OFF, FIXED_LOAD),
    ("latency_window", OFF, FIXED_LOAD),
    ("latency_percentile", NEVER, FIXED_LOAD),
    ("latency_run", OFF, FIXED_LOAD),
    ("max_latency", OFF, "a job without max_latency; read the latencies in the report"),
    ("rate_min", OFF, PLAIN_RATE),
    ("rate_iops_min", OFF, PLAIN_RATE),
    ("rate_cycle", NEVER, PLAIN_RATE),
    ("rate_ignore_thinktime", OFF, "either rate or thinktime"),
    ("thinkcycles", OFF, SPIN),
    ("thinktime_iotime", OFF, SPIN),
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
    ("recover_zbd_write_error", OFF, NO_ZONES),
    ("zone_append", OFF, NO_ZONES),
    ("initial_zone_reset", OFF, NO_ZONES),
    ("write_zone_remainder", OFF, NO_ZONES),
    ("bs_unaligned", OFF, WHOLE_SECTORS),
    ("bs_is_seq_rand", OFF, "bs=read,write"),
    ("flow", OFF, BALANCE),
    ("flow_watermark", NEVER, BALANCE),
    ("flow_sleep", OFF, BALANCE),
    ("flow_id", OFF, BALANCE),
    ("trim_percentage", OFF, OWN_TRIM),
    ("trim_verify_zero", OFF, OWN_TRIM),
    ("trim_backlog", OFF, OWN_TRIM),
    ("trim_backlog_batch", OFF, OWN_TRIM),
    ("num_range", ONE, "trims of one range each"),
    ("opendir", NEVER, "filename or nrfiles: no folder of files is read"),
    ("file_append", OFF, "offset= and size="),
    ("pre_read", OFF, "a job that reads, and a stonewall after it"),
    ("create_only", OFF, "a job that does something"),
    ("write_barrier", OFF, "fsync=N"),
    ("readfua", OFF, "a job without readfua"),
    ("end_syncfs", OFF, "end_fsync=1"),
    ("profile", NEVER, "the job written out"),
    ("sprandom", OFF, "rw=randwrite, and --precondition for the drive's state"),
    ("spr_op", NEVER, "rw=randwrite, and --precondition for the drive's state"),
    ("spr_cs", OFF, "rw=randwrite, and --precondition for the drive's state"),
    ("spr_num_regions", NEVER, "rw=randwrite, and --precondition for the drive's state"),
    ("random_sequence_stride", OFF, "another random_distribution"),
    ("ramp_size", OFF, "ramp_time"),
    ("percentage_sequential", NEVER, "percentage_random"),
    ("fdp", OFF, NO_HINTS),
    ("plids", NEVER, NO_HINTS),
    ("plid_select", NEVER, NO_HINTS),
    ("dp_scheme", NEVER, NO_HINTS),
    ("dataplacement", NONE, NO_HINTS),
    ("write_hint", NONE, NO_HINTS),
    ("sg_write_mode", &["write", "write_fua"], PLAIN_WRITE),
    ("write_mode", &["write"], PLAIN_WRITE),
    ("verify_mode", &["read"], "plain reads"),
    ("read_mode", &["read"], "plain reads"),
    ("verify_bytchk", NEVER, "plain reads"),
    ("deac", OFF, PLAIN_WRITE),
    ("libblkio_write_zeroes_on_trim", OFF, PLAIN_WRITE),
    ("md_per_io_size", OFF, NO_METADATA),
    ("pi_act", NEVER, NO_METADATA),
    ("pi_chk", NEVER, NO_METADATA),
    ("apptag", NEVER, NO_METADATA),
    ("apptag_mask", NEVER, NO_METADATA),
];

/// Options of engines that do no block I/O to a local drive.
const OF_OTHER_ENGINES: &[&str] = &[
    "arguments",
    "bindname",
    "brick",
    "busy_poll",
    "chunk_size",
    "chunck_size",
    "clientname",
    "clustername",
    "conf",
    "cont",
    "cpuchunks",
    "cpuload",
    "cpumode",
    "donorname",
    "exit_on_io_done",
    "grace_time",
    "hdfs_use_direct",
    "hdfsdirectory",
    "host",
    "hostname",
    "http_host",
    "http_mode",
    "http_object_mode",
    "http_pass",
    "http_s3_key",
    "http_s3_keyid",
    "http_s3_region",
    "http_s3_security_token",
    "http_s3_sse_customer_algorithm",
    "http_s3_sse_customer_key",
    "http_s3_storage_class",
    "http_swift_auth_token",
    "http_user",
    "http_verbose",
    "https",
    "initiator",
    "inplace",
    "interface",
    "listen",
    "mss",
    "namenode",
    "nfs_url",
    "nodelay",
    "object_class",
    "pingpong",
    "pool",
    "port",
    "program",
    "proto",
    "protocol",
    "rbdname",
    "single-instance",
    "single_instance",
    "skip_bad",
    "stat_type",
    "std_redirect",
    "svcl",
    "touch_objects",
    "ttl",
    "uri",
    "verb",
    "volume",
    "window_size",
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
    if let Some(name) = in_table(OF_OTHER_ENGINES) {
        return Some((name, Fate::NotModelled { off: NEVER, instead: OTHER_ENGINE }));
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
    let others = NO_EFFECT.iter().chain(OF_OTHER_ENGINES).copied();
    let others = others.chain(NOT_MODELLED.iter().map(|(name, ..)| *name));
    config::nearest(key, honoured).or_else(|| config::nearest(key, others))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_option_has_one_fate() {
        let mut seen = BTreeSet::new();
        let all = HONOURED
            .iter()
            .chain(NO_EFFECT)
            .chain(OF_OTHER_ENGINES)
            .chain(NOT_MODELLED.iter().map(|(name, ..)| name));
        for name in all.chain(ALIASES.iter().map(|(alias, _)| alias)) {
            assert!(seen.insert(*name), "{name} stands twice");
        }
        assert!(ALIASES.iter().all(|(_, first)| find(first).is_some()));
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
