//! Where a trace lies: a file, one of an archive, or the files of several CPUs, in a form that can be read again.
//!
//! What the user names is looked at once, here: a tar is searched for its member, `trace.blktrace.0` for its
//! sisters. What was found out beyond the name is said in [`TraceOrigin::notes`].

use super::packing::{ByteStream, Packing, peek, unpack};
use crate::{WorkloadError, regular};
use std::fs::File;
use std::io::{Cursor, Error, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Constant: greatest number of members of a tar archive that are listed: more than any archive of traces has.
const MOST_MEMBERS: usize = 100_000;
/// Constant: greatest number of file names that an error message lists.
const MOST_NAMED: usize = 12;

/// Record of the location of a trace, by which it can be read more than once: one or several byte sources.
#[derive(Clone)]
pub(crate) struct TraceOrigin {
    name: String,
    parts: Vec<ByteSource>,
    /// List of remarks for the results on how the trace's byte sources (such as files of several CPUs) were found.
    pub notes: Vec<String>,
}

/// Record of one byte source of a trace: a file, a member of an archive, or bytes in memory.
#[derive(Clone)]
pub(crate) struct ByteSource {
    name: String,
    place: StreamPlace,
    /// Field: archive member, with its name, first byte and length, that this byte source consists of; none if the
    /// source is no archive member. The archive itself may be compressed, too.
    member: Option<ArchiveMember>,
}

#[derive(Clone)]
enum StreamPlace {
    File(PathBuf),
    /// Case of place of a byte source: bytes in memory instead of a file, for tests and fuzzing.
    Memory(Arc<[u8]>),
}

#[derive(Clone)]
struct ArchiveMember {
    name: String,
    first_byte: u64,
    bytes: u64,
}

impl TraceOrigin {
    /// Finds the trace that `path` names: a file; an archive with one trace in it, or with a trace called `member`; or
    /// a blktrace of several CPUs, named by one of its files, its base name or its folder.
    ///
    /// # Errors
    /// When there is no trace at `path`, or more than one.
    pub fn find(path: &Path, member: Option<&str>) -> Result<Self, WorkloadError> {
        if path.is_file() {
            let whole = Self::of_parts(path.display().to_string(), vec![ByteSource::file(path)]);
            return match cpu_of(path) {
                Some((base, cpu)) => Self::of_cpus(path, &base, Some(cpu)),
                None => whole.opened(member),
            };
        }
        if let Some(base) = base_of(path)? {
            return Self::of_cpus(path, &base, None);
        }
        let expected = "a trace file, or the folder or base name of blktrace files (NAME.blktrace.0, ...)";
        let found = match std::fs::metadata(path) {
            Ok(kind) if kind.is_dir() => "a folder without blktrace files".to_owned(),
            Ok(_) => "not a regular file".to_owned(),
            Err(error) if error.kind() == ErrorKind::NotFound => "no such file".to_owned(),
            Err(error) => error.to_string(),
        };
        Err(WorkloadError::of(path.display().to_string(), found, expected))
    }

    /// Makes the origin of a trace whose bytes are in memory instead of a file.
    pub fn memory(bytes: Arc<[u8]>) -> Self {
        let part = ByteSource { name: "memory".into(), place: StreamPlace::Memory(bytes), member: None };
        Self::of_parts("memory".into(), vec![part])
    }

    /// Makes the origin of a trace whose bytes are in memory and may be an archive, which is searched for its trace as
    /// a user's file is.
    pub fn memory_opened(bytes: Arc<[u8]>) -> Result<Self, WorkloadError> {
        Self::memory(bytes).opened(None)
    }

    fn of_parts(name: String, parts: Vec<ByteSource>) -> Self {
        Self { name, parts, notes: Vec::new() }
    }

    /// Returns the name of the trace for messages.
    pub fn name(&self) -> String {
        self.name.clone()
    }

    /// Returns the byte sources (files or archive members) of which the trace consists, in order.
    pub fn parts(&self) -> &[ByteSource] {
        &self.parts
    }

    /// Opens the first byte source that is not empty, to read the beginning of the trace.
    pub fn first(&self) -> Result<ByteStream, WorkloadError> {
        for part in &self.parts {
            let (mut reader, _) = part.open()?;
            let mut byte = [0];
            match reader.read(&mut byte) {
                Ok(0) => {}
                Ok(_) => return Ok(Box::new(Cursor::new(byte).chain(reader))),
                Err(_) => return Ok(reader),
            }
        }
        Ok(Box::new(std::io::empty()))
    }

    /// Makes the origin of the blktrace called `base` from the files of all its CPUs; `given` is the CPU whose file the
    /// user named, if it was one.
    fn of_cpus(path: &Path, base: &Path, given: Option<u32>) -> Result<Self, WorkloadError> {
        let mut files = cpus(base)?;
        files.sort();
        let name = match files.as_slice() {
            [(_, only)] => only.display().to_string(),
            _ => format!("{}.blktrace.*", base.display()),
        };
        let parts = files.iter().map(|(_, file)| ByteSource::file(file)).collect();
        let mut origin = Self::of_parts(name, parts);
        let numbers: Vec<u32> = files.iter().map(|(cpu, _)| *cpu).collect();
        let highest = numbers.last().copied().unwrap_or(0);
        let absent: Vec<String> =
            (0..=highest).filter(|cpu| !numbers.contains(cpu)).map(|cpu| cpu.to_string()).collect();
        let base = base.file_name().unwrap_or_default().to_string_lossy();
        let count = files.len();
        if count > 1 {
            let asked = given.map_or(String::new(), |cpu| format!(", of which you named that of CPU {cpu}"));
            origin
                .notes
                .push(format!("the files of {count} CPUs, {base}.blktrace.*, put in order of time{asked}"));
        } else {
            let others = if highest == 0 { "any others" } else { "the others" };
            origin.notes.push(format!(
                "{} is the file of one CPU of several: what {others} did is missing",
                path.file_name().unwrap_or_default().to_string_lossy()
            ));
        }
        if count > 1 && !absent.is_empty() {
            origin.notes.push(match absent.as_slice() {
                [one] => format!("the file of CPU {one} is absent"),
                several => format!("the files of CPUs {} are absent", some(several)),
            });
        }
        Ok(origin)
    }

    /// Returns the origin itself, or, if the file is an archive, the origin of the trace in the archive; `wanted` names
    /// the member.
    fn opened(mut self, wanted: Option<&str>) -> Result<Self, WorkloadError> {
        let part = self.parts[0].clone();
        let (bytes, _) = part.open()?;
        let (head, bytes) = peek(&self.name, bytes)?;
        if !is_tar(&head) {
            return match wanted {
                None => Ok(self),
                Some(name) => Err(WorkloadError::of(
                    format!("--member {name}"),
                    format!("{} is no archive", self.name),
                    "a tar with this option",
                )),
            };
        }
        let members = members(&self.name, Box::new(bytes))?;
        let chosen = choose(&self.name, members, wanted)?;
        if let ([only], None) = (chosen.as_slice(), wanted) {
            self.notes.push(format!("{} of the archive", only.name));
        } else if chosen.len() > 1 {
            self.notes.push(format!(
                "the files of {} CPUs, {} to {}, put in order of time",
                chosen.len(),
                chosen[0].name,
                chosen[chosen.len() - 1].name
            ));
        }
        let inside = |member: ArchiveMember| ByteSource {
            name: format!("{}: {}", self.name, member.name),
            place: part.place.clone(),
            member: Some(member),
        };
        self.parts = chosen.into_iter().map(inside).collect();
        Ok(self)
    }
}

impl ByteSource {
    fn file(path: &Path) -> Self {
        Self { name: path.display().to_string(), place: StreamPlace::File(path.to_owned()), member: None }
    }

    /// Returns the name of the file or archive member for messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Opens the byte source and returns a reader of its decompressed bytes from the beginning, and the compression.
    ///
    /// # Errors
    /// When the file cannot be opened, is no regular file, or has a compression or encoding that is not supported.
    pub fn open(&self) -> Result<(ByteStream, Packed), WorkloadError> {
        let raw: ByteStream = match &self.place {
            StreamPlace::File(path) => Box::new(open_file(path)?),
            StreamPlace::Memory(bytes) => Box::new(Cursor::new(Arc::clone(bytes))),
        };
        let (outer, packing) = unpack(&self.name, raw)?;
        let Some(member) = &self.member else { return Ok((outer, Packed { packing, inside: None })) };
        let within: ByteStream =
            Box::new(Within { inner: outer, skip: member.first_byte, left: member.bytes });
        let (bytes, inside) = unpack(&self.name, within)?;
        Ok((bytes, Packed { packing, inside: Some(inside) }))
    }
}

/// Record of the compressions of a byte source: of the file, and, in an archive, of the member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Packed {
    packing: Packing,
    inside: Option<Packing>,
}

