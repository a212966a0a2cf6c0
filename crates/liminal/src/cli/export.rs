//! `liminal export`: the whole session, for people or for programs.

use contract::{HistoryPage, TurnEvent, UpsertObject};
use serde_json::json;

use super::arguments::SessionOptions;
use super::client::{Client, segment};
use super::{json_line, print, transcript};

pub(crate) async fn export(options: SessionOptions) -> anyhow::Result<()> {
    let client = options.place.client()?;
    let Everything { items, turns } = everything(&client, &options.id).await?;
    let mut turns = turns.iter().peekable();
    let tell_turn = |event: &TurnEvent| match (options.place.json, transcript::turn(event)) {
        (true, _) => print(&json_line(&json!({"kind": "turn", "payload": event}))?),
        (false, Some(words)) => print(&format!("{words}\n")),
        (false, None) => Ok(()),
    };
    for item in &items {
        while let Some(event) = turns.next_if(|event| event.seq < item.position) {
            tell_turn(event)?;
        }
        match (options.place.json, transcript::item(item)) {
            (true, _) => print(&json_line(&json!({"kind": "item", "payload": item}))?)?,
            (false, Some(words)) => print(&format!("{words}\n"))?,
            (false, None) => {}
        }
    }
    turns.try_for_each(tell_turn)
}

struct Everything {
    items: Vec<UpsertObject>,
    turns: Vec<TurnEvent>,
}

/// Page by page, the newest first; items by when they began.
async fn everything(client: &Client, session: &str) -> anyhow::Result<Everything> {
    let path = format!("/api/session/{}/history?limit=500", segment(session));
    let mut page: HistoryPage = client.get(&path).await?;
    let (mut items, mut turns) = (page.entries, page.turns);
    while page.more {
        let Some(position) = items.first().and_then(|item| item.position) else { break };
        page = client.get(&format!("{path}&before={}", position.0)).await?;
        items.splice(..0, std::mem::take(&mut page.entries));
        turns.splice(..0, std::mem::take(&mut page.turns));
    }
    // Pages overlap in the turns that they need.
    turns.sort_by_key(|event| event.seq);
    turns.dedup_by_key(|event| event.seq);
    Ok(Everything { items, turns })
}
