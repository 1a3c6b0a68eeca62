//! Tests with a value of every encrypted kind. `server/tests/integration/secret_key.rs` starts servers.

use domain::{AuditAction, Via};

use super::*;
use crate::audit::Actor;
use crate::store::{CallKey, EraseTarget, Grant, NewBatch, SealedAnswerers, SealedTokens, StoredTemplate, WebSession};

const OLD: &str = "an old key of at least 32 characters";
const NEW: &str = "a new key of at least 32 characters!";

fn database(dir: &tempfile::TempDir) -> DatabaseOptions {
    let url = format!("sqlite:{}", dir.path().join("x.db").display());
    DatabaseOptions { data_dir: dir.path().to_owned(), database_url: Some(url) }
}

/// Stores one value in every encrypted column.
async fn fill(store: &Store, vault: &Vault) -> anyhow::Result<()> {
    let workspace = store.workspace_from_slug("demo").await?;
    let seal = |column| vault.seal(purpose_of(column), b"secret");
    let tokens = SealedTokens {
        access: seal(SealedColumn::AccessToken),
        access_expires_at_ms: 0,
        refresh: Some(seal(SealedColumn::RefreshToken)),
    };
    let (subject, email) = ("ada".to_owned(), "ada@demo.test".to_owned());
    let grant = Grant {
        id: "grant".to_owned(),
        workspace_id: workspace,
        subject: subject.clone(),
        email: email.clone(),
        scopes: String::new(),
        tokens,
        created_at_ms: 0,
    };
    let entry = Actor::default().entry(AuditAction::SignIn);
    store.insert_grant(&grant, &entry).await?;
    store.insert_revocation("token", &seal(SealedColumn::TokenToRevoke), 0).await?;
    let record = seal(SealedColumn::WebSession);
    let session = WebSession { id: "cookie", record: &record, grant_id: Some("grant"), expires_at_ms: 1 };
    store.create_web_session(session, 0).await?;
    let sealed = seal(SealedColumn::Answerers);
    let answerers = SealedAnswerers { subject: "ada", sealed: &sealed, by_hand: false };
    store.finish_launch(workspace, "key", "run_1", Some(answerers), &entry).await?;
    let call = CallKey { workspace, run_id: "run_1", tool_use_id: "call", owner: "owner" };
    store.claim_answer(call, "tool", Via::Canned, "ada", 0).await?;
    store.save_reply(call, &seal(SealedColumn::Answer), 0).await?;
    let (id, name, notes) = ("template".to_owned(), String::new(), String::new());
    let sealed = seal(SealedColumn::Template);
    let template = StoredTemplate { id, subject, email, shared: false, name, notes, sealed, changed_at_ms: 0 };
    assert!(store.insert_template(workspace, &template, 1, None).await?);
    store.save_draft(workspace, ("ada", &seal(SealedColumn::Draft)), None, None, 0).await?;
    store.insert_redaction_key(workspace, &seal(SealedColumn::RedactionKey)).await?;
    let target = EraseTarget::Session("session".to_owned());
    store.begin_erasure(workspace, &target, &seal(SealedColumn::PendingErasure), &entry).await?;
    let (content, input) = (seal(SealedColumn::Batch), seal(SealedColumn::BatchItem));
    let batch = NewBatch {
        id: "batch",
        subject: "ada",
        tag_key: "batch",
        tag_value: "1",
        sealed: &content,
        sealed_inputs: &[input],
    };
    Ok(store.insert_batch(workspace, &batch, &entry).await?)
}

/// Returns how many encrypted columns have a value that a key opens.
async fn opened(store: &Store, vault: &Vault) -> anyhow::Result<usize> {
    let mut opened = 0;
    for column in SealedColumn::ALL {
        for sealed in store.sealed_samples(column, 10).await? {
            opened += usize::from(vault.open_sealed(purpose_of(column), &sealed).is_ok());
        }
    }
    Ok(opened)
}

#[tokio::test]
async fn rotation_encrypts_every_kind_of_value_with_the_first_key() -> anyhow::Result<()> {
    let dir = tempfile::tempdir()?;
    let store = Store::open(&database(&dir).url()).await?;
    let (old, new) = (Vault::new(OLD), Vault::new(NEW));
    check_key(&store, &old).await?;
    fill(&store, &old).await?;
    let all = SealedColumn::ALL.len();
    assert_eq!((opened(&store, &old).await?, opened(&store, &new).await?), (all, 0));
    assert!(check_key(&store, &new).await.is_err());

    let key = KeyOptions { secret_key: Some(format!("{NEW},{OLD}")) };
    rotate_key(RotateKeyOptions { delete_unreadable: false, key, database: database(&dir) }).await?;
    assert_eq!((opened(&store, &old).await?, opened(&store, &new).await?), (0, all));
    check_key(&store, &new).await?;
    assert!(check_key(&store, &old).await.is_err());
    Ok(())
}

#[tokio::test]
async fn a_database_without_a_check_value_is_checked_by_its_contents() -> anyhow::Result<()> {
    let dir = tempfile::tempdir()?;
    let store = Store::open(&database(&dir).url()).await?;
    fill(&store, &Vault::new(OLD)).await?;
    assert!(check_key(&store, &Vault::new(NEW)).await.is_err());
    check_key(&store, &Vault::new(OLD)).await?;
    Ok(())
}

#[tokio::test]
async fn a_lost_key_can_be_replaced_without_what_it_encrypted() -> anyhow::Result<()> {
    let dir = tempfile::tempdir()?;
    let store = Store::open(&database(&dir).url()).await?;
    let (old, new) = (Vault::new(OLD), Vault::new(NEW));
    check_key(&store, &old).await?;
    fill(&store, &old).await?;
    let options = |delete_unreadable| {
        let key = KeyOptions { secret_key: Some(NEW.to_owned()) };
        RotateKeyOptions { delete_unreadable, key, database: database(&dir) }
    };
    assert!(rotate_key(options(false)).await.is_err());
    assert_eq!(opened(&store, &old).await?, SealedColumn::ALL.len());
    rotate_key(options(true)).await?;
    assert_eq!(opened(&store, &old).await?, 0);
    check_key(&store, &new).await?;
    Ok(())
}
