//! `liminal replay`: a recording translated exactly as live.

use std::io::{BufWriter, Write};

use anyhow::Context;
use recording::{Entry, Recording, ReplayEvent};

use crate::arguments::ReplayOptions;
use crate::terminal::{escaped_json, shown};

pub(crate) fn replay(options: &ReplayOptions) -> anyhow::Result<()> {
    let file = options.file.display();
    let text = std::fs::read_to_string(&options.file).with_context(|| file.to_string())?;
    let recording = Recording::parse(&text).with_context(|| file.to_string())?;
    let mut out = BufWriter::new(std::io::stdout().lock());
    match write_all(&recording, options.json, &mut out) {
        // Whoever read the output has seen enough.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        result => Ok(result?),
    }
}

/// Whoever translates the recording: by the protocol that its agent speaks.
enum Translator {
    Claude(Box<claude::Replay>),
    Acp(Box<acp::Replay>),
}

impl Translator {
    fn of(cli: &str) -> Self {
        match cli {
            "claude-code" => Self::Claude(Box::default()),
            other => Self::Acp(Box::new(acp::Replay::new(other))),
        }
    }

    fn feed(&mut self, entry: &Entry) -> Vec<ReplayEvent> {
        match self {
            Self::Claude(replay) => {
                replay.feed(entry);
                replay.take_events()
            }
            Self::Acp(replay) => {
                replay.feed(entry);
                replay.take_events()
            }
        }
    }

    fn finish(&mut self, ms: u64) -> Vec<ReplayEvent> {
        match self {
            Self::Claude(replay) => {
                replay.finish(ms);
                replay.take_events()
            }
            Self::Acp(replay) => {
                replay.finish(ms);
                replay.take_events()
            }
        }
    }
}

fn write_all(recording: &Recording, json: bool, out: &mut impl Write) -> std::io::Result<()> {
    let mut translator = Translator::of(&recording.header.cli);
    for entry in &recording.entries {
        write_events(translator.feed(entry), json, out)?;
    }
    let end = recording.entries.last().map_or(0, |entry| entry.ms);
    write_events(translator.finish(end), json, out)?;
    out.flush()
}

fn write_events(events: Vec<ReplayEvent>, json: bool, out: &mut impl Write) -> std::io::Result<()> {
    for event in events {
        if json {
            writeln!(out, "{}", escaped_json(&serde_json::to_string(&event)?))?;
        } else {
            writeln!(out, "{}", shown(&event.to_string()))?;
        }
    }
    Ok(())
}
