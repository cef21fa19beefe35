//! The server: sockets, requests and time, in one thread.
//!
//! All that has come is read before time goes on, and all answers of a stretch of time leave together: so a request costs
//! a part of a system call where many are under way.

use crate::commands::{Allocation, PARTS_MOST, Part, Plan, Then, plan};
use crate::connection::Connection;
use crate::contents::{Contents, Done, Payload, Shared};
use crate::found::{self, Begins, checksum};
use crate::image::{Image, Left, Witness};
use crate::meter::{Board, Meter, drive_now};
use crate::nbd::{Asked, Command, Export, Extent, Refusal};
use crate::pace::{Clock, Pace};
use crate::recorder::Recorder;
use crate::sockets::{Listener, wait};
use crate::source::Source;
use ftl::{Damage, Ftl, Medium};
use host::{HostRequest, Op};
use serde::Deserialize;
use serde_json::Value;
use sim::live::Lost;
use sim::{Drive, Error, RunOptions, Session};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};
use units::{Lpn, SimTime};

/// Before an event is due, the thread stays awake so long: waking takes up to that.
const SPIN: Duration = Duration::from_micros(60);
/// At full speed time goes on until this part of what is under way is answered.
const ANSWERED_AT_ONCE: u64 = 4;
/// Events between two looks at the clock.
const EVENTS: u32 = 1024;
/// The longest rest: the board may have said to stop.
const REST_MOST: Duration = Duration::from_millis(50);
/// Rounds between two looks at the listener, while there is something to do.
const ROUNDS: u32 = 64;
/// What one question for what is allocated may look at.
const STATUS_MOST: u64 = 1 << 30;
const EXTENTS_MOST: usize = 4096;

/// How a drive is served; read from JSON, unknown keys refused.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServeOptions {
    /// The image.
    pub image: PathBuf,
    /// The path to listen at.
    pub socket: Option<PathBuf>,
    /// The port to listen at, where there is no path; 0: any that is free.
    pub port: Option<u16>,
    /// The address of that port.
    pub address: String,
    /// `max`, or simulated seconds a second.
    pub pace: String,
    /// Where the requests are recorded.
    pub record: Option<PathBuf>,
}

impl ServeOptions {
    /// Reads the options.
    ///
    /// # Errors
    /// When a key is unknown, or a path no text.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        serde_json::from_str(text).map_err(|error| Error(format!("--image, --socket: {error}")))
    }
}

/// A client's request that is not answered.
struct Pending {
    client: u64,
    cookie: u64,
    command: Command,
    offset: u64,
    bytes: u32,
    arrived: SimTime,
    /// Requests to the drive that are not answered.
    parts: u32,
    /// The number of the next of them.
    next: u64,
    then: Then,
    durable: bool,
    refusal: Option<Refusal>,
}

/// A drive that is served.
pub struct Server {
    session: Session,
    shared: Arc<Mutex<Shared>>,
    listener: Listener,
    export: Export,
    options: ServeOptions,
    clients: BTreeMap<u64, Connection>,
    pending: HashMap<u64, Pending>,
    /// Clients and requests so far.
    seen: u64,
    numbered: u64,
    /// Requests to the drive that are not answered.
    under_way: u64,
    clock: Option<Clock>,
    meter: Meter,
    board: Arc<Board>,
    recorder: Option<Recorder>,
}

