//! Lines and sections: which option stands in which section, and at which line.

use super::Variables;
use super::written::{JobPlace, Line};
use crate::WorkloadError;
use std::collections::BTreeSet;
use std::path::Path;

/// Constant: greatest depth to which fio job files may include each other.
const MOST_INCLUDES_DEEP: u32 = 8;
/// Constant: greatest number of sections and options of one fio job file with all its includes; a limit so that
/// includes cannot multiply without end.
const MOST_ITEMS: usize = 100_000;

/// Kind of item of a fio job file, with its contents: a section header or a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// Case of item: section header `[name]` of a fio job file.
    Section {
        /// Place of the section header in the fio job file.
        place: JobPlace,
        /// Name of the section of a fio job file, between the brackets.
        name: String,
    },
    /// Case of item of a fio job file: a setting, written `key=value` or as a key alone.
    Setting {
        /// Place of the setting in the fio job file.
        place: JobPlace,
        /// Key of the setting in a fio job file, left of the `=`.
        key: String,
        /// Value of the setting in a fio job file, right of the `=`; none when the key stands alone.
        value: Option<String>,
    },
}

/// Splits the text of the fio job file `name` into section headers and settings; `include` returns the text of an
/// included file, by its path: as written, else relative to the folder of the including file.
///
/// # Errors
/// At a line that is neither a section, an option nor a comment, and when a file cannot be included.
pub fn lex(
    name: &str,
    text: &str,
    include: &dyn Fn(&str) -> Result<String, WorkloadError>,
) -> Result<Vec<Item>, WorkloadError> {
    let mut items = Vec::new();
    lex_file(name, text, include, MOST_INCLUDES_DEEP, &mut items)?;
    Ok(items)
}

/// Splits lines of a fio job that were made from something else, such as a command line, into section headers and
/// settings; such lines cannot include files.
///
/// # Errors
/// At a line that is neither a section, an option nor a comment, at one option too many, and at an include.
pub fn lex_lines(lines: &[Line]) -> Result<Vec<Item>, WorkloadError> {
    let mut items = Vec::new();
    for line in lines {
        let place = JobPlace::of(line);
        let text = without_comment(&line.text);
        if let Some(path) = included(text) {
            return Err(place.error(format!("include {path}"), "a job without includes"));
        }
        if !text.is_empty() {
            add(text, place, &mut items)?;
        }
    }
    Ok(items)
}

/// Replaces each `${NAME}` in the keys and values of settings of a fio job file by the value of the variable in
/// `variables`.
///
/// # Errors
/// At the first variable without a value, and for a variable in `variables` that no setting names.
pub fn substitute(name: &str, items: &mut [Item], variables: &Variables) -> Result<(), WorkloadError> {
    let mut used = BTreeSet::new();
    for item in items {
        let Item::Setting { place, key, value } = item else { continue };
        for text in [Some(key), value.as_mut()].into_iter().flatten() {
            while let Some((before, rest)) = text.split_once("${") {
                let Some((variable, after)) = rest.split_once('}') else {
                    return Err(place.error(text.clone(), "a variable's name between ${ and }"));
                };
                let Some(found) = variables.get(variable) else {
                    let near = config::nearest(variable, variables.keys().map(String::as_str));
                    let near = near.map_or_else(String::new, |near| format!("; did you mean ${{{near}}}?"));
                    return Err(place.error(
                        format!("${{{variable}}} has no value"),
                        format!(
                            "--env {variable}=VALUE: the environment is not read, so that a run repeats{near}"
                        ),
                    ));
                };
                if found.contains("${") {
                    return Err(place.error(format!("{variable}={found}"), "a value without variables"));
                }
                used.insert(variable.to_owned());
                *text = format!("{before}{found}{after}");
            }
        }
    }
    match variables.keys().find(|variable| !used.contains(*variable)) {
        None => Ok(()),
        Some(unused) => {
            let near = config::nearest(unused, used.iter().map(String::as_str));
            let near = near.map_or_else(String::new, |near| format!("; did you mean {near}?"));
            let expected = format!("a variable that the job file names, ${{{unused}}}{near}");
            Err(WorkloadError::of(name, format!("--env {unused}"), expected))
        }
    }
}

