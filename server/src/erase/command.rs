//! `runlens erase`: deletes for good from the command line.

use anyhow::{Context, bail};
use clap::Args;

use super::{check, drafts, erase_stored};
use crate::audit::Actor;
use crate::config::{DatabaseOptions, KeyOptions, create_data_dir};
use crate::secret_key::open_vault;
use crate::store::{EraseTarget, Store};

#[derive(Args, Clone, Debug)]
pub struct EraseOptions {
    /// Erase one run.
    #[arg(long, value_name = "ID", conflicts_with_all = ["session", "metadata"])]
    pub run: Option<String>,

    /// Erase a session and its runs.
    #[arg(long, value_name = "ID", conflicts_with = "metadata")]
    pub session: Option<String>,

    /// Erase every run and session with this metadata entry, for example customer=acme.
    #[arg(long, value_name = "KEY=VALUE")]
    pub metadata: Option<String>,

    /// Only print how much would be erased.
    #[arg(long)]
    pub dry_run: bool,

    /// Slug of the workspace.
    #[arg(long, default_value = "demo")]
    pub workspace: String,

    #[command(flatten)]
    pub key: KeyOptions,

    #[command(flatten)]
    pub database: DatabaseOptions,
}

pub async fn erase_command(options: EraseOptions) -> anyhow::Result<()> {
    let target = match (&options.run, &options.session, &options.metadata) {
        (Some(id), _, _) => EraseTarget::Run(id.clone()),
        (_, Some(id), _) => EraseTarget::Session(id.clone()),
        (_, _, Some(entry)) => {
            let (key, value) = entry.split_once('=').context("--metadata needs KEY=VALUE")?;
            EraseTarget::Metadata { key: key.to_owned(), value: value.to_owned() }
        }
        _ => bail!("name what to erase: --run, --session or --metadata"),
    };
    check(&target)?;
    let database_url = options.database.url();
    let secret = options.key.validate(&database_url)?;
    create_data_dir(&options.database.data_dir)?;
    let store = Store::open(&database_url).await?;
    let vault = open_vault(&store, secret.as_deref(), &options.database.data_dir).await?;
    let Some((workspace, _)) = store.workspace_by_slug(&options.workspace).await? else {
        bail!("there is no workspace {}", options.workspace);
    };
    let found = store.erasable(workspace, &target).await?;
    if found.run_ids.is_empty() && found.session_ids.is_empty() && !matches!(target, EraseTarget::Metadata { .. }) {
        // An earlier command may have been interrupted before it removed what it had erased from the files.
        store.purge_erased().await?;
        bail!("there is no such run or session in the workspace {}", options.workspace);
    }
    let verb = if options.dry_run { "would be erased" } else { "erased" };
    let (runs, sessions, drafts) = if options.dry_run {
        let drafts = drafts::containing(&store, &vault, workspace, &target).await?;
        (found.run_ids.len(), found.session_ids.len(), drafts.len())
    } else {
        let erased = erase_stored(&store, &vault, workspace, &target, &Actor::command_line()).await?;
        store.purge_erased().await.context("the rest could not be removed from the files; run the command again")?;
        (erased.runs, erased.sessions, erased.drafts)
    };
    println!("{runs} runs, {sessions} sessions and {drafts} drafts {verb}");
    store.close().await;
    Ok(())
}
