use crate::client::{FLUSH, FUA, Served, drive, options, pattern};
use live::Server;
use sim::RunOptions;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Duration;

const EIO: u32 = 5;

/// Returns the error message, checked to be one line, with which a live server of `folder` and the settings `others` is
/// refused at its start.
fn refused(folder: &Path, others: &[&str]) -> String {
    let error = Server::new(drive(others), RunOptions::default(), &options(folder, "max")).err();
    let text = error.expect("it is refused").to_string();
    assert!(!text.contains('\n'), "{text}");
    text
}

#[test]
fn a_drive_at_rest_goes_on_where_it_was() {
    let folder = tempfile::tempdir().unwrap();
    for round in 0..3 {
        let served = Served::new(folder.path(), "max");
        let mut client = served.client();
        for earlier in 0..round {
            let offset = earlier * 40960;
            assert_eq!(client.read(offset, 8192), (0, pattern(earlier, offset, 8192)));
        }
        assert_eq!(client.write(0, round * 40960, &pattern(round, round * 40960, 8192)), 0);
        served.end().unwrap();
    }
}

#[test]
fn an_image_takes_the_room_of_what_was_written() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::new(folder.path(), "max");
    assert_eq!(served.client().write(FUA, 0, &[1; 8192]), 0);
    served.end().unwrap();
    let image = std::fs::metadata(folder.path().join("image")).unwrap();
    assert!(image.blocks() * 512 < 1 << 18, "{} of {} bytes", image.blocks() * 512, image.len());
}

#[test]
fn an_image_in_use_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::new(folder.path(), "max");
    let mut elsewhere = options(folder.path(), "max");
    elsewhere.socket = Some(folder.path().join("other"));
    let error = Server::new(drive(&[]), RunOptions::default(), &elsewhere).err().unwrap().to_string();
    assert!(error.contains("the image is in use"), "{error}");
    assert!(refused(folder.path(), &[]).contains("another server listens there"));
    served.end().unwrap();
    assert!(!folder.path().join("socket").exists(), "the socket goes with its server");
}

#[test]
fn an_image_of_another_drive_is_refused_and_stays_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    Served::new(folder.path(), "max").end().unwrap();
    let before = std::fs::read(folder.path().join("image")).unwrap();
    let text = refused(folder.path(), &["nand.blocks_per_plane=64"]);
    assert!(text.contains("the image is of another drive: ") && text.contains(" there and "), "{text}");
    assert_eq!(std::fs::read(folder.path().join("image")).unwrap(), before);
    Served::new(folder.path(), "max").end().unwrap();
}

#[test]
fn what_is_no_image_is_refused_and_stays_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("image");
    Served::new(folder.path(), "max").end().unwrap();
    let whole = std::fs::read(&path).unwrap();
    let mut version = whole.clone();
    version[8] = 9;
    let mut damaged = whole.clone();
    damaged[100] ^= 1;
    for (bytes, said) in [
        (&b""[..], "not an image of a drive"),
        (b"ten years of work", "not an image of a drive"),
        (&whole[..100], "the image ends in its header"),
        (&whole[..whole.len() - 1], "the image is cut off"),
        (&version, "an image of version 9: expected version 3"),
        (&damaged, "the checksum of its header does not fit"),
    ] {
        std::fs::write(&path, bytes).unwrap();
        let text = refused(folder.path(), &[]);
        assert!(text.contains(said), "{text}");
        assert_eq!(std::fs::read(&path).unwrap(), bytes);
    }
    std::fs::remove_file(&path).unwrap();
    std::fs::create_dir(&path).unwrap();
    assert!(refused(folder.path(), &[]).contains("is no regular file"));
}

#[test]
fn a_state_of_another_time_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("image.state");
    Served::new(folder.path(), "max").end().unwrap();
    let earlier = std::fs::read(&state).unwrap();
    let served = Served::new(folder.path(), "max");
    assert_eq!(served.client().write(FUA, 0, &[1; 4096]), 0);
    served.end().unwrap();
    let own = std::fs::read(&state).unwrap();
    std::fs::write(&state, earlier).unwrap();
    assert!(refused(folder.path(), &[]).contains("not the state that belongs to"));
    std::fs::write(&state, own).unwrap();
    Served::new(folder.path(), "max").end().unwrap();
}

