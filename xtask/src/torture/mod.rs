//! `cargo xtask torture`: breaks everything around a server under load, in rounds, and checks what is left after each.
//!
//! The seed decides which faults happen, in which order and for how long, and what the clients do. Threads and processes
//! run as they run, so the same seed gives the same plan, not the same interleaving.

mod checks;
mod database;
mod faults;
mod load;
mod proxy;
mod random;
mod world;

use std::sync::PoisonError;
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::bench::client::Client;
use crate::command;
use crate::launch_form::LaunchForm;
use crate::test::binaries::{self, Binaries};
use crate::tools::apt;
use crate::tools::postgres::Cluster;
use checks::Checker;
use faults::Fault;
use load::{Load, SharedNotes};
pub use random::Random;
use world::{Programs, World};

/// Load before the first fault and after the last one.
const CALM: Duration = Duration::from_millis(700);

#[derive(clap::Args)]
pub struct Options {
    /// How many rounds
    #[arg(long, default_value_t = 5)]
    pub rounds: u64,
    /// Repeats the faults of an earlier torture; a fresh one when it is left out
    #[arg(long)]
    pub seed: Option<u64>,
    /// Only on this database engine
    #[arg(long, value_parser = ["sqlite", "postgres"])]
    pub engine: Option<String>,
}

impl Options {
    /// Some rounds with a new seed, on both engines.
    pub fn of_rounds(rounds: u64) -> Self {
        Self { rounds, seed: None, engine: None }
    }
}

/// One database engine with its server.
struct Setup {
    world: World,
    browser: Client,
    form: LaunchForm,
    notes: SharedNotes,
    checker: Checker,
}

impl Setup {
    fn new(binaries: &Binaries, cluster: Option<Cluster>) -> Result<Self> {
        let (runlens, sandbox) = (binaries.runlens.clone(), binaries.sandbox.clone());
        let programs = Programs { runlens, sandbox, clock_library: world::find_clock_library() };
        let world = World::start(programs, cluster)?;
        let mut browser = world.signed_in()?;
        let form = LaunchForm::open(&mut browser)?;
        Ok(Self { world, browser, form, notes: SharedNotes::default(), checker: Checker::default() })
    }

    /// Loads, breaks, repairs and checks.
    fn round(&mut self, random: &mut Random, is_last: bool) -> Result<()> {
        let load = Load::start(&self.world, &self.browser, &self.form, &self.notes, random);
        sleep(CALM);
        let mut faults = Vec::new();
        let mut broken = Ok(());
        for _ in 0..1 + random.below(3) {
            let fault = Fault::choose(random, &self.world);
            faults.push(fault.to_string());
            print!("  {fault};");
            broken = fault.happen(random, &mut self.world).with_context(|| format!("while {fault}"));
            if broken.is_err() {
                break;
            }
            sleep(random.millis(50, 700));
        }
        sleep(CALM);
        load.stop();
        broken?;
        let start = Instant::now();
        self.world.heal()?;
        let notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        let report = self.checker.check(&mut self.world, &mut self.browser, &notes, is_last)?;
        println!(
            "\n  {}: {} requests, {} runs, {} logs compared, {} runs still going, healed and checked in {:.1} s",
            self.world.engine,
            notes.requests,
            report.runs,
            report.compared,
            report.unfinished,
            start.elapsed().as_secs_f64(),
        );
        Ok(())
    }
}

/// Builds the debug programs and tortures them.
pub fn run(options: &Options) -> Result<()> {
    let seed = options.seed.unwrap_or_else(Random::fresh_seed);
    println!("torture: seed {seed}; cargo xtask torture --seed {seed} --rounds {} repeats its plan", options.rounds);
    if world::find_clock_library().is_none() && command::is_root() {
        // Without it there are no clock jumps.
        let _ = apt::install(&["libfaketime"]);
    }
    // Copies, so that a build in the meantime changes nothing.
    let copies = tempfile::tempdir()?;
    let mut binaries = binaries::build()?;
    for (program, name) in [(&mut binaries.runlens, "runlens"), (&mut binaries.sandbox, "mantyx-sandbox")] {
        let copy = copies.path().join(name);
        std::fs::copy(&*program, &copy)?;
        *program = copy;
    }
    let mut setups = Vec::new();
    if options.engine.as_deref() != Some("postgres") {
        setups.push(Setup::new(&binaries, None)?);
    }
    if options.engine.as_deref() != Some("sqlite") {
        setups.push(Setup::new(&binaries, Some(Cluster::start_durable()?))?);
    }
    let missing = [
        (setups[0].world.has_clock(), "clock jumps (libfaketime is not installed)"),
        (setups.iter().any(|setup| setup.world.has_disk()), "read-only disks (this user may not mount one)"),
    ];
    for (_, what) in missing.iter().filter(|(possible, _)| !possible) {
        println!("torture: without {what}");
    }
    let mut random = Random::new(seed);
    let count = setups.len() as u64;
    for round in 1..=options.rounds {
        println!("round {round} of {}", options.rounds);
        let mut random = random.fork();
        let setup = &mut setups[usize::try_from(round % count).unwrap_or(0)];
        let is_last = round + count > options.rounds;
        setup.round(&mut random, is_last).with_context(|| {
            format!(
                "round {round} with seed {seed} on {}\nThe server's log ends:\n{}",
                setup.world.engine,
                setup.world.log_end("server")
            )
        })?;
    }
    println!("torture: {} rounds, nothing lost, doubled or miscounted", options.rounds);
    Ok(())
}
