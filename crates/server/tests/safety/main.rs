//! What keeps the server safe, line by line of docs/SECURITY.md: each test is named after its line.
#![cfg(test)]

mod audit;
mod browsers;
mod credentials;
mod entry;
mod frames;
mod hosts;
mod limits;
mod strangers;
