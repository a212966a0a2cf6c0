//! How much a delta costs, for streams of different shapes: the cost must not depend on the shape.
//!
//! Run by `cargo xtask bench pipeline`, which reads the `bound:` lines.
#![expect(
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    reason = "a benchmark may end loudly"
)]

use std::hint::black_box;
use std::io::Write;
use std::time::{Duration, Instant};

use contract::{
    EventPayload, FinalItem, ItemStart, MessageOrigin, ResponseDone, ResponseStatus,
    StreamEventEnvelope, Timestamp,
};
use pipeline::{BatchGradient, Moment, Now, Pace, UpsertProcessor};

/// Items times deltas; each delta is one word.
const SHAPES: [(usize, usize); 5] =
    [(4000, 50), (400, 500), (100, 2000), (1, 20_000), (1, 200_000)];
const ROUNDS: usize = 9;
const SLOWEST_PER_FASTEST: f64 = 3.0;
const ALLOCATIONS_PER_SILENT_DELTA: f64 = 0.001;

fn main() -> std::io::Result<()> {
    let streams: Vec<Stream> =
        SHAPES.iter().map(|(items, deltas)| Stream::new(*items, *deltas)).collect();
    let nanos = median_nanos(&streams, |stream| stream.process());
    let recounted = median_nanos(&streams[..4], |stream| stream.recount());
    let fastest = nanos.iter().copied().fold(f64::INFINITY, f64::min);
    let slowest = nanos.iter().copied().fold(0.0, f64::max);
    let silent = allocations_per_silent_delta();

    let mut out = std::io::stdout().lock();
    writeln!(
        out,
        "| items × deltas | ns per delta | deltas per second | to the fastest | recounting the text, ns | to its fastest |"
    )?;
    writeln!(out, "|---|---:|---:|---:|---:|---:|")?;
    let least = recounted.iter().copied().fold(f64::INFINITY, f64::min);
    for (index, (items, deltas)) in SHAPES.iter().enumerate() {
        let cost = nanos[index];
        let recount = recounted.get(index).map_or("–".to_owned(), |cost| format!("{cost:.0}"));
        let ratio =
            recounted.get(index).map_or("–".to_owned(), |cost| format!("{:.1}", cost / least));
        writeln!(
            out,
            "| {items} × {deltas} | {cost:.0} | {:.0} | {:.2} | {recount} | {ratio} |",
            1e9 / cost,
            cost / fastest
        )?;
    }
    writeln!(out)?;
    writeln!(
        out,
        "Median of {ROUNDS} interleaved rounds. \"Recounting\" counts the words of the whole text on every"
    )?;
    writeln!(
        out,
        "delta and copies it for every emission, the simplest way there is; its longest shape is left out."
    )?;
    writeln!(out, "Allocations per delta that causes no emission: {silent:.5}.")?;
    writeln!(out)?;
    let verdict = |holds: bool| if holds { "ok" } else { "MISSED" };
    let ratio = slowest / fastest;
    let holds = verdict(ratio <= SLOWEST_PER_FASTEST);
    writeln!(
        out,
        "bound: slowest shape at most {SLOWEST_PER_FASTEST} times the fastest per delta ({ratio:.2}): {holds}"
    )?;
    let holds = verdict(silent <= ALLOCATIONS_PER_SILENT_DELTA);
    writeln!(
        out,
        "bound: allocations per silent delta at most {ALLOCATIONS_PER_SILENT_DELTA} ({silent:.5}): {holds}"
    )
}

/// One response, made beforehand so that only the processing is measured.
struct Stream {
    events: Vec<StreamEventEnvelope>,
    deltas: usize,
}

impl Stream {
    fn new(items: usize, deltas: usize) -> Self {
        let mut events = vec![event(EventPayload::ResponseStart {
            model_id: "m".into(),
            provider_id: "p".into(),
        })];
        for item in 0..items {
            events.extend(whole_item(&format!("turn-1:1:{item}"), deltas));
        }
        let done = ResponseDone {
            status: ResponseStatus::Completed,
            finish_reason: None,
            error: None,
            usage: None,
        };
        events.push(event(EventPayload::ResponseDone(done)));
        Self { events, deltas: items * deltas }
    }