#[test]
fn what_is_no_socket_stays() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("socket");
    std::fs::write(&socket, "ten years of work").unwrap();
    assert!(refused(folder.path(), &[]).contains("is there and no socket"));
    assert_eq!(std::fs::read(&socket).unwrap(), b"ten years of work");
    assert!(!folder.path().join("image").exists(), "nothing was made");
    std::fs::remove_file(&socket).unwrap();
    // A socket without a listener is in no server's way.
    drop(std::os::unix::net::UnixListener::bind(&socket).unwrap());
    Served::new(folder.path(), "max").end().unwrap();
}

#[test]
fn a_drive_that_cuts_its_own_power_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let text = refused(folder.path(), &["power.cut.drawn=1"]);
    assert!(text.contains("power.cut: a served drive"), "{text}");
    let text = refused(folder.path(), &["ftl.buffer.power_loss_protection=true"]);
    assert!(text.contains("nothing writes the buffer out"), "{text}");
}

#[test]
fn in_real_time_requests_take_their_time() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::new(folder.path(), "1");
    let mut client = served.client();
    for at in 0..20 {
        assert_eq!(client.write(FUA, at * 4096, &pattern(at, at * 4096, 4096)), 0);
    }
    assert_eq!(client.ask(0, FLUSH, 0, 0), 0);
    assert_eq!(client.read(4096, 4096).1, pattern(1, 4096, 4096));
    let result = served.end().unwrap();
    let notes = &result["workload"]["notes"];
    assert!(notes["lateness_us"].as_str().unwrap().starts_with("p50 "), "{notes}");
    // A program takes 200 us, and twenty of them one after the other as long as that; the wall clock is at least as far.
    assert!(result["simulated_ns"].as_u64().unwrap() >= 20 * 200_000, "{}", result["simulated_ns"]);
}

/// Test: a live server is dropped six times without closing its image, as if killed: data flushed or written with FUA
/// are there afterwards, and no older data.
#[test]
fn what_was_durable_is_there_after_the_server_was_killed() {
    let folder = tempfile::tempdir().unwrap();
    let mut durable = 0;
    for round in 0..6 {
        let run = RunOptions { check: true, seed: round, ..RunOptions::default() };
        let mut server =
            Server::new(drive(&[]), run, &options(folder.path(), "max")).expect("it finds its map");
        let socket = folder.path().join("socket");
        let asking = std::thread::spawn(move || {
            let mut client = crate::client::Client::new(&socket, "");
            for unit in 0..64 {
                let (error, data) = client.read(unit * 4096, 4096);
                let is_of = |round: u64| data == pattern(round, unit * 4096, 4096);
                let newer = durable..=round.max(durable);
                assert!(error == 0 && (round == 0 || newer.clone().any(is_of)), "unit {unit}, round {round}");
            }
            for unit in 0..64 {
                assert_eq!(client.write(0, unit * 4096, &pattern(round, unit * 4096, 4096)), 0);
            }
            if round % 2 == 0 {
                assert_eq!(client.ask(0, FLUSH, 0, 0), 0);
            }
            for unit in 0..32 {
                // On their way when the server ends.
                assert_eq!(client.write(0, unit * 4096, &pattern(round + 1, unit * 4096, 4096)), 0);
            }
        });
        while !asking.is_finished() {
            server.serve(Duration::from_millis(5)).unwrap();
        }
        asking.join().unwrap();
        durable = if round % 2 == 0 { round } else { durable };
        if round > 0 {
            let power = &server.result().unwrap()["power"];
            assert!(power["cuts"][0]["ready_ns"].as_u64().unwrap() > 0, "{power}");
            assert!(power["cuts"][0]["units_found"].as_u64().unwrap() >= 64, "{power}");
        }
        // Dropped without being closed: what it had in RAM is gone.
    }
}

#[test]
fn a_drive_that_could_not_be_found_again_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let setting = |line: &&&str| !line.starts_with("power.cut");
    let settings = crate::client::SETTINGS.iter().filter(setting).map(|line| (*line).to_owned());
    let drive = sim::Drive::from_resolved("test", &settings.collect::<Vec<_>>()).unwrap();
    let error = Server::new(drive, RunOptions::default(), &options(folder.path(), "max")).err().unwrap();
    assert!(error.to_string().contains("power.cut.drawn"), "{error}");
}