impl Packed {
    /// Returns true if the trace file is neither compressed nor a member of a compressed archive.
    pub fn is_plain(self) -> bool {
        self.packing == Packing::Plain && matches!(self.inside, None | Some(Packing::Plain))
    }

    /// Returns the name of the compression in reports: `gzip`, or `tar, gzip` for a member of a tar compressed by gzip.
    pub fn name(self) -> String {
        let layers: Vec<&str> =
            [self.inside.map(|_| "tar"), Some(self.packing.name()), self.inside.map(Packing::name)]
                .into_iter()
                .flatten()
                .filter(|name| self.inside.is_none() || *name != "none")
                .collect();
        layers.join(", ")
    }
}

fn open_file(path: &Path) -> Result<File, WorkloadError> {
    let wrong = |found| {
        WorkloadError::of(path.display().to_string(), found, "a trace file that can be read, twice over")
    };
    regular::open(path).map_err(wrong)
}

/// Reader of the bytes of one archive member; an archive that ends inside the member is an error.
struct Within {
    inner: ByteStream,
    skip: u64,
    left: u64,
}

impl Read for Within {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.skip > 0 {
            let skipped = std::io::copy(&mut self.inner.by_ref().take(self.skip), &mut std::io::sink())?;
            if skipped < self.skip {
                return Err(ErrorKind::UnexpectedEof.into());
            }
            self.skip = 0;
        }
        let room = buffer.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
        if room == 0 {
            return Ok(0);
        }
        let count = self.inner.read(&mut buffer[..room])?;
        if count == 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        self.left -= count as u64;
        Ok(count)
    }
}

