//! The checker: an observer that keeps its own account of the drive and stops the run at the first
//! difference. It shares no state with what it checks.

use crate::durability::Durability;
use crate::measure::STAGES;
use crate::past::{EMPTY, Past};
use crate::requests::Request;
use crate::stripes::StripeAccount;
use controller::{ChannelUse, Kind, Origin, SnapshotEvent, Transaction};
use ftl::{Ftl, Layout, Seen};
use host::HostRequest;
use std::collections::HashMap;
use units::{ChannelId, DieId, Lpn, Ppa, SimTime};

const NOTHING: u32 = u32::MAX;

/// Its own map, version numbers, block states and counts.
pub(crate) struct Checker {
    layout: Layout,
    channels: u32,
    /// Home and version of each logical unit; the version is that of the newest write.
    home: Vec<u32>,
    version: Vec<u32>,
    /// The version that each of the host's units holds, if it holds any; how many versions there were. Snapshots see
    /// these, and nothing of what the layer itself keeps on flash.
    content: Vec<u32>,
    versions: u32,
    past: Past,
    /// Holder and version of each physical unit.
    holder: Vec<u32>,
    held_version: Vec<u32>,
    /// The version that was fetched of a unit before the host asked for it; unordered, for it is only looked up.
    fetched: HashMap<u32, u32>,
    /// Page rows programmed of each superblock.
    rows: Vec<u32>,
    /// Superblocks whose cells hold one bit each.
    one_bit: Vec<bool>,
    channel_free: Vec<SimTime>,
    array_free: Vec<SimTime>,
    requests_in: u64,
    requests_out: u64,
    submitted: u64,
    finished: u64,
    pages_programmed: [u64; Origin::COUNT],
    blocks_erased: u64,
    /// What was promised to survive a power cut.
    pub durability: Durability,
    /// What parity promises, where there is any.
    stripes: Option<StripeAccount>,
}

impl Checker {
    /// An account that begins with what the drive holds now.
    pub fn new(ftl: &Ftl, channels: u32) -> Self {
        let layout = ftl.layout().clone();
        let physical = layout.physical_units();
        let mut checker = Self {
            channels,
            home: vec![NOTHING; layout.written_units() as usize],
            version: vec![0; layout.written_units() as usize],
            content: vec![EMPTY; layout.logical_units as usize],
            versions: 0,
            past: Past::default(),
            holder: vec![NOTHING; physical],
            held_version: vec![0; physical],
            fetched: HashMap::new(),
            rows: (0..layout.superblocks()).map(|superblock| ftl.array().next_row(superblock)).collect(),
            one_bit: vec![false; layout.superblocks()],
            channel_free: vec![SimTime::ZERO; channels as usize],
            array_free: vec![SimTime::ZERO; layout.dies as usize],
            requests_in: 0,
            requests_out: 0,
            submitted: 0,
            finished: 0,
            pages_programmed: ftl.stats().pages_programmed,
            blocks_erased: ftl.stats().blocks_erased.iter().sum(),
            durability: Durability::new(ftl.is_protected(), ftl.is_write_back()),
            stripes: ftl.parity().map(|parity| StripeAccount::new(ftl, parity.stripe() + 1)),
            layout,
        };
        for lpn in 0..checker.layout.written_units() as u32 {
            let ppa = ftl.lookup(Lpn(lpn));
            if ppa != Ppa::NONE {
                assert_eq!(checker.holder[ppa.index()], NOTHING, "two logical units live at {ppa}");
                checker.home[lpn as usize] = ppa.0;
                if let Some(content) = checker.content.get_mut(lpn as usize) {
                    *content = 0;
                }
                checker.holder[ppa.index()] = lpn;
            }
        }
        checker
    }

    pub fn on_request(&mut self, id: u32, request: &HostRequest) {
        self.requests_in += 1;
        self.durability.on_request(id, request);
        assert_eq!(request.offset % 512, 0, "requests begin at a sector");
    }

    pub fn on_complete(&mut self, request: &Request, now: SimTime, stages: &[u64; STAGES.len() + 1]) {
        self.requests_out += 1;
        self.durability.on_complete(request);
        let latency = now.since(request.host.arrive).ns();
        let explained: u64 = stages.iter().sum();
        assert!(
            request.failed || request.host.op as u8 > 1 || explained == latency,
            "the stages {stages:?} of a {} of {latency} ns add up to {explained} ns",
            request.host.op.name()
        );
    }