impl Server {
    /// Opens the image, builds the drive as the image has it, and listens.
    ///
    /// # Errors
    /// When the image is not this drive's or in use, or nobody can listen there.
    pub fn new(drive: Drive, run: RunOptions, options: &ServeOptions) -> Result<Self, Error> {
        let pace = Pace::read(&options.pace)?;
        Session::check_live(&drive)?;
        let listener = match (&options.socket, options.port) {
            (Some(path), None) => Listener::at_path(path)?,
            (None, Some(port)) => Listener::at_port(&options.address, port)?,
            _ => return Err(Error("expected either --socket or --port".into())),
        };
        let state = state_of(&options.image);
        let capacity = drive.capacity().get();
        let fresh = drive.build(run.seed)?;
        let layout = fresh.layout().clone();
        let image = Image::open(&options.image, &layout, &sim::drive_shape(&fresh))?;
        drop(fresh);
        let export = Export { bytes: capacity, unit: layout.unit.get() as u32 };
        let begins = found::begins(&image, &options.image, &state)?;
        let load_state = if let Begins::AtRest(state) = &begins { Some(state.clone()) } else { None };
        let shared = Arc::new(Mutex::new(Shared::new(image, layout)));
        let session = Self::begin(drive, RunOptions { load_state, ..run }, &shared, &begins)?;
        let recorder = options.record.as_deref().map(Recorder::at).transpose()?;
        let mut server = Self {
            session,
            shared,
            listener,
            export,
            options: options.clone(),
            clients: BTreeMap::new(),
            pending: HashMap::new(),
            seen: 0,
            numbered: 0,
            under_way: 0,
            clock: None,
            meter: Meter::new(),
            board: Arc::default(),
            recorder,
        };
        let stamp = server.shared().stamp();
        // From here on what is on flash is other than what the state says.
        server.shared().image.leave(Left::AtWork, stamp)?;
        if let Pace::Of(pace) = pace {
            server.clock = Some(Clock::new(pace, server.session.times()?.0));
        }
        server.leave_word()?;
        Ok(server)
    }

    /// Lets the drive's time begin: after a power cut it looks for what its flash holds.
    fn begin(
        drive: Drive,
        run: RunOptions,
        shared: &Arc<Mutex<Shared>>,
        begins: &Begins,
    ) -> Result<Session, Error> {
        let source = Box::new(Source::new(shared.clone()));
        let contents = Box::new(Contents(shared.clone()));
        if *begins != Begins::AfterCut {
            return Session::live(drive, source, run, contents, None);
        }
        let mut failed = None;
        let mut put = |medium: &mut Medium| {
            let mut shared = shared.lock().expect("one thread");
            let Witness { requests, units } = shared.image.witness();
            let found = shared.find(medium).map_err(|error| failed = Some(error));
            let torn_rows = found.map_or(0, |holds| holds.torn_rows);
            Lost { requests, units, damage: Damage { torn_rows, ..Damage::default() } }
        };
        let session = Session::live(drive, source, run, contents, Some(&mut put));
        failed.map_or(session, Err)
    }

