//! The compatibility gateway: which family a connection speaks, and how each publication reads in it.
//!
//! Invariant: the first negotiation holds for the life of a connection, and everything it is told is of that family.

use bytes::Bytes;
use contract::{
    Epoch, Family, RequestId, Seq, ServerMessage, SessionId, StreamProtocol, TextDelta,
};
use serde::Serialize;
use session::{Encodings, Growth, OutboxEntry, Publication};
use tokio_tungstenite::tungstenite::Utf8Bytes;

use super::legacy;
use super::sent_items::{Sent, SentItems};
use super::upserts;

#[derive(Debug)]
pub(super) struct CompatibilityGateway {
    /// The family of whoever asks for none that we know.
    default: Family,
    dialect: Option<Dialect>,
}

/// A family with what it has to remember.
#[derive(Debug)]
enum Dialect {
    Whole,
    Growth(SentItems),
    Legacy(SentItems),
}

impl CompatibilityGateway {
    /// While the compatibility window is open, whoever does not ask for a family gets the legacy one.
    pub(super) fn new(legacy_window: bool) -> Self {
        let default = if legacy_window { Family::Legacy } else { Family::UpsertV1 };
        Self { default, dialect: None }
    }

    /// Chooses once; a second hello is told the first choice.
    pub(super) fn negotiate(&mut self, asked: Option<&StreamProtocol>) -> Family {
        let family = match asked {
            Some(StreamProtocol::UpsertV1) => Family::UpsertV1,
            Some(StreamProtocol::UpsertV2) => Family::UpsertV2,
            Some(StreamProtocol::Unknown(_)) | None => self.default,
        };
        let chosen = self.dialect.get_or_insert_with(|| match family {
            Family::UpsertV1 => Dialect::Whole,
            Family::UpsertV2 => Dialect::Growth(SentItems::default()),
            Family::Legacy => Dialect::Legacy(SentItems::default()),
        });
        match chosen {
            Dialect::Whole => Family::UpsertV1,
            Dialect::Growth(_) => Family::UpsertV2,
            Dialect::Legacy(_) => Family::Legacy,
        }
    }

    pub(super) fn has_negotiated(&self) -> bool {
        self.dialect.is_some()
    }

    /// From where on a client can be told a session. A legacy one cannot go on from anywhere: a history replaces all it has.
    pub(super) fn place(&self, from: Option<(Epoch, Seq)>) -> Option<(Epoch, Seq)> {
        from.filter(|_| !matches!(self.dialect, Some(Dialect::Legacy(_))))
    }

    /// The connection closed a session.
    pub(super) fn forget(&mut self, session: &SessionId) {
        match &mut self.dialect {
            Some(Dialect::Growth(sent) | Dialect::Legacy(sent)) => sent.forget(session),
            Some(Dialect::Whole) | None => {}
        }
    }

    /// What is sent for an entry, in order. Legacy clients are told some things in several messages and some not at all.
    pub(super) fn frames(&mut self, entry: &OutboxEntry) -> Vec<Utf8Bytes> {
        match &mut self.dialect {
            Some(Dialect::Whole) | None => vec![text(whole(entry))],
            Some(Dialect::Growth(sent)) => vec![text(told_by_growth(entry, sent))],
            Some(Dialect::Legacy(sent)) => {
                let frames = told_to_legacy(entry, sent);
                legacy::note(&entry.publication, sent);
                frames.into_iter().map(text).collect()
            }
        }
    }
}

/// What a legacy client is told that was told `sent`. An answer is for one connection only, and named in its first message.
fn told_to_legacy(entry: &OutboxEntry, sent: &SentItems) -> Vec<Bytes> {
    let encoded = || {
        let first = entry.request_id.iter().cloned().map(Some).chain(std::iter::repeat(None));
        let messages = legacy::messages(&entry.publication, sent).into_iter().zip(first);
        messages.map(|(message, id)| encode(id, message).into()).collect()
    };
    match legacy::since(&entry.publication, sent).filter(|_| entry.request_id.is_none()) {
        Some(since) => entry.encodings.legacy(since, encoded),
        None => encoded(),
    }
}

/// What a publication reads as where items are told whole. An answer is for one connection only.
fn whole(entry: &OutboxEntry) -> Bytes {
    let message = || upserts::message(&entry.publication);
    match &entry.request_id {
        Some(id) => encode(Some(id.clone()), message()).into(),
        None => entry.encodings.whole(|| encode(None, message()).into()),
    }
}

/// The same, but text that grew as what is new of it.
fn told_by_growth(entry: &OutboxEntry, sent: &mut SentItems) -> Bytes {
    let Publication::Upsert(item) = &entry.publication else {
        if let Publication::History(history) = &entry.publication {
            sent.note_history(history);
        }
        return whole(entry);
    };
    let grown = sent.last(item).and_then(|last| {
        let growth = growth(last, item, &entry.encodings)?;
        Some((last.units + growth.units, growth.bytes))
    });
    let (note, bytes) = match grown {
        Some((units, bytes)) => (Sent { item: item.clone(), units }, bytes),
        None => (Sent::new(item.clone()), whole(entry)),
    };
    sent.note(note);
    bytes
}

fn growth(last: &Sent, item: &contract::UpsertObject, encodings: &Encodings) -> Option<Growth> {
    let since = last.item.seq?;
    encodings.growth(since, || {
        let delta = TextDelta::between(&last.item, item, last.units)?;
        let units = delta.units();
        Some(Growth { since, units, bytes: encode(None, ServerMessage::Delta(delta)).into() })
    })
}

