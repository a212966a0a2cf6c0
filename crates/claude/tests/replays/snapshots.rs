//! The interesting conversations as people read them; reviewed, and kept beside the recordings.
//!
//! `UPDATE_SNAPSHOTS=1` writes them anew; look at the difference before it is committed.

use std::path::Path;

use crate::recordings;

/// One of each kind of thing that can happen.
const INTERESTING: &[&str] = &[
    "ask",
    "auto_race_idle",
    "bg_auto_tool_msg_later",
    "bg_basic",
    "bg_during_tool",
    "bg_race_early",
    "bg_race_later",
    "bg_two",
    "chain",
    "crash_tool_1",
    "cron_race",
    "err_429",
    "err_500once",
    "err_cut",
    "err_cut_once",
    "err_kill9",
    "err_max_turns",
    "err_midstream_once",
    "err_nologin",
    "int_before_first_token",
    "int_queued",
    "int_race_first_cq",
    "int_race_latch_0",
    "int_race_second",
    "int_text",
    "int_tool",
    "multi",
    "plain",
    "q_cancel",
    "q_dup",
    "q_prio_later_tool",
    "q_prio_now",
    "q_tool",
    "q_two_later",
    "slash",
    "stops",
    "streamtool",
    "sub_ask_idle",
    "sub_basic",
    "sub_bg",
    "sub_fg_int",
    "think",
    "tool_allow",
    "tool_deny",
    "tool_suggest",
];

#[test]
#[expect(clippy::disallowed_methods, reason = "snapshots are files")]
fn the_interesting_recordings_read_as_reviewed() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots");
    let update = std::env::var("UPDATE_SNAPSHOTS").as_deref() == Ok("1");
    let mut compared = 0;
    for sample in recordings::all() {
        let short = sample.name.split_once('/').unwrap().1;
        if !INTERESTING.contains(&short) {
            continue;
        }
        let events = recordings::replay(&sample.recording);
        let text: String = events.iter().map(|event| format!("{event}\n")).collect();
        let path = directory.join(format!("{}.txt", sample.name));
        if update {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, &text).unwrap();
        }
        let reviewed = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(reviewed == text, "{} reads otherwise:\n{text}", sample.name);
        compared += 1;
    }
    assert!(compared > 60, "{compared} snapshots");
}
