//! The fuzz target's function on the stable toolchain: over the kept corpus, over jobs put together from options
//! and values at random, and over bytes of any kind. Nothing panics, and everything ends.

use host::fio::fuzz_one;
use proptest::prelude::*;
use std::path::Path;

fn corpus() -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/fio");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).unwrap()).collect()
}

#[test]
fn the_kept_corpus_runs_on_fast_and_slow_drives() {
    let corpus = corpus();
    assert!(corpus.len() >= 10);
    for data in &corpus {
        for pick in [0, 1, 3, 255] {
            fuzz_one(&[data, &[pick][..]].concat());
        }
    }
}

const KEYS: &[&str] = &[
    "rw",
    "rw",
    "rw",
    "bs",
    "bsrange",
    "bssplit",
    "blockalign",
    "size",
    "offset",
    "offset_increment",
    "io_size",
    "iodepth",
    "numjobs",
    "runtime",
    "time_based",
    "ramp_time",
    "loops",
    "startdelay",
    "random_distribution",
    "percentage_random",
    "norandommap",
    "randseed",
    "rate",
    "rate_iops",
    "rate_process",
    "thinktime",
    "thinktime_blocks",
    "stonewall",
    "group_reporting",
    "fsync",
    "fdatasync",
    "number_ios",
    "rwmixread",
    "kb_base",
    "end_fsync",
    "ioengine",
    "filename",
    "verify",
    "nrfiles",
    "openfiles",
    "filesize",
    "file_service_type",
    "rw_sequencer",
    "offset_align",
    "io_submit_mode",
    "steadystate",
    "ss_dur",
    "flow",
    "flow_id",
    "flow_sleep",
    "zonesize",
    "zonerange",
    "zoneskip",
];

const VALUES: &[&str] = &[
    "",
    "=0",
    "=1",
    "=2",
    "=7",
    "=100",
    "=512",
    "=4k",
    "=64k",
    "=1m",
    "=1g",
    "=1p",
    "=50%",
    "=100%",
    "=10ms",
    "=1d",
    "=randwrite",
    "=randrw",
    "=read",
    "=trimwrite",
    "=randtrimwrite",
    "=4k,8k,",
    "=,16k",
    "=4k-64k",
    "=4k/50:64k/50",
    "=512/1:4k/:1m/9",
    "=zipf:0.01",
    "=zipf:1",
    "=zipf:20",
    "=pareto:0.999",
    "=normal:0.01",
    "=zoned:100/1:0/99",
    "=zoned:1/0:99/100",
    "=zoned_abs:100/4k",
    "=poisson",
    "=psync",
    "=libaio",
    "=random:3",
    "=roundrobin:2",
    "=sequential",
    "=write:8k",
    "=read:-4k",
    "=rw:12k",
    "=randread:4",
    "=identical",
    "=offload",
    "=bw:1m",
    "=iops_slope:1%",
    "=18446744073709551615",
    "=1000",
];

fn job() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        8 => (prop::sample::select(KEYS), prop::sample::select(VALUES)).prop_map(|(k, v)| format!("{k}{v}\n")),
        1 => Just("[j]\n".to_owned()),
        1 => Just("[global]\n".to_owned()),
    ];
    prop::collection::vec(line, 0..14).prop_map(|lines| format!("[a]\n{}", lines.concat()))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn options_put_together_never_panic(text in job(), pick in any::<u8>()) {
        fuzz_one(&[text.as_bytes(), &[pick]].concat());
    }

    #[test]
    fn damaged_jobs_never_panic(
        which in any::<prop::sample::Index>(),
        places in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in any::<prop::sample::Index>(),
    ) {
        let corpus = corpus();
        let mut data = corpus[which.index(corpus.len())].clone();
        data.truncate(cut.index(data.len()) + 1);
        for (place, byte) in places {
            let place = place.index(data.len());
            data[place] = byte;
        }
        fuzz_one(&data);
    }

    #[test]
    fn any_bytes_never_panic(data in prop::collection::vec(any::<u8>(), 0..300)) {
        fuzz_one(&data);
    }
}
