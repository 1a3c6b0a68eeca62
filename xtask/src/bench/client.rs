//! An HTTP client with one persistent connection, cookies and a bearer token.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use anyhow::{Context, Result, bail};

const TIMEOUT: Duration = Duration::from_secs(60);

pub struct Client {
    addr: SocketAddr,
    connection: Option<BufReader<TcpStream>>,
    pub bearer: Option<String>,
    /// Requests compressed responses, as browsers do. They are counted, not read.
    pub compressed: bool,
    /// For a connection, and for each part of a response.
    pub timeout: Duration,
    cookies: BTreeMap<String, String>,
}

pub struct Response {
    pub status: u16,
    pub location: Option<String>,
    pub body: String,
    /// As transferred.
    pub bytes: usize,
}

impl Client {
    pub fn new(addr: SocketAddr) -> Self {
        Self { addr, connection: None, bearer: None, compressed: false, timeout: TIMEOUT, cookies: BTreeMap::new() }
    }

    /// A client with the same credentials and a connection of its own.
    pub fn another(&self) -> Self {
        let (bearer, cookies) = (self.bearer.clone(), self.cookies.clone());
        Self { connection: None, bearer, cookies, ..*self }
    }

    /// The same for another process of the same server.
    pub fn another_at(&self, addr: SocketAddr) -> Self {
        Self { addr, ..self.another() }
    }

    pub fn get(&mut self, path: &str) -> Result<Response> {
        self.request("GET", path, None)
    }

    /// Posts an encoded form.
    pub fn post(&mut self, path: &str, form: &str) -> Result<Response> {
        self.post_as(path, "application/x-www-form-urlencoded", form)
    }

    pub fn post_as(&mut self, path: &str, content_type: &str, body: &str) -> Result<Response> {
        self.request("POST", path, Some((content_type, body)))
    }

    fn request(&mut self, method: &str, path: &str, body: Option<(&str, &str)>) -> Result<Response> {
        let answer = self.send(method, path, body);
        if answer.is_err() {
            self.connection = None;
        }
        answer
    }

    /// The line with the cookies, or nothing.
    pub fn cookie_header(&self) -> String {
        if self.cookies.is_empty() {
            return String::new();
        }
        let cookies: Vec<String> = self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        format!("Cookie: {}\r\n", cookies.join("; "))
    }

    fn send(&mut self, method: &str, path: &str, body: Option<(&str, &str)>) -> Result<Response> {
        let mut text = format!("{method} {path} HTTP/1.1\r\nHost: {}\r\n", self.addr);
        if let Some(bearer) = &self.bearer {
            text += &format!("Authorization: Bearer {bearer}\r\n");
        }
        if self.compressed {
            text += "Accept-Encoding: br\r\n";
        }
        text += &self.cookie_header();
        if let Some((content_type, body)) = body {
            let (addr, length) = (self.addr, body.len());
            text += &format!("Origin: http://{addr}\r\nContent-Type: {content_type}\r\nContent-Length: {length}\r\n");
        }
        text += "\r\n";
        text += body.map_or("", |(_, body)| body);
        // The server closes a connection that was idle for too long.
        if self.connection.as_ref().is_some_and(|connection| !is_open(connection.get_ref())) {
            self.connection = None;
        }
        let connection = match &mut self.connection {
            Some(connection) => connection,
            none => {
                let stream = TcpStream::connect_timeout(&self.addr, self.timeout)?;
                stream.set_read_timeout(Some(self.timeout))?;
                stream.set_nodelay(true)?;
                none.insert(BufReader::new(stream))
            }
        };
        connection.get_mut().write_all(text.as_bytes())?;
        let (response, cookies, keep_alive) = read_response(connection)?;
        self.cookies.extend(cookies);
        if !keep_alive {
            self.connection = None;
        }
        Ok(response)
    }
}

