//! Arguments of the examples that count and time: a wrong one ends the program with one line and exit code 2.

/// Ends the program unless `name` is one of these.
pub fn known(what: &str, name: &str, names: &[&str]) {
    if !names.contains(&name) {
        let hint = config::meant(name, names.iter().copied());
        let hint = hint.map_or(String::new(), |hint| format!("; {hint}"));
        fail(&format!("{what}: {name:?}: expected one of {}{hint}", names.join(", ")));
    }
}

/// Ends the program.
pub fn fail(message: &str) -> ! {
    eprintln!("{}: {message}", env!("CARGO_CRATE_NAME"));
    std::process::exit(2);
}
