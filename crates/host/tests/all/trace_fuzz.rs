//! The fuzz target's function on the stable toolchain: over the kept corpus, over samples with damage, and
//! over bytes of any kind. Nothing panics, and everything ends.

use host::trace::{formats, fuzz_columns, fuzz_one};
use proptest::prelude::*;
use std::path::Path;

/// Test helper: returns the contents of all files in `folder` of the repository, in the order of their names.
fn files(folder: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).unwrap()).collect()
}

#[test]
fn a_sample_of_the_corpus_is_read_as_its_own_format() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/trace");
    for (index, card) in formats().iter().enumerate() {
        let data = std::fs::read(folder.join(card.name)).unwrap_or_else(|e| panic!("{}: {e}", card.name));
        assert_eq!(usize::from(data[data.len() - 2]), index, "{}", card.name);
    }
}

#[test]
fn the_kept_corpus_is_read_in_every_way() {
    let corpus = files("fuzz/corpus/trace");
    assert!(corpus.len() >= 25, "one for each format");
    for data in &corpus {
        fuzz_one(data);
        // Every option on its own and all together.
        for choices in (0..8).map(|bit| 1u8 << bit).chain([0, 0xff]) {
            let mut other = data.clone();
            *other.last_mut().unwrap() = choices;
            fuzz_one(&other);
        }
    }
}

#[test]
fn descriptions_of_columns_are_read_or_refused() {
    let corpus = files("fuzz/corpus/columns");
    assert!(corpus.len() >= 4, "one for each kind of description");
    let words = [
        "time", "wait", "op", "offset", "size", "volume", "-", "...", ":ms", ":bytes", ":4KiB", "=", "=none",
        ",", "1=read", ":hex", ":iso", "\"", "-1.5", "0x", "FWFS",
    ];
    for data in &corpus {
        fuzz_columns(data);
        for (at, word) in (0..data.len()).step_by(3).flat_map(|at| words.iter().map(move |word| (at, word))) {
            let mut other = data.clone();
            other.splice(at..at, word.bytes().chain([b' ']));
            fuzz_columns(&other);
            other.truncate(at + word.len());
            fuzz_columns(&other);
        }
    }
}

/// Kind of random change to the bytes of a trace file, in the test that damaged files cause no panic.
#[derive(Clone, Debug)]
enum Damage {
    Flip(prop::sample::Index, u8),
    Cut(prop::sample::Index),
    Repeat(prop::sample::Index, prop::sample::Index),
    Remove(prop::sample::Index, prop::sample::Index),
    Digits(prop::sample::Index, String),
}

fn damage() -> impl Strategy<Value = Damage> {
    let place = || any::<prop::sample::Index>();
    prop_oneof![
        (place(), any::<u8>()).prop_map(|(at, byte)| Damage::Flip(at, byte)),
        place().prop_map(Damage::Cut),
        (place(), place()).prop_map(|(from, to)| Damage::Repeat(from, to)),
        (place(), place()).prop_map(|(from, to)| Damage::Remove(from, to)),
        (place(), "[-+.eE0-9 ,;\t\n]{1,24}").prop_map(|(at, text)| Damage::Digits(at, text)),
    ]
}

fn apply(mut data: Vec<u8>, damages: &[Damage]) -> Vec<u8> {
    for damage in damages {
        if data.is_empty() {
            break;
        }
        let range = |from: &prop::sample::Index, to: &prop::sample::Index| {
            let (a, b) = (from.index(data.len()), to.index(data.len()));
            a.min(b)..a.max(b)
        };
        match damage {
            Damage::Flip(at, byte) => {
                let at = at.index(data.len());
                data[at] ^= byte;
            }
            Damage::Cut(at) => data.truncate(at.index(data.len())),
            Damage::Repeat(from, to) => {
                let range = range(from, to);
                let piece = data[range.clone()].to_vec();
                data.splice(range.start..range.start, piece);
            }
            Damage::Remove(from, to) => {
                let range = range(from, to);
                data.drain(range);
            }
            Damage::Digits(at, text) => {
                let at = at.index(data.len());
                data.splice(at..at, text.bytes());
            }
        }
    }
    data
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damaged_samples_never_panic(
        which in any::<prop::sample::Index>(),
        damages in prop::collection::vec(damage(), 1..5),
        pick in any::<u8>(),
        choices in any::<u8>(),
        as_itself in any::<bool>(),
    ) {
        let corpus = files("fuzz/corpus/trace");
        let mut data = corpus[which.index(corpus.len())].clone();
        let own = data[data.len() - 2];
        data.truncate(data.len() - 2);
        let mut data = apply(data, &damages);
        data.extend([if as_itself { own } else { pick }, choices]);
        fuzz_one(&data);
    }

    #[test]
    fn any_bytes_never_panic(data in prop::collection::vec(any::<u8>(), 0..600)) {
        fuzz_one(&data);
    }
}
