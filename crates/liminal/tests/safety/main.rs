//! What keeps the binary and what it starts safe, line by line of docs/SECURITY.md: each test is named after its line.
#![cfg(test)]

mod agents;
mod apart;
mod audit;
mod caps;
mod files;
mod full_disk;
mod listening;
mod local_socket;
mod projects;
mod server;
mod terminals;

pub(crate) const LIMINAL: &str = env!("CARGO_BIN_EXE_liminal");
