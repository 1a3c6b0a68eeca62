//! The key of a database: checked at start, and replaced by `runlens rotate-key`.

use std::path::Path;

use anyhow::{Context, bail};
use clap::Args;

use crate::config::{DatabaseOptions, create_data_dir};
use crate::store::{SealedColumn, Store};
use crate::vault::{MIN_KEY_CHARS, Vault, purpose};

const KNOWN_TEXT: &[u8] = b"the key of this database";
/// Values of each kind that a key is tried on, where a database has no check value yet.
const SAMPLES: i64 = 20;
const WRONG_KEY: &str = "RUNLENS_SECRET_KEY, or the file secret.key in the data folder, is not the key of this database: \
    what is encrypted in it (sign-ins, drafts, templates, answers and batches) cannot be read. Nothing was changed. Start \
    again with the earlier key. To replace it, set RUNLENS_SECRET_KEY=NEW,OLD and run `runlens rotate-key`. If it is lost, \
    `runlens rotate-key --delete-unreadable` deletes what it encrypted; runs are not encrypted and stay";

/// `runlens rotate-key`.
#[derive(Args, Clone, Debug)]
pub struct RotateKeyOptions {
    /// Delete what none of the keys can decrypt.
    #[arg(long)]
    pub delete_unreadable: bool,

    #[command(flatten)]
    pub key: KeyOptions,

    #[command(flatten)]
    pub database: DatabaseOptions,
}

#[derive(Args, Clone, Debug)]
pub struct KeyOptions {
    /// Key that encrypts tokens at rest, at least 32 characters. Generated and kept in the data folder when unset;
    /// required with PostgreSQL, where all processes must share it. Earlier keys that can still decrypt follow after
    /// commas.
    #[arg(long, env = "RUNLENS_SECRET_KEY", hide_env_values = true)]
    pub secret_key: Option<String>,
}

impl KeyOptions {
    pub fn validate(self, database_url: &str) -> anyhow::Result<Option<String>> {
        if self.secret_key.as_ref().is_some_and(|key| key.len() < MIN_KEY_CHARS) {
            bail!("RUNLENS_SECRET_KEY must have at least {MIN_KEY_CHARS} characters");
        }
        if database_url.starts_with("postgres") && self.secret_key.is_none() {
            bail!(
                "with PostgreSQL set RUNLENS_SECRET_KEY, the same for every process (openssl rand -hex 32 makes one)"
            );
        }
        Ok(self.secret_key)
    }
}

/// Opens the vault of a database, and checks its key. A key is generated only for a database without encrypted values.
pub async fn open_vault(store: &Store, secret: Option<&str>, data_dir: &Path) -> anyhow::Result<Vault> {
    if secret.is_none() && !Vault::has_key_file(data_dir) && has_sealed_values(store).await? {
        bail!(WRONG_KEY);
    }
    let vault = Vault::open(secret, data_dir)?;
    check_key(store, &vault).await?;
    Ok(vault)
}

async fn has_sealed_values(store: &Store) -> anyhow::Result<bool> {
    if store.key_check().await?.is_some() {
        return Ok(true);
    }
    for column in SealedColumn::ALL {
        if !store.sealed_samples(column, 1).await?.is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Fails if a database was written with another key. A new database gets a check value.
pub async fn check_key(store: &Store, vault: &Vault) -> anyhow::Result<()> {
    if store.key_check().await?.is_none() {
        if !opens_samples(store, vault).await? {
            bail!(WRONG_KEY);
        }
        store.insert_key_check(&vault.seal(purpose::KEY_CHECK, KNOWN_TEXT)).await?;
    }
    // Read again: another process may have been first.
    let sealed = store.key_check().await?.context("the check value of the key is missing")?;
    if vault.open_sealed(purpose::KEY_CHECK, &sealed).is_err() {
        bail!(WRONG_KEY);
    }
    Ok(())
}

/// Returns true if the key opens some stored value, or if there are none.
async fn opens_samples(store: &Store, vault: &Vault) -> anyhow::Result<bool> {
    let mut found = false;
    for column in SealedColumn::ALL {
        for sealed in store.sealed_samples(column, SAMPLES).await? {
            if vault.open_sealed(purpose_of(column), &sealed).is_ok() {
                return Ok(true);
            }
            found = true;
        }
    }
    Ok(!found)
}

/// Encrypts everything with the first key.
pub async fn rotate_key(options: RotateKeyOptions) -> anyhow::Result<()> {
    let database_url = options.database.url();
    let secret = options.key.validate(&database_url)?;
    create_data_dir(&options.database.data_dir)?;
    let store = Store::open(&database_url).await?;
    let vault = match options.delete_unreadable {
        true => Vault::open(secret.as_deref(), &options.database.data_dir)?,
        false => open_vault(&store, secret.as_deref(), &options.database.data_dir).await?,
    };
    let (mut replaced, mut deleted, mut unreadable) = (0_u64, 0_u64, 0_u64);
    for column in SealedColumn::ALL {
        for row in store.sealed_rows(column).await? {
            let Some(before) = store.sealed_value(column, &row).await? else { continue };
            match vault.reseal(purpose_of(column), &before) {
                Ok(None) => {}
                Ok(Some(after)) => {
                    store.replace_sealed(column, &row, before, after).await?;
                    replaced += 1;
                }
                Err(_) if options.delete_unreadable => {
                    store.delete_sealed(column, &row).await?;
                    deleted += 1;
                }
                Err(_) => {
                    eprintln!("a value in the table {} cannot be decrypted with any of the keys", column.table());
                    unreadable += 1;
                }
            }
        }
    }
    store.replace_key_check(&vault.seal(purpose::KEY_CHECK, KNOWN_TEXT)).await?;
    store.close().await;
    println!("{replaced} values encrypted with the first key, {deleted} deleted, {unreadable} unreadable");
    Ok(())
}

fn purpose_of(column: SealedColumn) -> &'static str {
    match column {
        SealedColumn::AccessToken => purpose::ACCESS_TOKEN,
        SealedColumn::RefreshToken => purpose::REFRESH_TOKEN,
        SealedColumn::TokenToRevoke => purpose::TOKEN_TO_REVOKE,
        SealedColumn::WebSession => purpose::WEB_SESSION,
        SealedColumn::Answerers => purpose::ANSWERERS,
        SealedColumn::Answer => purpose::ANSWER,
        SealedColumn::Template => purpose::TEMPLATE,
        SealedColumn::Draft => purpose::DRAFT,
        SealedColumn::Batch | SealedColumn::BatchItem => purpose::BATCH,
        SealedColumn::PendingErasure => purpose::PENDING_ERASURE,
        SealedColumn::RedactionKey => purpose::REDACTION_KEY,
    }
}

#[cfg(test)]
mod tests;
