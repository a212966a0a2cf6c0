//! Agents as real processes, judged by the process table.
#![cfg(test)]

mod ends;
mod records;
mod starting;
mod streams;
#[path = "../support/mod.rs"]
mod support;
