//! Named jobs that need no file. Each is a job file like any other, and bounded.

/// A named job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Generator {
    /// What it is called on the command line.
    pub name: &'static str,
    /// What it does, in a line.
    pub title: &'static str,
    /// Its job file.
    pub job_text: &'static str,
}

/// All generators, in the order in which they are listed.
pub fn generators() -> &'static [Generator] {
    &[
        Generator {
            name: "random-read",
            title: "4 KiB reads at random, 32 outstanding, for 10 s",
            job_text: "[random-read]\nrw=randread\nbs=4k\niodepth=32\nruntime=10\ntime_based\n",
        },
        Generator {
            name: "random-write",
            title: "4 KiB writes at random, 32 outstanding, for 10 s",
            job_text: "[random-write]\nrw=randwrite\nbs=4k\niodepth=32\nruntime=10\ntime_based\n",
        },
        Generator {
            name: "sequential-read",
            title: "128 KiB reads in order, 32 outstanding, for 10 s",
            job_text: "[sequential-read]\nrw=read\nbs=128k\niodepth=32\nruntime=10\ntime_based\n",
        },
        Generator {
            name: "sequential-write",
            title: "128 KiB writes in order, 32 outstanding, for 10 s",
            job_text: "[sequential-write]\nrw=write\nbs=128k\niodepth=32\nruntime=10\ntime_based\n",
        },
        Generator {
            name: "mixed-70-30",
            title: "4 KiB at random, 70 % reads and 30 % writes, 32 outstanding, for 10 s",
            job_text: "[mixed-70-30]\nrw=randrw\nrwmixread=70\nbs=4k\niodepth=32\nruntime=10\ntime_based\n",
        },
        Generator {
            name: "zipf-write",
            title: "4 KiB writes whose addresses follow zipf's law with exponent 1.1, 32 outstanding, for 10 s",
            job_text: "[zipf-write]\nrw=randwrite\nbs=4k\niodepth=32\nrandom_distribution=zipf:1.1\n\
                       runtime=10\ntime_based\n",
        },
        Generator {
            name: "hot-cold-write",
            title: "4 KiB writes, 80 % of them to 20 % of the drive, 32 outstanding, for 10 s",
            job_text: "[hot-cold-write]\nrw=randwrite\nbs=4k\niodepth=32\n\
                       random_distribution=zoned:80/20:20/80\nruntime=10\ntime_based\n",
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

/// The numbers are those of fio's own examples/jesd219.fio, which cites the standard; depth and clones too.
const ENTERPRISE: &str = "\
; After JEDEC JESD219, by way of fio's examples/jesd219.fio. The duration is ours.
[enterprise]
rw=randrw
rwmixread=40
bssplit=512/4:1024/1:1536/1:2048/1:2560/1:3072/1:3584/1:4k/67:8k/10:16k/7:32k/3:64k/3
blockalign=4k
random_distribution=zoned:50/5:30/15:20/80
norandommap
iodepth=256
numjobs=4
group_reporting
runtime=10
time_based
";

/// A server's day in short: pages and images read by popularity, records updated in place, a log beside them.
const SYNTHETIC_WEB: &str = "\
; Chosen by hand, not fitted to a recording.
[global]
runtime=20
time_based
rate_process=poisson
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
