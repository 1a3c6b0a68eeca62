//! The files of the site: hashed ones under `pkg/`, public ones at the root, each with its compressed versions.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use flate2::Compression;
use flate2::write::GzEncoder;

use super::Mode;
use super::cache::{Cache, hash};

const COMPRESSIBLE: &[&str] =
    &["css", "html", "ico", "js", "json", "map", "svg", "ttf", "txt", "wasm", "webmanifest", "xml"];

/// A Rust expression that the server's binary includes: its `Site` with the content of every file.
pub const EMBED: &str = "embed.rs";

/// A site in memory, by path from its root.
pub struct Site {
    mode: Mode,
    files: BTreeMap<PathBuf, Vec<u8>>,
    /// Files that every page loads, in the order added.
    pub hashed: Vec<Hashed>,
    /// Further files of each page, by the page's name.
    pub pages: BTreeMap<String, Vec<Hashed>>,
}

/// One file whose name changes with its content.
#[derive(Clone)]
pub struct Hashed {
    pub kind: &'static str,
    pub url: String,
    pub raw_bytes: usize,
    pub brotli_bytes: usize,
}

impl Site {
    pub fn new(mode: Mode) -> Self {
        Self { mode, files: BTreeMap::new(), hashed: Vec::new(), pages: BTreeMap::new() }
    }

    /// Adds a file that every page loads to `pkg/`, under a name that contains its hash, and returns that name.
    pub fn add_hashed(&mut self, kind: &'static str, content: Vec<u8>, cache: &mut Cache) -> Result<String> {
        let (name, file) = self.add_to_pkg(kind, content, cache)?;
        self.hashed.push(file);
        Ok(name)
    }

    /// Adds the chunks of wasm that only some pages load in the same way, and returns their names.
    pub fn add_chunks(
        &mut self,
        chunks: BTreeMap<String, Vec<u8>>,
        pages: &BTreeMap<String, Vec<String>>,
        cache: &mut Cache,
    ) -> Result<BTreeMap<String, String>> {
        let mut names = BTreeMap::new();
        let mut files = BTreeMap::new();
        for (chunk, content) in chunks {
            let (name, file) = self.add_to_pkg("wasm", content, cache)?;
            names.insert(chunk.clone(), name);
            files.insert(chunk, file);
        }
        for (page, needed) in pages {
            let needed: Option<Vec<_>> = needed.iter().map(|chunk| files.get(chunk).cloned()).collect();
            self.pages.insert(page.clone(), needed.with_context(|| format!("a chunk of the page {page} is missing"))?);
        }
        Ok(names)
    }

    /// Adds all files of a folder under their own names. A missing folder counts as empty: git does not store empty ones.
    pub fn add_folder(&mut self, folder: &Path, cache: &mut Cache) -> Result<()> {
        if !folder.exists() {
            return Ok(());
        }
        for (path, content) in read_folder(folder)? {
            self.add(path, content, cache)?;
        }
        Ok(())
    }

    /// Replaces the site in one step. An unchanged site is not touched, since that would rebuild the server.
    pub fn write(&mut self, site: &Path) -> Result<()> {
        self.files.insert("manifest.json".into(), self.manifest());
        self.files.insert(EMBED.into(), self.embedding()?);
        if read_folder(site).is_ok_and(|present| present == self.files) {
            return Ok(());
        }
        let fresh = site.with_extension("new");
        let old = site.with_extension("old");
        remove_folder(&fresh)?;
        for (path, content) in &self.files {
            let path = fresh.join(path);
            fs::create_dir_all(path.parent().context("a file without a folder")?)?;
            fs::write(path, content)?;
        }
        remove_folder(&old)?;
        if site.exists() {
            fs::rename(site, &old)?;
        }
        fs::rename(&fresh, site)?;
        remove_folder(&old)
    }

