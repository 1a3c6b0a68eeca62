//! `cargo xtask build`: client, styles and public files become `target/site`, which the optimised binary embeds.

pub mod assets;
mod cache;
mod report;
pub mod script;
mod split;
pub mod styles;
pub mod wasm;

use anyhow::{Result, bail};

use crate::command::Background;
use crate::progress::step;
use crate::{command, paths};
use assets::Site;
use cache::Cache;

/// How much work goes into the outcome.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// What is served and measured: small and quick.
    Optimised,
    /// What is looked at while one writes code: built in seconds, of any size.
    Quick,
}

/// The site and the optimised binary.
pub fn all() -> Result<()> {
    with(Effort::Optimised)
}

/// The site, then the binary. The server's library needs nothing of the site: it is compiled beside the steps that make
/// the client small, which keep one core busy.
pub fn with(effort: Effort) -> Result<()> {
    let profile: &[&str] = match effort {
        Effort::Optimised => &["--release"],
        Effort::Quick => &[],
    };
    let compiled = wasm::compile(effort)?;
    let mut library = Background::start(command::cargo()?.args(["build", "-p", "server", "--lib"]).args(profile))?;
    site(effort, &compiled)?;
    step("server's library", || library.finish())?;
    let binary = ["rustc", "-p", "server", "--bin", "runlens"];
    step("server", || command::run(command::cargo()?.args(binary).args(profile).args(["--", "--cfg", "embedded_site"])))
}

/// Writes the site and reports what a first visit transfers.
fn site(effort: Effort, compiled: &[u8]) -> Result<()> {
    let root = paths::root()?;
    let mut cache = Cache::open(&paths::site()?.with_file_name("site-cache"))?;
    let client = wasm::build(effort, compiled, &mut cache)?;

    let css = step("styles", || styles::bundle(&root.join("style/main.css")))?;
    let mut site = Site::new(effort);
    step("site", || {
        let wasm_name = site.add_hashed("wasm", client.parts.main, &mut cache)?;
        let chunk_names = site.add_chunks(client.parts.chunks, &client.parts.pages, &mut cache)?;
        let js = script::assemble(&client.glue, &client.parts.loaders, &wasm_name, &chunk_names)?;
        site.add_hashed("js", js.into_bytes(), &mut cache)?;
        site.add_hashed("css", css.into_bytes(), &mut cache)?;
        site.add_folder(&root.join("public"), &mut cache)?;
        site.write(&paths::site()?)
    })?;
    cache.prune()?;

    if effort == Effort::Quick {
        return Ok(());
    }
    let over = report::print(&site);
    match over {
        Some(over) if client.optimised => bail!("{over}"),
        Some(over) => println!("{over}, but wasm-opt was skipped: not counted as a failure"),
        None => {}
    }
    Ok(())
}
