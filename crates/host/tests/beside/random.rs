//! Random job files of one to three jobs: sizes, rates, waits, files, and options given as zero.

use engine::RandomStream;

/// Constant list of fio options with the value 0, which means no limit, none, or the default; for random job files.
const ZEROS: &[&str] = &[
    "rate=0",
    "rate=,0",
    "rate_iops=0",
    "rate_iops=0,0,0",
    "rate_min=0",
    "rate_cycle=0",
    "loops=0",
    "io_size=0",
    "io_size=0%",
    "number_ios=0",
    "runtime=0",
    "thinktime=0",
    "thinktime_blocks=0",
    "openfiles=0",
    "offset=0",
    "offset=0%",
    "offset_align=0",
    "offset_increment=0",
    "fsync=0",
    "fdatasync=0",
    "verify_backlog=0",
    "verify_backlog_batch=0",
    "startdelay=0",
    "iodepth_low=0",
    "iodepth_batch=0",
    "iodepth_batch_complete_min=0",
    "ramp_time=0",
    "latency_target=0",
    "latency_window=0",
    "latency_percentile=0",
    "max_latency=0",
    "zonesize=0",
    "flow=0",
    "flow_sleep=0",
    "steadystate_duration=0",
    "file_service_type=roundrobin:0",
    "trim_percentage=0",
    "thinktime_iotime=0",
    "randseed=0",
    "end_fsync=0",
    "verify=0",
];
const SIZES: &[u64] = &[512, 1024, 4096, 4096, 4096, 8192, 12_288, 16_384, 65_536];
/// Constant: number of bytes that is a multiple of every request size in `SIZES`.
const OF_ALL_SIZES: u64 = 196_608;
const REQUESTS: u64 = 600;

/// Returns the text of a random fio job file of one to three jobs, the same text for the same `seed`.
pub fn job(seed: u64) -> String {
    let mut random = RandomStream::new(seed, "fio.random.job");
    let jobs = 1 + random.below(3);
    let mut text = String::new();
    for index in 0..jobs {
        Section { random: &mut random, lines: Vec::new() }.write(index, &mut text);
    }
    text
}

struct Section<'a> {
    random: &'a mut RandomStream,
    lines: Vec<String>,
}

