//! The log of a wake race: every decision with its rule, and not a word of what was said.

use std::io::Write;
use std::sync::{Arc, Mutex};

use serde_json::json;
use tracing_subscriber::fmt::MakeWriter;

use crate::story::{Story, notification, old_init, result, snapshot};

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for Log {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        self.clone()
    }
}

/// A message was written while a task ended: on the older agent the wake-up comes first, then the answer.
#[test]
fn a_wake_race_is_told_decision_by_decision_and_without_words() {
    let log = Log::default();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::DEBUG)
        .with_ansi(false)
        .without_time()
        .with_writer(log.clone())
        .finish();
    tracing::subscriber::with_default(subscriber, || {
        let mut story = Story::new();
        story.send("one");
        let running =
            json!({ "type": "system", "subtype": "session_state_changed", "state": "running" });
        story.say([
            notification(),
            running,
            old_init(),
            snapshot("msg-a", "SECRET wake"),
            result(),
        ]);
        story.say([old_init(), snapshot("msg-b", "SECRET answer"), result()]);
    });
    let log = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    let mut rest = log.as_str();
    for expected in [
        "run begins turn=one state=AwaitingResponse",
        r#"event is routed event="task_notification" route="metadata" rule=Metadata turn="none""#,
        r#"event is routed event="init" route="open" rule=NotificationBeforeInit turn="none""#,
        "run begins turn=auto-1 state=AwaitingResponse",
        "turn state changes from=Idle to=Autonomous",
        r#"event is routed event="snapshot" route="main_loop" rule=OpenTurn turn="auto-1""#,
        r#"message becomes items message_id="msg-a" item=auto-1:1"#,
        r#"event is routed event="result" route="close" rule=EndOfTurn turn="auto-1""#,
        "run state changes turn=auto-1 from=Streaming to=Completed",
        "turn state changes from=Autonomous to=Idle",
        r#"event is routed event="init" route="open" rule=OutstandingMessage turn="none""#,
        "turn state changes from=Idle to=Foreground",
        r#"message becomes items message_id="msg-b" item=one:1"#,
        "run state changes turn=one from=Streaming to=Completed",
        "turn state changes from=Foreground to=Idle",
    ] {
        let found = rest.find(expected).unwrap_or_else(|| panic!("{expected} in order in\n{log}"));
        rest = &rest[found + expected.len()..];
    }
    assert!(!log.contains("SECRET"), "{log}");
}