/// Returns the byte offsets in an image file at which the bytes `bytes` begin.
fn places(image: &[u8], bytes: &[u8]) -> Vec<usize> {
    let starts = image.windows(bytes.len()).enumerate();
    starts.filter(|(_, window)| *window == bytes).map(|(at, _)| at).collect()
}

#[test]
fn a_damaged_page_is_an_error_until_it_is_written_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("image");
    let served = Served::new(folder.path(), "max");
    let mut client = served.client();
    for unit in 0..32 {
        assert_eq!(client.write(FUA, unit * 4096, &pattern(1, unit * 4096, 4096)), 0);
    }
    served.end().unwrap();
    let mut image = std::fs::read(&path).unwrap();
    for unit in [3, 5] {
        let found = places(&image, &pattern(1, unit * 4096, 64));
        assert!(!found.is_empty());
        found.into_iter().for_each(|at| image[at + 40] ^= 4);
    }
    std::fs::write(&path, image).unwrap();
    let served = Served::new(folder.path(), "max");
    let mut client = served.client();
    assert_eq!(client.read(3 * 4096, 4096).0, EIO);
    assert_eq!(client.read(2 * 4096, 8192).0, EIO, "a part of what was asked for");
    assert_eq!(client.read(4 * 4096, 4096), (0, pattern(1, 4 * 4096, 4096)));
    // A part of a unit, laid over unknown data, makes no known unit.
    assert_eq!(client.write(0, 3 * 4096, &[9; 512]), EIO);
    assert_eq!(client.read(3 * 4096, 4096).0, EIO);
    assert_eq!(client.ask(0, FLUSH, 0, 0), 0);
    assert_eq!(client.read(3 * 4096, 4096).0, EIO);
    assert_eq!(client.write(FUA, 3 * 4096, &pattern(2, 3 * 4096, 4096)), 0);
    assert_eq!(client.read(3 * 4096, 4096), (0, pattern(2, 3 * 4096, 4096)));
    // Collection takes it along as what it is.
    let units = client.bytes / 4096;
    let mut random = 1u64;
    for write in 0..6 * units {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let unit = 8 + (random >> 33) % (units - 8);
        assert_eq!(client.write(0, unit * 4096, &pattern(write, unit * 4096, 4096)), 0);
    }
    assert_eq!(client.read(5 * 4096, 4096).0, EIO);
    let result = served.end().unwrap();
    assert!(result["flash"]["units_programmed"]["gc"].as_u64().unwrap() > 0, "nothing was collected");
    assert!(result["workload"]["notes"]["damaged_reads"].as_str().unwrap().parse::<u64>().unwrap() >= 4);
}

/// Makes an image file with some written mapping units by a live server that is dropped without closing it, as if
/// killed.
fn killed(folder: &Path) {
    let run = RunOptions { check: true, ..RunOptions::default() };
    let mut server = Server::new(drive(&[]), run, &options(folder, "max")).unwrap();
    let socket = folder.join("socket");
    let asking = std::thread::spawn(move || {
        let mut client = crate::client::Client::new(&socket, "");
        for version in 0..4 {
            for unit in 0..16 {
                assert_eq!(client.write(FUA, unit * 4096, &pattern(version, unit * 4096, 4096)), 0);
            }
        }
        for unit in 16..20 {
            assert_eq!(client.write(0, unit * 4096, &pattern(0, unit * 4096, 4096)), 0);
        }
    });
    while !asking.is_finished() {
        server.serve(Duration::from_millis(5)).unwrap();
    }
    asking.join().unwrap();
}

#[test]
fn after_a_cut_a_damaged_page_is_an_error_and_no_older_one_takes_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("image");
    killed(folder.path());
    let mut image = std::fs::read(&path).unwrap();
    for at in places(&image, &pattern(3, 7 * 4096, 64)) {
        image[at] ^= 1;
    }
    std::fs::write(&path, image).unwrap();
    let served = Served::new(folder.path(), "max");
    assert_eq!(served.client().read(7 * 4096, 4096).0, EIO);
    assert_eq!(served.client().read(8 * 4096, 4096), (0, pattern(3, 8 * 4096, 4096)));
    served.end().unwrap();
}

