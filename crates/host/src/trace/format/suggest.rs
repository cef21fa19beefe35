//! Words for `--columns`, from the first line of a table that no format fits: its header, or what is in it.

use super::table::{separators, usual};
use crate::trace::field::Columns;

/// Constant: smallest number of columns for which a table can be a trace; a request needs as many.
const FEWEST: usize = 3;
const MOST: usize = 40;
/// Constant: number of lines after the first one that are examined for the operations of a table.
const ROWS: usize = 200;
/// Constant: greatest number of distinct operations that a table may have for its column of operations to be recognised
/// by its contents.
const OPERATIONS: usize = 8;

/// Constant: list of hints from the name of a table's column for the suggestion of `--columns`: whole words, parts of
/// words, and the word of `--columns` that they suggest.
const NAMES: &[(&[&str], &[&str], &str)] = &[
    (&["ts", "t"], &["time", "stamp", "date"], "time:s"),
    (
        &["op", "rw", "r/w", "cmd", "dir", "type", "rwbs"],
        &["operation", "iotype", "optype", "io_type", "request_type", "command", "opcode"],
        "op",
    ),
    (&["lba", "lbn", "slba", "blkno"], &["sector", "start_lba"], "offset:sectors"),
    (&["off", "addr", "pos"], &["offset", "address", "position"], "offset:bytes"),
    (&["nlb", "nsectors", "blocks"], &["num_sectors", "nr_sector", "block_count"], "size:sectors"),
    (&["len", "bytes"], &["size", "length"], "size:bytes"),
    (&["dev", "disk", "vol", "lun"], &["device", "volume", "disk"], "volume"),
];

/// Returns the suggestion `--columns "time:s op ..."` for the text of a trace in an unknown format, with what the user
/// must still decide; `None` if the text is no table.
pub(in crate::trace) fn suggestion(head: &[u8]) -> Option<String> {
    let mut lines = head.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    let first = lines.find(|line| !line.is_empty() && !line.starts_with(b"#"))?;
    let cells = cells(first.strip_prefix(b"\xef\xbb\xbf").unwrap_or(first))?;
    if !(FEWEST..=MOST).contains(&cells.len()) {
        return None;
    }
    let digit = |cell: &String| cell.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit());
    let is_header = !cells.iter().any(digit);
    let rows: Vec<Vec<String>> =
        lines.take(ROWS).filter_map(self::cells).filter(|row| row.len() == cells.len()).collect();
    let mut taken: Vec<&str> = Vec::new();
    let word = |(at, cell): (usize, &String)| match is_header {
        true => named(cell, &mut taken),
        false => shown(std::iter::once(&cells).chain(&rows).filter_map(|row| row.get(at)), &mut taken),
    };
    let words: Vec<String> = cells.iter().enumerate().map(word).collect();
    let missing: Vec<&str> = ["time:us", "op", "offset:bytes", "size:bytes"]
        .into_iter()
        .filter(|word| !taken.contains(&role(word)))
        .collect();
    let rest = match missing.is_empty() {
        true => "with the units that hold".to_owned(),
        false => format!("with {} where they stand, in the units that hold", missing.join(", ")),
    };
    Some(format!(
        "--columns \"{}\", one word for each of its {} columns, {rest}",
        words.join(" "),
        cells.len()
    ))
}

/// Divides a line of text into its columns by the separator that occurs most often in the line; `None` if the line is
/// no text.
fn cells(line: &[u8]) -> Option<Vec<String>> {
    let text = line.len() < 4096 && line.iter().all(|byte| *byte == b'\t' || !byte.is_ascii_control());
    if !text {
        return None;
    }
    let most = [b',', b';', b'\t', b'|'].into_iter().max_by_key(|byte| separators(line, *byte))?;
    let mut columns = match separators(line, most) {
        0 => Columns::blank(line),
        _ => Columns::separated(line, most),
    };
    let mut cells = Vec::new();
    while !columns.is_over() {
        cells.push(String::from_utf8_lossy(columns.next_unquoted("column").ok()?).into_owned());
    }
    Some(cells)
}

/// Returns the role (kind of column) in a word of `--columns`: the part before the unit.
fn role(word: &str) -> &str {
    word.split(':').next().unwrap_or(word)
}

