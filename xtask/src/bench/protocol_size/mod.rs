//! The size of `protocol` as wasm when a client uses all of it: fold, rows, verdict, partial JSON and validation.

use std::fs;

use anyhow::{Context, Result};

use super::Figure;
use crate::build::assets::brotli;
use crate::build::wasm::{TARGET, optimise, optimiser};
use crate::tools::wasm_target;
use crate::{command, paths};

const LIMIT_BYTES: usize = 150_000;
const PROFILE: &str = "wasm-release";

pub fn run() -> Result<Vec<Figure>> {
    wasm_target::ensure(TARGET)?;
    let wasm = compile()?;
    let small = match optimiser() {
        Some(wasm_opt) => optimise(&wasm_opt, &wasm)?,
        None => wasm,
    };
    let compressed_bytes = brotli(&small)?.len();
    let kilobytes = |bytes: usize| format!("{:.1} KB", bytes as f64 / 1_000.0);
    Ok(vec![Figure {
        name: "protocol as wasm, compressed".to_owned(),
        goal: "< 150 KB",
        value: format!("{} ({} raw)", kilobytes(compressed_bytes), kilobytes(small.len())),
        met: compressed_bytes < LIMIT_BYTES,
    }])
}

/// Compiles a crate that only exports. It is in the target folder: an example of `protocol` would need its test
/// dependencies as wasm.
fn compile() -> Result<Vec<u8>> {
    let (root, target) = (paths::root()?, paths::target()?);
    let package = target.join("protocol-size");
    fs::create_dir_all(package.join("src"))?;
    fs::write(package.join("src/lib.rs"), include_str!("exports.rs"))?;
    fs::write(
        package.join("Cargo.toml"),
        manifest(&fs::read_to_string(root.join("Cargo.toml"))?, &root.join("protocol")),
    )?;
    fs::copy(root.join("Cargo.lock"), package.join("Cargo.lock"))?;
    command::run(
        command::cargo()?
            .current_dir(&package)
            .args(["build", "--lib", "--target", TARGET, "--profile", PROFILE, "--target-dir"])
            .arg(target.join("protocol-size/target")),
    )?;
    let path = package.join("target").join(TARGET).join(PROFILE).join("protocol_size.wasm");
    fs::read(&path).with_context(|| format!("could not read {}", path.display()))
}

/// Uses the workspace's profiles, so that the result is built like the client.
fn manifest(workspace: &str, protocol: &std::path::Path) -> String {
    let profile = |name: &str| {
        let head = format!("[profile.{name}]\n");
        let body = workspace.split_once(&head).map_or("", |(_, rest)| rest.split("\n[").next().unwrap_or(""));
        format!("{head}{body}\n")
    };
    format!(
        "[package]\nname = \"protocol_size\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[lib]\ncrate-type = [\"cdylib\"]\n\n\
         [dependencies]\nprotocol = {{ path = {protocol:?} }}\nserde_json = \"1\"\n\n[workspace]\n\n{}\n{}",
        profile("release"),
        profile(PROFILE)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_measured_crate_uses_the_profiles_of_the_client() {
        let workspace =
            "[profile.release]\nlto = \"off\"\n\n[profile.wasm-release]\nopt-level = \"z\"\n# small\n\n[last]\nx = 1\n";
        let manifest = manifest(workspace, "/x/protocol".as_ref());
        assert!(manifest.contains("[profile.wasm-release]\nopt-level = \"z\"\n"), "{manifest}");
        assert!(manifest.contains("[profile.release]\nlto = \"off\"\n") && !manifest.contains("[last]"), "{manifest}");
    }
}