#[test]
fn after_a_cut_damage_of_what_says_where_data_are_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("image");
    killed(folder.path());
    let whole = std::fs::read(&path).unwrap();
    let layout = drive(&[]).build(1).unwrap().layout().clone();
    let marks = 8192 + 32;
    let spares = (marks + 8 * layout.superblocks()).next_multiple_of(32);
    let written: Vec<usize> = (0..layout.physical_units())
        .map(|unit| spares + 32 * unit)
        .filter(|&at| whole[at..at + 32] != [0; 32])
        .collect();
    assert!(written.len() >= 64);
    let mut damaged = vec![(8192, 1), (8192 + 9, 1), (marks + 4, 1)];
    damaged.extend([0, 4, 8, 16, 24].map(|within| (written[20] + within, 1)));
    for (at, length) in damaged.into_iter().chain([(written[20], 32)]) {
        let mut image = whole.clone();
        // One bit turns, or the whole spare area is as if nothing had been there.
        (0..length).for_each(|byte| image[at + byte] = if length == 1 { image[at] ^ 1 } else { 0 });
        std::fs::write(&path, &image).unwrap();
        assert!(refused(folder.path(), &[]).contains("the image is damaged: "), "byte {at}");
        assert_eq!(std::fs::read(&path).unwrap(), image, "it stays as it was");
    }
    std::fs::write(&path, whole).unwrap();
    Served::new(folder.path(), "max").end().unwrap();
}

#[test]
fn the_next_server_says_what_the_cut_took() {
    let folder = tempfile::tempdir().unwrap();
    killed(folder.path());
    let result = Served::new(folder.path(), "max").end().unwrap();
    let cut = &result["power"]["cuts"][0];
    let lost = cut["units_lost_in_buffer"].as_u64().unwrap();
    assert!((1..=4).contains(&lost), "four were written last, some of them in the buffer alone: {cut}");
    assert_eq!(cut["requests_lost"], 0, "{cut}");
}

#[test]
fn watchers_hold_no_client_up_and_see_the_counts() {
    let folder = tempfile::tempdir().unwrap();
    let mut options = options(folder.path(), "1");
    options.record = Some(folder.path().join("trace"));
    let mut server = Server::new(drive(&[]), RunOptions::default(), &options).unwrap();
    let board = server.board();
    assert_eq!(board.progress().requests, 0);
    let socket = folder.path().join("socket");
    let watching = board.clone();
    let asking = std::thread::spawn(move || {
        let mut client = crate::client::Client::new(&socket, "");
        assert_eq!(client.write(FUA, 0, &[1; 8192]), 0);
        assert_eq!(client.read(0, 4096).0, 0);
        assert_eq!(client.ask(0, FLUSH, 0, 0), 0);
        assert_eq!(client.ask(0, crate::client::TRIM, 0, 4096), 0);
        assert_ne!(client.read(1, 4096).0, 0);
        watching.stop();
    });
    server.serve(Duration::from_secs(60)).unwrap();
    asking.join().unwrap();
    let seen = board.progress();
    assert_eq!(seen.requests, 4);
    let done = |kind: &str| (seen.done[kind].requests, seen.done[kind].bytes);
    assert_eq!(
        [done("write"), done("read"), done("flush"), done("trim")],
        [(1, 8192), (1, 4096), (1, 0), (1, 4096)]
    );
    let write = &seen.done["write"].latency;
    assert!(write.total_ns > 200_000 && write.counts.iter().sum::<u64>() == 1, "{write:?}");
    assert_eq!(seen.refusals["EINVAL"], 1);
    assert_eq!(seen.late.counts.iter().sum::<u64>(), 4);
    assert_eq!((seen.drive.units_written, seen.drive.bytes_written), (2, 8192));
    assert_eq!(seen.drive.ages.superblocks.iter().sum::<u64>(), seen.drive.superblocks["open"]);
    let trace = std::fs::read_to_string(folder.path().join("trace")).unwrap();
    let what: Vec<&str> = trace.lines().map(|line| line.split(' ').nth(6).unwrap()).collect();
    assert_eq!(what, ["WF", "R", "F", "D"]);
}

