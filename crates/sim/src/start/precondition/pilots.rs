//! What pilots found out, kept between runs.
//!
//! A pilot is a small drive that is run to learn something about a large one: its history in steady state, or how much its
//! host gets done beside urgent collections. That takes seconds and depends on nothing but the drive's configuration, the
//! seed and this program, so that the next run may read it. An entry is named by a hash of all that; one that is
//! missing, damaged or of another version is found out anew and written again. Nothing here can fail a run.

use crate::Drive;
use host::codec::{pack_zstd, read_zstd};
use serde::Deserialize;
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

const MAGIC: &[u8; 8] = b"FLGATEPI";
/// Constant: compression level (zstd) of stored pilot answers: level 1, since the numbers of a history repeat little.
const LEVEL: i32 = 1;
/// Constant: greatest number of entries (some 300 KB each) in the folder of stored pilot answers; the oldest entries
/// are removed first.
const ENTRIES_MOST: usize = 200;
/// Constant: greatest number of bytes to which a stored pilot answer may unpack: a limit for damaged entries.
const BYTES_MOST: u64 = 1 << 28;
const ENDING: &str = "pilot";

/// Store of the answers of pilots (small trial drives that preconditioning runs): a folder, and the build of this
/// program for which the answers are valid.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pilots {
    /// Folder in which the answers of pilots (small trial drives that preconditioning runs) are stored between runs.
    pub folder: PathBuf,
    /// Identifier of the build of this program that made the stored answers of pilots (small trial drives): another
    /// build may give other answers.
    pub build: String,
}

/// Interface to an answer that a pilot (small trial drive) gives and that can be stored as numbers.
pub(super) trait PilotAnswer: Sized {
    /// Encodes the answer of a pilot (small trial drive that preconditioning runs) as numbers, for storage between
    /// runs.
    fn numbers(&self) -> Vec<u64>;
    /// Decodes the answer of a pilot (small trial drive that preconditioning runs) from stored numbers, exact to the
    /// bit; `None` where the numbers encode no answer.
    fn read(numbers: &[u64]) -> Option<Self>;
}

impl PilotAnswer for f64 {
    fn numbers(&self) -> Vec<u64> {
        vec![self.to_bits()]
    }

    fn read(numbers: &[u64]) -> Option<Self> {
        let [bits] = numbers else { return None };
        Some(Self::from_bits(*bits))
    }
}

impl Pilots {
    /// Returns the answer of a pilot (small trial drive) to `question` about a drive and further `inputs`: read from
    /// the folder of stored answers, else computed by `ask`, which runs the pilot, and then stored there. Without such
    /// a folder, and for a drive with policies of the user, it is computed each time.
    ///
    /// # Errors
    /// Those of `ask`.
    pub(super) fn answer<T: PilotAnswer, E>(
        pilots: Option<&Self>,
        (question, drive, inputs): (&str, &Drive, &[u64]),
        ask: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        let Some(pilots) = pilots.filter(|_| !drive.has_foreign_policies()) else { return ask() };
        let path = pilots.folder.join(pilots.name(question, drive, inputs));
        if let Some(answer) = load(&path).and_then(|numbers| T::read(&numbers)) {
            return Ok(answer);
        }
        let answer = ask()?;
        if let Some(()) = store(&path, &answer.numbers()) {
            sweep(&pilots.folder);
        }
        Ok(answer)
    }

    fn name(&self, question: &str, drive: &Drive, inputs: &[u64]) -> String {
        let mut text = format!("{}\n{}\n{question}\n{inputs:?}\n", crate::version(), self.build);
        for entry in drive.entries() {
            text.push_str(&format!("{} = {}\n", entry.key, entry.value));
        }
        format!("{:032x}.{ENDING}", xxh3_128(text.as_bytes()))
    }
}

fn load(path: &Path) -> Option<Vec<u64>> {
    let bytes = fs::read(path).ok()?;
    let (magic, rest) = bytes.split_first_chunk::<8>()?;
    let (sum, packed) = rest.split_first_chunk::<8>()?;
    if magic != MAGIC || u64::from_le_bytes(*sum) != xxh3_64(packed) {
        return None;
    }
    let mut unpacked = Vec::new();
    read_zstd(packed).ok()?.take(BYTES_MOST + 1).read_to_end(&mut unpacked).ok()?;
    if unpacked.len() as u64 > BYTES_MOST {
        return None;
    }
    Some(unpacked.as_chunks::<8>().0.iter().map(|number| u64::from_le_bytes(*number)).collect())
}

/// Writes the stored answer of a pilot (small trial drive that preconditioning runs) to a temporary file and renames
/// it, so that a concurrent reader finds the old entry or the new one; `None` if writing fails.
fn store(path: &Path, numbers: &[u64]) -> Option<()> {
    let unpacked: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    let packed = pack_zstd(&unpacked, LEVEL).ok()?;
    let folder = path.parent()?;
    fs::create_dir_all(folder).ok()?;
    let mut file = tempfile::NamedTempFile::new_in(folder).ok()?;
    file.write_all(MAGIC).ok()?;
    file.write_all(&xxh3_64(&packed).to_le_bytes()).ok()?;
    file.write_all(&packed).ok()?;
    file.persist(path).ok()?;
    Some(())
}

