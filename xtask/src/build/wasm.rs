//! The client: compiled to wasm, split by page, bound to JavaScript, made small.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use wasm_bindgen_cli_support::Bindgen;

use super::Effort;
use super::cache::{Cache, hash};
use super::split::{self, Parts};
use crate::progress::step;
use crate::tools::{npm, wasm_target};
use crate::{command, paths};

pub const TARGET: &str = "wasm32-unknown-unknown";

/// What rustc emits for this target by default; wasm-opt refuses what it is not told of.
const OPTIMISE: &[&str] = &[
    "-Oz",
    "--enable-bulk-memory",
    "--enable-bulk-memory-opt",
    "--enable-call-indirect-overlong",
    "--enable-multivalue",
    "--enable-mutable-globals",
    "--enable-nontrapping-float-to-int",
    "--enable-reference-types",
    "--enable-sign-ext",
];

/// The client's files, not yet named.
pub struct Client {
    /// What wasm-bindgen wrote for the main part.
    pub glue: String,
    pub parts: Parts,
    /// Whether wasm-opt ran.
    pub optimised: bool,
}

/// Splits the compiled client by page and, unless it has to be quick, makes it small.
pub fn build(effort: Effort, compiled: &[u8], cache: &mut Cache) -> Result<Client> {
    let mut client = build_unoptimised(compiled)?;
    client.optimised = effort == Effort::Optimised && step("wasm-opt", || optimise_all(&mut client.parts, cache))?;
    Ok(client)
}

/// Splits the compiled client by page and writes its JavaScript.
pub fn build_unoptimised(compiled: &[u8]) -> Result<Client> {
    let mut parts = step("split", || split::split(compiled))?;
    let glue;
    (glue, parts.main) = step("bindings", || bind(&parts.main))?;
    Ok(Client { glue, parts, optimised: false })
}

pub fn compile(effort: Effort) -> Result<Vec<u8>> {
    wasm_target::ensure(TARGET)?;
    step("client", || compile_with(effort))
}

fn compile_with(effort: Effort) -> Result<Vec<u8>> {
    let (profile, folder) = match effort {
        Effort::Optimised => ("wasm-release", "wasm-release"),
        Effort::Quick => ("dev", "debug"),
    };
    let client = ["--no-default-features", "--features", "hydrate", "--profile", profile];
    command::run(
        command::cargo()?
            .args(["rustc", "-p", "app", "--lib", "--crate-type", "cdylib", "--target", TARGET])
            .args(client)
            // By these the split finds what each function refers to.
            .args(["--", "-C", "link-arg=--emit-relocs"]),
    )?;
    let path = paths::target()?.join(TARGET).join(folder).join("app.wasm");
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

/// wasm-opt where there is one, or else a word about its absence.
pub fn optimiser() -> Option<PathBuf> {
    let skipped = |reason| println!("▸ wasm-opt skipped, the client will be larger: {reason:#}");
    npm::wasm_opt().map_err(skipped).ok()
}

/// Runs wasm-opt on each part; `false` where there is none.
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
