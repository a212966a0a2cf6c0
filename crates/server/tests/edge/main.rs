//! The server over real sockets.
#![cfg(test)]

mod assets;
mod events;
mod http_api;
mod thin_path;
mod websocket;
