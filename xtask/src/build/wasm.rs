//! Builds the client: compiles it to wasm, splits it by page, writes its JavaScript and shrinks it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use wasm_bindgen_cli_support::Bindgen;

use super::Mode;
use super::cache::{Cache, hash};
use super::split::{self, Parts};
use crate::progress::step;
use crate::tools::{npm, wasm_target};
use crate::{command, paths};

pub const TARGET: &str = "wasm32-unknown-unknown";

/// A second round makes the files of a page over a kilobyte smaller. The features that rustc uses for this target by default
/// must be listed, or wasm-opt rejects the file.
const OPTIMISE: &[&str] = &[
    "-Oz",
    "-Oz",
    "--strip-producers",
    "--strip-target-features",
    "--enable-bulk-memory",
    "--enable-bulk-memory-opt",
    "--enable-call-indirect-overlong",
    "--enable-multivalue",
    "--enable-mutable-globals",
    "--enable-nontrapping-float-to-int",
    "--enable-reference-types",
    "--enable-sign-ext",
];

/// The client's files, before they are named by their hashes.
pub struct Client {
    /// The JavaScript that wasm-bindgen wrote for the main part.
    pub glue: String,
    pub parts: Parts,
    /// wasm-opt was available and has run.
    pub optimised: bool,
}

/// Splits the compiled client by page and, in release mode, shrinks it.
pub fn build(mode: Mode, compiled: &[u8], cache: &mut Cache) -> Result<Client> {
    let mut client = build_unoptimised(compiled)?;
    client.optimised = mode == Mode::Release && step("wasm-opt", || optimise_all(&mut client.parts, cache))?;
    Ok(client)
}

/// Splits the compiled client by page and writes its JavaScript.
pub fn build_unoptimised(compiled: &[u8]) -> Result<Client> {
    let mut parts = step("split", || split::split(compiled))?;
    let glue;
    (glue, parts.main) = step("bindings", || bind(&parts.main))?;
    Ok(Client { glue, parts, optimised: false })
}

pub fn compile(mode: Mode) -> Result<Vec<u8>> {
    wasm_target::ensure(TARGET)?;
    step("client", || compile_with(mode))
}

fn compile_with(mode: Mode) -> Result<Vec<u8>> {
    let (profile, flags): (_, &[&str]) = match mode {
        Mode::Release => ("wasm-release", &[]),
        // The profile leaves this crate unoptimised for the server's sake.
        Mode::Quick => ("quick", &["-C", "opt-level=1"]),
        Mode::Debug => ("wasm-dev", &[]),
    };
    let client = ["--no-default-features", "--features", "hydrate", "--profile", profile];
    command::run(
        command::cargo()?
            .args(["rustc", "-p", "app", "--lib", "--crate-type", "cdylib", "--target", TARGET])
            .args(client)
            // The split needs relocations to find what each function refers to.
            .args(["--", "-C", "link-arg=--emit-relocs"])
            .args(flags),
    )?;
    let path = paths::target()?.join(TARGET).join(profile).join("app.wasm");
    fs::read(&path).with_context(|| format!("could not read {}", path.display()))
}

fn bind(main: &[u8]) -> Result<(String, Vec<u8>)> {
    let mut output = Bindgen::new()
        .input_bytes("runlens", main.to_vec())
        .web(true)?
        .typescript(false)
        .omit_default_module_path(true)
        // Chunks share the main part's stack.
        .keep_lld_exports(true)
        .remove_name_section(true)
        .remove_producers_section(true)
        .generate_output()?;
    if !output.local_modules().is_empty() || output.snippets().values().any(|files| !files.is_empty()) {
        bail!(
            "a crate of the client brings its own JavaScript files; the site is one script, so bind to web-sys instead"
        );
    }
    Ok((output.js().to_owned(), output.wasm_mut().emit_wasm()))
}

/// Finds wasm-opt, or prints why it is missing.
pub fn optimiser() -> Option<PathBuf> {
    let skipped = |reason| println!("▸ wasm-opt skipped, the client will be larger: {reason:#}");
    npm::wasm_opt().map_err(skipped).ok()
}

/// Runs wasm-opt on each part; `false` if it is missing.
fn optimise_all(parts: &mut Parts, cache: &mut Cache) -> Result<bool> {
    let Some(wasm_opt) = optimiser() else { return Ok(false) };
    let recipe = format!("{} {}", OPTIMISE.join(" "), npm::lock_file()?);
    for part in std::iter::once(&mut parts.main).chain(parts.chunks.values_mut()) {
        let key = hash(&[part, recipe.as_bytes()]);
        *part = cache.get_or(&key, "wasm", || optimise(&wasm_opt, part))?;
    }
    Ok(true)
}

pub fn optimise(wasm_opt: &Path, wasm: &[u8]) -> Result<Vec<u8>> {
    let dir = tempfile::tempdir()?;
    let (from, to) = (dir.path().join("from.wasm"), dir.path().join("to.wasm"));
    fs::write(&from, wasm)?;
    command::run(Command::new("node").arg(wasm_opt).args(OPTIMISE).arg(&from).arg("-o").arg(&to))?;
    Ok(fs::read(to)?)
}
