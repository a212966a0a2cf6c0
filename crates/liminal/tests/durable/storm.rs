//! A server that is killed again and again, at any moment, while programs feed it and an agent works. What it answered is
//! there, once; what it never answered may be there or not.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Mutex;
use std::time::Duration;

use contract::SessionId;
use serde_json::{Value, json};
use testkit::{HttpClient, ServerProcess};

use crate::follower::Follower;
use crate::{ends, envelope, place};

/// `LIMINAL_KILLS` asks for others.
const KILLS: usize = 100;
const FOLLOWERS: usize = 20;

/// Numbers that look random and are the same every time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

/// What the server answered.
#[derive(Default)]
struct Answered {
    /// Turns that were fed whole.
    turns: Vec<String>,
    /// Messages by their ids, with the turns they were given.
    sends: HashMap<String, String>,
}

/// A whole turn in one request.
fn turn(session: &SessionId, turn: &str) -> String {
    let say = |payload: Value| envelope(session, turn, &payload);
    let item = format!("{turn}-item");
    let done = json!({"type": "message", "content": format!("said in {turn}"), "origin": "agent"});
    [
        say(json!({"type": "response_start", "modelId": "m", "providerId": "p"})),
        say(json!({"type": "item_start", "itemId": item, "itemType": "message", "initialContent": "said"})),
        say(json!({"type": "item_done", "itemId": item, "finalItem": done})),
        say(json!({"type": "response_done", "status": "completed"})),
    ]
    .concat()
}

async fn feed(client: HttpClient, session: &SessionId, round: usize, answered: &Mutex<Answered>) {
    let client = client.with_header("Content-Type", "application/x-ndjson");
    for n in 0.. {
        let name = format!("r{round}-t{n}");
        let body = turn(session, &name);
        let path = format!("/api/session/{session}/events");
        let Some(answer) = client.try_request("POST", &path, body.as_bytes()).await else { return };
        assert_eq!(answer.status, 200, "{}", answer.text());
        answered.lock().unwrap().turns.push(name);
    }
}

async fn send(client: HttpClient, session: &SessionId, round: usize, answered: &Mutex<Answered>) {
    let client = client.with_header("Content-Type", "application/json");
    for n in 0..6 {
        let id = format!("r{round}-m{n}");
        let body = json!({"content": format!("help {id}"), "clientMessageId": id}).to_string();
        let path = format!("/api/session/{session}/send");
        let Some(answer) = client.try_request("POST", &path, body.as_bytes()).await else { return };
        assert_eq!(answer.status, 202, "{}", answer.text());
        let turn = answer.json()["turnId"].as_str().unwrap().to_owned();
        answered.lock().unwrap().sends.insert(id, turn);
        tokio::time::sleep(Duration::from_millis(30)).await;
    }
}

/// Makes room for the messages of a round: what the one before left waits, and a full queue takes no more.
async fn remove_queued(server: &ServerProcess, session: &SessionId) {
    let status = server.get(&format!("/api/session/{session}/status")).await;
    for turn in status["queued"].as_array().unwrap() {
        let body = json!({"turnId": turn["turnId"]});
        let removed =
            server.client().post_json(&format!("/api/session/{session}/cancel"), &body).await;
        assert_eq!(removed.json()["cancelled"], true, "{}", removed.text());
    }
}

/// The whole history, page by page, as a client reads it that knows nothing.
async fn whole(server: &ServerProcess, session: &SessionId) -> Value {
    let mut page = server.history(session).await;
    let (mut entries, mut turns) = (page["entries"].clone(), page["turns"].clone());
    while page["more"] == true {
        let before = &page["entries"][0]["position"];
        page =
            server.get(&format!("/api/session/{session}/history?limit=500&before={before}")).await;
        entries = joined(&page["entries"], &entries);
        turns = joined(&page["turns"], &turns);
    }
    json!({"entries": entries, "turns": turns, "epoch": page["epoch"]})
}

/// The events of a turn stand on every page that shows an item of it.
fn joined(older: &Value, newer: &Value) -> Value {
    let mut by_seq: BTreeMap<u64, &Value> = BTreeMap::new();
    for change in older.as_array().unwrap().iter().chain(newer.as_array().unwrap()) {
        let before = by_seq.insert(change["seq"].as_u64().unwrap(), change);
        assert!(
            before.is_none_or(|before| before == change),
            "a number has two meanings: {change}"
        );
    }
    by_seq.into_values().cloned().collect()
}