    pub fn on_channel(&mut self, channel: ChannelId, die: DieId, _: ChannelUse, from: SimTime, to: SimTime) {
        assert_eq!(die.0 % self.channels, channel.0, "{die} does not sit on {channel}");
        assert!(from >= self.channel_free[channel.index()], "{channel} carries two things at {from}");
        self.channel_free[channel.index()] = to;
    }

    pub fn on_array(&mut self, transaction: &Transaction, from: SimTime, to: SimTime) {
        let die = transaction.die.index();
        assert!(from >= self.array_free[die], "{} works on two things at {from}", transaction.die);
        assert!(to >= from, "an array operation ends before it begins");
        self.array_free[die] = to;
    }

    fn superblock(&self, transaction: &Transaction) -> usize {
        transaction.die.index() * self.layout.superblocks_per_die as usize + transaction.superblock as usize
    }

    pub fn on_submit(&mut self, transaction: &Transaction) {
        self.submitted += 1;
        if transaction.superblock == Transaction::NOWHERE {
            return;
        }
        let at = self.superblock(transaction);
        if let Some(stripes) = &mut self.stripes {
            stripes.on_submit(transaction, at);
        }
        if transaction.kind == Kind::Read {
            let superblock = self.superblock(transaction);
            assert!(
                transaction.row < self.rows[superblock],
                "row {} of superblock {superblock} is read before it is programmed",
                transaction.row
            );
        }
    }

    pub fn on_finish(&mut self, transaction: &Transaction) {
        self.finished += 1;
        if transaction.superblock == Transaction::NOWHERE {
            return;
        }
        let superblock = self.superblock(transaction);
        match transaction.kind {
            Kind::Read => {
                assert!(
                    transaction.row < self.rows[superblock],
                    "row {} of superblock {superblock} was erased while it was read",
                    transaction.row
                );
                let held = self.one_bit[superblock];
                assert_eq!(
                    transaction.slc, held,
                    "superblock {superblock}: read in another mode than programmed"
                );
            }
            Kind::Program | Kind::Copyback => {
                self.check_mode(superblock, transaction.slc && transaction.kind == Kind::Program);
                assert_eq!(
                    transaction.row, self.rows[superblock],
                    "superblock {superblock}: rows out of order"
                );
                self.rows[superblock] += transaction.rows;
                self.pages_programmed[transaction.origin as usize] += u64::from(transaction.pages);
            }
            Kind::Erase => {}
        }
    }

    /// Between two erases all cells of a superblock hold as many bits, and with one bit a wordline has one page.
    fn check_mode(&mut self, superblock: usize, one_bit: bool) {
        let rows = self.rows[superblock];
        if rows == 0 {
            self.one_bit[superblock] = one_bit;
        }
        assert_eq!(self.one_bit[superblock], one_bit, "superblock {superblock}: two modes between erases");
        assert!(
            !one_bit || rows < self.layout.slc_rows,
            "superblock {superblock}: more pages than wordlines"
        );
    }

    pub fn on_commit(&mut self, lpn: Lpn, new: Ppa, old: Ppa, moved: bool) {
        let version = if moved { self.held_version[old.index()] } else { self.version[lpn.index()] };
        self.commit(lpn, new, old, version, moved);
        if !moved {
            self.durability.on_commit(lpn, version);
        }
    }

    /// What is on flash now is older than the newest, by one write or more.
    pub fn on_overtaken(&mut self, lpn: Lpn, new: Ppa, old: Ppa) {
        let version = self.version[lpn.index()].checked_sub(1).expect("a newer version was written");
        self.commit(lpn, new, old, version, false);
    }

    fn commit(&mut self, lpn: Lpn, new: Ppa, old: Ppa, version: u32, moved: bool) {
        assert_eq!(self.home[lpn.index()], old.0, "{lpn} did not live at {old}");
        assert_eq!(self.holder[new.index()], NOTHING, "{new} holds something already");
        let superblock = self.layout.superblock_of(new) as usize;
        let row = new.0 % self.layout.superblock_units / self.layout.row_units;
        assert!(row < self.rows[superblock], "{lpn} moved to {new}, which is not programmed");
        // What a snapshot sees stays where it is, unless it was moved.
        if old != Ppa::NONE && (moved || !self.past.sees(lpn, self.held_version[old.index()])) {
            self.holder[old.index()] = NOTHING;
        }
        if let Some(stripes) = &mut self.stripes {
            let of = |ppa: Ppa| self.layout.superblock_of(ppa) as usize;
            stripes.on_home(superblock, (old != Ppa::NONE).then(|| of(old)));
        }
        self.home[lpn.index()] = new.0;
        self.holder[new.index()] = lpn.0;
        self.held_version[new.index()] = version;
    }

