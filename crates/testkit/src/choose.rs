//! Policies by name, as a configuration file would name them, and the settings worth trying.

use config::{ConfigError, Document, PolicyEntry, Section, Value};
use std::collections::VecDeque;

/// Makes a policy from its settings, each `key=value` (`name=greedy`, `d=5`): the function `read` reads them, and its
/// result is returned. An unknown key is an error.
///
/// # Errors
/// When a setting is refused.
pub fn read_from<M>(
    read: impl Fn(&mut Section) -> Result<M, ConfigError>,
    settings: &[String],
) -> Result<M, ConfigError> {
    let mut document = Document::empty();
    for setting in settings {
        document.set(setting)?;
    }
    let mut section = Section::root(&document);
    let made = read(&mut section)?;
    section.finish()?;
    Ok(made)
}

/// Returns the list of settings that selects a policy: the one setting `name=...` with the policy's name.
pub fn named(entry: &PolicyEntry) -> Vec<String> {
    vec![format!("name={}", entry.card.name)]
}

/// Constant: sample values for policy parameters without a default: a count, a time, a transfer rate.
const SAMPLES: [&str; 3] = ["0", "1us", "100MT/s"];

/// Returns the shortest list of settings with which a policy can be made: its name, and a sample value for each
/// parameter without a default.
///
/// # Panics
/// When none of the sample values suits a parameter.
pub fn least<M>(entry: &PolicyEntry, read: impl Fn(&mut Section) -> Result<M, ConfigError>) -> Vec<String> {
    let mut settings = named(entry);
    while let Err(error) = read_from(&read, &settings) {
        let name = entry.card.name;
        let wants = error.expected.starts_with("missing");
        assert!(wants, "{name} refuses its own defaults: {error}");
        let told = |value: &&str| {
            let setting = format!("{}={value}", error.key);
            let told = read_from(&read, &[settings.clone(), vec![setting]].concat());
            told.err().is_none_or(|other| other.key != error.key)
        };
        let value = SAMPLES.iter().copied().find(told);
        let value = value.unwrap_or_else(|| panic!("{name}: no sample for {}", error.key));
        settings.push(format!("{}={value}", error.key));
    }
    settings
}

/// Returns lists of settings for tests of a policy: first `least`, the settings that the policy cannot do without;
/// then, for each parameter, `least` and one of a few values, which may lie at the edge of the parameter's range or
/// beyond.
pub fn variants(entry: &PolicyEntry, least: &[String]) -> Vec<Vec<String>> {
    let mut all = vec![least.to_vec()];
    for parameter in &entry.parameters {
        let values: Vec<String> = match &parameter.value {
            Value::Integer(default) => [0, 1, 2, 1000, default + 1].map(|number| number.to_string()).into(),
            Value::Float(_) => ["0.0", "0.5", "1.0", "-1.0", "1000.0"].map(str::to_owned).into(),
            Value::Boolean(truth) => vec![(!truth).to_string()],
            Value::Text(_) => ["0ns", "1us", "1s"].map(str::to_owned).into(),
            Value::List(_) | Value::Table(_) => Vec::new(),
        };
        for value in values {
            all.push([least, &[format!("{}={value}", parameter.key)]].concat());
        }
    }
    all
}

/// Checks that a policy refuses wrong settings: an unknown policy or key, a wrong type, a negative count. Then tries
/// the variants of its parameters: calls `check` with the settings and the made policy for each variant that is
/// accepted; an error must name a parameter of the policy.
///
/// # Panics
/// When the policy accepts a setting that it must refuse, refuses its defaults, or names another key in its error.
pub fn each_variant<M>(
    entry: &PolicyEntry,
    read: impl Fn(&mut Section) -> Result<M, ConfigError>,
    mut check: impl FnMut(&str, &M),
) {
    let name = entry.card.name;
    let least = least(entry, &read);
    let refused = |setting: String| {
        let settings = [least.clone(), vec![setting.clone()]].concat();
        assert!(read_from(&read, &settings).is_err(), "{name} takes {setting}");
    };
    refused("name=no-such-policy".into());
    refused("no_such_parameter=1".into());
    for parameter in &entry.parameters {
        let wrong = match parameter.value {
            Value::Boolean(_) => "3",
            _ => "true",
        };
        refused(format!("{}={wrong}", parameter.key));
        if matches!(parameter.value, Value::Integer(_)) {
            refused(format!("{}=-1", parameter.key));
        }
    }
    let mut waiting: VecDeque<Vec<String>> = variants(entry, &least).into();
    let mut defaults = true;
    while let Some(settings) = waiting.pop_front() {
        match read_from(&read, &settings) {
            Ok(maker) => check(&settings.join(" "), &maker),
            Err(error) => {
                assert!(!defaults, "{name} refuses its own defaults: {error}");
                // Another parameter may be blamed where two must agree, but only one of this policy's.
                let known = entry.parameters.iter().any(|parameter| parameter.key == error.key);
                assert!(known, "{name} with {settings:?} blames {:?}: {error}", error.key);
                // A choice of names: the refusal lists them, so each can be tried.
                for choice in error.expected.strip_prefix("expected one of ").into_iter().flat_map(names) {
                    let setting = format!("{}={choice}", error.key);
                    assert!(!settings.contains(&setting), "{name} offers {choice:?} and refuses it: {error}");
                    waiting.push_back([least.clone(), vec![setting]].concat());
                }
            }
        }
        defaults = false;
    }
}

fn names(list: &str) -> impl Iterator<Item = &str> {
    list.split(", ")
}