/// What we encode is text; checking it again is cheap.
fn text(bytes: Bytes) -> Utf8Bytes {
    Utf8Bytes::try_from(bytes).unwrap_or_else(|_| Utf8Bytes::from_static(UNWRITABLE))
}

const UNWRITABLE: &str =
    r#"{"type":"error","code":"INTERNAL_ERROR","message":"a message could not be written"}"#;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Frame<T> {
    #[serde(skip_serializing_if = "Option::is_none")]
    request_id: Option<RequestId>,
    #[serde(flatten)]
    message: T,
}

pub(super) fn encode(request_id: Option<RequestId>, message: impl Serialize) -> String {
    serde_json::to_string(&Frame { request_id, message }).unwrap_or_else(|error| {
        tracing::error!(%error, "a message could not be written");
        UNWRITABLE.to_owned()
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use contract::{ItemStatus, MessageOrigin, UpsertBody, UpsertObject};
    use session::{Outbox, Subscriber};

    use super::*;

    fn item(seq: u64, text: &str) -> Publication {
        let body = UpsertBody::Message { content: text.into(), origin: MessageOrigin::Agent };
        let item = UpsertObject::new("t".into(), "s".into(), "i".into(), body);
        let status = if seq == 1 { ItemStatus::Create } else { ItemStatus::Update };
        Publication::Upsert(Arc::new(UpsertObject { status, seq: Some(Seq(seq)), ..item }))
    }

    fn speaking(protocol: &StreamProtocol) -> CompatibilityGateway {
        let mut gateway = CompatibilityGateway::new(true);
        gateway.negotiate(Some(protocol));
        gateway
    }

    /// What several connections are told of one publication.
    fn told(gateways: &mut [CompatibilityGateway], publication: Publication) -> Vec<Utf8Bytes> {
        let entry = OutboxEntry::new(publication);
        gateways.iter_mut().flat_map(|gateway| gateway.frames(&entry)).collect()
    }

    #[test]
    fn what_reads_the_same_is_encoded_once() {
        let mut gateways = [
            speaking(&StreamProtocol::UpsertV1),
            speaking(&StreamProtocol::UpsertV2),
            speaking(&StreamProtocol::UpsertV1),
            speaking(&StreamProtocol::UpsertV2),
        ];
        let whole = told(&mut gateways, item(1, "one"));
        assert!(whole.iter().all(|frame| frame.as_str().as_ptr() == whole[0].as_str().as_ptr()));
        let grown = told(&mut gateways, item(2, "one two"));
        let [v1, v2, again_v1, again_v2] = &grown[..] else { panic!("{grown:?}") };
        assert_eq!(v1.as_str().as_ptr(), again_v1.as_str().as_ptr());
        assert_eq!(v2.as_str().as_ptr(), again_v2.as_str().as_ptr());
        assert!(v1.contains("session:upsert") && v2.contains("session:delta"));
    }

    #[test]
    fn what_reads_the_same_to_legacy_clients_is_encoded_once() {
        let old = || speaking(&StreamProtocol::Unknown("none".to_owned()));
        let mut gateways = [old(), old(), speaking(&StreamProtocol::UpsertV1), old()];
        let address = |frame: &Utf8Bytes| frame.as_str().as_ptr();
        let mut late = old();
        for (seq, text, of_each) in [(1, "one", 2), (2, "one two", 1)] {
            let entry = OutboxEntry::new(item(seq, text));
            let frames = gateways.each_mut().map(|gateway| gateway.frames(&entry));
            let [first, second, _, third] = &frames;
            assert_eq!(first.len(), of_each, "{first:?}");
            for other in [second, third] {
                assert!(first.iter().map(address).eq(other.iter().map(address)), "{other:?}");
            }
            if seq == 2 {
                let whole = late.frames(&entry);
                assert!(whole[0].contains(r#""content":"""#), "{whole:?}");
                assert!(whole[1].contains(r#""content":"one two""#), "not only what is new");
            }
        }
    }

    #[test]
    fn a_connection_that_missed_states_is_told_what_is_new_to_it() {
        let mut gateways =
            [speaking(&StreamProtocol::UpsertV2), speaking(&StreamProtocol::UpsertV2)];
        told(&mut gateways, item(1, "one"));
        told(&mut gateways[..1], item(2, "one two"));
        let grown = told(&mut gateways, item(3, "one two three"));
        assert!(grown[0].contains(r#""offset":7,"append":" three""#), "{}", grown[0]);
        assert!(grown[1].contains(r#""offset":3,"append":" two three""#), "{}", grown[1]);
    }

    #[test]
    fn an_answer_is_for_whoever_asked() {
        let subscriber = Subscriber::new(1 << 20);
        let problem = session::Problem { session_id: "s".into(), message: "m".to_owned() };
        subscriber.answer(Publication::Problem(Arc::new(problem)), Some("r".into()));
        let entry = subscriber.with_outbox(Outbox::pop).unwrap();
        for protocol in [StreamProtocol::UpsertV1, StreamProtocol::Unknown("none".to_owned())] {
            let frames = speaking(&protocol).frames(&entry);
            assert_eq!(frames.len(), 1);
            assert!(frames[0].contains(r#""requestId":"r""#), "{}", frames[0]);
        }
    }
}
