use crate::client::{
    DISCONNECT, FAST, FLUSH, FUA, NO_HOLE, READ, STATUS, Served, TRIM, WRITE, ZEROES, option, pattern,
};
use std::io::{Read, Write};
use std::time::Duration;

const INVALID: u32 = 22;
const NO_SPACE: u32 = 28;
const UNSUPPORTED: u32 = 95;

#[test]
fn a_client_reads_what_it_wrote_and_zeros_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::new(folder.path(), "max");
    let mut client = served.client();
    assert_eq!(client.flags & (1 | 4 | 8 | 32 | 64 | 256), 1 | 4 | 8 | 32 | 64 | 256);
    assert_eq!(client.read(0, 8192), (0, vec![0; 8192]));
    let data = pattern(1, 4096, 12288);
    assert_eq!(client.write(0, 4096, &data), 0);
    assert_eq!(client.read(4096, 12288), (0, data.clone()));
    assert_eq!(client.read(0, 8192), (0, [&[0; 4096], &data[..4096]].concat()));
    assert_eq!(client.ask(0, FLUSH, 0, 0), 0);
    assert_eq!(client.read(4608, 1024).1, data[512..1536]);
    served.end().unwrap();
}

#[test]
fn parts_of_units_are_laid_over_what_was_there() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::new(folder.path(), "max");
    let mut client = served.client();
    let mut expected = pattern(1, 0, 16384);
    assert_eq!(client.write(FUA, 0, &expected), 0);
    for (write, (offset, length)) in [(512, 512), (3584, 1024), (4096, 8192), (512, 12288)].iter().enumerate()
    {
        let data = pattern(write as u64 + 2, *offset as u64, *length);
        assert_eq!(client.write(0, *offset as u64, &data), 0);
        expected[*offset..offset + length].copy_from_slice(&data);
        assert_eq!(client.read(0, 16384).1, expected);
    }
    served.end().unwrap();
}

#[test]
fn what_is_trimmed_or_zeroed_reads_as_zeros() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::new(folder.path(), "max");
    let mut client = served.client();
    let mut expected = pattern(1, 0, 65536);
    assert_eq!(client.write(FUA, 0, &expected), 0);
    // A trim leaves the edges of units that it does not cover.
    assert_eq!(client.ask(FUA, TRIM, 512, 12288), 0);
    expected[4096..12288].fill(0);
    assert_eq!(client.read(0, 65536).1, expected);
    for (flags, offset, length) in [(0, 16384 + 512, 9216), (NO_HOLE | FUA, 32768, 8192)] {
        assert_eq!(client.ask(flags, ZEROES, offset as u64, length as u32), 0);
        expected[offset..offset + length].fill(0);
        assert_eq!(client.read(0, 65536).1, expected);
    }
    assert_eq!(client.ask(FAST, ZEROES, 49152, 4096), UNSUPPORTED, "zeros are written");
    assert_eq!(client.ask(0, TRIM, 512, 512), 0, "there is nothing to forget, and nothing wrong with that");
    assert_eq!(client.read(0, 65536).1, expected);
    served.end().unwrap();
}

#[test]
fn what_means_nothing_is_refused_and_the_connection_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::new(folder.path(), "max");
    let mut client = served.client();
    let end = client.bytes;
    for (command, offset, length, error) in [
        (READ, 0, 0, INVALID),
        (READ, 256, 512, INVALID),
        (READ, 0, 100, INVALID),
        (READ, end, 512, INVALID),
        (READ, end - 512, 1024, INVALID),
        (READ, u64::MAX - 511, 1024, INVALID),
        (READ, 0, (32 << 20) + 512, INVALID),
        (WRITE, 0, 0, INVALID),
        (TRIM, 0, 0, INVALID),
        (TRIM, end, 4096, INVALID),
        (ZEROES, end, 4096, NO_SPACE),
        (ZEROES, 0, 0, INVALID),
        (ZEROES, 1, 4096, INVALID),
        (STATUS, 0, 4096, INVALID),
        (5, 0, 4096, INVALID),
        (99, 0, 4096, INVALID),
    ] {
        assert_eq!(client.ask(0, command, offset, length), error, "{command} at {offset}, {length} bytes");
    }
    assert_eq!(client.write(0, end, &[1; 512]), NO_SPACE);
    assert_eq!(client.write(0, 100, &[1; 512]), INVALID);
    assert_eq!(client.read(0, 512), (0, vec![0; 512]));
    served.end().unwrap();
}

