//! An agent that says when it says something: the benchmark's own program, run again with `--agent`.
//!
//! Its prompts are orders: `pieces COUNT MICROS BYTES` says that many messages of twelve words and so many bytes, each with its
//! time and its number and that long after the one before; `grow BYTES PIECE` says one message of that many bytes in such pieces, as fast as it can.

use std::io::{BufRead, Write};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

/// Stands before and after the time in a text.
const MARK: char = '@';
/// Enough words for a text to be due at once.
const WORDS: &str = "one two three four five six seven eight nine ten";

/// Nanoseconds since 1970: one clock for all processes of this machine.
pub(crate) fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

/// The time that a text carries.
pub(crate) fn time_in(text: &str) -> Option<u64> {
    text.split(MARK).nth(1)?.parse().ok()
}

/// Runs until its input ends.
pub(crate) fn run() -> std::io::Result<()> {
    let (input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    for line in input.lines() {
        let message: Value = serde_json::from_str(&line?).unwrap_or_default();
        let result = match message["method"].as_str() {
            Some("initialize") => json!({ "protocolVersion": 1, "agentCapabilities": {} }),
            Some("session/new") => json!({ "sessionId": "s" }),
            Some("session/prompt") => {
                obey(
                    message["params"]["prompt"][0]["text"].as_str().unwrap_or_default(),
                    &mut output,
                )?;
                json!({ "stopReason": "end_turn" })
            }
            _ => continue,
        };
        say(&mut output, &json!({ "jsonrpc": "2.0", "id": message["id"], "result": result }))?;
    }
    Ok(())
}

fn obey(order: &str, output: &mut impl Write) -> std::io::Result<()> {
    let words: Vec<&str> = order.split(' ').collect();
    let number = |index: usize| words.get(index).and_then(|word| word.parse().ok()).unwrap_or(0);
    match words.first().copied() {
        Some("pieces") => {
            let padding = "word ".repeat(usize::try_from(number(3) / 5).unwrap_or(0));
            for piece in 0..number(1) {
                let text = format!("{MARK}{}{MARK} #{piece} {WORDS} {padding}", now());
                say(output, &chunk(&text, Some(piece)))?;
                std::thread::sleep(Duration::from_micros(number(2)));
            }
        }
        Some("grow") => {
            let piece = "word ".repeat(usize::try_from(number(2) / 5).unwrap_or(1));
            for _ in 0..number(1) / u64::try_from(piece.len()).unwrap_or(1) {
                say(output, &chunk(&piece, None))?;
            }
        }
        _ => {}
    }
    Ok(())
}

/// Named, it is a message of its own.
fn chunk(text: &str, message: Option<u64>) -> Value {
    let mut update = json!({ "sessionUpdate": "agent_message_chunk", "content": { "type": "text", "text": text } });
    if let Some(message) = message {
        update["messageId"] = json!(message.to_string());
    }
    let params = json!({ "sessionId": "s", "update": update });
    json!({ "jsonrpc": "2.0", "method": "session/update", "params": params })
}

fn say(output: &mut impl Write, message: &Value) -> std::io::Result<()> {
    writeln!(output, "{message}")?;
    output.flush()
}
