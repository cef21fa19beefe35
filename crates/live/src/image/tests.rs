//! Tests of the image file as a whole: programs, moves and erases, and the next server's view of them.

use super::*;
use units::Ppa;

/// Test helper: makes an image file with two superblocks of eight units of 512 bytes.
fn image(folder: &Path) -> Image {
    let path = folder.join("image");
    let file = OpenOptions::new().read(true).write(true).create_new(true).open(&path).unwrap();
    let places = FilePlaces {
        unit: 512,
        units: 16,
        logical_units: 64,
        superblock_units: 8,
        spares_at: (MARKS + 2 * ENTRY).next_multiple_of(SPARE) as u64,
        gone_at: ALIGNED,
        data_at: 2 * ALIGNED,
    };
    let mut image = Image::unread(file, path, Value::Null, places, 2);
    image.make().unwrap();
    image.map_pages();
    image
}

/// Test helper: makes an image as [`image`] does, whose pages are mapped into memory, also on a disk.
fn mapped(folder: &Path) -> Image {
    let mut image = image(folder);
    image.mapping = Some(
        FileMapping::of(&image.file, image.places.data_at, image.places.units * image.places.unit).unwrap(),
    );
    image
}

/// Test helper: makes a program of two units with numbers 2 * `byte` and the next, whose data are full of `byte`.
fn programmed(byte: u8) -> ProgramImage {
    version(byte, 9, byte)
}

/// Test helper: makes a program of version `stamp` of the two units of [`programmed`], whose data are full of `data`.
fn version(byte: u8, stamp: u64, data: u8) -> ProgramImage {
    let data = vec![data; 1024];
    let spare = |lpn: u32| SpareArea::of(Lpn(lpn), stamp, &data[..512]);
    let first = u32::from(byte) * 2;
    let brings = vec![UnitBrings::Data; 2];
    ProgramImage { spares: vec![spare(first), spare(first + 1)], brings, data: data.clone() }
}

fn there(image: &Image, ppa: u64) -> (SpareArea, u8) {
    let mut data = [0; 512];
    (image.copy(Ppa(ppa), &mut data), data[511])
}

#[test]
fn what_is_programmed_is_there_until_it_is_erased() {
    let folder = tempfile::tempdir().unwrap();
    let mut image = image(folder.path());
    image.program(Ppa(2), programmed(7));
    image.program(Ppa(8), programmed(8));
    assert_eq!(there(&image, 3), (programmed(7).spares[1], 7));
    assert_eq!(there(&image, 4), (SpareArea::Blank, 0));
    image.erase(0);
    assert_eq!(there(&image, 3), (SpareArea::Blank, 0));
    assert_eq!(there(&image, 8), (programmed(8).spares[0], 8));
    assert_eq!(image.spares(1).unwrap()[..2], programmed(8).spares);
}

#[test]
fn what_was_noted_is_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut image = image(folder.path());
    let witness = Witness { requests: 1, units: 2 };
    image.note(witness);
    image.witness = Witness::default();
    image.read_witness().unwrap();
    assert_eq!(image.witness(), witness);
    image.file.write_all_at(&[7], HEADER as u64).unwrap();
    assert!(image.read_witness().unwrap_err().to_string().contains("the image is damaged"));
}

#[test]
fn a_unit_is_read_as_what_it_is_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let mut image = image(folder.path());
    image.program(Ppa(2), programmed(7));
    let mut data = [0; 512];
    image.read_of(Lpn(14), &[Ppa(2)], &mut data).unwrap();
    image.read_of(Lpn(15), &[Ppa(2)], &mut data).expect_err("another unit");
    image.read_of(Lpn(14), &[Ppa(4)], &mut data).expect_err("nothing is there");
    image.file.write_all_at(&[8], image.page_at(0) + 100).unwrap();
    image.read_of(Lpn(14), &[Ppa(2)], &mut data).expect_err("a byte is another");
    image.file.write_all_at(&[8], image.spare_at(3) + 5).unwrap();
    found_again(&mut image);
    image.read_of(Lpn(15), &[Ppa(3)], &mut data).expect_err("its spare area is another");
    assert_eq!(image.damaged_reads(), 4);
}

/// Test helper: forgets the table of pages of an image, and makes it anew as the next server does.
fn found_again(image: &mut Image) {
    image.pages = PageTable::default();
    image.find_gone().unwrap();
    image.find_pages().unwrap();
}

/// Test helper: reads the two units of [`programmed`] at consecutive addresses, which must have the data `data`.
fn check(image: &Image, byte: u8, home: u64, data: u8) {
    let mut read = [0; 1024];
    image.read_of(Lpn(u32::from(byte) * 2), &[Ppa(home), Ppa(home + 1)], &mut read).unwrap();
    assert_eq!(read, [data; 1024], "units of {byte} at {home}");
}

