//! Settings, from environment variables or command-line options.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::Args;
use url::Url;

pub use crate::auth::{Admins, Workspaces};
pub use crate::limits::Limits;
pub use crate::outbound::AllowList;
pub use crate::peers::AllowedCommands;
pub use crate::retain::RetentionOptions;
pub use crate::secret_key::KeyOptions;
pub use crate::store::Retention;
pub use crate::web::assets::{Asset, Site};
pub use crate::web::client_address::TrustedProxies;
#[cfg(debug_assertions)]
pub use crate::web::dev_site::load_site;

/// `runlens [serve]`. Every option can be given as the environment variable named with it.
#[derive(Args, Clone, Debug)]
pub struct ServeOptions {
    /// Where the dashboard listens.
    #[arg(long, env = "RUNLENS_ADDR", default_value = "127.0.0.1:3000")]
    pub addr: SocketAddr,

    /// The address that browsers use, when it is not http://ADDR: for example https://runlens.example.com behind a
    /// proxy. The OAuth redirect URI is this plus /auth/callback.
    #[arg(long, env = "RUNLENS_PUBLIC_URL")]
    pub public_url: Option<Url>,

    #[command(flatten)]
    pub database: DatabaseOptions,

    #[command(flatten)]
    pub key: KeyOptions,

    /// Address of MANTYX, for example https://app.mantyx.io. Unset: an embedded sandbox is started and used.
    #[arg(long, env = "MANTYX_URL")]
    pub mantyx_url: Option<Url>,

    /// OAuth application id (mantyx_oa_…); needed with MANTYX_URL.
    #[arg(long, env = "MANTYX_CLIENT_ID")]
    pub mantyx_client_id: Option<String>,

    /// OAuth application secret (mantyx_oas_…); needed with MANTYX_URL.
    #[arg(long, env = "MANTYX_CLIENT_SECRET", hide_env_values = true)]
    pub mantyx_client_secret: Option<String>,

    /// Workspace API key for syncing without a signed-in user.
    #[arg(long, env = "MANTYX_API_KEY", hide_env_values = true)]
    pub mantyx_api_key: Option<String>,

    /// Slug of the workspace that MANTYX_API_KEY belongs to; also assumed for API keys sent to the JSON API.
    #[arg(long, env = "MANTYX_WORKSPACE")]
    pub mantyx_workspace: Option<String>,

    #[command(flatten)]
    pub retention: RetentionOptions,

    /// Bearer token that /metrics requires.  [default: there are no metrics]
    #[arg(long, env = "RUNLENS_METRICS_TOKEN", hide_env_values = true)]
    pub metrics_token: Option<String>,

    /// Where the embedded sandbox listens.
    #[arg(long, env = "RUNLENS_SANDBOX_ADDR", default_value = "127.0.0.1:3001")]
    pub sandbox_addr: SocketAddr,

    /// Slugs of the workspaces that may sign in, separated by commas. Each stays with the workspace that had it first.
    /// [default: all]
    #[arg(long, env = "RUNLENS_WORKSPACES", default_value = "")]
    pub workspaces: String,

    /// Email addresses of the people who may pause the sync, delete runs and sessions for good, read the audit log and change
    /// shared views of others, separated by commas.  [default: everyone; views belong to their owners]
    #[arg(long, env = "RUNLENS_ADMINS", default_value = "")]
    pub admins: String,

    /// Addresses and networks of proxies whose X-Forwarded-For header is believed, separated by commas.  [default: none]
    #[arg(long, env = "RUNLENS_TRUSTED_PROXIES", default_value = "")]
    pub trusted_proxies: String,

    /// Days for which entries of the audit log are kept. There are at most 100,000 for each workspace.
    #[arg(long, env = "RUNLENS_AUDIT_DAYS", default_value = "365", value_parser = clap::value_parser!(u32).range(1..))]
    pub audit_days: u32,

    /// Hosts beside the public internet that MCP and A2A requests from this server may reach: HOST, HOST:PORT or a
    /// network such as 10.1.0.0/16, separated by commas; SLUG=HOST for one workspace only.
    #[arg(long, env = "RUNLENS_OUTBOUND_ALLOW", default_value = "")]
    pub outbound_allow: String,

    /// Command lines that people may start as MCP servers on this machine, exactly as written here, separated by
    /// semicolons; SLUG=COMMAND for one workspace only. They run with this server's rights, but without its environment.
    #[arg(long, env = "RUNLENS_MCP_COMMANDS", default_value = "")]
    pub mcp_commands: String,
}