    pub fn on_trim(&mut self, lpn: Lpn, old: Ppa) {
        assert_eq!(self.home[lpn.index()], old.0, "{lpn} did not live at {old}");
        self.versions += 1;
        self.version[lpn.index()] = self.versions;
        self.content[lpn.index()] = EMPTY;
        self.durability.on_commit(lpn, self.version[lpn.index()]);
        if old != Ppa::NONE {
            if !self.past.sees(lpn, self.held_version[old.index()]) {
                self.holder[old.index()] = NOTHING;
            }
            self.home[lpn.index()] = NOTHING;
            if let Some(stripes) = &mut self.stripes {
                stripes.leave(self.layout.superblock_of(old) as usize);
            }
        }
    }

    pub fn on_erase(&mut self, superblock: usize) {
        let first = self.layout.first_ppa(superblock as u32) as usize;
        let units = &self.holder[first..first + self.layout.superblock_units as usize];
        assert!(
            units.iter().all(|&holder| holder == NOTHING),
            "superblock {superblock} was erased with data"
        );
        self.rows[superblock] = 0;
        if let Some(stripes) = &mut self.stripes {
            stripes.on_erase(superblock);
        }
        self.blocks_erased += u64::from(self.layout.planes);
    }

    pub fn on_host_read(&mut self, lpn: Lpn, ppa: Ppa) {
        assert_eq!(self.home[lpn.index()], ppa.0, "{lpn} was read at {ppa}, where it does not live");
        assert_eq!(
            self.held_version[ppa.index()],
            self.version[lpn.index()],
            "{lpn} was read at {ppa}, which holds an older version"
        );
    }

    /// What is read ahead is the version that lives there; it is at hand until it is asked for.
    pub fn on_fetch(&mut self, lpn: Lpn, ppa: Ppa) {
        self.on_host_read(lpn, ppa);
        self.fetched.insert(lpn.0, self.held_version[ppa.index()]);
    }

    pub fn on_fetched_read(&mut self, lpn: Lpn) {
        assert_eq!(
            self.fetched.get(&lpn.0),
            Some(&self.version[lpn.index()]),
            "{lpn} was written or trimmed after what the host is given was read ahead"
        );
    }

    pub fn on_host_write(&mut self, lpn: Lpn) {
        self.versions += 1;
        self.version[lpn.index()] = self.versions;
        self.content[lpn.index()] = self.versions;
        self.durability.on_version(lpn, self.version[lpn.index()]);
    }

    pub fn on_buffered(&mut self, lpn: Lpn, slot: u32) {
        self.durability.on_buffered(slot, self.version[lpn.index()]);
    }

    pub fn on_snapshot(&mut self, event: SnapshotEvent) {
        match event {
            SnapshotEvent::Programmed { lpn, slot, ppa } => {
                let version = self.past.of_slot(slot);
                self.hold(lpn, ppa, version);
            }
            SnapshotEvent::Moved { lpn, old, new } => {
                assert_eq!(self.holder[old.index()], lpn.0, "{lpn} was moved from {old}, which lacks it");
                self.holder[old.index()] = NOTHING;
                self.hold(lpn, new, self.held_version[old.index()]);
            }
            SnapshotEvent::Returned { lpn, old, new } => {
                assert_eq!(self.home[lpn.index()], old.0, "{lpn} did not live at {old}");
                self.home[lpn.index()] = new.0;
            }
            _ => {}
        }
        if let Some(content) = self.past.note(event, &self.content, &self.version) {
            for (lpn, &version) in content.iter().enumerate() {
                let home = self.home[lpn];
                assert_eq!(home == NOTHING, version == EMPTY, "unit {lpn} is not as in the snapshot");
                if home != NOTHING {
                    let held = (self.holder[home as usize], self.held_version[home as usize]);
                    assert_eq!(held, (lpn as u32, version), "unit {lpn} is not as in the snapshot");
                    self.version[lpn] = version;
                }
                self.content[lpn] = version;
            }
        }
        if matches!(event, SnapshotEvent::Dropped { .. } | SnapshotEvent::RolledBack { .. }) {
            self.forget_unseen();
        }
    }