    fn add_to_pkg(&mut self, kind: &'static str, content: Vec<u8>, cache: &mut Cache) -> Result<(String, Hashed)> {
        let name = format!("runlens.{}.{kind}", hash(&[&content]));
        let raw_bytes = content.len();
        let path = Path::new("pkg").join(&name);
        self.add(path.clone(), content, cache)?;
        let brotli_bytes = self.files.get(&appended(&path, "br")).map_or(raw_bytes, Vec::len);
        let url = format!("/pkg/{name}");
        Ok((name, Hashed { kind, url, raw_bytes, brotli_bytes }))
    }

    fn add(&mut self, path: PathBuf, content: Vec<u8>, cache: &mut Cache) -> Result<()> {
        let compressible = path.extension().is_some_and(|ext| COMPRESSIBLE.iter().any(|known| ext == *known));
        if compressible && self.mode == Mode::Release {
            let key = hash(&[&content]);
            for (kind, compress) in [("br", brotli as fn(&[u8]) -> Result<Vec<u8>>), ("gz", gzip)] {
                let smaller = cache.get_or(&key, kind, || compress(&content))?;
                if smaller.len() < content.len() {
                    self.files.insert(appended(&path, kind), smaller);
                }
            }
        }
        self.files.insert(path, content);
        Ok(())
    }

    fn embedding(&self) -> Result<Vec<u8>> {
        let mut expression =
            "runlens::config::Site {\n    manifest: include_str!(\"manifest.json\"),\n    files: &[\n".to_owned();
        let is_not_served = |path: &Path| {
            path == Path::new("manifest.json") || path.extension().is_some_and(|ext| ext == "br" || ext == "gz")
        };
        for (path, content) in self.files.iter().filter(|(path, _)| !is_not_served(path)) {
            let compressed = |kind| match appended(path, kind) {
                smaller if self.files.contains_key(&smaller) => format!("Some(include_bytes!({smaller:?}))"),
                _ => "None".to_owned(),
            };
            let url = format!("/{}", path.display());
            writeln!(
                expression,
                "        runlens::config::Asset {{ path: {url:?}, plain: include_bytes!({path:?}), br: {}, gz: {}, tag: {:?} }},",
                compressed("br"),
                compressed("gz"),
                hash(&[content]),
            )?;
        }
        expression.push_str("    ],\n}\n");
        Ok(expression.into_bytes())
    }

    fn manifest(&self) -> Vec<u8> {
        let mut manifest: serde_json::Map<_, _> =
            self.hashed.iter().map(|file| (file.kind.to_owned(), file.url.clone().into())).collect();
        let urls = |files: &Vec<Hashed>| files.iter().map(|file| file.url.clone()).collect::<Vec<_>>().into();
        let pages = self.pages.iter().map(|(page, files)| (page.clone(), urls(files))).collect();
        manifest.insert("pages".to_owned(), serde_json::Value::Object(pages));
        format!("{:#}\n", serde_json::Value::Object(manifest)).into_bytes()
    }
}

pub fn brotli(content: &[u8]) -> Result<Vec<u8>> {
    let params = brotli::enc::BrotliEncoderParams { quality: 11, lgwin: 22, ..Default::default() };
    let mut compressed = Vec::new();
    brotli::BrotliCompress(&mut &content[..], &mut compressed, &params)?;
    Ok(compressed)
}

fn gzip(content: &[u8]) -> Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(content)?;
    Ok(encoder.finish()?)
}

fn appended(path: &Path, extension: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(extension);
    name.into()
}

fn read_folder(folder: &Path) -> Result<BTreeMap<PathBuf, Vec<u8>>> {
    let mut files = BTreeMap::new();
    let mut pending = vec![folder.to_path_buf()];
    while let Some(dir) = pending.pop() {
        for entry in fs::read_dir(&dir).with_context(|| format!("could not read {}", dir.display()))? {
            let path = entry?.path();
            if path.is_dir() {
                pending.push(path);
            } else {
                files.insert(path.strip_prefix(folder)?.to_path_buf(), fs::read(&path)?);
            }
        }
    }
    Ok(files)
}

