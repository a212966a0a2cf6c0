//! The description of the API: that it is sound, current, and what the server really does.
#![cfg(test)]

mod book;
mod current;
mod exercises;
mod schemas;
mod shape;
mod visitor;
