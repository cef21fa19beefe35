//! Named jobs that need no file. Each is a job file like any other, and bounded.

/// Record of a built-in workload: a fio job file with a name for the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Generator {
    /// Name of the built-in workload on the command line.
    pub name: &'static str,
    /// Field of a built-in workload: one line of text that describes the workload in lists.
    pub title: &'static str,
    /// Text of the fio job file of the built-in workload.
    pub job_text: &'static str,
}

/// Macro that makes the text of the fio job file of a built-in workload: a job with this name on the drive itself, 32
/// requests in flight, for 10 s, with these further options.
macro_rules! on_drive {
    ($name:literal, $options:literal) => {
        concat!(
            "[",
            $name,
            "]\nfilename=/dev/nvme0n1\nioengine=libaio\niodepth=32\nruntime=10\ntime_based\n",
            $options
        )
    };
}

/// Returns all built-in workloads (named fio job files that are part of the simulator), in the order in which they are
/// listed.
pub fn generators() -> &'static [Generator] {
    &[
        Generator {
            name: "random-read",
            title: "4 KiB reads at random, 32 outstanding, for 10 s",
            job_text: on_drive!("random-read", "rw=randread\nbs=4k\n"),
        },
        Generator {
            name: "random-write",
            title: "4 KiB writes at random, 32 outstanding, for 10 s",
            job_text: on_drive!("random-write", "rw=randwrite\nbs=4k\n"),
        },
        Generator {
            name: "sequential-read",
            title: "128 KiB reads in order, 32 outstanding, for 10 s",
            job_text: on_drive!("sequential-read", "rw=read\nbs=128k\n"),
        },
        Generator {
            name: "sequential-write",
            title: "128 KiB writes in order, 32 outstanding, for 10 s",
            job_text: on_drive!("sequential-write", "rw=write\nbs=128k\n"),
        },
        Generator {
            name: "mixed-70-30",
            title: "4 KiB at random, 70 % reads and 30 % writes, 32 outstanding, for 10 s",
            job_text: on_drive!("mixed-70-30", "rw=randrw\nrwmixread=70\nbs=4k\n"),
        },
        Generator {
            name: "zipf-write",
            title: "4 KiB writes whose addresses follow zipf's law with exponent 1.1, 32 outstanding, for 10 s",
            job_text: on_drive!("zipf-write", "rw=randwrite\nbs=4k\nrandom_distribution=zipf:1.1\n"),
        },
        Generator {
            name: "hot-cold-write",
            title: "4 KiB writes, 80 % of them to 20 % of the drive, 32 outstanding, for 10 s",
            job_text: on_drive!(
                "hot-cold-write",
                "rw=randwrite\nbs=4k\n\
                       random_distribution=zoned:80/20:20/80\n"
            ),
        },
        Generator {
            name: "enterprise",
            title: "the mix of JESD219's enterprise workload: 60 % writes, sizes and hot zones, for 10 s",
            job_text: ENTERPRISE,
        },
        Generator {
            name: "synthetic-web",
            title: "made up, no recording: 70 % reads by zipf's law, mixed sizes, random arrivals, for 20 s",
            job_text: SYNTHETIC_WEB,
        },
    ]
}

/// Constant: text of the job file of the `enterprise` workload; the numbers, with queue depth and clones, come from
/// fio's own examples/jesd219.fio, which cites the standard JESD219.
const ENTERPRISE: &str = "\
; After JEDEC JESD219, by way of fio's examples/jesd219.fio. The duration is ours.
[enterprise]
filename=/dev/nvme0n1
rw=randrw
rwmixread=40
bssplit=512/4:1024/1:1536/1:2048/1:2560/1:3072/1:3584/1:4k/67:8k/10:16k/7:32k/3:64k/3
blockalign=4k
random_distribution=zoned:50/5:30/15:20/80
norandommap
ioengine=libaio
iodepth=256
numjobs=4
group_reporting
runtime=10
time_based
";

/// Constant: text of the job file of the `synthetic-web` workload, a web server's load in short: pages and images read
/// by popularity, records updated in place, a log written beside them.
const SYNTHETIC_WEB: &str = "\
; Chosen by hand, not fitted to a recording.
[global]
filename=/dev/nvme0n1
runtime=20
time_based
rate_process=poisson
ioengine=libaio
iodepth=64

[serve]
rw=randread
bssplit=4k/50:8k/15:16k/20:64k/10:128k/5
random_distribution=zipf:1.1
rate_iops=1400

[update]
rw=randwrite
bssplit=4k/70:8k/15:16k/15
random_distribution=zipf:1.1
rate_iops=450

[log]
rw=write
bs=16k
size=10%
offset=90%
rate_iops=150
";
