//! The server over real sockets.
#![cfg(test)]

mod acceptance;
mod agent_status;
mod assets;
mod bad_link;
mod decisions;
mod deltas;
mod events;
mod export;
mod families;
mod finding;
mod full_disk;
mod glances;
mod http_api;
mod legacy_view;
mod liveness;
mod long_items;
mod metadata;
mod metrics;
mod pressure;
mod projects;
mod queue;
mod random_agent;
mod random_clients;
mod thin_path;
mod transcripts;
mod websocket;
