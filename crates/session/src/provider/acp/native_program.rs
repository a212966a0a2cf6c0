//! From npm's launcher to the program that it would run.
//!
//! A package with a native program has a script that starts the one for this machine and waits. Ended, such a script
//! leaves the program running; so the program is run itself. It lies in a package of its own, named after the machine.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use serde::Deserialize;

#[derive(Deserialize)]
struct Package {
    #[serde(default, rename = "optionalDependencies")]
    optional: std::collections::BTreeMap<String, serde_json::Value>,
}

/// The native program behind a launcher of npm's, if that is what the program is.
pub(super) fn behind(program: &Path) -> Option<PathBuf> {
    let script = program.canonicalize().ok()?;
    let package = script.ancestors().find(|place| place.join("package.json").is_file())?;
    let text = std::fs::read_to_string(package.join("package.json")).ok()?;
    let optional = serde_json::from_str::<Package>(&text).ok()?.optional;
    let machine = format!("-{}-{}", node_platform(), node_architecture());
    let names = optional.keys().filter(|name| name.ends_with(&machine));
    let stem = program.file_stem()?;
    names.into_iter().find_map(|name| installed(package, name, stem))
}

/// Packages lie beside each other, or one inside the other.
fn installed(package: &Path, name: &str, program: &OsStr) -> Option<PathBuf> {
    let roots =
        package.ancestors().filter(|place| place.file_name() != Some("node_modules".as_ref()));
    let mut places =
        roots.map(|root| root.join("node_modules").join(name).join("bin").join(program));
    places.find(|place| place.is_file())
}

fn node_platform() -> &'static str {
    match std::env::consts::OS {
        "macos" => "darwin",
        other => other,
    }
}

fn node_architecture() -> &'static str {
    match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    fn file(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// `bin/agent` is a link into a package that has a native program for every machine.
    fn install(root: &Path, nested: bool) -> (PathBuf, PathBuf) {
        let machine = format!("@x/agent-{}-{}", node_platform(), node_architecture());
        let modules = root.join("lib/node_modules");
        let package = modules.join("@x/agent");
        let optional =
            format!(r#"{{"optionalDependencies":{{"@x/agent-plan9-mips":"1","{machine}":"1"}}}}"#);
        file(&package.join("package.json"), &optional);
        file(&package.join("bin/agent.js"), "#!/usr/bin/env node\n");
        let place = if nested { package.join("node_modules") } else { modules };
        let native = place.join(machine).join("bin/agent");
        file(&native, "native");
        fs::create_dir_all(root.join("bin")).unwrap();
        symlink(package.join("bin/agent.js"), root.join("bin/agent")).unwrap();
        (root.join("bin/agent"), native)
    }

    #[test]
    fn a_launcher_leads_to_the_program_of_this_machine() {
        for nested in [false, true] {
            let root = tempfile::tempdir().unwrap();
            let (launcher, native) = install(&root.path().canonicalize().unwrap(), nested);
            assert_eq!(behind(&launcher), Some(native), "nested: {nested}");
        }
    }

    #[test]
    fn other_programs_are_what_they_are() {
        let root = tempfile::tempdir().unwrap();
        let program = root.path().join("agent");
        file(&program, "native");
        assert_eq!(behind(&program), None);
        file(&root.path().join("package.json"), r#"{"optionalDependencies":{"fsevents":"2"}}"#);
        assert_eq!(behind(&program), None, "an ordinary package of scripts");
        file(&root.path().join("package.json"), "no json");
        assert_eq!(behind(&program), None);
    }
}
