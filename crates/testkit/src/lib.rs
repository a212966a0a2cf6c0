//! What tests put in place of the world outside: agents, ids, clocks, clients. Never our own parts.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on ends loudly"
)]

pub mod acp_house;
mod agent_home;
pub mod agents;
mod breakable_journal;
pub mod claude_house;
mod client_view;
mod cut_short;
mod edge;
mod families;
mod fixed;
mod http_client;
mod machine;
pub mod model_api;
mod old_client;
pub mod responses_api;
mod samples;
pub mod scripted_acp;
mod scripted_calls;
mod scripted_claude;
mod scripted_provider;
mod scripted_transcripts;
mod server_process;
mod session_api;
mod socket_client;
pub mod stand_in;
mod test_server;
mod test_service;
mod told_stream;
pub mod watched_session;

pub use agent_home::{AgentHome, ClaudeAgentHome, CodexHome, OpencodeHome};
pub use breakable_journal::BreakableJournal;
pub use client_view::ClientView;
pub use cut_short::CutShort;
pub use edge::Edge;
pub use families::answer_in_all_families;
pub use fixed::{CountingIds, FixedClock, fixed_environment};
pub use http_client::{HttpClient, HttpResponse, OpenRequest};
pub use machine::has_ipv6_loopback;
pub use old_client::OldClient;
pub use samples::{Sample, envelope};
pub use scripted_calls::{Call, Operation};
pub use scripted_claude::{Query, ScriptedClaude};
pub use scripted_provider::ScriptedProvider;
pub use scripted_transcripts::{KeptEvent, KeptSession};
pub use server_process::{ServerPlace, ServerProcess};
pub use session_api::SessionApi;
pub use socket_client::SocketClient;
pub use test_server::TestServer;
pub use test_service::TestService;
pub use told_stream::ToldStream;