/// Returns the word of `--columns` for a column with the name `name`, and marks its role as taken; `-` if the name
/// suggests no role that is still free.
fn named(name: &str, taken: &mut Vec<&str>) -> String {
    let name = name.to_ascii_lowercase();
    let fits = |(whole, parts, _): &&(&[&str], &[&str], &'static str)| {
        let mut words = name.split(|c: char| !c.is_ascii_alphanumeric());
        words.any(|word| whole.contains(&word)) || parts.iter().any(|part| name.contains(part))
    };
    match NAMES.iter().filter(|entry| !taken.contains(&role(entry.2))).find(fits) {
        Some((.., word)) => {
            taken.push(role(word));
            (*word).to_owned()
        }
        None => "-".to_owned(),
    }
}

/// Returns the word of `--columns` for a column without a name, from its contents: only a column of operations can be
/// recognised; `-` for any other column.
fn shown<'a, 'b>(cells: impl Iterator<Item = &'b String>, taken: &mut Vec<&'a str>) -> String {
    let mut names: Vec<&str> = cells.map(String::as_str).collect();
    names.sort_unstable();
    names.dedup();
    let none = || "-".to_owned();
    if taken.contains(&"op") || names.is_empty() || names.len() > OPERATIONS {
        return none();
    }
    let word = match names.iter().all(|name| usual(name.as_bytes())) {
        true => "op".to_owned(),
        false => {
            let meanings: Option<Vec<String>> = names.iter().map(|name| meaning(name)).collect();
            let Some(meanings) = meanings else { return none() };
            format!("op:{}", meanings.join(","))
        }
    };
    taken.push("op");
    word
}

/// Returns the definition of an operation's name for `--columns`, such as `DiskRead=read`, if the name contains the
/// word for an operation; `None` otherwise.
fn meaning(name: &str) -> Option<String> {
    let (lower, plain) = (name.to_ascii_lowercase(), !name.contains([' ', ':', ',', '=', '#']));
    let found = [
        ("read", "read"),
        ("write", "write"),
        ("trim", "trim"),
        ("unmap", "trim"),
        ("discard", "trim"),
        ("flush", "flush"),
    ];
    let (_, op) = found.into_iter().find(|(part, _)| plain && lower.contains(part))?;
    Some(format!("{name}={op}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_names_the_columns() {
        let said =
            suggestion(b"Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime\n1,h,0,Read,0,512,3\n");
        assert!(said.unwrap().starts_with(
            "--columns \"time:s - volume op offset:bytes size:bytes -\", one word for each of its 7"
        ));
        let said = suggestion(b"\xef\xbb\xbf\"op\";\"LBA\";\"my, len\"\r\n").unwrap();
        assert!(said.starts_with("--columns \"op offset:sectors size:bytes\""), "{said}");
        assert!(said.contains("with time:us where they stand"), "{said}");
    }

    #[test]
    fn a_line_without_a_header_shows_its_operation() {
        let rows =
            " DiskRead,  1000, app.exe (12), 34, 0xfff, 0x00, 0x1000, 12\nDiskWrite,2,b,3,4,5,6,7\ncut,1\n";
        let said = suggestion(rows.as_bytes()).unwrap();
        let wanted =
            "--columns \"op:DiskRead=read,DiskWrite=write - - - - - - -\", one word for each of its 8";
        assert!(said.starts_with(wanted), "{said}");
        assert!(said.contains("with time:us, offset:bytes, size:bytes where they stand"), "{said}");
        assert!(suggestion(b"1\t2\tWS\t3\n4\t5\tR\t6\n").unwrap().contains("\"- - op -\""));
        assert!(suggestion(b"1\t2\tWS\t3\n4\t5\tGetAttr\t6\n").unwrap().contains("\"- - - -\""));
    }

    #[test]
    fn what_is_no_table_suggests_nothing() {
        for text in [&b"one two\n"[..], b"", b"\n\n", b"\x7fELF\x02,\x01,1,1,1\n", b"a,\"b,c\n"] {
            assert_eq!(suggestion(text), None, "{}", text.escape_ascii());
        }
    }
}