fn remove_folder(folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(css: &str, site_dir: &Path, cache: &mut Cache) -> Result<Site> {
        let mut site = Site::new(Mode::Release);
        site.add_hashed("css", css.as_bytes().to_vec(), cache)?;
        site.write(site_dir)?;
        Ok(site)
    }

    #[test]
    fn a_file_is_named_by_its_content_listed_and_compressed() -> Result<()> {
        let dir = tempfile::tempdir()?;
        let mut cache = Cache::open(&dir.path().join("cache"))?;
        let site_dir = dir.path().join("site");
        let site = written(&"a{color:red}".repeat(50), &site_dir, &mut cache)?;

        let url = &site.hashed[0].url;
        let manifest: serde_json::Value = serde_json::from_slice(&fs::read(site_dir.join("manifest.json"))?)?;
        assert_eq!(manifest, serde_json::json!({ "css": url, "pages": {} }));
        let file = site_dir.join(url.trim_start_matches('/'));
        assert!(fs::read(appended(&file, "br"))?.len() < fs::read(&file)?.len());
        assert!(appended(&file, "gz").is_file());

        let embedded = fs::read_to_string(site_dir.join(EMBED))?;
        assert_eq!(embedded.matches("Asset {").count(), 1, "{embedded}");
        let line =
            format!("path: {url:?}, plain: include_bytes!({0:?}), br: Some(include_bytes!(\"{0}.br\"))", &url[1..]);
        assert!(embedded.contains(&line), "{embedded}");
        Ok(())
    }

    #[test]
    fn a_chunk_is_listed_for_each_page_that_needs_it() -> Result<()> {
        let dir = tempfile::tempdir()?;
        let mut cache = Cache::open(&dir.path().join("cache"))?;
        let mut site = Site::new(Mode::Debug);
        let chunks = || BTreeMap::from([("shared".to_owned(), b"s".to_vec()), ("run".to_owned(), b"r".to_vec())]);
        let page =
            |name: &str, chunks: &[&str]| (name.to_owned(), chunks.iter().map(|name| name.to_string()).collect());
        let pages = BTreeMap::from([page("run", &["shared", "run"]), page("launch", &["shared"])]);

        let names = site.add_chunks(chunks(), &pages, &mut cache)?;
        site.write(&dir.path().join("site"))?;
        let manifest: serde_json::Value = serde_json::from_slice(&fs::read(dir.path().join("site/manifest.json"))?)?;
        let url = |chunk: &str| format!("/pkg/{}", names[chunk]);
        let expected = serde_json::json!({ "launch": [url("shared")], "run": [url("shared"), url("run")] });
        assert_eq!(manifest["pages"], expected);

        let unknown = BTreeMap::from([page("compare", &["compare"])]);
        assert!(site.add_chunks(chunks(), &unknown, &mut cache).is_err());
        Ok(())
    }

    #[test]
    fn a_changed_site_replaces_the_old_one_and_an_unchanged_one_is_not_touched() -> Result<()> {
        let dir = tempfile::tempdir()?;
        let mut cache = Cache::open(&dir.path().join("cache"))?;
        let site_dir = dir.path().join("site");
        written("a{color:red}", &site_dir, &mut cache)?;
        let before = fs::metadata(site_dir.join("manifest.json"))?.modified()?;
        written("a{color:red}", &site_dir, &mut cache)?;
        assert_eq!(fs::metadata(site_dir.join("manifest.json"))?.modified()?, before);

        written("a{color:tan}", &site_dir, &mut cache)?;
        assert_eq!(fs::read_dir(site_dir.join("pkg"))?.count(), 1);
        assert!(!dir.path().join("site.old").exists() && !dir.path().join("site.new").exists());
        Ok(())
    }
}
