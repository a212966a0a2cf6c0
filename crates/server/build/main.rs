//! Builds the web UI and writes the table of files that the server embeds.
//!
//! In this order: nothing (`LIMINAL_UI_SKIP=1`, for lints), a given directory (`LIMINAL_UI_DIST`), a build of its own
//! with Node, or a page that says what is missing.

mod asset_table;
#[path = "../src/assets/content_type.rs"]
mod content_type;
mod npm;
mod web_sources;

use std::env;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use web_sources::WebSources;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Cargo shows these lines as they are, each on its own.
            error.to_string().lines().for_each(|line| tell_cargo(&format!("error={line}")));
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let web = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("../../web");
    for variable in ["LIMINAL_UI_SKIP", "LIMINAL_UI_DIST"] {
        tell_cargo(&format!("rerun-if-env-changed={variable}"));
    }
    let dist = find_or_build(&web, &out)?;
    asset_table::write(dist.as_deref(), &out.join("assets.rs"))?;
    Ok(())
}

/// The directory of built files, or none for the page that stands in.
fn find_or_build(web: &Path, out: &Path) -> Result<Option<PathBuf>, Box<dyn Error>> {
    if env::var_os("LIMINAL_UI_SKIP").is_some_and(|value| value == "1") {
        return Ok(None);
    }
    if let Some(dist) = env::var_os("LIMINAL_UI_DIST") {
        let dist =
            Path::new(&dist).canonicalize().map_err(|error| format!("LIMINAL_UI_DIST: {error}"))?;
        tell_cargo(&format!("rerun-if-changed={}", dist.display()));
        return Ok(Some(dist));
    }
    let sources = WebSources::gather(web)?;
    sources.files().for_each(|file| tell_cargo(&format!("rerun-if-changed={}", file.display())));
    match npm::build(&sources, &out.join("web")) {
        Ok(dist) => Ok(Some(dist)),
        Err(npm::Problem::NoNode(why)) => {
            tell_cargo(&format!("warning=the web UI is not built: {why}"));
            // Node may be there next time: look again whenever cargo runs, which a file that never exists makes it do.
            tell_cargo(&format!("rerun-if-changed={}", out.join("no-node-yet").display()));
            Ok(None)
        }
        Err(npm::Problem::Failed(why)) => Err(why.into()),
    }
}

#[expect(clippy::print_stdout, reason = "this is how a build script talks to cargo")]
fn tell_cargo(instruction: &str) {
    println!("cargo::{instruction}");
}
