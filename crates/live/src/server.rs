//! The server: sockets, requests and time, in one thread.
//!
//! All that has come is read before time goes on, and all answers of a stretch of time leave together: so a request costs
//! a part of a system call where many requests are in flight. Each client has a turn, time has one, and each turn is bounded, in work
//! and not only in time: no client, and no signal, waits for what another client asked for.

mod requests;

use crate::connection::{Connection, Quiet, TURN_BYTES};
use crate::contents::{Contents, SharedContents};
use crate::found::{self, Begins, UnfinishedPrograms, check_replaceable, checksum};
use crate::image::{Image, ImageLeft, Witness};
use crate::meter::{Board, Meter, drive_now};
use crate::nbd::{Export, Refusal};
use crate::pace::{WallClock, WallPace};
use crate::recorder::Recorder;
use crate::sockets::{Listener, wait};
use crate::source::QueueSource;
use ftl::{Damage, FlashContents};
use requests::ClientRequest;
use serde::Deserialize;
use serde_json::Value;
use sim::holder::Lost;
use sim::{Drive, Error, RunOptions, Session};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};
use units::SimTime;

/// Constant: time before an event is due during which the server's thread does not sleep, because waking it takes up to
/// that long.
const SPIN: Duration = Duration::from_micros(60);
/// Constant: divisor of the number of requests in flight: at full speed, simulated time runs until a quarter of these
/// requests have completed, then the server sends the answers.
const ANSWERED_AT_ONCE: u64 = 4;
/// Constant: number of simulation events between two readings of the real-time clock, by which the simulation ends its
/// present pass in time.
const EVENTS: u32 = 256;
/// Constant: greatest real time that the simulation runs before the server serves its clients again.
const TURN: Duration = Duration::from_millis(5);
/// Constant: greatest number of bytes copied in the time that the simulation runs before the server serves its clients
/// again.
const MOVED_MOST: u64 = 4 << 20;
/// Constant: longest time that the server sleeps, because another thread (observer) may have asked it to stop
/// meanwhile.
const REST_MOST: Duration = Duration::from_millis(50);
/// Constant: number of passes of the server's loop, while there is work, after which it again accepts new clients and
/// reads the sockets of quiet clients (which have sent nothing for long); the other passes leave both out.
const ROUNDS: u32 = 64;
/// Constant: greatest number of clients of the live server at one time; others wait until one has left.
const CLIENTS_MOST: usize = 256;
/// Constant: time for which the live server accepts no further clients after the machine had no socket for one.
const NO_SOCKET: Duration = Duration::from_secs(1);

/// Set of options for serving a drive to NBD clients; read from JSON, unknown keys are refused.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServeOptions {
    /// Setting: path of the image file that stores the contents of the simulated drive.
    pub image: PathBuf,
    /// Setting: path of the Unix socket at which the server listens.
    pub socket: Option<PathBuf>,
    /// Setting: TCP port at which the server listens if no socket path is given; 0: any free port.
    pub port: Option<u16>,
    /// Setting: network address at which the server listens, together with the TCP port.
    pub address: String,
    /// Setting: pace of the server: `max`, or simulated seconds per second of real time.
    pub pace: String,
    /// Setting: path of the trace file to which all requests to the served drive are recorded.
    pub record: Option<PathBuf>,
}

impl ServeOptions {
    /// Parses the options for serving a drive from JSON.
    ///
    /// # Errors
    /// When a key is unknown, or a path is not text.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        serde_json::from_str(text).map_err(|error| Error(format!("--image, --socket: {error}")))
    }
}

/// State of the live server: a simulated drive that is served to NBD clients in real time.
pub struct Server {
    session: Session,
    shared: Arc<Mutex<SharedContents>>,
    listener: Listener,
    exports: Arc<[Export]>,
    options: ServeOptions,
    clients: BTreeMap<u64, Connection>,
    /// Serial number of the client that is the first to be served in the next pass over the clients.
    next_client: u64,
    /// Real time until which no further client is accepted, because the machine had no socket for one; none if clients
    /// are accepted.
    no_socket_until: Option<Instant>,
    pending: HashMap<u64, ClientRequest>,
    /// Number of clients of the live server that have connected so far.
    seen: u64,
    /// Number of requests of the live server's clients that were passed to the drive so far.
    numbered: u64,
    /// Number of requests of the live server that are in flight in the simulated drive.
    in_flight: u64,
    clock: Option<WallClock>,
    meter: Meter,
    board: Arc<Board>,
    recorder: Option<Recorder>,
    /// True if the last server closed the image but the file with the drive's saved state is lost, so that the drive
    /// started as after a power cut.
    is_without_state: bool,
}

