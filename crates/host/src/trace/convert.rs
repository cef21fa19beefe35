//! Writing a trace in another text format.
//!
//! Times count from the first request (MSR: from the beginning of its published week), cut to the target's
//! resolution: 100 ns for MSR, microseconds for fio, nanoseconds for the others. Volumes keep their numbers
//! (MSR: their names, where they have its form); addresses are not moved.

use super::format::{FormatCard, LineWriter, formats};
use super::generated;
use super::opened::{Opened, TracePurpose};
use super::options::{Addresses, TraceOptions, format_named};
use super::origin::TraceOrigin;
use super::record::Record;
use crate::codec::{XzWriter, ZstdWriter};
use crate::{WorkloadError, temporary, volume};
use std::io::{BufWriter, Write};
use std::path::Path;

/// Writes the trace at `path` to the file `out` in the trace format `to`, compressed if `out` ends in `.gz`, `.zst`,
/// `.bz2` or `.xz`. The file appears complete or not at all. Returns the number of requests written.
///
/// # Errors
/// As [`super::inspect`]; when `to` cannot be written or cannot express a request; when requests are further out of
/// order of time than is sorted without `sort`; when an option changes the replay; when `out` cannot be written.
pub fn convert(path: &Path, options: &TraceOptions, out: &Path, to: &str) -> Result<u64, WorkloadError> {
    let (card, writer) = writable(to)?;
    if options.addresses != Addresses::Auto || options.speedup != 1.0 || options.as_fast_as_possible.is_some()
    {
        let expected = "addresses and times as they are; those options belong to a run";
        return Err(WorkloadError::of("trace convert", "an option that changes the replay", expected));
    }
    let origin = TraceOrigin::find(path, options.member.as_deref())?;
    let opened = Opened::survey(origin, options, TracePurpose::Use)?;
    into_file(out, |sink| write_all(opened, card, writer, sink, out))
}

/// Writes the requests of the synthetic volume that `spec` describes (see [`crate::volume`]) to the trace file `out` in
/// the format `to`, as [`convert`] does with the requests of a trace file. If the format has volume names, the name of
/// the volume begins with `synthetic-`.
///
/// # Errors
/// As [`crate::volume::requests`], and as [`convert`] of the target.
pub fn convert_volume(spec: &str, seed: u64, out: &Path, to: &str) -> Result<u64, WorkloadError> {
    let (card, writer) = writable(to)?;
    let requests = volume::requests(spec, seed)?;
    let name = generated::volume_name(&requests);
    into_file(out, |sink| {
        sink.write_all((writer.header)(std::slice::from_ref(&name)).as_bytes())
            .map_err(|error| failed(out, &error))?;
        let (mut line, mut written) = (Vec::with_capacity(128), 0);
        for request in requests {
            line.clear();
            if let Err(what) = (writer.line)(&mut line, &generated::record(&request), &name) {
                let found = format!("{what} has no form in {}", card.name);
                return Err(WorkloadError::of(spec, found, "another target, such as msr"));
            }
            sink.write_all(&line).map_err(|error| failed(out, &error))?;
            written += 1;
        }
        Ok(written)
    })
}

fn failed(out: &Path, error: &std::io::Error) -> WorkloadError {
    WorkloadError::of(out.display().to_string(), error.to_string(), "a folder to write to, with room")
}

/// Lets `write` fill a temporary file beside `out`, compressed as the ending of `out` says, and renames the file to
/// `out` at the end, so that an incomplete file is never visible. Returns the result of `write`.
fn into_file(
    out: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<u64, WorkloadError>,
) -> Result<u64, WorkloadError> {
    let failed = |error: std::io::Error| failed(out, &error);
    let folder = match out.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let mut file = temporary::beside(folder, ".converting-").map_err(failed)?;
    let mut packed = PackedOutput::new(out, BufWriter::new(file.as_file_mut())).map_err(failed)?;
    let written = write(packed.sink())?;
    packed.finish().map_err(failed)?;
    file.as_file().sync_all().map_err(failed)?;
    file.persist(out).map_err(|error| failed(error.error))?;
    temporary::settle(folder).map_err(failed)?;
    Ok(written)
}