    /// How clients name it.
    pub fn uri(&self) -> String {
        self.listener.uri()
    }

    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().expect("one thread")
    }

    /// Where this server leaves word for those who watch, whatever it is doing.
    pub fn board(&self) -> Arc<Board> {
        self.board.clone()
    }

    /// Serves for about so long, or until the board says to stop.
    ///
    /// # Errors
    /// When the run ended.
    pub fn serve(&mut self, slice: Duration) -> Result<(), Error> {
        if self.clock.is_some() {
            // A kernel that cannot do it leaves the slack as it is, which the lateness then shows.
            let _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1));
        }
        let began = Instant::now();
        let deadline = began + slice;
        let (mut now, mut round) = (began, 0);
        while now < deadline && !self.board.is_ended() {
            if round % ROUNDS == 0 {
                self.accept();
            }
            let more = self.receive();
            self.offer()?;
            self.go_on(deadline)?;
            self.answer()?;
            self.note_what_a_cut_takes();
            self.send();
            round = if self.rest(more, deadline)? { 0 } else { round + 1 };
            now = Instant::now();
            if self.meter.is_due(now) {
                self.leave_word()?;
            }
        }
        self.session.spend(began.elapsed());
        self.leave_word()
    }

    /// Before answers leave, the image says what would be lost with this server.
    fn note_what_a_cut_takes(&mut self) {
        let units = self.session.ftl().map_or(0, Ftl::at_risk);
        let witness = Witness { requests: self.pending.len() as u32, units };
        self.shared().image.note(witness);
    }

    /// Those who watch learn how far it is.
    fn leave_word(&mut self) -> Result<(), Error> {
        if let Some(recorder) = &mut self.recorder {
            recorder.write();
        }
        let (now, _) = self.session.times()?;
        let mut progress = self.meter.progress(now);
        let shared = self.shared.lock().expect("one thread");
        progress.clients = self.clients.len();
        progress.under_way = self.pending.len() as u64;
        progress.refused = shared.image.refused().map(str::to_owned);
        progress.record_ended = self.recorder.as_ref().and_then(Recorder::ended).map(str::to_owned);
        progress.damaged_reads = shared.image.damaged_reads();
        if let Some(ftl) = self.session.ftl() {
            progress.drive = drive_now(ftl, shared.ages());
        }
        self.board.leave(progress);
        Ok(())
    }

    fn accept(&mut self) {
        while let Some(stream) = self.listener.accept() {
            self.seen += 1;
            self.clients.insert(self.seen, Connection::new(stream, self.export));
        }
    }

    /// Reads what has come; true when more may be there already.
    fn receive(&mut self) -> bool {
        let mut clients = std::mem::take(&mut self.clients);
        let arrive = self.arrival();
        let mut more = false;
        for (&name, client) in &mut clients {
            more |= client.receive(&mut |client, asked| self.take(name, client, asked, arrive));
        }
        self.clients = clients;
        more
    }

    /// The simulated time at which what is read now arrives.
    fn arrival(&mut self) -> SimTime {
        let now = self.session.times().map_or(SimTime::ZERO, |(now, _)| now);
        self.clock.map_or(now, |clock| clock.now().max(now))
    }

    /// Takes a client's request: refuses it, answers it, or hands it to the drive.
    fn take(&mut self, name: u64, client: &mut Connection, asked: Asked<'_>, arrive: SimTime) {
        let (cookie, command, offset) = (asked.cookie, asked.command, asked.offset);
        let durable = asked.is_fua() || command == Command::Flush;
        let allocation = if client.knows_allocation() { Allocation::Known } else { Allocation::Unknown };
        let replies = client.replies();
        let most = if asked.wants_one() { 1 } else { EXTENTS_MOST };
        let length = asked.length;
        let writes = matches!(command, Command::Write | Command::WriteZeroes | Command::Trim);
        let planned = plan(&asked, &self.export, allocation, &mut self.shared().buffers);
        match planned {
            Plan::Leave => client.is_over = true,
            Plan::Refuse(refusal) => {
                self.meter.note_refused(refusal);
                replies.refuse(client.out(), cookie, refusal);
            }
            Plan::Status => {
                let extents = self.extents(offset, length, most);
                replies.status(client.out(), cookie, &extents);
            }
            Plan::Drive(..) if (writes || durable) && !self.shared().image.find_room() => {
                self.meter.note_refused(Refusal::NoSpace);
                replies.refuse(client.out(), cookie, Refusal::NoSpace);
            }
            Plan::Drive(parts, Then::Nothing) if parts.is_empty() => replies.done(client.out(), cookie),
            Plan::Drive(parts, then) => {
                client.under_way += 1;
                let number = self.numbered;
                self.numbered += PARTS_MOST;
                let mut pending = Pending {
                    client: name,
                    cookie,
                    command,
                    offset,
                    bytes: length,
                    arrived: arrive,
                    parts: 0,
                    next: number,
                    then,
                    durable,
                    refusal: None,
                };
                if parts.is_empty() {
                    pending.then = Then::Nothing;
                    self.ask(&mut pending, flush(), arrive);
                }
                parts.into_iter().for_each(|part| self.ask(&mut pending, part, arrive));
                self.pending.insert(number / PARTS_MOST, pending);
            }
        }
    }

    /// Hands a request to the drive.
    fn ask(&mut self, pending: &mut Pending, part: Part, arrive: SimTime) {
        let Part { op, offset, bytes, fua, payload } = part;
        let request = HostRequest { arrive, op, offset, bytes, tag: 0, fua };
        if let Some(recorder) = &mut self.recorder {
            recorder.note(&request);
        }
        let mut shared = self.shared.lock().expect("one thread");
        shared.incoming.push_back((pending.next, request));
        if payload != Payload::None {
            shared.payloads.insert(pending.next, payload);
        }
        pending.next += 1;
        pending.parts += 1;
        self.under_way += 1;
    }

    /// What of a range is written.
    fn extents(&self, offset: u64, length: u32, most: usize) -> Vec<Extent> {
        let Some(ftl) = self.session.ftl() else { return Vec::new() };
        let shared = self.shared();
        let unit = u64::from(self.export.unit);
        let end = offset + u64::from(length).min(STATUS_MOST);
        let mut extents: Vec<Extent> = Vec::new();
        let mut at = offset;
        while at < end {
            let lpn = Lpn((at / unit) as u32);
            let next = ((at / unit + 1) * unit).min(end);
            let (bytes, written) = ((next - at) as u32, shared.is_written(lpn, ftl.lookup(lpn)));
            let count = extents.len();
            match extents.last_mut().filter(|last| last.written == written) {
                Some(last) => last.bytes += bytes,
                None if count == most => break,
                None => extents.push(Extent { bytes, written }),
            }
            at = next;
        }
        extents
    }

    /// The drive learns of what has come.
    fn offer(&mut self) -> Result<(), Error> {
        let first = self.shared().incoming.front().map(|(_, request)| request.arrive);
        first.map_or(Ok(()), |at| self.session.offer(at))
    }

    /// Lets time go on.
    fn go_on(&mut self, deadline: Instant) -> Result<(), Error> {
        let until = self.clock.map_or(SimTime::NEVER, |clock| clock.now());
        let most = if self.clock.is_some() { u64::MAX } else { (self.under_way / ANSWERED_AT_ONCE).max(1) };
        let mut left = EVENTS;
        while self.clock.is_some() || self.under_way > 0 {
            if !self.session.step(until)? || self.shared().done.len() as u64 >= most {
                break;
            }
            left -= 1;
            if left == 0 {
                left = EVENTS;
                if Instant::now() >= deadline {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Tells clients what the drive answered.
    fn answer(&mut self) -> Result<(), Error> {
        let done = std::mem::take(&mut self.shared().done);
        if done.is_empty() {
            return Ok(());
        }
        for one in done {
            self.under_way -= 1;
            let data = self.tell(one);
            self.shared().buffers.put_back(data);
        }
        // A flush may have been asked for.
        self.offer()
    }

    /// Tells a client; gives the memory of what was read.
    fn tell(&mut self, done: Done) -> Vec<u8> {
        let name = done.number / PARTS_MOST;
        let Some(mut pending) = self.pending.remove(&name) else { return done.data };
        pending.parts -= 1;
        if done.failed {
            pending.refusal = Some(Refusal::Io);
        }
        if pending.parts > 0 {
            self.pending.insert(name, pending);
            return done.data;
        }
        if pending.then == Then::Flush && pending.refusal.is_none() {
            pending.then = Then::Nothing;
            let arrive = self.arrival();
            self.ask(&mut pending, flush(), arrive);
            self.pending.insert(name, pending);
            return done.data;
        }
        if pending.durable && self.shared().image.refused().is_some() {
            pending.refusal = Some(Refusal::NoSpace);
        }
        if let Some(clock) = &self.clock {
            self.meter.note_late(clock.late(done.at));
        }
        self.meter.answered += 1;
        match pending.refusal {
            Some(refusal) => self.meter.note_refused(refusal),
            None => {
                let took = done.at.since(pending.arrived);
                self.meter.note_done(pending.command, pending.bytes.into(), took);
            }
        }
        let Some(client) = self.clients.get_mut(&pending.client) else { return done.data };
        client.under_way -= 1;
        let replies = client.replies();
        match pending.refusal {
            Some(refusal) => replies.refuse(client.out(), pending.cookie, refusal),
            None if pending.command == Command::Read => {
                replies.data(client.out(), pending.cookie, pending.offset, &done.data);
            }
            None => replies.done(client.out(), pending.cookie),
        }
        done.data
    }

    fn send(&mut self) {
        self.clients.values_mut().for_each(Connection::send);
        self.clients.retain(|_, client| !client.is_over || client.under_way > 0);
    }

    /// Waits until there is something to do, unless there is already. True when somebody new is there.
    fn rest(&mut self, more: bool, deadline: Instant) -> Result<bool, Error> {
        let mut most = deadline.saturating_duration_since(Instant::now());
        if more || most.is_zero() || (self.clock.is_none() && self.under_way > 0) {
            return Ok(false);
        }
        if let (Some(clock), (_, Some(next))) = (&self.clock, self.session.times()?) {
            let until = clock.until(next);
            let awake = if self.under_way > 0 { SPIN } else { Duration::ZERO };
            if until <= awake {
                return Ok(false);
            }
            most = most.min(until - awake);
        }
        most = most.min(REST_MOST);
        Ok(wait(&self.listener, self.clients.values().map(Connection::interest), most))
    }

    /// Answers what is under way and takes leave of all clients.
    ///
    /// # Errors
    /// When the run ended with an error.
    pub fn end(&mut self) -> Result<(), Error> {
        self.session.end()?;
        self.answer()?;
        let cut_short: Vec<u64> = self.pending.keys().copied().collect();
        for name in cut_short {
            // A flush behind a request came too late.
            let pending = self.pending.remove(&name).expect("it was there");
            if let Some(client) = self.clients.get_mut(&pending.client) {
                client.replies().refuse(client.out(), pending.cookie, Refusal::Shutdown);
            }
        }
        self.send();
        self.clients.clear();
        self.leave_word()
    }

    /// Everything measured, as JSON.
    ///
    /// # Errors
    /// When the run ended with an error.
    pub fn result(&mut self) -> Result<Value, Error> {
        let notes = self.notes();
        self.shared().notes = notes;
        self.session.result()
    }

    fn notes(&self) -> Vec<(String, String)> {
        let mut notes = vec![
            ("clients".to_owned(), self.seen.to_string()),
            ("pace".to_owned(), self.options.pace.clone()),
        ];
        if let Some(found) = self.meter.late.summary() {
            let us = |ns: u64| ns as f64 / 1000.0;
            notes.push((
                "lateness_us".into(),
                format!(
                    "p50 {:.1}, p99 {:.1}, max {:.1}",
                    us(found.p50_ns),
                    us(found.p99_ns),
                    us(found.max_ns)
                ),
            ));
            let kept = if found.is_kept { "yes" } else { "no: choose a lower --pace" };
            notes.push((
                "pace_kept".into(),
                format!(
                    "{kept} ({:.3} % of {} answers later than 100 us)",
                    found.late_ratio * 100.0,
                    found.answers
                ),
            ));
        }
        let damaged = self.shared().image.damaged_reads();
        if damaged > 0 {
            notes.push(("damaged_reads".into(), damaged.to_string()));
        }
        if let Some(ended) = self.recorder.as_ref().and_then(Recorder::ended) {
            notes.push(("record_ended".into(), ended.to_owned()));
        }
        notes
    }

    /// Rows of `requests.parquet` since the last call, as little-endian columns.
    pub fn take_requests(&mut self) -> Vec<Vec<u8>> {
        self.session.take_requests()
    }

    /// Brings the drive to rest, and leaves the image so that the next server finds it at rest.
    ///
    /// # Errors
    /// When a file cannot be written; the image is then as after a power cut.
    pub fn close(&mut self) -> Result<(), Error> {
        let path = state_of(&self.options.image);
        self.session.save_state(&path)?;
        let state = checksum(&path)?;
        let mut shared = self.shared();
        let stamp = shared.stamp();
        shared.image.leave(Left::AtRest(state), stamp)
    }
}

fn flush() -> Part {
    Part { op: Op::Flush, offset: 0, bytes: 0, fua: false, payload: Payload::None }
}

/// Where the state of a drive at rest is kept: beside its image.
fn state_of(image: &Path) -> PathBuf {
    let mut name = image.as_os_str().to_owned();
    name.push(".state");
    name.into()
}
