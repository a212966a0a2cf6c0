//! The agent as a client sees it: the official client talks to it over a pipe in memory.
#![cfg(test)]

mod edits;
mod endings;
mod looking;
mod memory;
mod support;