fn lex_file(
    name: &str,
    text: &str,
    include: &dyn Fn(&str) -> Result<String, WorkloadError>,
    deeper: u32,
    items: &mut Vec<Item>,
) -> Result<(), WorkloadError> {
    for (line, number) in text.strip_prefix('\u{feff}').unwrap_or(text).lines().zip(1..) {
        let place = JobPlace::in_file(name, number);
        let line = without_comment(line);
        if line.is_empty() {
            continue;
        }
        if let Some(path) = included(line) {
            if deeper == 0 {
                let expected = format!("includes at most {MOST_INCLUDES_DEEP} deep");
                return Err(place.error(format!("include {path}"), expected));
            }
            // The error of the reader names the other file; the line that asked for it helps more.
            // As in fio: the path as it stands, then beside the file.
            let found = include(path).map(|text| (path.to_owned(), text));
            let found =
                found.or_else(|_| include(&beside(name, path)).map(|text| (beside(name, path), text)));
            let (path, text) = found
                .map_err(|error| place.error(format!("include {path}: {}", error.found), error.expected))?;
            lex_file(&path, &text, include, deeper - 1, items)?;
        } else {
            add(line, place, items)?;
        }
    }
    Ok(())
}

fn add(line: &str, place: JobPlace, items: &mut Vec<Item>) -> Result<(), WorkloadError> {
    if items.len() >= MOST_ITEMS {
        return Err(place.error("one option more", format!("at most {MOST_ITEMS} options")));
    }
    items.push(item(line, place)?);
    Ok(())
}

/// Returns the path of the file that an `include` line of a fio job file names; `None` for any other line.
fn included(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("include")?;
    rest.starts_with(char::is_whitespace).then(|| rest.trim())
}

/// Returns the path of the file that the file `name` includes as `path`, taken from the folder of `name` on; an
/// absolute `path` stays as it is.
fn beside(name: &str, path: &str) -> String {
    match name.rfind(std::path::is_separator) {
        Some(end) if !Path::new(path).has_root() => format!("{}{path}", &name[..=end]),
        _ => path.to_owned(),
    }
}

/// Returns the part of a job file's line before a comment, without blanks around it. `;` and `#` start a comment
/// anywhere, as in fio.
fn without_comment(line: &str) -> &str {
    line.split([';', '#']).next().unwrap_or("").trim()
}

fn item(line: &str, place: JobPlace) -> Result<Item, WorkloadError> {
    if let Some(rest) = line.strip_prefix('[') {
        let name = rest.strip_suffix(']').map(str::trim).filter(|name| !name.is_empty());
        return match name {
            Some(name) => Ok(Item::Section { place, name: name.to_owned() }),
            None => Err(place.error(line, "a section's name between brackets, as in [job1]")),
        };
    }
    let (key, value) = match line.split_once('=') {
        Some((key, value)) => (key.trim(), Some(unquoted(value.trim()).to_owned())),
        None => (line, None),
    };
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '$' | '{' | '}');
    if key.is_empty() || !key.chars().all(plain) {
        return Err(place.error(line, "[section], key=value, a key alone, or a comment"));
    }
    Ok(Item::Setting { place, key: key.to_owned(), value })
}

