//! `cargo xtask build`: writes client, styles and public files to `target/site`, which the binary embeds.

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

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Small and fast: what users get.
    Release,
    /// Ready in half the time, larger and a little slower: to try it on this machine.
    Quick,
    /// Built in seconds after a change, of any size: for development.
    Debug,
}

impl Mode {
    /// Cargo's profile for the server.
    fn profile(self) -> &'static str {
        match self {
            Self::Release => "release",
            Self::Quick => "quick",
            Self::Debug => "dev",
        }
    }
}

/// The site and the optimised binary.
pub fn all() -> Result<()> {
    with(Mode::Release)
}

/// The site, then the binary. The server's library does not depend on the site. It is compiled at the same time, because
/// linking and shrinking the client use one core only. In the quick mode both use one profile: cargo builds one after the
/// other, and compiles the macros that both use once. In the other modes each has a profile, and so a lock, of its own.
pub fn with(mode: Mode) -> Result<()> {
    let profile = ["--profile", mode.profile()];
    let mut library = Background::start(command::cargo()?.args(["build", "-p", "server", "--lib"]).args(profile))?;
    site(mode)?;
    step("server's library", || library.finish())?;
    let binary = ["rustc", "-p", "server", "--bin", "runlens"];
    step("server", || command::run(command::cargo()?.args(binary).args(profile).args(["--", "--cfg", "embedded_site"])))
}

/// Builds and writes the site, and reports the size of a first visit.
pub fn site(mode: Mode) -> Result<()> {
    let compiled = wasm::compile(mode)?;
    let root = paths::root()?;
    let mut cache = Cache::open(&paths::site()?.with_file_name("site-cache"))?;
    let client = wasm::build(mode, &compiled, &mut cache)?;

    let css = step("styles", || styles::bundle(&root.join("style/main.css")))?;
    let mut site = Site::new(mode);
    step("site", || {
        let wasm_name = site.add_hashed("wasm", client.parts.main, &mut cache)?;
        let chunk_names = site.add_chunks(client.parts.chunks, &client.parts.pages, &mut cache)?;
        let js = script::assemble(&client.glue, &client.parts.loaders, &wasm_name, &chunk_names)?;
        let js = if client.optimised { script::shorten(&js)? } else { js };
        site.add_hashed("js", js.into_bytes(), &mut cache)?;
        site.add_hashed("css", css.into_bytes(), &mut cache)?;
        site.add_folder(&root.join("public"), &mut cache)?;
        site.write(&paths::site()?)
    })?;
    if mode != Mode::Release {
        return Ok(());
    }
    cache.prune()?;
    let over = report::print(&site);
    match over {
        Some(over) if client.optimised => bail!("{over}"),
        Some(over) => println!("{over}, but wasm-opt was skipped: not counted as a failure"),
        None => {}
    }
    Ok(())
}
