//! The server over real sockets.
#![cfg(test)]

mod assets;
mod events;
mod guard;
mod http_api;
mod metrics;
mod thin_path;
mod websocket;