/// Returns the value of a setting of a fio job file without the quotes around the whole value, if it has any.
fn unquoted(value: &str) -> &str {
    let inner = |quote: char| value.strip_prefix(quote)?.strip_suffix(quote);
    inner('"').or_else(|| inner('\'')).unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refuse(path: &str) -> Result<String, WorkloadError> {
        Err(WorkloadError::of(path, "no such file", "a file"))
    }

    fn shown(items: &[Item]) -> Vec<String> {
        items
            .iter()
            .map(|item| match item {
                Item::Section { place, name } => format!("{} [{name}]", place.at()),
                Item::Setting { place, key, value } => {
                    format!("{} {key}={}", place.at(), value.as_deref().unwrap_or("-"))
                }
            })
            .collect()
    }

    #[test]
    fn sections_options_and_comments_are_told_apart() {
        let text = "; a comment\n# another\n\n[global]\r\n bs = 4k ; why\ntime_based\n[a b]\nrw=read# x\nname=\"q\"\n";
        let items = lex("j.fio", text, &refuse).unwrap();
        let expected = [
            "j.fio:4 [global]",
            "j.fio:5 bs=4k",
            "j.fio:6 time_based=-",
            "j.fio:7 [a b]",
            "j.fio:8 rw=read",
            "j.fio:9 name=q",
        ];
        assert_eq!(shown(&items), expected);
    }

    #[test]
    fn variables_get_the_values_they_are_given() {
        let given = |pairs: &[(&str, &str)]| -> Variables {
            pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
        };
        let with = |text: &str, variables: &[(&str, &str)]| {
            let mut items = lex("j", text, &refuse).unwrap();
            substitute("j", &mut items, &given(variables)).map(|()| shown(&items))
        };
        let both = with(
            "[a]\nfilename=${DEV}${PART}\n${KEY}=4k\n",
            &[("DEV", "/dev/sd"), ("PART", "a1"), ("KEY", "bs")],
        );
        assert_eq!(both.unwrap(), ["j:1 [a]", "j:2 filename=/dev/sda1", "j:3 bs=4k"]);
        let error = |text: &str, variables: &[(&str, &str)]| with(text, variables).unwrap_err().to_string();
        assert_eq!(
            error("[a]\nbs=${BS}\n", &[("BSS", "4k")]),
            "j:2: ${BS} has no value: expected --env BS=VALUE: the environment is not read, so that a run repeats; \
             did you mean ${BSS}?"
        );
        assert!(
            error("[a]\nbs=${BS}\n", &[("BS", "4k"), ("SIZ", "1m")])
                .starts_with("j: --env SIZ: expected a variable")
        );
        assert!(error("[a]\nbs=${BS\n", &[]).contains("between ${ and }"));
        assert!(error("[a]\nbs=${A}\n", &[("A", "${A}")]).contains("a value without variables"));
    }

    #[test]
    fn includes_stand_where_they_are_named() {
        let include = |path: &str| match path {
            "a.inc" => Ok("bs=8k\ninclude b.inc\n".to_owned()),
            "b.inc" => Ok("[j]\nrw=write\n".to_owned()),
            _ => refuse(path),
        };
        let items = lex("j.fio", "[global]\ninclude a.inc\nsize=1g\n", &include).unwrap();
        let expected =
            ["j.fio:1 [global]", "a.inc:1 bs=8k", "b.inc:1 [j]", "b.inc:2 rw=write", "j.fio:3 size=1g"];
        assert_eq!(shown(&items), expected);
        let missing = lex("j.fio", "\ninclude c.inc\n", &include).unwrap_err();
        assert_eq!(missing.to_string(), "j.fio:2: include c.inc: no such file: expected a file");
    }

    #[test]
    fn includes_are_looked_for_beside_the_file_that_names_them() {
        let include = |path: &str| match path {
            "jobs/parts/a.inc" => Ok("include b.inc\ninclude /etc/c.inc\n".to_owned()),
            "jobs/parts/b.inc" => Ok("[b]\n".to_owned()),
            "/etc/c.inc" => Ok("[c]\n".to_owned()),
            _ => refuse(path),
        };
        let items = lex("jobs/j.fio", "include parts/a.inc\n", &include).unwrap();
        assert_eq!(shown(&items), ["jobs/parts/b.inc:1 [b]", "/etc/c.inc:1 [c]"]);
    }

    #[test]
    fn a_file_that_includes_itself_is_an_error() {
        let itself = |_: &str| Ok("include me\ninclude me\n".to_owned());
        let error = lex("me", "include me\n", &itself).unwrap_err();
        assert!(error.expected.contains("8 deep"), "{error}");
    }

    #[test]
    fn broken_lines_are_named() {
        for (line, found) in [("[job", "[job"), ("[]", "[]"), ("=4k", "=4k"), ("b s=4k", "b s=4k")] {
            let error = lex("j", &format!("\n{line}\n"), &refuse).unwrap_err();
            assert_eq!((error.place.as_str(), error.found.as_str()), ("j:2", found));
        }
    }
}
