//! Assembles the site's only script: the loaders of the chunks, the JavaScript of wasm-bindgen, and a line that starts the
//! client. One external script means no inline script, and no script that waits for another.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::process::Command;

use anyhow::{Result, bail};

use super::split::{LOADERS, MAIN};
use crate::command;
use crate::tools::npm;

/// Returns the script. `wasm_name` and `chunk_names` are the names under which the wasm files are served.
pub fn assemble(glue: &str, loaders: &str, wasm_name: &str, chunk_names: &BTreeMap<String, String>) -> Result<String> {
    let loaders = local_loaders(loaders, chunk_names)?;
    let glue = with_local_loaders(glue)?;
    Ok(format!(
        "{loaders}\n{glue}\nawait __wbg_init({{ module_or_path: new URL(\"{wasm_name}\", import.meta.url) }});\nhydrate();\n"
    ))
}

/// Removes comments and spaces, and shortens names.
pub fn shorten(js: &str) -> Result<String> {
    let dir = tempfile::tempdir()?;
    let (from, to) = (dir.path().join("from.js"), dir.path().join("to.js"));
    fs::write(&from, js)?;
    let mut outfile = OsString::from("--outfile=");
    outfile.push(&to);
    let options = ["--minify", "--format=esm", "--target=es2022", "--log-level=error"];
    command::run(Command::new(npm::esbuild()?).args(options).arg(outfile).arg(&from))?;
    Ok(fs::read_to_string(to)?)
}

/// wasm-split writes the loaders as a module that imports the glue, and the glue imports them. In one file the import is
/// removed, and the exports are collected in an object for the glue.
fn local_loaders(loaders: &str, chunk_names: &BTreeMap<String, String>) -> Result<String> {
    let import = format!("import {{ initSync }} from \"{MAIN}\";\n");
    let Some((before, after)) = loaders.split_once(&import) else {
        bail!("the chunk loaders do not import the glue as expected: {loaders:.80}");
    };
    let mut text = format!("{before}{after}");
    for (chunk, name) in chunk_names {
        let from = format!("\"./{chunk}.wasm\"");
        if !text.contains(&from) {
            bail!("the chunk {chunk} has no loader");
        }
        text = text.replace(&from, &format!("\"./{name}\""));
    }
    let exported = |line: &str| Some(line.strip_prefix("export const ")?.split_once(" =")?.0.to_owned());
    let names: Vec<_> = text.lines().filter_map(exported).collect();
    Ok(format!("{text}const loaders = {{ {} }};\n", names.join(", ")).replace("\nexport const ", "\nconst "))
}

/// The glue imports the loaders module once for each loader.
fn with_local_loaders(glue: &str) -> Result<String> {
    let from = format!(" from \"{LOADERS}\"");
    let local = |line: &str| match line.strip_prefix("import * as ").and_then(|rest| rest.split_once(&from)) {
        Some((name, _)) => format!("const {name} = loaders;\n"),
        None => format!("{line}\n"),
    };
    let text: String = glue.lines().map(local).collect();
    match text.lines().find(|line| line.starts_with("import ")) {
        Some(import) => bail!("the client's glue imports another file, but the site is one script: {import}"),
        None => Ok(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GLUE: &str = "import * as import1 from \"./loaders.js\"\nimport * as import2 from \"./loaders.js\"\n\
                        function initSync() {}\nexport { initSync, __wbg_init as default };\n";
    const RUN_LOADERS: &str = "import { initSync } from \"./main.js\";\n\nlet sharedImports = undefined;\n\
                               export const load_run = make(() => fetch(new URL(\"./run.wasm\", import.meta.url)));\n";

    fn names(names: &[(&str, &str)]) -> BTreeMap<String, String> {
        names.iter().map(|(chunk, name)| ((*chunk).to_owned(), (*name).to_owned())).collect()
    }

    #[test]
    fn one_script_holds_loaders_and_glue_and_starts_the_client() -> Result<()> {
        let js = assemble(GLUE, RUN_LOADERS, "runlens.0a.wasm", &names(&[("run", "runlens.0b.wasm")]))?;
        assert!(js.contains("\nconst load_run = make("), "{js}");
        assert!(js.contains("const loaders = { load_run };"), "{js}");
        assert!(js.contains("const import1 = loaders;\nconst import2 = loaders;\n"), "{js}");
        assert!(js.contains(r#"new URL("./runlens.0b.wasm", import.meta.url)"#), "{js}");
        assert!(js.contains(r#"new URL("runlens.0a.wasm", import.meta.url)"#), "{js}");
        assert!(js.ends_with("\nhydrate();\n"), "{js}");
        assert!(!js.lines().any(|line| line.starts_with("import ")), "{js}");
        Ok(())
    }

    #[test]
    fn unexpected_input_is_rejected() {
        let error = |glue: &str, loaders: &str, chunk: &str| {
            let done = assemble(glue, loaders, "runlens.0a.wasm", &names(&[(chunk, "runlens.0b.wasm")]));
            done.expect_err("unexpected input").to_string()
        };
        let another = format!("import {{ x }} from \"./snippets/x.js\"\n{GLUE}");
        assert!(error(&another, RUN_LOADERS, "run").contains("imports another file"));
        assert!(error(GLUE, "let sharedImports;", "run").contains("as expected"));
        assert!(error(GLUE, RUN_LOADERS, "launch").contains("launch has no loader"));
    }
}
