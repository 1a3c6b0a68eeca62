//! The PostgreSQL of a torture: killed, or replaced by its standby. The server reaches it at one address, as through a load
//! balancer.

use std::thread::sleep;
use std::time::Duration;

use anyhow::Result;

use super::proxy::Proxy;
use crate::tools::postgres::{self, Cluster};

pub struct Database {
    cluster: Cluster,
    proxy: Proxy,
}

impl Database {
    pub fn new(cluster: Cluster) -> Result<Self> {
        let proxy = Proxy::start(cluster.addr())?;
        Ok(Self { cluster, proxy })
    }

    pub fn url(&self) -> String {
        postgres::url_at(self.proxy.addr)
    }

    pub fn kill(&mut self) -> Result<()> {
        self.cluster.kill()
    }

    pub fn ensure_running(&mut self) -> Result<()> {
        self.cluster.ensure_running()
    }

    /// Adds a standby, kills the primary after a while and promotes the standby. The killed one never comes back.
    pub fn fail_over(&mut self, pause: Duration) -> Result<()> {
        let standby = self.cluster.start_standby()?;
        sleep(pause);
        self.cluster.kill()?;
        standby.promote()?;
        self.proxy.redirect(standby.addr());
        self.cluster = standby;
        Ok(())
    }
}