impl Server {
    /// Makes a server: opens the image, builds the simulated drive in the state that the image has, and listens for
    /// clients.
    ///
    /// # Errors
    /// When the image is of another drive or in use, or the server cannot listen at the socket.
    pub fn new(drive: Drive, run: RunOptions, options: &ServeOptions) -> Result<Self, Error> {
        let pace = WallPace::read(&options.pace)?;
        Session::check_live(&drive)?;
        if options.record.is_some() && drive.space().is_parted() {
            return Err(Error("--record: a trace of one drive: expected a drive of one namespace".into()));
        }
        let state = state_of(&options.image);
        check_folder(&options.image)?;
        found::check_new(&options.image, &state)?;
        let listener = match (&options.socket, options.port) {
            (Some(path), None) => Listener::at_path(path)?,
            (None, Some(port)) => Listener::at_port(&options.address, port)?,
            _ => return Err(Error("expected either --socket or --port".into())),
        };
        let fresh = drive.build(run.seed)?;
        let layout = fresh.layout().clone();
        let image = Image::open(&options.image, &layout, &Session::live_shape(&drive, &fresh))?;
        drop(fresh);
        let exports = Export::all_of(&drive.space(), layout.unit.get() as u32);
        let begins = found::begins(&image, &options.image, &state)?;
        let load_state = if let Begins::AtRest(state) = &begins { Some(state.clone()) } else { None };
        let shared = Arc::new(Mutex::new(SharedContents::new(image, layout)));
        let session = Self::begin(drive, RunOptions { load_state, ..run }, &shared, &begins)?;
        let recorder = options.record.as_deref().map(Recorder::at).transpose()?;
        let mut server = Self {
            session,
            shared,
            listener,
            exports,
            options: options.clone(),
            clients: BTreeMap::new(),
            next_client: 0,
            no_socket_until: None,
            pending: HashMap::new(),
            seen: 0,
            numbered: 0,
            in_flight: 0,
            clock: None,
            meter: Meter::new(),
            board: Arc::default(),
            recorder,
            is_without_state: begins == Begins::WithoutState,
        };
        let stamp = server.shared().stamp();
        // From here on what is on flash is other than what the state says.
        server.shared().image.leave(ImageLeft::AtWork, stamp)?;
        if let WallPace::Of(pace) = pace {
            server.clock = Some(WallClock::new(pace, server.session.times()?.0));
        }
        server.leave_word()?;
        Ok(server)
    }

    /// Starts the simulated drive of the live server as `begins` says: fresh, in the state that the last server saved,
    /// or as after a power cut (also where the saved state is missing), in which case the drive first recovers its map
    /// from the data on flash.
    fn begin(
        drive: Drive,
        run: RunOptions,
        shared: &Arc<Mutex<SharedContents>>,
        begins: &Begins,
    ) -> Result<Session, Error> {
        let source = Box::new(QueueSource::new(shared.clone()));
        let contents = Box::new(Contents(shared.clone()));
        let programs = match begins {
            Begins::Fresh | Begins::AtRest(_) => return Session::live(drive, source, run, contents, None),
            Begins::AfterCut => UnfinishedPrograms::UnderWay,
            Begins::WithoutState => UnfinishedPrograms::Over,
        };
        let mut failed = None;
        let mut put = |contents: &mut FlashContents| {
            let mut shared = shared.lock().expect("one thread");
            let Witness { requests, units } = shared.image.witness();
            let found = shared.find(programs, contents).map_err(|error| failed = Some(error));
            let torn_rows = found.map_or(0, |holds| holds.torn_rows);
            Lost { requests, units, damage: Damage { torn_rows, ..Damage::default() } }
        };
        let session = Session::live(drive, source, run, contents, Some(&mut put));
        failed.map_or(session, Err)
    }

    /// Returns the NBD URI by which clients reach the server.
    pub fn uri(&self) -> String {
        self.listener.uri()
    }