#[test]
fn a_client_that_goes_in_the_middle_of_a_write_wrote_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::new(folder.path(), "max");
    let mut client = served.client();
    client.send(0, WRITE, 0, 8192, &[7; 5000]);
    drop(client);
    let mut other = served.client();
    assert_eq!(other.read(0, 8192), (0, vec![0; 8192]));
    // One that goes with requests in flight does not hold up the others.
    (0..8).for_each(|at| other.send(FUA, WRITE, at * 4096, 4096, &[8; 4096]));
    drop(other);
    let mut third = served.client();
    assert_eq!(third.ask(0, FLUSH, 0, 0), 0);
    served.end().unwrap();
}

#[test]
fn what_one_connection_wrote_the_other_reads() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::new(folder.path(), "max");
    let (mut one, mut other) = (served.client(), served.client());
    assert_eq!(one.write(0, 0, &[1; 4096]), 0);
    assert_eq!(other.ask(0, FLUSH, 0, 0), 0);
    assert_eq!(other.read(0, 4096), (0, vec![1; 4096]));
    one.send(0, DISCONNECT, 0, 0, &[]);
    assert_eq!(one.stream.read(&mut [0; 1]).unwrap(), 0, "the server takes leave, too");
    assert_eq!(other.write(FUA, 0, &[2; 4096]), 0);
    served.end().unwrap();
}

#[test]
fn nonsense_ends_the_connection() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::new(folder.path(), "max");
    let hello = |bytes: &[u8]| {
        let mut stream = served.socket();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        stream.write_all(bytes).unwrap();
        let mut all = Vec::new();
        // The end of the connection, or that it was reset: not a timeout.
        let kind = stream.read_to_end(&mut all).err().map(|error| error.kind());
        assert!(kind.is_none_or(|kind| kind == std::io::ErrorKind::ConnectionReset), "{kind:?}");
        all
    };
    hello(b"GET / HTTP/1.1\r\n\r\n");
    hello(&[&3u32.to_be_bytes()[..], b"GET / HTTP/1.1\r\n\r\n"].concat());
    let huge = [&3u32.to_be_bytes()[..], b"IHAVEOPT", &7u32.to_be_bytes(), &u32::MAX.to_be_bytes()].concat();
    hello(&huge);
    let said = hello(&[&3u32.to_be_bytes()[..], &option(2, b"")].concat());
    assert_eq!(said.len(), 18 + 20, "an abort is acknowledged");
    let mut client = served.client();
    client.stream.write_all(&[0xff; 28]).unwrap();
    assert!(client.stream.read(&mut [0; 1]).is_ok_and(|count| count == 0));
    let mut client = served.client();
    client.send(0, WRITE, 0, u32::MAX, &[]);
    assert!(client.stream.read(&mut [0; 1]).is_ok_and(|count| count == 0));
    assert_eq!(served.client().read(0, 512).0, 0);
    served.end().unwrap();
}

#[test]
fn options_are_answered_each_in_its_way() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::new(folder.path(), "max");
    let mut negotiation = served.option_phase();
    let mut asked = |number: u32, data: &[u8]| negotiation.ask(number, data);
    let kinds = |answers: Vec<(u32, Vec<u8>)>| answers.into_iter().map(|(kind, _)| kind).collect::<Vec<_>>();
    const UNSUPPORTED: u32 = (1 << 31) + 1;
    const INVALID: u32 = (1 << 31) + 3;
    assert_eq!(kinds(asked(3, b"")), [2, 1], "a list of exports");
    assert_eq!(kinds(asked(5, b"")), [UNSUPPORTED], "TLS");
    assert_eq!(kinds(asked(77, b"what")), [UNSUPPORTED]);
    assert_eq!(kinds(asked(6, b"")), [INVALID]);
    assert_eq!(kinds(asked(6, &[0, 0, 0, 9, 0, 0])), [INVALID], "a name longer than all");
    assert_eq!(kinds(asked(6, &[0; 6])), [3, 3, 1]);
    let context = [&[0; 7][..], &[1, 0, 0, 0, 15], b"base:allocation"].concat();
    assert_eq!(kinds(asked(10, &context)), [INVALID], "not without structured replies");
    assert_eq!(kinds(asked(8, b"")), [1]);
    assert_eq!(kinds(asked(10, &context)), [4, 1]);
    assert_eq!(kinds(asked(10, &context[..20])), [INVALID]);
    assert_eq!(kinds(asked(9, &[0; 8])), [4, 1]);
    served.end().unwrap();
}

