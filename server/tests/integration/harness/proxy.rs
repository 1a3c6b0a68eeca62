//! A TCP proxy in front of the sandbox or a database, whose connections can be cut.

use std::net::SocketAddr;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

pub struct Proxy {
    pub addr: SocketAddr,
    cuts: watch::Sender<u64>,
}

impl Proxy {
    pub async fn to(target: SocketAddr) -> Self {
        Self::to_restarting(target, 0).await
    }

    /// Closes the first `closed` connections at once, as a peer that is restarting does.
    pub async fn to_restarting(target: SocketAddr, closed: usize) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let addr = listener.local_addr().unwrap();
        let cuts = watch::Sender::new(0);
        let watched = cuts.clone();
        tokio::spawn(async move {
            let mut to_close = closed;
            while let Ok((mut inner, _)) = listener.accept().await {
                if to_close > 0 {
                    to_close -= 1;
                    continue;
                }
                let mut cut = watched.subscribe();
                tokio::spawn(async move {
                    let mut outer = TcpStream::connect(target).await.unwrap();
                    tokio::select! {
                        _ = tokio::io::copy_bidirectional(&mut inner, &mut outer) => {}
                        _ = cut.changed() => {}
                    }
                });
            }
        });
        Self { addr, cuts }
    }

    /// Closes all open connections. New ones pass.
    pub fn cut(&self) {
        self.cuts.send_modify(|cuts| *cuts += 1);
    }
}
