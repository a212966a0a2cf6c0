//! What keeps the server safe, line by line of docs/SECURITY.md: each test is named after its line.
#![cfg(test)]

mod audit;
mod browsers;
mod credentials;
mod downloads;
mod entry;
mod frames;
mod headers;
mod hosts;
mod ids;
mod limits;
mod modes;
mod operations;
mod panics;
mod raw_requests;
mod slow_readers;
mod strangers;