/// Returns true if the file is a tar archive: it begins with a header whose checksum is right, which hardly happens by
/// chance.
fn is_tar(head: &[u8]) -> bool {
    const CHECKSUM: std::ops::Range<usize> = 148..156;
    if head.len() < 512 || head[0] == 0 {
        return false;
    }
    let sum: u32 =
        head.iter().enumerate().map(|(i, &b)| if CHECKSUM.contains(&i) { 32 } else { u32::from(b) }).sum();
    tar::Header::from_byte_slice(&head[..512]).cksum().is_ok_and(|told| told == sum)
}

/// Lists the files in a tar archive, with position and length.
fn members(name: &str, bytes: ByteStream) -> Result<Vec<ArchiveMember>, WorkloadError> {
    let failed = |error: Error| {
        let found = match error.kind() {
            ErrorKind::UnexpectedEof => "the tar ends too early".to_owned(),
            _ => format!("the tar is damaged ({error})"),
        };
        WorkloadError::of(name, found, "a whole file; fetch or pack it again")
    };
    let mut archive = tar::Archive::new(bytes);
    let mut found = Vec::new();
    for entry in archive.entries().map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let path = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        match entry.header().entry_type() {
            kind if kind.is_gnu_sparse() => {
                return Err(WorkloadError::of(
                    name,
                    format!("{path} is a sparse file"),
                    "a tar without sparse files",
                ));
            }
            kind if !kind.is_file() && !kind.is_contiguous() => continue,
            _ => {}
        }
        found.push(ArchiveMember { name: path, first_byte: entry.raw_file_position(), bytes: entry.size() });
        if found.len() > MOST_MEMBERS {
            let found = format!("more than {MOST_MEMBERS} files in the archive");
            return Err(WorkloadError::of(name, found, "an archive of traces"));
        }
    }
    Ok(found)
}