    /// As a driver does it: process, take what came out, look at the deadline.
    fn process(&self) {
        let mut processor = UpsertProcessor::default();
        for (now, event) in clock().zip(&self.events) {
            processor.process(event, now);
            if processor.poll_timeout().is_some_and(|deadline| deadline <= now.moment) {
                processor.handle_timeout(now);
            }
            while let Some(emission) = processor.poll_emission() {
                black_box(emission);
            }
        }
    }

    /// The simplest way: the whole text is counted on every delta, and copied to be shown.
    fn recount(&self) {
        let mut content = String::new();
        let mut shown = 0;
        for event in &self.events {
            match &event.payload {
                EventPayload::ItemStart { .. } => (content, shown) = (String::new(), 0),
                EventPayload::ItemDelta { delta_content, .. } => {
                    content.push_str(delta_content);
                    let words = content.split_whitespace().count();
                    if words - shown > 120 {
                        shown = words;
                        black_box(content.clone());
                    }
                }
                _ => {}
            }
        }
    }
}

fn whole_item(item: &str, deltas: usize) -> Vec<StreamEventEnvelope> {
    let start = ItemStart::Message { initial_content: None };
    let words: Vec<String> = (0..deltas).map(|n| format!("w{} ", n % 1000)).collect();
    let final_item = FinalItem::Message { content: words.concat(), origin: MessageOrigin::Agent };
    let deltas = words
        .into_iter()
        .map(|word| EventPayload::ItemDelta { item_id: item.into(), delta_content: word });
    std::iter::once(EventPayload::ItemStart { item_id: item.into(), start })
        .chain(deltas)
        .chain([EventPayload::ItemDone { item_id: item.into(), final_item }])
        .map(event)
        .collect()
}

fn event(payload: EventPayload) -> StreamEventEnvelope {
    StreamEventEnvelope {
        event_id: "event".into(),
        timestamp: Timestamp::from_millis(0),
        turn_id: "turn-1".into(),
        session_id: "session-1".into(),
        payload,
    }
}

/// A hundred deltas a second.
fn clock() -> impl Iterator<Item = Now> {
    (0..)
        .map(|tick| Now { moment: Moment::from_millis(tick * 10), wall: Timestamp::from_millis(0) })
}

/// Nanoseconds per delta of each stream; the rounds are interleaved, so that a busy machine hits all alike.
fn median_nanos(streams: &[Stream], run: impl Fn(&Stream)) -> Vec<f64> {
    let mut rounds = vec![Vec::new(); streams.len()];
    for _ in 0..ROUNDS {
        for (stream, costs) in streams.iter().zip(&mut rounds) {
            costs.push(time(|| run(stream)).as_secs_f64() * 1e9 / stream.deltas as f64);
        }
    }
    rounds
        .into_iter()
        .map(|mut costs| {
            costs.sort_by(f64::total_cmp);
            costs[costs.len() / 2]
        })
        .collect()
}

#[expect(
    clippy::disallowed_methods,
    reason = "a benchmark reads the clock; the crate it measures does not"
)]
fn time(run: impl FnOnce()) -> Duration {
    let start = Instant::now();
    run();
    start.elapsed()
}

/// One long item that is never due and never overdue: what is allocated is only the growth of its buffer.
fn allocations_per_silent_delta() -> f64 {
    let stream = Stream::new(1, 200_000);
    let never = Pace::Idle(Duration::from_secs(1_000_000));
    let mut processor = UpsertProcessor::new(BatchGradient::new(&[usize::MAX]), never);
    let (start, deltas) = stream.events.split_at(2);
    for (now, event) in clock().zip(start) {
        processor.process(event, now);
    }
    while processor.poll_emission().is_some() {}
    let measured = allocation_counter::measure(|| {
        for (now, event) in clock().zip(&deltas[..stream.deltas]) {
            processor.process(event, now);
        }
    });
    assert!(processor.poll_emission().is_none(), "no delta was due");
    measured.count_total as f64 / stream.deltas as f64
}
