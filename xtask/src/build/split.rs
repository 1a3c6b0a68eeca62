//! Splits the client's wasm by page: a main part for every page, and a chunk for each lazy page.

use std::collections::BTreeMap;
use std::fs;

use anyhow::{Context, Result, anyhow};
use wasm_split_cli_support::{Options, transform};

/// The wasm's name for the module that loads chunks; `script.rs` resolves it.
pub const LOADERS: &str = "./loaders.js";
/// The loaders' name for the module that started the wasm; `script.rs` resolves it.
pub const MAIN: &str = "./main.js";

/// The parts of one compiled client. Parts of different builds do not work together.
pub struct Parts {
    pub main: Vec<u8>,
    /// By the names that `loaders` uses.
    pub chunks: BTreeMap<String, Vec<u8>>,
    /// The chunks that each lazy page needs.
    pub pages: BTreeMap<String, Vec<String>>,
    /// JavaScript that loads chunks.
    pub loaders: String,
}

/// Splits wasm that was linked with `--emit-relocs`.
pub fn split(compiled: &[u8]) -> Result<Parts> {
    let dir = tempfile::tempdir()?;
    let main = dir.path().join("main.wasm");
    let mut options = Options::new(compiled);
    options.output_dir = dir.path();
    options.main_out_path = &main;
    options.link_name = LOADERS;
    options.main_module = MAIN;
    let done = transform(options).map_err(|error| anyhow!("{error:#}")).context("the client could not be split")?;
    let mut chunks = BTreeMap::new();
    for path in &done.split_modules {
        let name = path.file_stem().context("a chunk without a name")?.to_string_lossy().into_owned();
        chunks.insert(name, fs::read(path)?);
    }
    Ok(Parts {
        main: fs::read(&main)?,
        chunks,
        pages: done.prefetch_map.into_iter().collect(),
        loaders: fs::read_to_string(dir.path().join(LOADERS))?,
    })
}