#[test]
fn the_room_of_older_data_is_used_again_and_only_then() {
    for make in [image, mapped] {
        let folder = tempfile::tempdir().unwrap();
        let mut image = make(folder.path());
        image.program(Ppa(0), version(7, 1, 70));
        image.program(Ppa(2), version(8, 2, 80));
        // While a program is written, the version before is whole: a server that is killed then leaves it.
        image.program(Ppa(4), version(7, 3, 71));
        let bytes = std::fs::read(&image.path).unwrap();
        let page = |page: u64| bytes[image.page_at(page) as usize];
        assert_eq!([0, 2, 4].map(page), [70, 80, 71]);
        check(&image, 7, 4, 71);
        // A late program of an older version takes no pages, and its units have no data.
        image.program(Ppa(6), version(8, 1, 79));
        assert_eq!(image.pages.take(4), [0, 1, 6, 7]);
        image.pages.give_back([6, 7, 0, 1]);
        check(&image, 8, 2, 80);
        image.read_of(Lpn(16), &[Ppa(6)], &mut [0; 512]).expect_err("a newer one is there");
        image.program(Ppa(8), version(9, 4, 90));
        let bytes = std::fs::read(&image.path).unwrap();
        assert_eq!(bytes[image.page_at(0) as usize], 90, "the pages of the oldest");
        for _ in 0..2 {
            for (byte, home, data) in [(7, 4, 71), (8, 2, 80), (9, 8, 90)] {
                check(&image, byte, home, data);
            }
            found_again(&mut image);
        }
        assert_eq!(image.pages.take(2), [6, 7]);
    }
}

#[test]
fn data_that_are_moved_stay_where_they_are_in_the_file() {
    for make in [image, mapped] {
        let folder = tempfile::tempdir().unwrap();
        let mut image = make(folder.path());
        image.program(Ppa(0), version(7, 1, 70));
        let mut moved = version(7, 1, 0);
        for at in 0..2 {
            let found = image.move_from(Ppa(at), &mut [0; 512]);
            (moved.spares[at as usize], moved.brings[at as usize]) = found;
        }
        assert_eq!(moved.brings, [UnitBrings::Page; 2]);
        // The former place may be erased before the program ends, where the host has overtaken all of it.
        image.erase(0);
        assert_eq!(image.pages.take(1), [2], "no page is free");
        image.program(Ppa(8), moved);
        for _ in 0..2 {
            check(&image, 7, 8, 70);
            found_again(&mut image);
        }
        image.program(Ppa(10), version(8, 2, 80));
        image.erase(1);
        assert_eq!(image.pages.take(4), [0, 1, 2, 3]);
        let bytes = std::fs::read(&image.path).unwrap();
        assert_eq!([0, 2].map(|page| bytes[image.page_at(page) as usize]), [0; 2], "they are holes");
    }
}

#[test]
fn an_older_spare_area_does_not_give_out_the_page_of_another_unit() {
    let folder = tempfile::tempdir().unwrap();
    let mut image = image(folder.path());
    image.program(Ppa(0), version(7, 1, 70));
    image.program(Ppa(2), version(7, 2, 71));
    image.program(Ppa(4), version(8, 3, 80));
    assert_eq!(image.pages.newest(Lpn(16)).unwrap().page, 0);
    // The newest spare area of unit 14 is lost: the page that its older one names is unit 16's by now.
    image.file.write_all_at(&[0xFF; SPARE], image.spare_at(2)).unwrap();
    found_again(&mut image);
    check(&image, 8, 4, 80);
    for home in [0, 2] {
        image.read_of(Lpn(14), &[Ppa(home)], &mut [0; 512]).expect_err("it is lost");
    }
    image.program(Ppa(8), version(7, 9, 72));
    check(&image, 8, 4, 80);
    check(&image, 7, 8, 72);
}

#[test]
fn what_is_said_of_superblocks_is_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut image = image(folder.path());
    image.erase(1);
    image.set_mode(1, CellBits::One);
    image.marks.fill(SuperblockMark::default());
    image.read_marks().unwrap();
    assert_eq!(image.mark(1), SuperblockMark { erases: 1, one_bit: true });
    assert_eq!(image.mark(0), SuperblockMark::default());
}