#[tokio::test]
async fn whatever_was_answered_outlives_any_number_of_kills() {
    let kills = std::env::var("LIMINAL_KILLS").ok().and_then(|text| text.parse().ok());
    let kills: usize = kills.unwrap_or(KILLS);
    let place = place();
    let server = place.start();
    let fed = server.create(&place, "external").await;
    let prompted = server.create(&place, "demo").await;
    let epoch = server.history(&fed).await["epoch"].clone();
    drop(server);

    let mut dice = Dice(7);
    let answered = Mutex::new(Answered::default());
    // Connections that go on from where they were, with every start: of both sessions, in both families.
    let mut followers: Vec<_> = (0..FOLLOWERS)
        .map(|n| Follower::new([&fed, &prompted][n % 2], ["upsert-v2", "upsert-v1"][n / 2 % 2]))
        .collect();
    for round in 0..kills {
        if dice.below(4) == 0 {
            place.start_and_kill(Duration::from_millis(dice.below(120))).await;
        }
        let server = place.start();
        let load = server.client().post(&format!("/api/session/{fed}/load")).await;
        assert_eq!(load.status, 200, "{}", load.text());
        remove_queued(&server, &prompted).await;
        let (client, life) = (server.client(), Duration::from_millis(20 + dice.below(500)));
        let (port, token) = (server.port(), server.token().to_owned());
        let following = followers.iter_mut().map(|follower| follower.follow(port, &token));
        tokio::join!(
            feed(client.clone(), &fed, round, &answered),
            send(client, &prompted, round, &answered),
            futures_util::future::join_all(following),
            async {
                tokio::time::sleep(life).await;
                server.kill();
            },
        );
    }
    let answered = answered.into_inner().unwrap();
    assert!(answered.turns.len() > kills, "{} turns were fed", answered.turns.len());
    let server = place.start();
    for follower in &mut followers {
        follower.catch_up(&server).await;
    }
    let (fed, prompted) = (whole(&server, &fed).await, whole(&server, &prompted).await);
    for (n, follower) in followers.iter().enumerate() {
        follower.shows([&fed, &prompted][n % 2]);
    }
    assert_eq!(fed["epoch"], epoch);
    check_turns(&fed);
    check_turns(&prompted);
    answered.is_there(&fed, &prompted);
    drop(server);
    place.nothing_runs().await;
}

impl Answered {
    fn is_there(&self, fed: &Value, prompted: &Value) {
        let contents: HashSet<_> =
            items(fed).map(|item| item["content"].as_str().unwrap()).collect();
        for turn in &self.turns {
            assert!(contents.contains(format!("said in {turn}").as_str()), "{turn} was answered");
        }
        let mut said: HashMap<&str, Vec<&str>> = HashMap::new();
        for item in items(prompted).filter(|item| item["origin"] == "user") {
            said.entry(item["content"].as_str().unwrap())
                .or_default()
                .push(item["turnId"].as_str().unwrap());
        }
        for (id, turn) in &self.sends {
            assert_eq!(said.get(format!("help {id}").as_str()), Some(&vec![turn.as_str()]), "{id}");
        }
        let (turns, sends) = (self.turns.len(), self.sends.len());
        println!("{turns} turns and {sends} messages answered, all there");
    }
}

fn items(history: &Value) -> impl Iterator<Item = &Value> {
    history["entries"].as_array().unwrap().iter()
}

/// Numbers go up and stand for one change each, what has started has ended once, and nothing is left open.
fn check_turns(history: &Value) {
    let mut seqs = HashSet::new();
    for change in items(history).chain(history["turns"].as_array().unwrap()) {
        assert!(seqs.insert(change["seq"].as_u64().unwrap()), "twice: {change}");
    }
    let mut ended = HashMap::new();
    for (turn, _) in ends(history) {
        *ended.entry(turn).or_insert(0) += 1;
    }
    assert!(ended.values().all(|count| *count == 1), "{ended:?}");
    let started = history["turns"].as_array().unwrap().iter();
    for start in started.filter(|event| event["type"] == "turn_started") {
        assert!(ended.contains_key(start["turnId"].as_str().unwrap()), "never ended: {start}");
    }
    let is_open = |item: &&Value| item["status"] == "create" || item["status"] == "update";
    assert_eq!(items(history).find(is_open), None);
}