#[test]
fn a_drive_at_rest_whose_state_is_lost_begins_as_after_a_cut() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::new(folder.path(), "max");
    let mut client = served.client();
    for version in 0..3 {
        for unit in 0..200 {
            assert_eq!(client.write(0, unit * 4096, &pattern(version, unit * 4096, 4096)), 0);
        }
    }
    served.end().unwrap();
    std::fs::remove_file(folder.path().join("image.state")).unwrap();
    let served = Served::new(folder.path(), "max");
    let mut client = served.client();
    for unit in 0..200 {
        assert_eq!(client.read(unit * 4096, 4096), (0, pattern(2, unit * 4096, 4096)), "unit {unit}");
    }
    assert_eq!(client.write(0, 0, &pattern(9, 0, 4096)), 0);
    let result = served.end().unwrap();
    assert!(result["workload"]["notes"]["state"].as_str().unwrap().contains("as after a power cut"));
    let cut = &result["power"]["cuts"][0];
    let lost = ["units_lost_in_buffer", "requests_lost", "torn_rows"].map(|key| cut[key].as_u64().unwrap());
    assert_eq!(lost, [0; 3], "it was at rest: {cut}");
    assert!(cut["units_found"].as_u64().unwrap() >= 200 && cut["ready_ns"].as_u64().unwrap() > 0, "{cut}");
    // It has a state again.
    let served = Served::new(folder.path(), "max");
    assert_eq!(served.client().read(0, 4096), (0, pattern(9, 0, 4096)));
    assert!(served.end().unwrap()["workload"]["notes"].get("state").is_none());
}

#[test]
fn a_file_that_no_server_of_the_image_wrote_stays() {
    let folder = tempfile::tempdir().unwrap();
    let other = tempfile::tempdir().unwrap();
    Served::new(other.path(), "max").end().unwrap();
    let of_another = std::fs::read(other.path().join("image.state")).unwrap();
    let (image, state) = (folder.path().join("image"), folder.path().join("image.state"));
    let foreign = [&b"ten years of work"[..], b"", &of_another];
    for content in foreign {
        std::fs::write(&state, content).unwrap();
        assert!(refused(folder.path(), &[]).contains("no server of "));
        assert!(!image.exists(), "nothing was made");
        assert_eq!(std::fs::read(&state).unwrap(), content);
    }
    std::fs::remove_file(&state).unwrap();
    std::fs::create_dir(&state).unwrap();
    assert!(refused(folder.path(), &[]).contains("no server of "));
    std::fs::remove_dir(&state).unwrap();
    // After a cut, the image knows the state that its last server left, and no other.
    let served = Served::new(folder.path(), "max");
    assert_eq!(served.client().write(FUA, 0, &pattern(1, 0, 4096)), 0);
    served.end().unwrap();
    let own = std::fs::read(&state).unwrap();
    killed(folder.path());
    for content in foreign {
        std::fs::write(&state, content).unwrap();
        assert!(refused(folder.path(), &[]).contains("no server of "));
        assert_eq!(std::fs::read(&state).unwrap(), content);
    }
    std::fs::write(&state, own).unwrap();
    Served::new(folder.path(), "max").end().unwrap();
    // What comes there while the drive is served stays, too.
    let served = Served::new(folder.path(), "max");
    assert_eq!(served.client().write(FUA, 0, &pattern(2, 0, 4096)), 0);
    std::fs::write(&state, "ten years of work").unwrap();
    assert!(served.end().unwrap_err().to_string().contains("no server of "));
    assert_eq!(std::fs::read(&state).unwrap(), b"ten years of work");
    std::fs::remove_file(&state).unwrap();
    let served = Served::new(folder.path(), "max");
    assert_eq!(served.client().read(0, 4096), (0, pattern(2, 0, 4096)));
    served.end().unwrap();
}

#[test]
fn a_folder_that_is_not_there_is_the_images() {
    let folder = tempfile::tempdir().unwrap();
    let text = refused(&folder.path().join("none"), &[]);
    assert!(text.starts_with("--image ") && text.contains("no such folder"), "{text}");
}
