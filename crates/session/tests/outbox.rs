//! What one connection is sent: in order, without loss of what counts, within a bound.
#![cfg(test)]
#![expect(clippy::wildcard_enum_match_arm, reason = "a test names the variants it is about")]

use std::collections::HashMap;
use std::sync::Arc;

use contract::{HistoryMode, HistoryPage, ItemStatus, Seq, SessionId, UpsertObject};
use proptest::prelude::*;
use session::{History, Outbox, Publication};
use testkit::Sample;

fn session() -> SessionId {
    "session".into()
}

fn upsert(item: &str, seq: u64, text: &str) -> Publication {
    let upsert = Sample::new(&session(), "turn").message(item, ItemStatus::Update, text);
    Publication::Upsert(Arc::new(UpsertObject { seq: Some(Seq(seq)), ..upsert }))
}

fn turn(seq: u64) -> Publication {
    let mut event = Sample::new(&session(), "turn").started();
    event.seq = Some(Seq(seq));
    Publication::Turn(Arc::new(event))
}

fn history(seq: u64) -> Publication {
    let page = HistoryPage {
        epoch: "epoch".into(),
        seq: Seq(seq),
        entries: Vec::new(),
        turns: Vec::new(),
        more: false,
    };
    Publication::History(Arc::new(History {
        session_id: session(),
        mode: HistoryMode::Full,
        resync: false,
        page,
    }))
}

fn opened(bound: usize) -> Outbox {
    let mut outbox = Outbox::new(bound);
    outbox.open(&session());
    outbox.push(history(0), None);
    outbox.pop().unwrap();
    outbox
}

fn seq(publication: &Publication) -> u64 {
    match publication {
        Publication::Upsert(upsert) => upsert.seq.unwrap().0,
        Publication::Turn(event) => event.seq.unwrap().0,
        Publication::History(history) => history.page.seq.0,
        other => panic!("of a stream: {other:?}"),
    }
}

fn drain(outbox: &mut Outbox) -> Vec<u64> {
    std::iter::from_fn(|| outbox.pop()).map(|entry| seq(&entry.publication)).collect()
}

#[test]
fn a_newer_state_replaces_an_unsent_one_and_moves_to_the_tail() {
    let mut outbox = opened(1 << 20);
    for publication in [upsert("a", 1, "x"), turn(2), upsert("b", 3, "y"), upsert("a", 4, "x y")] {
        outbox.push(publication, None);
    }
    assert_eq!(drain(&mut outbox), [2, 3, 4]);
}

#[test]
fn nothing_is_sent_before_the_history_it_builds_on() {
    let mut outbox = Outbox::new(1 << 20);
    outbox.push(upsert("a", 1, "not opened"), None);
    outbox.open(&session());
    outbox.push(upsert("a", 2, "before the history"), None);
    outbox.push(history(2), None);
    outbox.push(upsert("a", 3, "after"), None);
    assert_eq!(drain(&mut outbox), [2, 3]);
    outbox.push(upsert("a", 4, "waiting"), None);
    outbox.close(&session());
    outbox.push(upsert("a", 5, "closed"), None);
    assert!(outbox.is_empty());
}

#[test]
fn past_the_bound_everything_is_told_again_from_where_the_connection_stood() {
    let mut outbox = opened(4096);
    outbox.push(upsert("a", 1, "short"), None);
    assert_eq!(drain(&mut outbox), [1]);
    outbox.push(turn(2), None);
    outbox.push(upsert("b", 3, &"long ".repeat(2000)), None);
    assert!(outbox.is_empty());
    outbox.push(turn(4), None);
    assert!(outbox.is_empty(), "dropped until it is told again");
    let resync = outbox.take_resync().unwrap();
    assert_eq!(resync.from, Some(("epoch".into(), Seq(1))), "from the last that was sent");
    assert!(outbox.take_resync().is_none());
    outbox.push(turn(5), None);
    outbox.push(history(5), None);
    outbox.push(turn(6), None);
    assert_eq!(drain(&mut outbox), [5, 6]);
}

#[test]
fn what_every_connection_is_told_survives_an_overflow() {
    let mut outbox = opened(1000);
    let request = Arc::new(Sample::new(&session(), "turn").permission("p"));
    outbox.push(Publication::PermissionRequested(request.clone()), None);
    outbox.push(turn(1), None);
    outbox.push(turn(2), None);
    outbox.push(Publication::PermissionResolved(request), None);
    let kinds: Vec<_> =
        std::iter::from_fn(|| outbox.pop()).map(|entry| entry.publication).collect();
    assert!(
        matches!(
            kinds[..],
            [Publication::PermissionRequested(_), Publication::PermissionResolved(_)]
        ),
        "{kinds:?}"
    );
    assert!(outbox.take_resync().is_some());
}

#[test]
fn one_entry_may_be_larger_than_the_bound() {
    let mut outbox = opened(1000);
    outbox.push(upsert("a", 1, &"x".repeat(5000)), None);
    assert_eq!(drain(&mut outbox), [1]);
    assert!(outbox.take_resync().is_none());
}

/// A history with one item of so many bytes.
fn long_history(seq: u64, bytes: usize) -> Publication {
    let item =
        Sample::new(&session(), "turn").message("a", ItemStatus::Complete, &"x".repeat(bytes));
    let Publication::History(history) = history(seq) else { panic!("a history") };
    let mut history = (*history).clone();
    history.page.entries.push(UpsertObject { seq: Some(Seq(seq)), ..item });
    Publication::History(Arc::new(history))
}

