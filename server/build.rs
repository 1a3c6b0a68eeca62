//! Embeds the site that `cargo xtask build` left, so that the binary runs from any folder. Without one the binary is
//! built without: tests and lints do not need it.

use std::collections::hash_map::DefaultHasher;
use std::fmt::Write;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};

use anyhow::Context;

fn main() -> anyhow::Result<()> {
    println!("cargo:rerun-if-env-changed=RUNLENS_SITE_DIR");
    println!("cargo:rerun-if-env-changed=RUNLENS_EMBED_SITE");
    let site = std::env::var_os("RUNLENS_SITE_DIR").map(PathBuf::from).filter(|_| embeds_site());
    let mut table = String::from("static ASSETS: &[Asset] = &[\n");
    let mut manifest = "{}".to_owned();
    // Also while there is none: it may be built later.
    if let Some(site) = &site {
        println!("cargo:rerun-if-changed={}", site.display());
    }
    if let Some(site) = site.filter(|site| site.join("manifest.json").exists()) {
        manifest = std::fs::read_to_string(site.join("manifest.json"))?;
        let mut files = Vec::new();
        collect(&site, &mut files)?;
        files.sort();
        for file in &files {
            let name = file.strip_prefix(&site)?.to_string_lossy().replace('\\', "/");
            if name != "manifest.json" && !name.ends_with(".br") && !name.ends_with(".gz") {
                write_asset(&mut table, file, &name)?;
            }
        }
    }
    table.push_str("];\n");
    writeln!(table, "static MANIFEST: &str = {manifest:?};")?;
    let out = PathBuf::from(std::env::var_os("OUT_DIR").context("OUT_DIR is set by cargo")?);
    std::fs::write(out.join("site.rs"), table)?;
    Ok(())
}

/// Optimised builds carry the site, and others when asked to: they would be made anew each time the site is.
fn embeds_site() -> bool {
    std::env::var("PROFILE").is_ok_and(|profile| profile == "release")
        || std::env::var_os("RUNLENS_EMBED_SITE").is_some()
}

fn write_asset(table: &mut String, file: &Path, name: &str) -> anyhow::Result<()> {
    let mut hasher = DefaultHasher::new();
    std::fs::read(file)?.hash(&mut hasher);
    let include = |path: &Path| format!("include_bytes!({:?})", path.display().to_string());
    let compressed = |ending: &str| {
        let path = PathBuf::from(format!("{}.{ending}", file.display()));
        if path.exists() { format!("Some({})", include(&path)) } else { "None".to_owned() }
    };
    writeln!(
        table,
        "    Asset {{ path: {:?}, plain: {}, br: {}, gz: {}, tag: \"{:016x}\" }},",
        format!("/{name}"),
        include(file),
        compressed("br"),
        compressed("gz"),
        hasher.finish()
    )?;
    Ok(())
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}