/// Chooses the archive members that are the trace: the one that `wanted` names, the only one, or the files of all CPUs
/// of one blktrace.
fn choose(
    name: &str,
    mut members: Vec<ArchiveMember>,
    wanted: Option<&str>,
) -> Result<Vec<ArchiveMember>, WorkloadError> {
    let names: Vec<String> = members.iter().map(|member| member.name.clone()).collect();
    if let Some(wanted) = wanted {
        let ends = |member: &ArchiveMember| {
            member.name == wanted || member.name.strip_suffix(wanted).is_some_and(|rest| rest.ends_with('/'))
        };
        members.retain(ends);
        return match members.len() {
            1 => Ok(members),
            0 => {
                let near = config::nearest(wanted, names.iter().map(String::as_str));
                let hint = near.map_or_else(
                    || format!("one of {}", some(&names)),
                    |near| format!("did you mean {near:?}?"),
                );
                Err(WorkloadError::of(name, format!("--member {wanted:?} is not in the archive"), hint))
            }
            _ => {
                let all: Vec<String> = members.into_iter().map(|member| member.name).collect();
                let found = format!("--member {wanted:?} stands for several files");
                Err(WorkloadError::of(name, found, format!("one of {}", some(&all))))
            }
        };
    }
    members.retain(|member| member.bytes > 0 && !is_about(&member.name));
    if members.len() == 1 {
        return Ok(members);
    }
    let cpus: Vec<_> = members.iter().map(|member| cpu_of(Path::new(&member.name))).collect();
    if let Some(Some((base, _))) = cpus.first()
        && cpus.iter().all(|cpu| cpu.as_ref().is_some_and(|(other, _)| other == base))
    {
        members.sort_by_key(|member| cpu_of(Path::new(&member.name)).map(|(_, cpu)| cpu));
        return Ok(members);
    }
    let left: Vec<String> = members.iter().map(|member| member.name.clone()).collect();
    match left.is_empty() {
        true => Err(WorkloadError::of(name, "the archive holds no trace", "one with a trace in it")),
        false => Err(WorkloadError::of(
            name,
            format!("{} traces in the archive", left.len()),
            format!("--member NAME, one of {}", some(&left)),
        )),
    }
}

/// Returns true for the name of a file that often accompanies traces in archives but is no trace, such as a readme,
/// licence or checksum.
fn is_about(name: &str) -> bool {
    let file = name.rsplit('/').next().unwrap_or(name).to_ascii_lowercase();
    let words = ["readme", "license", "licence", "copying", "copyright", "md5", "sha256", "checksum"];
    file.starts_with('.') || file.ends_with(".md") || words.iter().any(|word| file.starts_with(word))
}

/// Returns the base name and the number of the CPU if `path` is a blktrace file of one CPU, such as `base.blktrace.3`,
/// compressed or not.
fn cpu_of(path: &Path) -> Option<(PathBuf, u32)> {
    let mut name = path.file_name()?.to_str()?;
    for packed in [".gz", ".zst", ".bz2", ".xz"] {
        name = name.strip_suffix(packed).unwrap_or(name);
    }
    let (base, cpu) = name.rsplit_once(".blktrace.")?;
    let plain = !base.is_empty() && !cpu.is_empty() && cpu.bytes().all(|b| b.is_ascii_digit());
    Some((path.with_file_name(base), cpu.parse().ok().filter(|_| plain)?))
}

