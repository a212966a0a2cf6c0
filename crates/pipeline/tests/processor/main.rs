//! The upsert stream processor, seen from outside.
#![cfg(test)]

mod acceptance;
mod edges;
mod properties;
mod support;