#[test]
fn what_follows_a_history_of_any_length_does_not_push_it_out() {
    let mut outbox = Outbox::new(10_000);
    outbox.open(&session());
    outbox.push(long_history(1, 20_000), None);
    outbox.push(turn(2), None);
    outbox.push(upsert("b", 3, &"y".repeat(5000)), None);
    assert_eq!(drain(&mut outbox), [1, 2, 3]);
    assert!(outbox.take_resync().is_none());
}

#[test]
fn histories_that_nobody_takes_have_the_same_bound() {
    let mut outbox = Outbox::new(10_000);
    outbox.open(&session());
    outbox.push(long_history(1, 9000), None);
    outbox.push(long_history(2, 9000), None);
    assert!(outbox.is_empty());
    assert!(outbox.take_resync().is_some());
}

#[test]
fn an_answer_that_is_pushed_out_is_given_with_what_is_told_instead() {
    for breaks_off in [false, true] {
        let mut outbox = Outbox::new(4096);
        outbox.open(&session());
        outbox.push(history(1), Some("r".into()));
        if breaks_off {
            outbox.lose(&session());
        } else {
            outbox.push(turn(2), None);
            outbox.push(upsert("b", 3, &"long ".repeat(2000)), None);
        }
        assert!(outbox.is_empty());
        let resync = outbox.take_resync().unwrap();
        assert_eq!(resync.request_id, Some("r".into()), "{breaks_off}");
        outbox.push(history(3), resync.request_id);
        assert_eq!(outbox.pop().unwrap().request_id, Some("r".into()));
        outbox.lose(&session());
        assert_eq!(outbox.take_resync().unwrap().request_id, None, "it is given once");
    }
}

#[test]
fn a_lost_session_is_told_again_also_while_another_one_never_pauses() {
    let mut outbox = opened(4096);
    let quiet = SessionId::from("quiet");
    outbox.open(&quiet);
    outbox.lose(&quiet);
    outbox.push(turn(2), None);
    let resync = outbox.take_resync().map(|resync| resync.session_id);
    assert_eq!(resync, Some(quiet), "what the other says is not waited for");
    assert_eq!(drain(&mut outbox), [2]);
}

#[test]
fn a_connection_that_was_given_up_holds_nothing() {
    let mut outbox = opened(1000);
    let request = Arc::new(Sample::new(&session(), "turn").permission("p"));
    let asked = || Publication::PermissionRequested(request.clone());
    while !outbox.is_hopeless() {
        outbox.push(asked(), None);
    }
    outbox.push(asked(), None);
    outbox.push(turn(1), None);
    assert!(outbox.is_empty() && outbox.is_hopeless());
}

#[test]
fn a_connection_that_takes_nothing_is_given_up_in_the_end() {
    let mut outbox = opened(1000);
    let request = Arc::new(Sample::new(&session(), "turn").permission("p"));
    for _ in 0..100_000 {
        outbox.push(Publication::PermissionRequested(request.clone()), None);
    }
    assert!(outbox.is_hopeless());
}

#[test]
fn a_stream_that_breaks_off_is_told_again() {
    let mut outbox = opened(1 << 20);
    outbox.push(turn(1), None);
    outbox.lose(&session());
    outbox.push(turn(2), None);
    assert!(outbox.is_empty());
    assert!(outbox.take_resync().is_some());
}

#[derive(Clone, Debug)]
enum Step {
    Upsert(usize, usize),
    Turn,
    Pop,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => (0..4_usize, 0..3000_usize).prop_map(|(item, length)| Step::Upsert(item, length)),
        1 => Just(Step::Turn),
        3 => Just(Step::Pop),
    ];
    proptest::collection::vec(step, 0..200)
}

proptest! {
    /// A connection that reads when it likes ends with the same view as the journal.
    #[test]
    fn a_reader_of_any_speed_ends_with_the_newest_state(steps in steps()) {
        let items = ["a", "b", "c", "d"];
        let mut outbox = opened(10_000);
        let mut journal: HashMap<String, u64> = HashMap::new();
        let mut turns = Vec::new();
        let mut view: HashMap<String, u64> = HashMap::new();
        let (mut seen_turns, mut head, mut last) = (Vec::new(), 0, 0);
        let mut read = |outbox: &mut Outbox, journal: &HashMap<String, u64>, turns: &Vec<u64>, head: u64| {
            if outbox.take_resync().is_some() {
                // What the journal tells: everything, as of now.
                outbox.push(history(head), None);
            }
            let Some(entry) = outbox.pop() else { return Ok(false) };
            let seq = seq(&entry.publication);
            prop_assert!(seq >= last, "{} after {}", seq, last);
            last = seq;
            match entry.publication {
                Publication::Upsert(upsert) => { view.insert(upsert.item_id.to_string(), seq); }
                Publication::Turn(_) => seen_turns.push(seq),
                Publication::History(_) => {
                    // The history stands for all that was committed when it was pushed.
                    view.extend(journal.iter().filter(|(_, at)| **at <= seq).map(|(item, at)| (item.clone(), *at)));
                    seen_turns = turns.iter().copied().filter(|at| *at <= seq).collect();
                }
                other => panic!("of a stream: {other:?}"),
            }
            Ok(true)
        };
        for step in steps {
            match step {
                Step::Upsert(item, length) => {
                    head += 1;
                    journal.insert(items[item].to_owned(), head);
                    outbox.push(upsert(items[item], head, &"x".repeat(length)), None);
                }
                Step::Turn => {
                    head += 1;
                    turns.push(head);
                    outbox.push(turn(head), None);
                }
                Step::Pop => { read(&mut outbox, &journal, &turns, head)?; }
            }
        }
        while read(&mut outbox, &journal, &turns, head)? {}
        prop_assert_eq!(view, journal);
        prop_assert_eq!(seen_turns, turns);
    }
}