/// The data folder and the database.
#[derive(Args, Clone, Debug)]
pub struct DatabaseOptions {
    /// Folder for the databases and the generated key; created with access for this user only.
    #[arg(long, env = "RUNLENS_DATA_DIR", default_value = "data")]
    pub data_dir: PathBuf,

    /// Database: sqlite:PATH or postgres://…  [default: sqlite://DATA_DIR/runlens.db]
    #[arg(long, env = "DATABASE_URL", hide_env_values = true)]
    pub database_url: Option<String>,
}

impl DatabaseOptions {
    pub fn url(&self) -> String {
        let in_folder = || format!("sqlite://{}", self.data_dir.join("runlens.db").display());
        self.database_url.clone().unwrap_or_else(in_folder)
    }
}

/// Validated settings.
#[derive(Clone, Debug)]
pub struct Config {
    pub addr: SocketAddr,
    pub public_url: Option<Url>,
    pub data_dir: PathBuf,
    pub database_url: String,
    pub secret_key: Option<String>,
    pub mantyx: MantyxConfig,
    pub mantyx_workspace: Option<String>,
    pub mantyx_api_key: Option<String>,
    pub workspaces: Workspaces,
    pub admins: Admins,
    pub trusted_proxies: TrustedProxies,
    pub audit_days: u32,
    pub limits: Limits,
    pub outbound_allow: AllowList,
    pub mcp_commands: AllowedCommands,
    pub retention: Retention,
    pub metrics_token: Option<String>,
    pub site: Site,
}

#[derive(Clone, Debug)]
pub enum MantyxConfig {
    /// The embedded sandbox; `demo` adds demonstration runs on its first start.
    Sandbox {
        addr: SocketAddr,
        demo: bool,
    },
    Remote {
        url: Url,
        client_id: String,
        client_secret: String,
    },
}

impl ServeOptions {
    /// Validates the options.
    pub fn validate(self) -> anyhow::Result<Config> {
        let mantyx = match (self.mantyx_url, self.mantyx_client_id, self.mantyx_client_secret) {
            (Some(url), Some(client_id), Some(client_secret)) => {
                if !matches!(url.scheme(), "http" | "https") {
                    bail!("MANTYX_URL must start with https:// or http://");
                }
                MantyxConfig::Remote { url, client_id, client_secret }
            }
            (None, None, None) => MantyxConfig::Sandbox { addr: self.sandbox_addr, demo: true },
            _ => bail!(
                "MANTYX_URL, MANTYX_CLIENT_ID and MANTYX_CLIENT_SECRET go together: set all three for a real MANTYX, \
                 or none to use the embedded sandbox"
            ),
        };
        if self.mantyx_api_key.is_some() && self.mantyx_workspace.is_none() {
            bail!("MANTYX_API_KEY needs MANTYX_WORKSPACE, the slug of the workspace that it belongs to");
        }
        let database_url = self.database.url();
        let secret_key = self.key.validate(&database_url)?;
        let outbound_allow: AllowList = self.outbound_allow.parse().context("RUNLENS_OUTBOUND_ALLOW")?;
        let mcp_commands: AllowedCommands = self.mcp_commands.parse().context("RUNLENS_MCP_COMMANDS")?;
        let named = outbound_allow.workspaces().chain(mcp_commands.workspaces()).map(str::to_owned);
        let workspaces = Workspaces::new(&self.workspaces, named);
        Ok(Config {
            addr: self.addr,
            public_url: self.public_url,
            data_dir: self.database.data_dir,
            database_url,
            secret_key,
            mantyx,
            mantyx_workspace: self.mantyx_workspace,
            mantyx_api_key: self.mantyx_api_key,
            workspaces,
            admins: Admins::new(&self.admins),
            trusted_proxies: self.trusted_proxies.parse().context("RUNLENS_TRUSTED_PROXIES")?,
            audit_days: self.audit_days,
            limits: Limits::default(),
            outbound_allow,
            mcp_commands,
            retention: self.retention.into(),
            metrics_token: self.metrics_token.filter(|token| !token.is_empty()),
            site: Site::default(),
        })
    }
}

/// Creates the data folder, with access for this user only, and checks that it is writable.
pub fn create_data_dir(path: &Path) -> anyhow::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    let explain = || format!("the data folder {} cannot be written (RUNLENS_DATA_DIR)", path.display());
    builder.create(path).with_context(explain)?;
    let probe = path.join(".write-test");
    std::fs::write(&probe, b"").with_context(explain)?;
    std::fs::remove_file(&probe).with_context(explain)
}