#[test]
fn random_requests_at_once_end_as_if_done_in_turn() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::new(folder.path(), "max");
    let mut client = served.client();
    let mut expected = vec![0; client.bytes as usize];
    let units = client.bytes / 4096;
    for round in 0..60u64 {
        // Eight writes of different units at once: collection moves what was written before.
        let first = round.wrapping_mul(2_654_435_761) % (units - 16);
        for at in 0..8 {
            let offset = (first + 2 * at) * 4096 + 512 * (round % 3);
            let data = pattern(round * 8 + at, offset, 4096);
            client.send(0, WRITE, offset, 4096, &data);
            expected[offset as usize..offset as usize + 4096].copy_from_slice(&data);
        }
        (0..8).for_each(|_| assert_eq!(client.answer(0).0, 0));
        // And much in order, so that superblocks are erased.
        let data = pattern(1000 + round, 0, expected.len() / 4);
        assert_eq!(client.write(0, 0, &data), 0);
        expected[..data.len()].copy_from_slice(&data);
    }
    assert_eq!(client.read(0, expected.len() as u32).1, expected);
    let result = served.end().unwrap();
    assert!(result["waf"].as_f64().unwrap() > 1.0, "nothing was collected: {}", result["waf"]);
    let again = Served::new(folder.path(), "max");
    assert_eq!(again.client().read(0, expected.len() as u32).1, expected);
    again.end().unwrap();
}

#[test]
fn at_the_limit_a_client_waits_until_another_has_gone() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::new(folder.path(), "max");
    let mut first = served.client();
    let others: Vec<_> = (1..256).map(|_| served.client()).collect();
    let mut waiting = served.socket();
    // The server has been round its clients a few times.
    (0..10).for_each(|at| assert_eq!(first.write(FUA, at * 4096, &[1; 4096]), 0));
    waiting.set_nonblocking(true).unwrap();
    let kind = waiting.read(&mut [0; 1]).unwrap_err().kind();
    assert_eq!(kind, std::io::ErrorKind::WouldBlock, "it is greeted when there is room");
    drop(others);
    waiting.set_nonblocking(false).unwrap();
    waiting.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    waiting.read_exact(&mut [0; 18]).unwrap();
    served.end().unwrap();
}

/// Test: a client sends far more requests than the server takes of one client at once, and only then reads the replies.
#[test]
fn what_is_asked_for_at_once_is_all_answered() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::new(folder.path(), "max");
    let mut client = served.client();
    let length = 1 << 20;
    let data = pattern(7, 0, length);
    assert_eq!(client.write(FUA, 0, &data), 0);
    (0..200).for_each(|_| client.send(0, READ, 0, length as u32, &[]));
    let mut other = served.client();
    assert_eq!(other.read(0, 4096), (0, data[..4096].to_vec()), "it waits for no answers of the first");
    (0..200).for_each(|_| assert_eq!(client.answer(length), (0, data.clone())));
    // Zeroes and trims over all of the drive, in pieces.
    let whole = client.bytes as u32;
    assert_eq!(client.ask(FUA, ZEROES, 0, whole), 0);
    assert_eq!(client.read(0, length as u32), (0, vec![0; length]));
    assert_eq!(client.write(0, 4096, &data), 0);
    assert_eq!(client.ask(FUA, TRIM, 0, whole), 0);
    assert_eq!(client.read(0, length as u32), (0, vec![0; length]));
    served.end().unwrap();
}
