//! Clients that use a server while it is tortured: they launch, read, follow, import and disconnect.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle, sleep};
use std::time::Duration;

use serde_json::{Value, json};

use super::random::Random;
use super::world::World;
use crate::bench::client::{Client, Response};
use crate::launch_form::{self, LaunchForm};
use crate::tools::sandbox::WORKSPACE;

/// A client gives up after this time, as a person does who closes the tab.
const PATIENCE: Duration = Duration::from_secs(4);

/// Longer than it takes until another process answers for a killed one, and shorter than the checks wait.
const ANSWER_WITHIN_MS: u64 = 45_000;

/// Facts that the checks need.
#[derive(Default)]
pub struct Notes {
    /// Each launch, with the run that the server named if it answered.
    pub launches: BTreeMap<String, Option<String>>,
    /// Imported runs, with the number of their events.
    pub imports: BTreeMap<String, usize>,
    /// Answers that must not occur, whatever is broken.
    pub wrong: Vec<String>,
    /// Ids of runs that may be looked at.
    pub runs: Vec<String>,
    pub requests: usize,
}

pub type SharedNotes = Arc<Mutex<Notes>>;

pub struct Load {
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Load {
    /// Starts all clients. `browser` is signed in, and `form` is its launch form.
    pub fn start(world: &World, browser: &Client, form: &LaunchForm, notes: &SharedNotes, random: &mut Random) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let mut threads = Vec::new();
        let mut spawn = |mut worker: Worker, work: fn(&mut Worker)| {
            let stop = stop.clone();
            threads.push(thread::spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    work(&mut worker);
                    let pause = worker.random.millis(20, 200);
                    sleep(pause);
                }
            }));
        };
        let works: [fn(&mut Worker); 5] =
            [Worker::start_run, Worker::launch, Worker::look, Worker::follow, Worker::import];
        for work in works.iter().chain(&works[..3]) {
            let mut browser = browser.another();
            browser.timeout = PATIENCE;
            let mut script = world.script_client();
            script.timeout = PATIENCE;
            let worker = Worker {
                browser,
                script,
                sandbox: world.sandbox_client(),
                server: world.server_addr,
                form: form.clone(),
                notes: notes.clone(),
                random: random.fork(),
            };
            spawn(worker, *work);
        }
        Self { stop, threads }
    }

    pub fn stop(self) {
        self.stop.store(true, Ordering::Relaxed);
        for thread in self.threads {
            let _ = thread.join();
        }
    }
}

struct Worker {
    browser: Client,
    script: Client,
    sandbox: Client,
    server: SocketAddr,
    form: LaunchForm,
    notes: SharedNotes,
    random: Random,
}

impl Worker {
    fn note(&self, change: impl FnOnce(&mut Notes)) {
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        notes.requests += 1;
        change(&mut notes);
    }

    /// Starts a run at the sandbox, as another program does.
    fn start_run(&mut self) {
        let spec = json!({
            "name": "torture", "systemPrompt": "You help.", "modelId": "sandbox/script", "prompt": script(&mut self.random),
            "tools": [{ "kind": "mantyx_plugin", "name": "recall" }],
            "metadata": { "customer": format!("customer-{}", self.random.below(5)) },
        });
        let path = format!("/api/v1/workspaces/{WORKSPACE}/agent-runs");
        let answer = self.sandbox.post_as(&path, "application/json", &spec.to_string());
        let id = answer
            .ok()
            .and_then(|answer| serde_json::from_str::<Value>(&answer.body).ok()?["runId"].as_str().map(str::to_owned));
        self.note(|notes| notes.runs.extend(id));
    }

    /// Launches through the form, sometimes with a double click, and sometimes again after an error.
    fn launch(&mut self) {
        let id = format!("{:016x}", self.random.next());
        let with_tool = self.random.one_in(3);
        let mut spec = json!({
            "name": "launched", "systemPrompt": "You help.", "modelId": "sandbox/script",
            "prompt": if with_tool { "/call approve {}\n/say Done.".to_owned() } else { script(&mut self.random) },
            "metadata": { "launch": id },
        });
        spec["tools"] = json!([{ "kind": "mantyx_plugin", "name": "recall" }]);
        let mut answers = json!({});
        if with_tool {
            spec["tools"] = json!([{ "kind": "local", "name": "approve" }]);
            spec["budgets"] = json!({ "localToolTimeoutMs": ANSWER_WITHIN_MS });
            answers = json!({ "approve": { "by": "canned", "text": "yes", "failed": false, "delayMs": 0 } });
        }
        let form = self.form.launch(&format!("torture-{id}"), spec, answers);
        self.note(|notes| drop(notes.launches.insert(id.clone(), None)));
        let second = self.random.one_in(3).then(|| {
            let (mut browser, form) = (self.browser.another(), form.clone());
            thread::spawn(move || launch_form::send(&mut browser, &form))
        });
        let mut answers = vec![launch_form::send(&mut self.browser, &form)];
        answers.extend(second.and_then(|second| second.join().ok()));
        if answers.iter().all(Result::is_err) && self.random.one_in(2) {
            answers.push(launch_form::send(&mut self.browser, &form));
        }
        for answer in answers.into_iter().flatten() {
            self.check_page("POST /launch", &answer);
            let Some(run) = launch_form::launched_run(&answer) else { continue };
            self.note(|notes| {
                notes.runs.push(run.clone());
                let earlier = notes.launches.insert(id.clone(), Some(run.clone())).flatten();
                if let Some(earlier) = earlier.filter(|earlier| *earlier != run) {
                    notes.wrong.push(format!("the launch {id} led to {earlier} and to {run}"));
                }
            });
        }
    }

