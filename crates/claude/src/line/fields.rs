//! Every field that we read from any line, in one flat struct.
//!
//! Flat, because `type` may stand anywhere in a line: a tagged enum would have to buffer the line until it comes.
//! What a line must have is checked when it is made into an event.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::content::{ApiUsage, Block, Message};
use super::object::Object;
use super::word::Word;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Fields<'a> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: Word<'a>,
    #[serde(borrow)]
    pub(super) subtype: Word<'a>,
    #[serde(borrow)]
    pub(super) session_id: Word<'a>,
    #[serde(borrow)]
    pub(super) uuid: Word<'a>,
    #[serde(borrow)]
    pub(super) parent_tool_use_id: Word<'a>,
    #[serde(borrow)]
    pub(super) event: Object<ApiEvent<'a>>,
    #[serde(borrow)]
    pub(super) message: Object<Message<'a>>,
    #[serde(borrow)]
    pub(super) user_message_uuids: Option<Vec<Word<'a>>>,
    #[serde(rename = "isReplay")]
    pub(super) is_replay: Option<bool>,
    pub(super) aborted: Option<bool>,
    #[serde(borrow)]
    pub(super) error: Word<'a>,
    pub(super) abandoned_blocks: Option<AbandonedBlocks>,
    #[serde(borrow)]
    pub(super) tool_use_result: Option<&'a RawValue>,
    // init and status
    #[serde(borrow)]
    pub(super) model: Word<'a>,
    #[serde(rename = "permissionMode", borrow)]
    pub(super) permission_mode: Word<'a>,
    #[serde(borrow)]
    pub(super) capabilities: Option<Vec<Word<'a>>>,
    #[serde(borrow)]
    pub(super) status: Word<'a>,
    #[serde(borrow)]
    pub(super) state: Word<'a>,
    #[serde(borrow)]
    pub(super) command_uuid: Word<'a>,
    // tasks
    #[serde(borrow)]
    pub(super) task_id: Word<'a>,
    #[serde(borrow)]
    pub(super) tool_use_id: Word<'a>,
    #[serde(borrow)]
    pub(super) task_type: Word<'a>,
    #[serde(borrow)]
    pub(super) description: Word<'a>,
    #[serde(borrow)]
    pub(super) output_file: Word<'a>,
    pub(super) is_backgrounded: Option<bool>,
    #[serde(borrow)]
    pub(super) tasks: Option<Vec<TaskField<'a>>>,
    #[serde(borrow)]
    pub(super) patch: Option<PatchField<'a>>,
    // retries
    pub(super) attempt: Option<u32>,
    pub(super) max_retries: Option<u32>,
    pub(super) retry_delay_ms: Option<f64>,
    pub(super) error_status: Option<u16>,
    // control
    #[serde(borrow)]
    pub(super) request_id: Word<'a>,
    #[serde(borrow)]
    pub(super) request: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) response: Option<&'a RawValue>,
    // result
    pub(super) is_error: Option<bool>,
    #[serde(borrow)]
    pub(super) result: Word<'a>,
    #[serde(borrow)]
    pub(super) stop_reason: Word<'a>,
    #[serde(borrow)]
    pub(super) terminal_reason: Word<'a>,
    pub(super) api_error_status: Option<u16>,
    pub(super) num_turns: Option<u64>,
    pub(super) total_cost_usd: Option<f64>,
    pub(super) usage: Option<ApiUsage>,
    #[serde(rename = "modelUsage", borrow)]
    pub(super) model_usage: Option<BTreeMap<Word<'a>, ModelUsage>>,
    #[serde(borrow)]
    pub(super) model_usage_since_last_result: Option<BTreeMap<Word<'a>, ModelUsage>>,
    #[serde(borrow)]
    pub(super) errors: Option<Vec<Word<'a>>>,
    #[serde(borrow)]
    pub(super) origin: Option<OriginField<'a>>,
}

/// The API's own event inside a `stream_event`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ApiEvent<'a> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: Word<'a>,
    pub(super) index: Option<u32>,
    #[serde(borrow)]
    pub(super) content_block: Option<Block<'a>>,
    #[serde(borrow)]
    pub(super) delta: Option<Delta<'a>>,
    #[serde(borrow)]
    pub(super) message: Object<Message<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Delta<'a> {
    #[serde(rename = "type", borrow)]
    pub(crate) kind: Word<'a>,
    #[serde(borrow)]
    pub(crate) text: Word<'a>,
    #[serde(borrow)]
    pub(crate) thinking: Word<'a>,
    #[serde(borrow)]
    pub(crate) partial_json: Word<'a>,
    #[serde(borrow)]
    pub(crate) stop_reason: Word<'a>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
pub(super) struct AbandonedBlocks {
    pub(super) from_block_index: u32,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct TaskField<'a> {
    #[serde(borrow)]
    pub(crate) task_id: Word<'a>,
    #[serde(borrow)]
    pub(crate) task_type: Word<'a>,
    #[serde(borrow)]
    pub(crate) description: Word<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct PatchField<'a> {
    #[serde(borrow)]
    pub(super) status: Word<'a>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct ModelUsage {
    pub(crate) input_tokens: u64,
    pub(crate) output_tokens: u64,
    pub(crate) cache_read_input_tokens: u64,
    pub(crate) cache_creation_input_tokens: u64,
    #[serde(rename = "costUSD")]
    pub(crate) cost_usd: f64,
    pub(crate) context_window: Option<u64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct OriginField<'a> {
    #[serde(borrow)]
    pub(super) kind: Word<'a>,
}