    /// A version that only snapshots see is at `ppa` now.
    fn hold(&mut self, lpn: Lpn, ppa: Ppa, version: u32) {
        assert!(self.past.sees(lpn, version), "{lpn} at {ppa} is kept and no snapshot sees it");
        assert_eq!(self.holder[ppa.index()], NOTHING, "{ppa} holds something already");
        self.holder[ppa.index()] = lpn.0;
        self.held_version[ppa.index()] = version;
    }

    /// What is neither the newest version nor seen by a snapshot is invalid.
    fn forget_unseen(&mut self) {
        for (ppa, holder) in self.holder.iter_mut().enumerate() {
            let lpn = Lpn(*holder);
            let unseen = *holder != NOTHING
                && self.home[lpn.index()] != ppa as u32
                && !self.past.sees(lpn, self.held_version[ppa]);
            if unseen {
                *holder = NOTHING;
            }
        }
    }

    /// Every snapshot sees what the drive held when it was taken. A drive that died may have some of it in its buffer.
    fn settle_snapshots(&self, ftl: &Ftl) {
        let kept: Vec<u32> = ftl
            .snapshots()
            .map_or_else(Vec::new, |snapshots| snapshots.kept().map(|snapshot| snapshot.serial).collect());
        let expected: Vec<u32> = self.past.kept().map(|(serial, _)| serial).collect();
        assert_eq!(kept, expected, "the snapshots that are kept");
        for (serial, content) in self.past.kept() {
            for lpn in 0..self.layout.logical_units {
                let version = content[lpn as usize];
                match ftl.lookup_in(serial, Lpn(lpn)).expect("it is kept") {
                    Seen::Nowhere => assert_eq!(version, EMPTY, "snapshot {serial} lost unit {lpn}"),
                    Seen::Buffered => {
                        assert!(ftl.is_read_only(), "unit {lpn} of snapshot {serial} is not on flash")
                    }
                    Seen::At(ppa) => {
                        let held = (self.holder[ppa.index()], self.held_version[ppa.index()]);
                        assert_eq!(held, (lpn, version), "unit {lpn} of snapshot {serial} at {ppa}");
                        assert!(
                            ftl.is_valid(ppa),
                            "unit {lpn} of snapshot {serial} at {ppa} counts as invalid"
                        );
                        assert_eq!(ftl.holder(ppa).0, lpn, "the spare area of {ppa} names another unit");
                    }
                }
            }
        }
    }

    /// The final account, when nothing is under way.
    pub fn settle(&self, ftl: &Ftl, outstanding: u32) {
        assert_eq!(
            self.requests_in,
            self.requests_out + u64::from(outstanding),
            "requests in = requests out"
        );
        assert_eq!(self.pages_programmed, ftl.stats().pages_programmed, "every program has an origin");
        assert_eq!(
            self.blocks_erased,
            ftl.stats().blocks_erased.iter().sum::<u64>(),
            "every erase is counted"
        );
        assert!(self.finished <= self.submitted, "no operation finishes that was not submitted");
        for (lpn, &home) in self.home.iter().enumerate() {
            assert_eq!(ftl.lookup(Lpn(lpn as u32)).0, home, "the map and the account differ on unit {lpn}");
            if home != NOTHING {
                assert!(ftl.is_valid(Ppa(home)), "unit {lpn} lives at {home}, which counts as invalid");
                assert_eq!(
                    ftl.holder(Ppa(home)).0 as usize,
                    lpn,
                    "the spare area of {home} names another unit"
                );
            }
        }
        self.settle_snapshots(ftl);
        let mut valid = vec![0u32; self.layout.superblocks()];
        for (ppa, _) in self.holder.iter().enumerate().filter(|(_, holder)| **holder != NOTHING) {
            valid[self.layout.superblock_of(Ppa(ppa as u32)) as usize] += 1;
        }
        assert_eq!(valid, ftl.valid_units(), "valid counts equal the map");
    }
}
