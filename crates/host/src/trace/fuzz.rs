//! One round of fuzzing: any bytes, read in every way. Nothing may panic, and every reading must end.

use super::format::formats;
use super::opened::{Opened, TracePurpose};
use super::options::{Addresses, Align, TraceOptions};
use super::origin::TraceOrigin;
use super::replay::open_origin;
use crate::{Completion, Poll, Workload};
use std::sync::Arc;
use units::SimTime;

/// Constant: greatest number of input bytes that the fuzz test of trace readers uses: more bytes take more time and
/// find no other code paths.
const MOST_BYTES: usize = 64 << 10;
/// Constant: greatest number of requests that the fuzz test replays of one trace.
const MOST_REQUESTS: u32 = 2_000;
/// Constant: capacity in bytes of the fuzz test's drive: small, so that most addresses of a trace lie beyond its end.
const DRIVE_BYTES: u64 = 8 << 30;

/// Runs the fuzz test of the trace readers: reads `data` without its last two bytes as a trace whose format is
/// recognised by content, and then replays the bytes with the options that the last byte selects, in the format that
/// the byte before it selects or, if the options name none, again by content.
///
/// # Panics
/// When a reader breaks an invariant, which is what the test looks for.
pub fn fuzz_one(data: &[u8]) {
    let [trace @ .., pick, choices] = data else { return };
    let trace: Arc<[u8]> = trace[..trace.len().min(MOST_BYTES)].into();
    let origin = || TraceOrigin::memory(Arc::clone(&trace));
    if let Ok(opened) = TraceOrigin::memory_opened(Arc::clone(&trace)) {
        let _ = Opened::survey(opened, &TraceOptions::default(), TracePurpose::Look);
    }
    let card = &formats()[usize::from(*pick) % formats().len()];
    replay(origin(), &chosen(card.name, *choices));
}

/// Runs the fuzz test of tables: parses the first line of `data` as the text of `--columns`, and reads the rest as a
/// trace table so described.
///
/// # Panics
/// When a reader breaks an invariant.
pub fn fuzz_columns(data: &[u8]) {
    let data = &data[..data.len().min(MOST_BYTES)];
    let line = data.iter().position(|byte| *byte == b'\n').unwrap_or(data.len());
    let columns = Some(String::from_utf8_lossy(&data[..line]).into_owned());
    let rest: Arc<[u8]> = data[line..].iter().skip(1).copied().collect();
    let options =
        TraceOptions { format: Some("table".to_owned()), columns, sort: true, ..TraceOptions::default() };
    replay(TraceOrigin::memory(rest), &options);
}

/// Returns the trace options that the bits of `choices` select, for the fuzz test.
fn chosen(format: &str, choices: u8) -> TraceOptions {
    let addresses = [Addresses::Auto, Addresses::Wrap, Addresses::Scale, Addresses::Compact];
    const TABLES: [&str; 4] = [
        "time:ms op:1=read,0=write,R=read,W=write offset:bytes size:sectors",
        "wait:ticks op=write offset:4KiB size=4KiB ...",
        "time:s volume offset:sectors size:sectors op",
        "time=none - - - op offset:bytes size:bytes ...",
    ];
    let named = choices & 0x80 == 0;
    TraceOptions {
        format: named.then(|| format.to_owned()),
        columns: (named && format == "table").then(|| TABLES[usize::from(choices & 3)].to_owned()),
        align: [Align::Refuse, Align::Round, Align::Refuse, Align::Offset][usize::from(choices >> 3 & 3)],
        addresses: addresses[usize::from(choices & 3)],
        sort: choices & 4 != 0,
        sort_window: 16,
        skip_bad_lines: choices & 8 != 0,
        as_fast_as_possible: (choices & 16 != 0).then_some(4),
        exact_footprint: choices & 32 != 0,
        speedup: if choices & 64 != 0 { 3.7 } else { 1.0 },
        ..TraceOptions::default()
    }
}

/// Test helper: replays the requests of a trace, up to a limit, and checks the promises of a workload, such as times in
/// order and addresses on the drive.
fn replay(origin: TraceOrigin, options: &TraceOptions) {
    let Ok(mut workload) = open_origin(origin, options, &DRIVE_BYTES.into()) else { return };
    let (mut now, mut last_arrive) = (SimTime::ZERO, SimTime::ZERO);
    let mut outstanding = Vec::new();
    for _ in 0..MOST_REQUESTS {
        match workload.poll(now).expect("the first pass read the same bytes") {
            Poll::Ready(request) => {
                assert!(request.arrive <= now && request.arrive >= last_arrive, "{request:?} at {now}");
                assert!(request.offset + u64::from(request.bytes) <= DRIVE_BYTES, "{request:?}");
                assert!(request.offset % 512 == 0 && request.bytes % 512 == 0, "{request:?}");
                last_arrive = request.arrive;
                outstanding.push(request);
            }
            Poll::At(later) => {
                assert!(later > now);
                now = later;
            }
            Poll::Blocked => {
                let request = outstanding.pop().expect("blocked only while requests are out");
                workload.complete(&request, &Completion::success(now));
            }
            Poll::Done => {
                assert_eq!(workload.report().requests, workload.info().requests.total());
                return;
            }
        }
    }
}