#[test]
fn what_the_disk_has_no_room_for_is_kept_until_there_is_room() {
    for make in [image, mapped] {
        let folder = tempfile::tempdir().unwrap();
        let mut image = make(folder.path());
        image.program(Ppa(0), programmed(6));
        // A file that takes no writes stands for a full disk.
        let full = File::open(&image.path).unwrap();
        let writable = std::mem::replace(&mut image.file, full);
        image.program(Ppa(2), programmed(7));
        assert!(image.refused().is_some() && !image.find_room());
        assert_eq!(there(&image, 3), (programmed(7).spares[1], 7));
        assert_eq!(there(&image, 1), (programmed(6).spares[1], 6));
        image.leave(ImageLeft::AtRest(1), 5).expect_err("it is not all there");
        image.file = writable;
        assert!(image.find_room() && image.refused().is_none());
        assert_eq!(there(&image, 3), (programmed(7).spares[1], 7));
        image.leave(ImageLeft::AtRest(1), 5).unwrap();
    }
}

#[test]
fn what_is_erased_needs_no_room() {
    let folder = tempfile::tempdir().unwrap();
    let mut image = image(folder.path());
    let full = File::open(&image.path).unwrap();
    let writable = std::mem::replace(&mut image.file, full);
    image.program(Ppa(2), programmed(7));
    image.file = writable;
    image.erase(0);
    assert_eq!(there(&image, 2), (SpareArea::Blank, 0));
    assert!(image.refused().is_none());
}

#[test]
fn an_older_spare_area_of_a_unit_that_was_erased_does_not_count() {
    let folder = tempfile::tempdir().unwrap();
    let mut image = image(folder.path());
    image.program(Ppa(0), version(7, 1, 70));
    image.program(Ppa(8), version(7, 2, 71));
    image.program(Ppa(2), version(8, 3, 80));
    // The host trimmed units 14 and 15, so that nothing was moved; the spare areas of version 1 are still there.
    image.erase(1);
    for _ in 0..2 {
        let spares = image.spares(0).unwrap();
        assert_eq!(spares[..2], [SpareArea::Other; 2]);
        assert_eq!(spares[2..4], version(8, 3, 80).spares);
        check(&image, 8, 2, 80);
        found_again(&mut image);
    }
    image.program(Ppa(4), version(7, 4, 72));
    for _ in 0..2 {
        check(&image, 7, 4, 72);
        found_again(&mut image);
    }
    image.file.write_all_at(&[1], image.places.gone_at + 8 * 14).unwrap();
    assert!(image.find_gone().unwrap_err().to_string().contains("the entry of unit 14 does not fit"));
}

#[test]
fn what_is_gone_is_noted_once_the_disk_has_room() {
    let folder = tempfile::tempdir().unwrap();
    let mut image = image(folder.path());
    image.program(Ppa(0), version(7, 1, 70));
    image.program(Ppa(8), version(7, 2, 71));
    let full = File::open(&image.path).unwrap();
    let writable = std::mem::replace(&mut image.file, full);
    image.erase(1);
    assert!(image.refused().is_some() && !image.find_room());
    image.file = writable;
    assert!(image.find_room());
    found_again(&mut image);
    assert_eq!(image.spares(0).unwrap()[..2], [SpareArea::Other; 2]);
}

#[test]
fn data_that_are_laid_down_early_count_once_their_program_has_ended() {
    let folder = tempfile::tempdir().unwrap();
    let mut image = mapped(folder.path());
    assert_eq!(image.lay(&[1; 512]), None, "no page is free that the file has room for");
    image.program(Ppa(0), version(7, 1, 70));
    image.program(Ppa(2), version(7, 2, 71));
    let laid = |image: &mut Image, mut program: ProgramImage| {
        let units = program.data.chunks(512).map(|unit| image.lay(unit).unwrap());
        program.brings = units.collect();
        program.data.fill(0);
        program
    };
    let early = laid(&mut image, version(7, 3, 72));
    assert_eq!(early.brings, [UnitBrings::Laid(1), UnitBrings::Laid(0)]);
    check(&image, 7, 2, 71);
    // A server that is killed here leaves the version before.
    image.program(Ppa(4), early.clone());
    check(&image, 7, 4, 72);
    // The same version once more, as after a program that failed: it has its page.
    let again = laid(&mut image, version(7, 3, 72));
    image.program(Ppa(6), again);
    check(&image, 7, 6, 72);
    let late = laid(&mut image, version(7, 2, 71));
    image.program(Ppa(8), late);
    // While the disk is full, it is read where it lies, and can be moved and erased.
    let full = File::open(&image.path).unwrap();
    let kept = laid(&mut image, version(8, 4, 80));
    let writable = std::mem::replace(&mut image.file, full);
    image.program(Ppa(10), kept);
    check(&image, 8, 10, 80);
    let mut data = [0; 512];
    assert_eq!(image.move_from(Ppa(11), &mut data), (version(8, 4, 80).spares[1], UnitBrings::Data));
    assert_eq!(data, [80; 512]);
    image.file = writable;
    image.erase(1);
    assert_eq!(image.pages.take(3), [2, 3, 4], "each page is free once");
    found_again(&mut image);
    check(&image, 7, 6, 72);
}