    /// Opens a page or asks the API.
    fn look(&mut self) {
        let run = self.some_run();
        let paths = [
            "/runs".to_owned(),
            "/runs?q=status:failed".to_owned(),
            "/sessions".to_owned(),
            format!("/runs/{run}"),
            format!("/runs/{run}?density=events"),
            "/launch".to_owned(),
        ];
        let path = self.random.pick(&paths).cloned().unwrap_or_default();
        if let Ok(answer) = self.browser.get(&path) {
            self.check_page(&path, &answer);
        }
        let paths = ["/api/runs?limit=50", "/api/facets", "/api/count?q=status:failed", "/api/histogram"];
        let path = self.random.pick(&paths).copied().unwrap_or_default();
        if let Ok(answer) = self.script.get(path) {
            self.check_page(path, &answer);
        }
    }

    /// Follows a run, and goes away in the middle.
    fn follow(&mut self) {
        let run = self.some_run();
        let reads = self.random.below(30);
        let head = format!(
            "GET /runs/{run}/live?after=0 HTTP/1.1\r\nHost: {}\r\n{}\r\n",
            self.server,
            self.browser.cookie_header()
        );
        let follow = || -> std::io::Result<()> {
            let mut stream = TcpStream::connect_timeout(&self.server, PATIENCE)?;
            stream.set_read_timeout(Some(Duration::from_millis(300)))?;
            stream.write_all(head.as_bytes())?;
            let mut buffer = [0; 512];
            for _ in 0..reads {
                if stream.read(&mut buffer)? == 0 {
                    break;
                }
            }
            Ok(())
        };
        // It fails whenever the server is away.
        let _ = follow();
        self.note(|_| {});
    }

    /// Imports a log. Every third client goes away while it sends.
    fn import(&mut self) {
        let events = 2 + self.random.below(40);
        let mut log = String::new();
        for seq in 1..events {
            let data = json!({ "text": format!("word {seq} "), "turn": 0 });
            log += &format!("{}\n", json!({ "seq": seq, "type": "assistant_delta", "data": data }));
        }
        log += &format!(
            "{}\n",
            json!({ "seq": events, "type": "result", "data": { "subtype": "success", "text": "Done." } })
        );
        if self.random.one_in(3) {
            let head = format!(
                "POST /api/import HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nContent-Length: {}\r\n\r\n",
                self.server,
                self.script.bearer.as_deref().unwrap_or_default(),
                log.len()
            );
            let half = &log[..log.len() / 2];
            let _ = TcpStream::connect_timeout(&self.server, PATIENCE)
                .and_then(|mut stream| stream.write_all(format!("{head}{half}").as_bytes()));
            return self.note(|_| {});
        }
        let Ok(answer) = self.script.post_as("/api/import", "application/x-ndjson", &log) else { return };
        self.check_page("POST /api/import", &answer);
        let body: Value = serde_json::from_str(&answer.body).unwrap_or_default();
        if let Some(id) = body["runId"].as_str().filter(|_| answer.status < 300) {
            let events = usize::try_from(events).unwrap_or(usize::MAX);
            self.note(|notes| {
                notes.imports.insert(id.to_owned(), events);
            });
        }
    }

    fn some_run(&mut self) -> String {
        let runs = self.notes.lock().unwrap_or_else(PoisonError::into_inner).runs.clone();
        let newest = &runs[runs.len().saturating_sub(20)..];
        self.random.pick(newest).cloned().unwrap_or_else(|| "run_none".to_owned())
    }

    /// Notes answers that are wrong at any time: internal errors, half a page, or a lost sign-in.
    fn check_page(&self, path: &str, answer: &Response) {
        let to_sign_in = answer.location.as_deref().is_some_and(|place| place.contains("/sign-in"));
        let is_half = answer.body.starts_with("<!") && !answer.body.contains("</html>");
        let wrong = match answer.status {
            500 => Some("internal error"),
            401 | 403 => Some("not signed in"),
            302 | 303 | 307 if to_sign_in => Some("sent to the sign-in"),
            200 if is_half => Some("half a page"),
            _ => None,
        };
        self.note(|notes| {
            let start: String = answer.body.chars().take(300).collect();
            notes.wrong.extend(wrong.map(|what| format!("{what} from {path}: {} {start}", answer.status)));
        });
    }
}

/// A script for the sandbox's model: some text, calls and pauses, and one of several ends.
fn script(random: &mut Random) -> String {
    let mut lines = vec![format!("/say {}", "some words ".repeat(1 + random.below(20) as usize))];
    if random.one_in(2) {
        lines.push(format!("/sleep {}", random.below(400)));
    }
    if random.one_in(2) {
        lines.push(format!("/call recall {{\"query\":\"{}\"}}", random.below(3)));
    }
    lines.push("/say And more.".to_owned());
    let ends = ["/say The end.", "/truncate", "/fail overloaded", "/refuse", "/say 42."];
    lines.push(random.pick(&ends).copied().unwrap_or_default().to_owned());
    lines.join("\n")
}