    fn shared(&self) -> MutexGuard<'_, SharedContents> {
        self.shared.lock().expect("one thread")
    }

    /// Returns the board through which other threads (observers) read the server's state and ask it to stop.
    pub fn board(&self) -> Arc<Board> {
        self.board.clone()
    }

    /// Serves clients for about the real time `slice`, or until another thread has asked the server to stop.
    ///
    /// # Errors
    /// When the simulation fails.
    pub fn serve(&mut self, slice: Duration) -> Result<(), Error> {
        if self.clock.is_some() {
            // A kernel that cannot do it leaves the slack as it is, which the lateness then shows.
            let _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1));
        }
        let began = Instant::now();
        let deadline = began + slice;
        let (mut now, mut round) = (began, 0);
        while now < deadline && !self.board.is_ended() {
            let quiet = if round % ROUNDS == 0 { Quiet::Read } else { Quiet::LeftOut };
            if quiet == Quiet::Read {
                self.accept(now);
            }
            self.receive(quiet);
            self.offer()?;
            self.go_on(deadline)?;
            self.answer()?;
            self.note_what_a_cut_takes();
            self.send();
            round = if self.rest(deadline)? { 0 } else { round + 1 };
            now = Instant::now();
            if self.meter.is_due(now) {
                self.leave_word()?;
            }
        }
        self.session.spend(began.elapsed());
        self.leave_word()
    }

    /// Records in the image, before answers are sent, the numbers of unanswered requests and of mapping units not on
    /// flash, which would be lost if the server were killed.
    fn note_what_a_cut_takes(&mut self) {
        let units = self.session.ftl().map_or(0, |ftl| ftl.buffer().units_at_risk());
        let witness = Witness { requests: self.pending.len() as u32, units };
        self.shared().image.note(witness);
    }

    /// Stores the server's state on the board for other threads (observers), and writes the recorded requests to the
    /// trace file.
    fn leave_word(&mut self) -> Result<(), Error> {
        if let Some(recorder) = &mut self.recorder {
            recorder.write();
        }
        let (now, _) = self.session.times()?;
        let mut progress = self.meter.progress(now);
        let shared = self.shared.lock().expect("one thread");
        progress.clients = self.clients.len();
        progress.client_bytes = self.clients.values().map(Connection::memory).sum();
        progress.in_flight = self.pending.len() as u64;
        progress.refused = shared.image.refused().map(str::to_owned);
        progress.record_ended = self.recorder.as_ref().and_then(Recorder::ended).map(str::to_owned);
        progress.is_without_state = self.is_without_state;
        progress.damaged_reads = shared.image.damaged_reads();
        if let Some(ftl) = self.session.ftl() {
            progress.drive = drive_now(ftl, shared.ages());
        }
        self.board.leave(progress);
        Ok(())
    }

    /// Returns true if the server can accept another client.
    fn takes_clients(&self) -> bool {
        self.clients.len() < CLIENTS_MOST && self.no_socket_until.is_none()
    }

    fn accept(&mut self, now: Instant) {
        if self.no_socket_until.is_some_and(|until| until <= now) {
            self.no_socket_until = None;
        }
        while self.takes_clients() {
            match self.listener.accept() {
                Ok(Some(stream)) => {
                    self.seen += 1;
                    self.clients.insert(self.seen, Connection::new(stream, self.exports.clone()));
                }
                Ok(None) => return,
                Err(_) => self.no_socket_until = Some(now + NO_SOCKET),
            }
        }
    }

    /// Announces to the simulation the requests that the server received from clients and queued: tells it the arrival
    /// time of the first one, at which the simulated drive takes requests from the queue.
    fn offer(&mut self) -> Result<(), Error> {
        let first = self.shared().incoming.front().map(|(_, request)| request.arrive);
        first.map_or(Ok(()), |at| self.session.offer(at))
    }

    /// Advances simulated time, up to the real-time clock or, at full speed, until enough requests have completed;
    /// stops at `deadline`, or after the greatest real time of one pass, at the latest.
    fn go_on(&mut self, deadline: Instant) -> Result<(), Error> {
        let until = self.clock.map_or(SimTime::NEVER, |clock| clock.now());
        let most = if self.clock.is_some() { u64::MAX } else { (self.in_flight / ANSWERED_AT_ONCE).max(1) };
        let deadline = deadline.min(Instant::now() + TURN);
        self.shared().moved = 0;
        let mut left = EVENTS;
        while self.clock.is_some() || self.in_flight > 0 {
            if !self.session.step(until)? || self.is_turn_over(most) {
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

    /// Returns true if the simulation should pause because enough completions wait to be answered, or enough bytes were
    /// copied.
    fn is_turn_over(&self, answers_most: u64) -> bool {
        let shared = self.shared();
        shared.done.len() as u64 >= answers_most || shared.moved >= MOVED_MOST
    }

    fn send(&mut self) {
        let mut shared = self.shared.lock().expect("one thread");
        self.clients.values_mut().for_each(|client| client.send(TURN_BYTES, &mut shared.buffers));
        let before = self.clients.len();
        self.clients.retain(|_, client| !client.is_done());
        if self.clients.len() < before {
            self.no_socket_until = None;
        }
    }

    /// Lets the server's thread sleep until a socket is ready or an event is due, at most until `deadline`, or not at
    /// all if there is work. Returns true if the listening socket must be checked, as a new client may wait.
    fn rest(&mut self, deadline: Instant) -> Result<bool, Error> {
        let mut most = deadline.saturating_duration_since(Instant::now());
        let is_busy = self.clients.values().any(Connection::is_busy);
        if is_busy || most.is_zero() || (self.clock.is_none() && self.in_flight > 0) {
            return Ok(false);
        }
        if let (Some(clock), (_, Some(next))) = (&self.clock, self.session.times()?) {
            let until = clock.until(next);
            let awake = if self.in_flight > 0 { SPIN } else { Duration::ZERO };
            if until <= awake {
                return Ok(false);
            }
            most = most.min(until - awake);
        }
        most = most.min(REST_MOST);
        let takes_clients = self.takes_clients();
        let listener = takes_clients.then_some(&self.listener);
        let (is_new, happened) = wait(listener, self.clients.values().filter_map(Connection::interest), most);
        let waited = self.clients.values_mut().filter(|client| client.interest().is_some());
        waited.zip(happened).filter(|(_, happened)| *happened).for_each(|(client, _)| client.wake());
        // Where none are taken, the time may have come to take them again.
        Ok(is_new || !takes_clients)
    }

    /// Completes the requests in flight, answers all clients (with a shutdown error where a request is incomplete), and
    /// closes their connections.
    ///
    /// # Errors
    /// When the simulation fails.
    pub fn end(&mut self) -> Result<(), Error> {
        self.session.end()?;
        self.answer()?;
        let cut_short: Vec<u64> = self.pending.keys().copied().collect();
        for name in cut_short {
            // A flush behind a request came too late.
            let pending = self.pending.remove(&name).expect("it was there");
            if let Some(client) = self.clients.get_mut(&pending.client) {
                let replies = client.replies();
                client.answers().add(|out| replies.refuse(out, pending.cookie, Refusal::Shutdown));
            }
        }
        let mut shared = self.shared.lock().expect("one thread");
        self.clients.values_mut().for_each(|client| client.send(usize::MAX, &mut shared.buffers));
        drop(shared);
        self.clients.clear();
        self.leave_word()
    }

    /// Returns the results of the simulation by the live server as JSON.
    ///
    /// # Errors
    /// When the simulation fails.
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
        if self.is_without_state {
            let text = "it was lost: the drive began as after a power cut";
            notes.push(("state".into(), text.into()));
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

    /// Returns the rows of the live server's table `requests.parquet` (one row per request) that were added since the
    /// last call, as columns of little-endian numbers.
    pub fn take_requests(&mut self) -> Vec<Vec<u8>> {
        self.session.take_requests()
    }

    /// Completes all operations of the drive (brings it to rest), saves the drive's state in the file beside the image,
    /// and marks the image so that the next server starts from the saved state.
    ///
    /// # Errors
    /// When a file cannot be written; the image is then as after a power cut.
    pub fn close(&mut self) -> Result<(), Error> {
        let (image, path) = (&self.options.image, state_of(&self.options.image));
        let mut shared = self.shared.lock().expect("one thread");
        check_replaceable(&shared.image, image, &path)?;
        shared.image.note_leaving()?;
        drop(shared);
        self.session.save_state(&path)?;
        let state = checksum(&path)?;
        let mut shared = self.shared();
        shared.image.note(Witness::default());
        let stamp = shared.stamp();
        shared.image.leave(ImageLeft::AtRest(state), stamp)
    }
}

/// Checks that the folder in which the image lies, or is to be made, exists.
fn check_folder(image: &Path) -> Result<(), Error> {
    let folder = image.parent().filter(|folder| !folder.as_os_str().is_empty());
    if folder.is_none_or(Path::is_dir) {
        return Ok(());
    }
    Err(Error(format!("--image {}: no such folder: expected a file in one that is there", image.display())))
}

/// Returns the path of the file beside the image with the drive's state that a server saves when it closes the image.
fn state_of(image: &Path) -> PathBuf {
    let mut name = image.as_os_str().to_owned();
    name.push(".state");
    name.into()
}
