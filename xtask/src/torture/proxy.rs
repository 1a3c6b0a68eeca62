//! A proxy before the sandbox or the database. It hangs, cuts connections, sends garbage, refuses everything with 429, or leads
//! to another place.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use anyhow::Result;

/// What the proxy does with new connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Pass,
    /// Reads and never answers.
    Hang,
    /// Passes requests on, and closes the connection within the answers, after so many bytes.
    Cut(u64),
    /// Answers with something else.
    Garbage(usize),
    /// Answers 429 to every request.
    TooMany,
}

/// Answers of [`Mode::Garbage`]: no HTTP, half a head, JSON that is none, and streams with broken frames.
pub const GARBAGE: [&[u8]; 6] = [
    b"\x00\xff\x16\x03\x01 nothing that a client expects \r\n\r\n",
    b"HTTP/1.1 200 OK\r\nContent-Type: appli",
    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 12\r\n\r\n{\"runs\": [{]",
    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n\"a text\"\n",
    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\nid: 1\ndata: {\"seq\":1,\n\ndata: \xff\xfe\n\nid: x\nevent: y\n\n",
    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\nid: 99999999\nevent: assistant_delta\n",
];
const TOO_MANY: &[u8] = b"HTTP/1.1 429 Too Many Requests\r\nRetry-After: 1\r\nContent-Type: application/json\r\n\
    Content-Length: 54\r\n\r\n{\"error\":\"rate_limited\",\"message\":\"Too many requests.\"}";

pub struct Proxy {
    pub addr: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    target: Mutex<SocketAddr>,
    mode: Mutex<Mode>,
    /// Both ends of every connection, to cut them.
    open: Mutex<Vec<TcpStream>>,
}

impl Proxy {
    pub fn start(target: SocketAddr) -> Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let shared =
            Arc::new(Shared { target: Mutex::new(target), mode: Mutex::new(Mode::Pass), open: Mutex::default() });
        let proxy = Self { addr: listener.local_addr()?, shared: shared.clone() };
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let shared = shared.clone();
                // Errors are what this is for.
                thread::spawn(move || drop(shared.serve(client)));
            }
        });
        Ok(proxy)
    }

    /// Changes what happens to new connections, and closes the open ones.
    pub fn set(&self, mode: Mode) {
        *locked(&self.shared.mode) = mode;
        self.cut();
    }

    /// Forwards to another place, and closes the open connections.
    pub fn redirect(&self, target: SocketAddr) {
        *locked(&self.shared.target) = target;
        self.cut();
    }

    fn cut(&self) {
        for stream in locked(&self.shared.open).drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

impl Shared {
    fn serve(&self, mut client: TcpStream) -> io::Result<()> {
        let mode = *locked(&self.mode);
        locked(&self.open).push(client.try_clone()?);
        match mode {
            Mode::Pass => self.forward(client, u64::MAX),
            Mode::Cut(bytes) => self.forward(client, bytes),
            Mode::Hang => io::copy(&mut client, &mut io::sink()).map(drop),
            Mode::Garbage(which) => {
                read_request(&mut client)?;
                client.write_all(GARBAGE[which % GARBAGE.len()])?;
                client.shutdown(Shutdown::Both)
            }
            Mode::TooMany => loop {
                read_request(&mut client)?;
                client.write_all(TOO_MANY)?;
            },
        }
    }

    fn forward(&self, client: TcpStream, answer_bytes: u64) -> io::Result<()> {
        let target = *locked(&self.target);
        let target = match TcpStream::connect(target) {
            Ok(target) => target,
            Err(_) => return client.shutdown(Shutdown::Both),
        };
        client.set_nodelay(true)?;
        target.set_nodelay(true)?;
        locked(&self.open).push(target.try_clone()?);
        let (mut from_client, mut to_target) = (client.try_clone()?, target.try_clone()?);
        let requests = thread::spawn(move || {
            let _ = io::copy(&mut from_client, &mut to_target);
            let _ = to_target.shutdown(Shutdown::Both);
        });
        let _ = io::copy(&mut (&target).take(answer_bytes), &mut &client);
        let _ = client.shutdown(Shutdown::Both);
        let _ = target.shutdown(Shutdown::Both);
        let _ = requests.join();
        Ok(())
    }
}

/// Reads a request with its body.
fn read_request(from: &mut impl Read) -> io::Result<()> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        from.read_exact(&mut byte)?;
        head.push(byte[0]);
    }
    let head = String::from_utf8_lossy(&head).to_ascii_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse::<u64>().ok());
    io::copy(&mut from.take(length.unwrap_or(0)), &mut io::sink()).map(drop)
}

/// A panic of another thread does not matter here.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A server that answers every connection with ten bytes.
    fn target() -> SocketAddr {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let addr = listener.local_addr().expect("an address");
        thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let _ = read_request(&mut stream);
                let _ = stream.write_all(b"0123456789");
            }
        });
        addr
    }

    fn ask(addr: SocketAddr) -> Vec<u8> {
        let mut stream = TcpStream::connect(addr).expect("a connection");
        stream.write_all(b"POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}").expect("sent");
        let mut answer = vec![0; 4096];
        let mut length = 0;
        while let Ok(read @ 1..) = stream.read(&mut answer[length..]) {
            length += read;
            if answer[..length].ends_with(b"}") {
                break;
            }
        }
        answer.truncate(length);
        answer
    }

    #[test]
    fn each_mode_does_what_it_says() {
        let proxy = Proxy::start(target()).expect("a proxy");
        assert_eq!(ask(proxy.addr), b"0123456789");
        proxy.set(Mode::Cut(3));
        assert_eq!(ask(proxy.addr), b"012");
        proxy.set(Mode::Garbage(1));
        assert_eq!(ask(proxy.addr), GARBAGE[1]);
        proxy.set(Mode::TooMany);
        assert!(ask(proxy.addr).starts_with(b"HTTP/1.1 429"));
        proxy.set(Mode::Hang);
        let addr = proxy.addr;
        let hanging = thread::spawn(move || ask(addr));
        proxy.set(Mode::Pass);
        // The hanging connection was closed, unless it was made after the change.
        assert!([&b""[..], b"0123456789"].contains(&hanging.join().expect("an answer").as_slice()));
    }
}