/// Lists the blktrace files of all CPUs whose base name is `base`, by number of the CPU.
fn cpus(base: &Path) -> Result<Vec<(u32, PathBuf)>, WorkloadError> {
    let folder = match base.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let mut found: Vec<(u32, PathBuf)> = listed(folder)?
        .into_iter()
        .filter_map(|file| {
            cpu_of(&file)
                .filter(|(other, _)| other.file_name() == base.file_name())
                .map(|(_, cpu)| (cpu, file))
        })
        .map(|(cpu, file)| (cpu, base.with_file_name(file.file_name().unwrap_or_default())))
        .collect();
    found.sort();
    match found.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        None => Ok(found),
        Some(pair) => {
            let found = format!("{} and {}", pair[0].1.display(), pair[1].1.display());
            Err(WorkloadError::of(base.display().to_string(), found, "one file for each CPU"))
        }
    }
}

fn listed(folder: &Path) -> Result<Vec<PathBuf>, WorkloadError> {
    let failed = |error: Error| {
        WorkloadError::of(folder.display().to_string(), error.to_string(), "a readable folder")
    };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.is_file() {
            files.push(path);
        }
    }
    Ok(files)
}

/// Returns the base name of the blktrace that `path` means (`NAME`, `NAME.blktrace` or a folder); none if there are no
/// such files.
fn base_of(path: &Path) -> Result<Option<PathBuf>, WorkloadError> {
    if path.is_dir() {
        let mut bases: Vec<PathBuf> =
            listed(path)?.iter().filter_map(|file| cpu_of(file).map(|(base, _)| base)).collect();
        bases.sort();
        bases.dedup();
        return match bases.len() {
            0 => Ok(None),
            1 => Ok(bases.pop()),
            count => {
                let names: Vec<String> = bases.iter().map(|base| base.display().to_string()).collect();
                let found = format!("the blktrace files of {count} devices");
                Err(WorkloadError::of(path.display().to_string(), found, format!("one of {}", some(&names))))
            }
        };
    }
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else { return Ok(None) };
    let base = path.with_file_name(name.strip_suffix(".blktrace").unwrap_or(name));
    let folder_is_there = base.parent().is_none_or(|parent| parent.as_os_str().is_empty() || parent.is_dir());
    if !folder_is_there || cpus(&base)?.is_empty() {
        return Ok(None);
    }
    Ok(Some(base))
}

/// Returns the first twelve of `names` as a list for a message, with the number of all names if there are more.
fn some(names: &[String]) -> String {
    let mut text = names.iter().take(MOST_NAMED).cloned().collect::<Vec<_>>().join(", ");
    if names.len() > MOST_NAMED {
        text.push_str(&format!(", ... ({} in all)", names.len()));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_of_a_cpu_shows_in_its_name() {
        let of = |name: &str| cpu_of(Path::new(name));
        assert_eq!(of("a/sda.blktrace.12"), Some(("a/sda".into(), 12)));
        assert_eq!(of("sda.blktrace.0.gz"), Some(("sda".into(), 0)));
        for name in ["sda.blktrace", "sda.blktrace.x", ".blktrace.1", "sda.blktrace.99999999999", "sda.0"] {
            assert_eq!(of(name), None, "{name}");
        }
    }

    #[test]
    fn an_archive_names_its_layers() {
        let name = |packing, inside| Packed { packing, inside }.name();
        assert_eq!(name(Packing::Plain, None), "none");
        assert_eq!(name(Packing::Xz, None), "xz");
        assert_eq!(name(Packing::Plain, Some(Packing::Plain)), "tar");
        assert_eq!(name(Packing::Bzip2, Some(Packing::Gzip)), "tar, bzip2, gzip");
    }
}