/// Returns false if the other side has closed a connection on which no response is expected.
fn is_open(stream: &TcpStream) -> bool {
    let peeked = stream.set_nonblocking(true).and_then(|()| stream.peek(&mut [0]));
    let is_idle = peeked.is_err_and(|error| error.kind() == ErrorKind::WouldBlock);
    is_idle && stream.set_nonblocking(false).is_ok()
}

type Cookies = Vec<(String, String)>;

fn read_response(from: &mut impl BufRead) -> Result<(Response, Cookies, bool)> {
    let mut line = String::new();
    from.read_line(&mut line)?;
    let status =
        line.split(' ').nth(1).and_then(|word| word.parse().ok()).context("the response has no status line")?;
    let (mut length, mut chunked, mut keep_alive, mut location, mut cookies) = (None, false, true, None, Vec::new());
    loop {
        line.clear();
        from.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        let value = value.trim();
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = Some(value.parse::<usize>()?),
            "transfer-encoding" => chunked = value.eq_ignore_ascii_case("chunked"),
            "connection" => keep_alive = !value.eq_ignore_ascii_case("close"),
            "location" => location = Some(value.to_owned()),
            "set-cookie" => {
                let pair = value.split(';').next().and_then(|pair| pair.split_once('='));
                cookies.extend(pair.map(|(name, value)| (name.to_owned(), value.to_owned())));
            }
            _ => {}
        }
    }
    let mut body = Vec::new();
    match length {
        _ if chunked => read_chunks(from, &mut body)?,
        Some(length) => {
            body.resize(length, 0);
            from.read_exact(&mut body)?;
        }
        None => {}
    }
    let bytes = body.len();
    Ok((Response { status, location, bytes, body: String::from_utf8_lossy(&body).into_owned() }, cookies, keep_alive))
}

fn read_chunks(from: &mut impl BufRead, body: &mut Vec<u8>) -> Result<()> {
    let mut line = String::new();
    loop {
        line.clear();
        if from.read_line(&mut line)? == 0 {
            bail!("the response ended early");
        }
        let size = usize::from_str_radix(line.trim(), 16).context("a chunk has no size")?;
        let start = body.len();
        body.resize(start + size, 0);
        from.read_exact(&mut body[start..])?;
        line.clear();
        from.read_line(&mut line)?;
        if size == 0 {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;
    use std::sync::mpsc;

    #[test]
    fn a_connection_that_was_closed_while_idle_is_replaced() -> Result<()> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let mut client = Client::new(listener.local_addr()?);
        let (closed, is_closed) = mpsc::channel();
        let server = std::thread::spawn(move || -> Result<()> {
            for body in ["a", "b"] {
                let mut from = BufReader::new(listener.accept()?.0);
                let mut line = String::new();
                while from.read_line(&mut line)? > 2 {
                    line.clear();
                }
                from.get_mut().write_all(format!("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n{body}").as_bytes())?;
                drop(from);
                closed.send(())?;
            }
            Ok(())
        });
        for body in ["a", "b"] {
            assert_eq!(client.get("/")?.body, body);
            is_closed.recv()?;
        }
        server.join().map_err(|_| anyhow::anyhow!("the server panicked"))?
    }

    #[test]
    fn a_response_is_read_to_its_end_and_no_further() -> Result<()> {
        let text = b"HTTP/1.1 200 OK\r\nSet-Cookie: a=b; Path=/\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\nHTTP/1.1 404 No\r\nContent-Length: 1\r\n\r\nx";
        let mut from = BufReader::new(&text[..]);
        let (first, cookies, keep) = read_response(&mut from)?;
        assert_eq!((first.status, first.body.as_str(), keep), (200, "abc", true));
        assert_eq!(cookies, [("a".to_owned(), "b".to_owned())]);
        let (second, ..) = read_response(&mut from)?;
        assert_eq!((second.status, second.body.as_str()), (404, "x"));
        Ok(())
    }
}
