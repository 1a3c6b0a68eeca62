//! The unoptimised site: the same file names in every build, nothing compressed, and a script that reloads the page.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::json;

use crate::build::{Mode, script, styles, wasm};
use crate::paths;

const RELOAD_SCRIPT: &str = include_str!("reload.js");
const WASM_NAME: &str = "runlens.wasm";

pub fn compile_client() -> Result<Vec<u8>> {
    wasm::compile(Mode::Debug)
}

/// Writes the compiled client with the script that starts it.
pub fn write_client(folder: &Path, compiled: &[u8]) -> Result<()> {
    let client = wasm::build_unoptimised(compiled)?;
    let chunk_file = |chunk: &str| format!("chunk-{chunk}.wasm");
    let chunk_names = client.parts.chunks.keys().map(|chunk| (chunk.clone(), chunk_file(chunk))).collect();
    let script = script::assemble(&client.glue, &client.parts.loaders, WASM_NAME, &chunk_names)?;
    let pkg = folder.join("pkg");
    write(&pkg.join(WASM_NAME), &client.parts.main)?;
    for (chunk, content) in &client.parts.chunks {
        write(&pkg.join(chunk_file(chunk)), content)?;
    }
    // First, so that a page whose client fails to start still reloads after the next build.
    write(&pkg.join("runlens.js"), format!("{RELOAD_SCRIPT}\n{script}").as_bytes())?;
    let urls = |chunks: &Vec<String>| chunks.iter().map(|chunk| format!("/pkg/{}", chunk_file(chunk))).collect();
    let pages: serde_json::Map<String, serde_json::Value> =
        client.parts.pages.iter().map(|(page, chunks)| (page.clone(), urls(chunks))).collect();
    let manifest = json!({ "css": "/pkg/runlens.css", "js": "/pkg/runlens.js", "wasm": format!("/pkg/{WASM_NAME}"), "pages": pages });
    write(&folder.join("manifest.json"), manifest.to_string().as_bytes())
}

/// Bundles the stylesheets. The server notices the new file and tells open pages.
pub fn write_styles(folder: &Path) -> Result<()> {
    let css = styles::bundle(&paths::root()?.join("style/main.css"))?;
    write(&folder.join("pkg/runlens.css"), css.as_bytes())
}

pub fn write_public_files(folder: &Path) -> Result<()> {
    for entry in fs::read_dir(paths::root()?.join("public"))? {
        let path = entry?.path();
        write(&folder.join(path.file_name().context("a file without a name")?), &fs::read(&path)?)?;
    }
    Ok(())
}

/// Replaces a file in one step, so that the server never reads half of it.
fn write(path: &Path, content: &[u8]) -> Result<()> {
    fs::create_dir_all(path.parent().context("a file without a folder")?)?;
    let partial = path.with_extension("partial");
    fs::write(&partial, content)?;
    fs::rename(&partial, path).with_context(|| format!("could not write {}", path.display()))
}
