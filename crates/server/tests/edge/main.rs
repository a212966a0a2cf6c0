//! The server over real sockets.
#![cfg(test)]

mod assets;
mod deltas;
mod events;
mod families;
mod http_api;
mod liveness;
mod long_items;
mod metrics;
mod random_clients;
mod thin_path;
mod websocket;