impl Section<'_> {
    fn write(mut self, index: u64, text: &mut String) {
        let access = *self.pick(&[
            "read",
            "write",
            "randread",
            "randwrite",
            "rw",
            "randrw",
            "trim",
            "randtrim",
            "trimwrite",
            "randtrimwrite",
            "randread",
            "randwrite",
            "write",
        ]);
        let (bytes, most) = self.blocks();
        let requests = 20 + self.random.below(REQUESTS);
        self.files(index, bytes * requests, most);
        let clones = self.amounts(requests, bytes);
        self.pace(requests, bytes, clones);
        self.waits(index);
        self.extras(access);
        if clones > 1 {
            // A log of several clones is whole only where each fits into a buffer, all its loops.
            self.lines.retain(|line| !line.starts_with("loops="));
            self.lines.push(format!("number_ios={}", 10 + self.random.below(60)));
        }
        if self.chance(40) {
            for _ in 0..=self.random.below(3) {
                let zero = (*self.pick(ZEROS)).to_owned();
                let at = self.random.below(self.lines.len() as u64 + 1) as usize;
                self.lines.insert(at, zero);
            }
        }
        // Without an end of its own a clone would fill the log.
        if clones > 1
            && self
                .lines
                .iter()
                .rev()
                .find(|line| line.starts_with("number_ios"))
                .is_none_or(|line| line == "number_ios=0")
        {
            self.lines.push("number_ios=40".to_owned());
        }
        text.push_str(&format!("[j{index}]\nrw={access}{}\n", self.postfix(access)));
        self.lines.iter().for_each(|line| text.push_str(&format!("{line}\n")));
    }

    fn pick<'b, T>(&mut self, of: &'b [T]) -> &'b T {
        &of[self.random.below(of.len() as u64) as usize]
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.random.below(100) < percent
    }

    fn size(&mut self) -> u64 {
        *self.pick(SIZES)
    }

    /// Adds random block size options to a random fio job, and returns the mean (about) and the longest size in bytes.
    fn blocks(&mut self) -> (u64, u64) {
        let (a, b) = (self.size(), self.size());
        let (least, most) = (a.min(b), a.max(b));
        match self.random.below(11) {
            0 => (4096, 4096),
            1..5 => {
                self.lines.push(format!("bs={a}"));
                (a, a)
            }
            5 => {
                self.lines.push(format!("bs={a},{b}"));
                (a.midpoint(b), most)
            }
            6 => {
                self.lines.push(format!("bsrange={least}-{most}"));
                (a.midpoint(b), most)
            }
            7 => self.zero(least, most),
            _ => self.split(),
        }
    }

    /// Adds `bs` and another block size option with a size of 0 (which stands for `bs`) to a random fio job, in either
    /// order; returns the mean (about) and the longest size in bytes.
    fn zero(&mut self, least: u64, most: u64) -> (u64, u64) {
        let (bs, zero) = (format!("bs={least}"), self.random.below(5));
        let (text, most) = match zero {
            0 => ("bssplit=0".to_owned(), least),
            1 => (format!("bsrange={least}-{most}\nbssplit=0"), least),
            2 => ("bsrange=0-0".to_owned(), least),
            3 => (format!("bsrange=0-{most}"), most),
            _ => (format!("bsrange={most}-0"), most),
        };
        let lines = if self.chance(50) { [bs, text] } else { [text, bs] };
        self.lines.extend(lines);
        (least.midpoint(most), most)
    }

    /// Adds a random `bssplit` to a random fio job, with percentages that add up to 100, or do not, or are left out;
    /// returns the mean (about) and the longest size in bytes.
    fn split(&mut self) -> (u64, u64) {
        let count = 1 + self.random.below(4);
        let (mut parts, mut sum, mut most, mut left, mut open) = (Vec::new(), 0, 512, 100, 0);
        let style = self.random.below(4);
        for index in 0..count {
            let size = self.size();
            let percent = match style {
                0 if index + 1 == count => left,
                0 => self.random.below(left + 1),
                1 => 1 + self.random.below(60),
                2 if open == 0 || left > 50 => 0,
                _ => self.random.below(1 + 100 / count),
            };
            left -= percent.min(left);
            open += u64::from(percent == 0);
            sum += size;
            most = most.max(size);
            parts.push(match percent {
                0 => (*self.pick(&[format!("{size}"), format!("{size}/"), format!("{size}/0")])).clone(),
                _ => format!("{size}/{percent}"),
            });
        }
        self.lines.push(format!("bssplit={}", parts.join(":")));
        (sum / count, most)
    }

    fn files(&mut self, index: u64, total: u64, most: u64) {
        let files = if self.chance(30) { 1 + self.random.below(4) } else { 1 };
        let total = (total / 512 * 512).max(most * files);
        // Now and then an end that no request fills.
        let total = if self.chance(20) { total + 512 } else { total };
        match self.random.below(6) {
            0 if files > 1 => {
                let names: Vec<String> = (0..files).map(|file| format!("f{index}.{file}")).collect();
                self.lines.push(format!("filename={}\nsize={total}", names.join(":")));
                if self.chance(30) {
                    self.lines.push("nrfiles=0".to_owned());
                }
            }
            // The null engine writes beyond an end of such a file that no block fills; other engines do not.
            1 if files > 1 => {
                let each = (total / files).next_multiple_of(OF_ALL_SIZES);
                self.lines.push(format!("nrfiles={files}\nfilesize={each}"));
            }
            2 => self.lines.push(format!("filename=f{index}\nsize={total}")),
            _ => {
                self.lines.push(format!("size={total}"));
                if files > 1 {
                    self.lines.push(format!("nrfiles={files}"));
                }
            }
        }
        if files > 1 && self.chance(50) {
            let service = *self.pick(&[
                "roundrobin",
                "roundrobin:3",
                "sequential",
                "random",
                "random:2",
                "roundrobin:0",
            ]);
            self.lines.push(format!("file_service_type={service}"));
        }
        if files > 1 && self.chance(20) {
            self.lines.push(format!("openfiles={}", self.random.below(3)));
        }
        if self.chance(10) {
            self.lines.push(format!("offset={}", most * (1 + self.random.below(8))));
        }
    }

    /// Adds random options for the amount of work and for the number of clones to a random fio job; returns that
    /// number.
    fn amounts(&mut self, requests: u64, bytes: u64) -> u64 {
        match self.random.below(10) {
            0 => self
                .lines
                .push(format!("io_size={}", bytes * (1 + self.random.below(requests * 2)) / 512 * 512)),
            1 => self.lines.push(format!("io_size={}%", 1 + self.random.below(99))),
            2 => self.lines.push(format!("loops={}", self.random.below(4))),
            3 => self.lines.push(format!("number_ios={}", 1 + self.random.below(requests))),
            _ => {}
        }
        let clones = if self.chance(15) { 2 + self.random.below(2) } else { 1 };
        if clones > 1 {
            self.lines.push(format!("numjobs={clones}"));
        }
        clones
    }

    /// Adds to a random fio job, by chance, a rate at which its `requests` take about 0.2 to 0.7 s, or pauses, or
    /// neither.
    fn pace(&mut self, requests: u64, bytes: u64, clones: u64) {
        let seconds = 0.2 + 0.5 * self.random.unit();
        let (by_number, by_bytes) =
            ((requests as f64 / seconds) as u64 + 1, ((requests * bytes) as f64 / seconds) as u64 + 1);
        match self.random.below(12) {
            0 | 1 => self.lines.push(format!("rate_iops={by_number}")),
            2 | 3 => self.lines.push(format!("rate={by_bytes}")),
            4 => self.lines.push(format!("rate_iops={by_number},{},{}", by_number / 2 + 1, by_number)),
            5 => {
                let text = *self.pick(&["{},0", "0,{}", "{},", ",{}", "{},0,0", "0,{},0"]);
                self.lines.push(format!("rate={}", text.replace("{}", &by_bytes.to_string())));
            }
            6 => {
                self.lines.push(format!("thinktime={}ms\nthinktime_blocks={}", 10, 1 + requests / 8));
            }
            _ => return,
        }
        if self.chance(30) {
            self.lines.push("rate_process=poisson".to_owned());
        }
        if clones == 1 && self.chance(15) {
            self.lines.push("runtime=500ms\ntime_based".to_owned());
        }
    }

    fn waits(&mut self, index: u64) {
        if index > 0 {
            match self.random.below(5) {
                0 => self.lines.push("stonewall".to_owned()),
                1 | 2 => self.lines.push(format!("wait_for=j{}", self.random.below(index))),
                _ => {}
            }
        }
        if self.chance(8) {
            self.lines.push("startdelay=300ms".to_owned());
        }
    }

    fn extras(&mut self, access: &str) {
        let random = access.starts_with("rand");
        if random && self.chance(30) {
            self.lines.push("norandommap".to_owned());
        }
        if random && self.chance(10) {
            self.lines.push(format!("percentage_random={}", self.random.below(101)));
        }
        if access.ends_with("rw") && self.chance(60) {
            self.lines.push(format!("rwmixread={}", self.random.below(101)));
        }
        if access.ends_with("write") && self.chance(15) {
            self.lines.push(format!("fsync={}", 1 + self.random.below(30)));
        }
        if access.ends_with("write") && self.chance(10) {
            self.lines.push("end_fsync=1".to_owned());
        }
        if matches!(access, "write" | "randwrite") && self.chance(15) {
            self.lines.push("verify=null".to_owned());
            match self.random.below(4) {
                0 => self.lines.push("verify_only".to_owned()),
                1 => self.lines.push(format!("verify_backlog={}", 1 + self.random.below(20))),
                _ => {}
            }
            if random && self.chance(50) {
                self.map();
            }
        } else if random && self.chance(8) {
            self.map();
        }
        if random && self.chance(10) {
            let way = *self.pick(&["zoned:60/10:30/20:10/70", "zipf:1.1", "random"]);
            self.lines.push(format!("random_distribution={way}"));
        }
    }

    /// Adds to a random fio job one of two options that say how fio records which blocks a random pass has accessed;
    /// the shift register (`lfsr`) only for blocks of one size.
    fn map(&mut self) {
        let several = |line: &String| {
            (line.starts_with("bssplit=") && line != "bssplit=0")
                || line.starts_with("bsrange=")
                || (line.starts_with("bs=") && line.contains(','))
        };
        let ways = ["softrandommap=1", "random_generator=lfsr"];
        let known = if self.lines.iter().any(several) { &ways[..1] } else { &ways[..] };
        let way = (*self.pick(known)).to_owned();
        self.lines.push(way);
    }

    fn postfix(&mut self, access: &str) -> String {
        match access {
            "read" | "write" | "trim" if self.chance(8) => ":4k".to_owned(),
            "randread" | "randwrite" if self.chance(8) => format!(":{}", 1 + self.random.below(8)),
            _ => String::new(),
        }
    }
}
