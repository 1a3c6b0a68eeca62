//! The client: compiled to wasm, bound to JavaScript, made small.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result, bail};
use wasm_bindgen_cli_support::Bindgen;

use super::Effort;
use super::cache::{Cache, hash};
use crate::progress::step;
use crate::tools::{npm, wasm_target};
use crate::{command, paths};

const TARGET: &str = "wasm32-unknown-unknown";

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

/// The client's two files, not yet named.
pub struct Client {
    pub js: String,
    pub wasm: Vec<u8>,
    /// Whether wasm-opt ran.
    pub optimised: bool,
}

/// Compiles the client and, unless it has to be quick, makes it small.
pub fn build(effort: Effort, cache: &mut Cache) -> Result<Client> {
    wasm_target::ensure(TARGET)?;
    let compiled = step("client", || compile(effort))?;
    if effort == Effort::Quick {
        let (js, wasm) = step("bindings", || bind(&compiled))?;
        return Ok(Client { js, wasm, optimised: false });
    }
    let optimiser = npm::wasm_opt();
    let recipe = match &optimiser {
        Ok(_) => format!("{} {}", OPTIMISE.join(" "), npm::lock_file()?),
        Err(reason) => {
            println!("▸ wasm-opt skipped, the client will be larger: {reason:#}");
            String::new()
        }
    };
    let key = hash(&[&compiled, recipe.as_bytes()]);

    // One run makes both files; the cache keeps them one by one.
    let mut bound = None;
    let js = cache.get_or(&key, "js", || {
        let (js, wasm) = step("bindings", || bind(&compiled))?;
        bound = Some(wasm);
        Ok(js.into_bytes())
    })?;
    let wasm = cache.get_or(&key, "wasm", || {
        let wasm = match bound {
            Some(wasm) => wasm,
            None => bind(&compiled)?.1,
        };
        match &optimiser {
            Ok(wasm_opt) => step("wasm-opt", || optimise(Command::new("node").arg(wasm_opt), &wasm)),
            Err(_) => Ok(wasm),
        }
    })?;
    Ok(Client { js: String::from_utf8(js)?, wasm, optimised: optimiser.is_ok() })
}

/// The glue module with a last line that starts the client, so that the page needs one external script and no inline one.
pub fn with_boot_line(js: &str, wasm_name: &str) -> String {
    format!("{js}\nawait __wbg_init({{ module_or_path: new URL(\"{wasm_name}\", import.meta.url) }});\nhydrate();\n")
}

fn compile(effort: Effort) -> Result<Vec<u8>> {
    let (profile, folder) = match effort {
        Effort::Optimised => ("wasm-release", "wasm-release"),
        Effort::Quick => ("dev", "debug"),
    };
    let client = ["--no-default-features", "--features", "hydrate", "--profile", profile];
    command::run(
        command::cargo()?
            .args(["rustc", "-p", "app", "--lib", "--crate-type", "cdylib", "--target", TARGET])
            .args(client),
    )?;
    let path = paths::target()?.join(TARGET).join(folder).join("app.wasm");
    fs::read(&path).with_context(|| format!("could not read {}", path.display()))
}

fn bind(compiled: &[u8]) -> Result<(String, Vec<u8>)> {
    let mut output = Bindgen::new()
        .input_bytes("runlens", compiled.to_vec())
        .web(true)?
        .typescript(false)
        .omit_default_module_path(true)
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

fn optimise(wasm_opt: &mut Command, wasm: &[u8]) -> Result<Vec<u8>> {
    let dir = tempfile::tempdir()?;
    let (from, to) = (dir.path().join("from.wasm"), dir.path().join("to.wasm"));
    fs::write(&from, wasm)?;
    command::run(wasm_opt.args(OPTIMISE).arg(&from).arg("-o").arg(&to))?;
    Ok(fs::read(to)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_boot_line_loads_the_file_beside_the_module_then_hydrates() {
        let js = with_boot_line("export default __wbg_init;", "runlens.0a.wasm");
        assert!(js.starts_with("export default __wbg_init;\n"));
        assert!(js.contains(r#"new URL("runlens.0a.wasm", import.meta.url)"#));
        assert!(js.ends_with("hydrate();\n"));
    }
}
