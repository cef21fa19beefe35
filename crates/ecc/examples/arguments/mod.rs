//! Arguments of the examples that count and time: a wrong one ends the program with one line and exit code 2.

/// Ends the example program with an error message unless `name`, the value of the argument `what`, is one of `names`.
pub fn known(what: &str, name: &str, names: &[&str]) {
    if !names.contains(&name) {
        let hint = config::meant(name, names.iter().copied());
        let hint = hint.map_or(String::new(), |hint| format!("; {hint}"));
        fail(&format!("{what}: {name:?}: expected one of {}{hint}", names.join(", ")));
    }
}

/// Ends the example program with the error message `message` and the exit code 2.
pub fn fail(message: &str) -> ! {
    eprintln!("{}: {message}", env!("CARGO_CRATE_NAME"));
    std::process::exit(2);
}
