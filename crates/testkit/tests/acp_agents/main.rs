//! The real ACP agents against scripted models: the proof that the stand-ins are ones, and that the agents run offline.
#![cfg(test)]

mod agent;
mod claude_agent;
mod codex;
mod opencode;
