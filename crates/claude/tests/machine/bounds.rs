//! What an agent never ends does not fill the memory: it is cut, marked, and ended like the rest.

use contract::{ItemStatus, UpsertBody};
use serde_json::{Value, json};

use crate::story::{
    Story, block_start, block_stop, delta, growth, init, message_start, message_stop, result,
    snapshot, start_of,
};

const MEGABYTE: usize = 1 << 20;
const MARK: &str = "\n[cut here: longer than 1 MiB]";

fn long() -> String {
    "wörd ".repeat(50_000)
}

fn begun(lines: impl IntoIterator<Item = Value>) -> Story {
    let mut story = Story::new();
    story.send("one");
    story.say([init(&["one"]), message_start("a")]);
    story.say(lines);
    story
}

#[test]
fn a_text_and_a_thought_without_end_are_cut_and_marked() {
    let thinking = json!({ "type": "thinking", "thinking": "" });
    for (start, kind, member) in [
        (json!({ "type": "text", "text": "" }), "text_delta", "text"),
        (thinking, "thinking_delta", "thinking"),
    ] {
        let more = || growth(0, &json!({ "type": kind, member: long() }));
        let mut story = begun([start_of(0, &start)]);
        story.say(std::iter::repeat_with(more).take(12));
        story.say([block_stop(0), message_stop(), result()]);
        let text = story.text("one:1:0");
        assert!(text.ends_with(MARK), "{kind}: {} bytes", text.len());
        assert!(text.len() <= MEGABYTE + MARK.len() && text.len() > MEGABYTE - 8, "{}", text.len());
        assert_eq!(text.matches("cut here").count(), 1);
        let ended = story.upserts().into_iter().filter(|upsert| upsert.is_final());
        assert_eq!(ended.count(), 1);
    }
}

#[test]
fn what_was_cut_is_whole_once_its_snapshot_comes() {
    let mut story = Story::new();
    story.send("one");
    story.say([init(&["one"]), message_start("a"), block_start(0)]);
    let whole = long().repeat(8);
    story.say(std::iter::repeat_n(delta(0, &long()), 8));
    assert!(story.text("one:1:0").len() < whole.len());
    story.say([snapshot("a", &whole), block_stop(0), message_stop(), result()]);
    assert_eq!(story.text("one:1:0"), whole);
}

#[test]
fn arguments_without_end_end_as_a_call_with_the_text_they_are() {
    let part = |json: &str| growth(0, &json!({ "type": "input_json_delta", "partial_json": json }));
    let call = json!({ "type": "tool_use", "id": "call", "name": "Write", "input": {} });
    let mut story = begun([start_of(0, &call), part(r#"{"content":""#)]);
    story.say(std::iter::repeat_n(part(&long()), 12));
    story.say([block_stop(0), message_stop()]);
    let told = story.upserts().pop().unwrap();
    assert_eq!(told.status, ItemStatus::Complete);
    let UpsertBody::ToolCall(call) = &told.body else { panic!("{}", told.item_id) };
    let text = call.tool_arguments.as_map()["cutArguments"].as_str().unwrap();
    assert!(text.starts_with(r#"{"content":"w"#) && text.ends_with(MARK), "{} bytes", text.len());
    assert!(text.len() <= MEGABYTE + MARK.len());
}

#[test]
fn a_message_holds_a_bounded_number_of_bytes_and_blocks() {
    let mut story = begun([]);
    for index in 0..40 {
        story.say([block_start(index), delta(index, &long().repeat(4))]);
    }
    let held: usize = (0..40).map(|index| story.text(&format!("one:1:{index}")).len()).sum();
    assert!(held <= 9 * MEGABYTE, "{held} bytes");
    let mut story = begun([]);
    story.say((0..3000).flat_map(|index| [block_start(index), delta(index, "a word or two")]));
    story.say([message_stop(), result()]);
    let texts = story.upserts().into_iter().filter(|upsert| upsert.is_final());
    assert_eq!(texts.count(), 3000, "each is told");
}
