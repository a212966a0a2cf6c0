//! The server over real sockets.
#![cfg(test)]

mod acceptance;
mod agent_status;
mod assets;
mod events;
mod export;
mod finding;
mod guard;
mod http_api;
mod metadata;
mod projects;
mod queue;
mod thin_path;
mod websocket;
