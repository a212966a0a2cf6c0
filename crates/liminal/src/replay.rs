//! `liminal replay`: a recording translated exactly as live.

use std::io::{BufWriter, Write};

use anyhow::{Context, bail};
use claude::Replay;
use recording::{Recording, ReplayEvent};

use crate::arguments::ReplayOptions;

pub(crate) fn replay(options: &ReplayOptions) -> anyhow::Result<()> {
    let file = options.file.display();
    let text = std::fs::read_to_string(&options.file).with_context(|| file.to_string())?;
    let recording = Recording::parse(&text).with_context(|| file.to_string())?;
    if recording.header.cli != "claude-code" {
        bail!("{file}: recordings of {} cannot be replayed", recording.header.cli);
    }
    let mut out = BufWriter::new(std::io::stdout().lock());
    match write_all(&recording, options.json, &mut out) {
        // Whoever read the output has seen enough.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        result => Ok(result?),
    }
}

fn write_all(recording: &Recording, json: bool, out: &mut impl Write) -> std::io::Result<()> {
    let mut replay = Replay::default();
    for entry in &recording.entries {
        replay.feed(entry);
        write_events(replay.take_events(), json, out)?;
    }
    replay.finish(recording.entries.last().map_or(0, |entry| entry.ms));
    write_events(replay.take_events(), json, out)?;
    out.flush()
}

fn write_events(events: Vec<ReplayEvent>, json: bool, out: &mut impl Write) -> std::io::Result<()> {
    for event in events {
        if json {
            serde_json::to_writer(&mut *out, &event)?;
            out.write_all(b"\n")?;
        } else {
            writeln!(out, "{event}")?;
        }
    }
    Ok(())
}
