//! A minimal HTTP request to a server on loopback.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use anyhow::{Context, Result};

const TIMEOUT: Duration = Duration::from_secs(10);

/// Returns the status of a path.
pub fn get_status(addr: SocketAddr, path: &str) -> Result<u16> {
    let mut stream = TcpStream::connect_timeout(&addr, TIMEOUT)?;
    stream.set_read_timeout(Some(TIMEOUT))?;
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {addr}\r\nConnection: close\r\n\r\n")?;
    let mut response = Vec::new();
    stream.read_to_end(&mut response)?;
    parse_status(&response).context("the response has no status line")
}

fn parse_status(response: &[u8]) -> Option<u16> {
    let line = response.split(|byte| *byte == b'\r').next()?;
    std::str::from_utf8(line).ok()?.split(' ').nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_is_read_from_the_first_line() {
        assert_eq!(parse_status(b"HTTP/1.1 200 OK\r\nDate: now\r\n\r\n"), Some(200));
        assert_eq!(parse_status(b"nonsense"), None);
    }
}
