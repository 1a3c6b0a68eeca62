//! The faults of a torture: what breaks, and how it is repaired.

use std::fmt;
use std::thread::sleep;

use anyhow::Result;

use super::proxy::{GARBAGE, Mode};
use super::random::Random;
use super::world::World;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// kill -9, and a new start.
    ServerKilled,
    SandboxKilled,
    FullDisk,
    /// Killed, and started on a disk that cannot be written.
    ReadOnlyDisk,
    PostgresKilled,
    PostgresFailedOver,
    Upstream(Mode),
    Clock(&'static str),
}

impl Fault {
    /// Chooses one that is possible on this machine.
    pub fn choose(random: &mut Random, world: &World) -> Self {
        let mut possible = vec![Self::ServerKilled, Self::SandboxKilled];
        possible.extend([
            Self::Upstream(Mode::Hang),
            Self::Upstream(Mode::Cut(random.below(3_000))),
            Self::Upstream(Mode::Garbage(usize::try_from(random.below(GARBAGE.len() as u64)).unwrap_or(0))),
            Self::Upstream(Mode::TooMany),
        ]);
        match world.database {
            Some(_) => possible.extend([Self::PostgresKilled, Self::PostgresFailedOver]),
            None => possible.push(Self::FullDisk),
        }
        if world.has_disk() {
            possible.push(Self::ReadOnlyDisk);
        }
        if world.has_clock() {
            possible.extend([Self::Clock("+2h"), Self::Clock("-2h")]);
        }
        random.pick(&possible).copied().unwrap_or(Self::ServerKilled)
    }

    /// Breaks something, leaves it broken for a while, and repairs it. Some repairs are left to the end of the round.
    pub fn happen(self, random: &mut Random, world: &mut World) -> Result<()> {
        let pause = random.millis(100, 1_500);
        match self {
            Self::ServerKilled => {
                world.kill_server()?;
                sleep(pause / 4);
                world.spawn_server()?;
            }
            Self::SandboxKilled => {
                world.kill_sandbox()?;
                sleep(pause / 2);
                world.start_sandbox()?;
            }
            Self::FullDisk => {
                world.limit_files("4096")?;
                sleep(pause);
                world.limit_files("unlimited")?;
            }
            Self::ReadOnlyDisk => {
                world.kill_server()?;
                world.set_read_only(true)?;
                let refused = world.expect_no_start();
                world.set_read_only(false)?;
                refused?;
                world.spawn_server()?;
            }
            Self::PostgresKilled => {
                if let Some(database) = &mut world.database {
                    database.kill()?;
                    sleep(pause);
                    database.ensure_running()?;
                }
            }
            Self::PostgresFailedOver => {
                if let Some(database) = &mut world.database {
                    database.fail_over(pause)?;
                }
            }
            Self::Upstream(mode) => {
                world.proxy.set(mode);
                sleep(pause);
                if random.one_in(2) {
                    world.proxy.set(Mode::Pass);
                }
            }
            Self::Clock(offset) => {
                world.set_clock(offset)?;
                sleep(pause);
                if random.one_in(2) {
                    world.set_clock("+0")?;
                }
            }
        }
        Ok(())
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ServerKilled => f.write_str("server killed"),
            Self::SandboxKilled => f.write_str("sandbox killed"),
            Self::FullDisk => f.write_str("disk full"),
            Self::ReadOnlyDisk => f.write_str("disk read-only"),
            Self::PostgresKilled => f.write_str("PostgreSQL killed"),
            Self::PostgresFailedOver => f.write_str("PostgreSQL failed over"),
            Self::Upstream(Mode::Pass) => f.write_str("connections cut"),
            Self::Upstream(Mode::Hang) => f.write_str("upstream hangs"),
            Self::Upstream(Mode::Cut(bytes)) => write!(f, "upstream cut after {bytes} bytes"),
            Self::Upstream(Mode::Garbage(which)) => write!(f, "upstream sends garbage {which}"),
            Self::Upstream(Mode::TooMany) => f.write_str("upstream answers 429"),
            Self::Clock(offset) => write!(f, "clock {offset}"),
        }
    }
}