fn writable(to: &str) -> Result<(&'static FormatCard, LineWriter), WorkloadError> {
    let card = format_named(to)?;
    let Some(writer) = card.writer else {
        let names: Vec<&str> = formats().iter().filter(|c| c.writable()).map(|c| c.name).collect();
        let expected = format!("one of {}", names.join(", "));
        return Err(WorkloadError::of(
            "trace convert",
            format!("{to} can be read but not written"),
            expected,
        ));
    };
    Ok((card, writer))
}

fn write_all(
    opened: Opened,
    card: &FormatCard,
    writer: LineWriter,
    sink: &mut dyn Write,
    out: &Path,
) -> Result<u64, WorkloadError> {
    let failed = |error: std::io::Error| failed(out, &error);
    let volumes: Vec<String> = opened.info.volumes.iter().map(|volume| volume.name.clone()).collect();
    let (first_ns, framing, name) = (opened.info.first_ns, opened.card.framing, opened.info.path.clone());
    sink.write_all((writer.header)(&volumes).as_bytes()).map_err(failed)?;
    let mut requests = opened.second_pass()?;
    let (mut line, mut written) = (Vec::with_capacity(128), 0);
    while let Some(located) = requests.next()? {
        line.clear();
        let record = Record { time_ns: located.record.time_ns.saturating_sub(first_ns), ..located.record };
        if record.placement.is_some() {
            let place = framing.place(&name, located.line);
            let found = format!("a placement handle has no form in {}", card.name);
            return Err(WorkloadError::of(place, found, "a table without the column handle"));
        }
        if let Err(what) = (writer.line)(&mut line, &record, &volumes[record.volume as usize]) {
            let place = framing.place(&name, located.line);
            let expected = "another target, such as fio-iolog-v3";
            return Err(WorkloadError::of(place, format!("{what} has no form in {}", card.name), expected));
        }
        sink.write_all(&line).map_err(failed)?;
        written += 1;
    }
    Ok(written)
}

/// Kind of writer of a converted trace file, by the compression that the file name's ending says.
enum PackedOutput<'a> {
    Plain(BufWriter<&'a mut std::fs::File>),
    Gzip(flate2::write::GzEncoder<BufWriter<&'a mut std::fs::File>>),
    Zstd(ZstdWriter<BufWriter<&'a mut std::fs::File>>),
    Bzip2(bzip2::write::BzEncoder<BufWriter<&'a mut std::fs::File>>),
    Xz(XzWriter<BufWriter<&'a mut std::fs::File>>),
}

impl<'a> PackedOutput<'a> {
    fn new(out: &Path, file: BufWriter<&'a mut std::fs::File>) -> std::io::Result<Self> {
        Ok(match out.extension().and_then(|e| e.to_str()) {
            Some("gz") => Self::Gzip(flate2::write::GzEncoder::new(file, flate2::Compression::default())),
            Some("zst") => Self::Zstd(ZstdWriter::new(file)?),
            Some("bz2") => Self::Bzip2(bzip2::write::BzEncoder::new(file, bzip2::Compression::default())),
            Some("xz") => Self::Xz(XzWriter::new(file)?),
            _ => Self::Plain(file),
        })
    }

    fn sink(&mut self) -> &mut dyn Write {
        match self {
            Self::Plain(sink) => sink,
            Self::Gzip(sink) => sink,
            Self::Zstd(sink) => sink,
            Self::Bzip2(sink) => sink,
            Self::Xz(sink) => sink,
        }
    }

    fn finish(self) -> std::io::Result<()> {
        match self {
            Self::Plain(mut sink) => sink.flush(),
            Self::Gzip(sink) => sink.finish()?.flush(),
            Self::Zstd(sink) => sink.finish()?.flush(),
            Self::Bzip2(sink) => sink.finish()?.flush(),
            Self::Xz(sink) => sink.finish()?.flush(),
        }
    }
}