/// Removes the oldest entries from the folder of stored answers of pilots (small trial drives that preconditioning
/// runs) if there are too many; another process may do so at the same time.
fn sweep(folder: &Path) {
    let Ok(found) = fs::read_dir(folder) else { return };
    let age =
        |path: &Path| fs::metadata(path).and_then(|about| about.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
    let mut entries: Vec<(SystemTime, PathBuf)> = (found.flatten().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|ending| ending == ENDING))
        .map(|path| (age(&path), path))
        .collect();
    entries.sort();
    let surplus = entries.len().saturating_sub(ENTRIES_MOST);
    entries.iter().take(surplus).for_each(|(_, path)| drop(fs::remove_file(path)));
}

#[cfg(test)]
mod tests {
    use super::{ENTRIES_MOST, PilotAnswer, Pilots, load, store, sweep};
    use crate::{Catalogue, Drive};
    use std::fs;
    use std::path::Path;

    fn drive(settings: &[&str]) -> Drive {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let settings: Vec<String> = settings.iter().map(|&setting| setting.to_owned()).collect();
        Drive::load(&Catalogue::new([root]), "tlc", &settings).expect("a drive")
    }

    impl PilotAnswer for Vec<u64> {
        fn numbers(&self) -> Vec<u64> {
            self.clone()
        }

        fn read(numbers: &[u64]) -> Option<Self> {
            Some(numbers.to_vec())
        }
    }

    /// Asks, in a test, for an answer once more; returns the answer, and true if the pilot had to be run for it.
    fn asked(pilots: &Pilots, drive: &Drive, inputs: &[u64]) -> (Vec<u64>, bool) {
        let mut ran = false;
        let answer = Pilots::answer::<Vec<u64>, ()>(Some(pilots), ("history", drive, inputs), || {
            ran = true;
            Ok(vec![1, u64::MAX, 3])
        });
        (answer.expect("it answers"), ran)
    }

    #[test]
    fn an_answer_is_kept_for_all_that_decides_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let pilots = Pilots { folder: folder.path().join("deep"), build: "a".into() };
        let plain = drive(&[]);
        assert_eq!(asked(&pilots, &plain, &[1]), (vec![1, u64::MAX, 3], true));
        assert_eq!(asked(&pilots, &plain, &[1]), (vec![1, u64::MAX, 3], false));
        assert!(asked(&pilots, &plain, &[2]).1, "another seed");
        assert!(asked(&pilots, &drive(&["ftl.op_ratio=0.2"]), &[1]).1, "another drive");
        assert!(asked(&Pilots { build: "b".into(), ..pilots.clone() }, &plain, &[1]).1, "another build");
        assert!(!asked(&pilots, &plain, &[1]).1);
    }

    #[test]
    fn a_damaged_entry_is_written_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let pilots = Pilots { folder: folder.path().to_owned(), build: "a".into() };
        let plain = drive(&[]);
        asked(&pilots, &plain, &[]);
        let path = fs::read_dir(folder.path()).expect("there").next().expect("an entry").expect("it").path();
        let whole = fs::read(&path).expect("its bytes");
        for end in 0..whole.len() {
            fs::write(&path, &whole[..end]).expect("written");
            assert!(asked(&pilots, &plain, &[]).1, "cut off after {end} bytes");
            let mut flipped = whole.clone();
            flipped[end] ^= 1;
            fs::write(&path, &flipped).expect("written");
            assert!(asked(&pilots, &plain, &[]).1, "byte {end} is another");
            assert_eq!(fs::read(&path).expect("its bytes"), whole);
        }
    }

    #[test]
    fn without_a_folder_the_pilot_is_run() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let pilots = Pilots { folder: file.path().join("below a file"), build: "a".into() };
        for _ in 0..2 {
            assert_eq!(asked(&pilots, &drive(&[]), &[]), (vec![1, u64::MAX, 3], true));
        }
    }

    #[test]
    fn a_folder_does_not_grow_for_ever_and_others_files_stay() {
        let folder = tempfile::tempdir().expect("a folder");
        let name = |number: usize| folder.path().join(format!("{number:03}.pilot"));
        fs::write(folder.path().join("notes.txt"), "mine").expect("written");
        for number in 0..ENTRIES_MOST + 3 {
            store(&name(number), &[number as u64]).expect("stored");
        }
        sweep(folder.path());
        let count = fs::read_dir(folder.path()).expect("there").count();
        assert_eq!(count, ENTRIES_MOST + 1);
        assert!(folder.path().join("notes.txt").exists());
        assert_eq!(load(&name(ENTRIES_MOST + 2)), Some(vec![ENTRIES_MOST as u64 + 2]));
    }
}
