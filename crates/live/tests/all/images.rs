use crate::client::{FLUSH, FUA, Served, drive, options, pattern};
use live::Server;
use sim::RunOptions;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Duration;

/// What is said to a server of `folder` with these settings on top.
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
        (&version, "an image of version 9: expected version 1"),
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
    // One that nobody listens at is in nobody's way.
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

/// A server ends without a word, again and again; what was flushed, or written with FUA, is there, and nothing older.
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
            let mut client = crate::client::Client::new(&socket);
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
