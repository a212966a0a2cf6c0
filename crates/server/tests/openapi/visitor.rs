//! A client that goes by the document, and holds the server to it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

use serde_json::Value;
use testkit::{HttpClient, HttpResponse, TestServer};

use crate::book::Book;

pub(crate) struct Visitor {
    pub(crate) server: TestServer,
    book: Book,
    /// Operations that were seen to succeed, and to be refused.
    seen: Mutex<BTreeMap<bool, BTreeSet<String>>>,
}

/// What is asked for, beside the operation.
#[derive(Clone, Copy, Default)]
pub(crate) struct Asked<'a> {
    /// The parameters of the path, in its order.
    pub(crate) at: &'a [&'a str],
    /// With its names.
    pub(crate) query: &'a str,
    pub(crate) body: Option<&'a Value>,
}

/// Asks for what is at these places.
pub(crate) fn at<'a>(at: &'a [&'a str]) -> Asked<'a> {
    Asked { at, ..Asked::default() }
}

impl<'a> Asked<'a> {
    pub(crate) fn query(self, query: &'a str) -> Self {
        Self { query, ..self }
    }

    pub(crate) fn body(self, body: &'a Value) -> Self {
        Self { body: Some(body), ..self }
    }
}

impl Visitor {
    pub(crate) async fn new() -> Self {
        let server = TestServer::start().await;
        let book = Book::of(&server).await;
        Self { server, book, seen: Mutex::default() }
    }

    /// Does what the operation is for.
    pub(crate) async fn succeed(&self, id: &str, asked: Asked<'_>) -> HttpResponse {
        let client = self.server.client();
        self.succeed_as(&client, id, asked).await
    }

    pub(crate) async fn succeed_as(
        &self,
        client: &HttpClient,
        id: &str,
        asked: Asked<'_>,
    ) -> HttpResponse {
        self.check_query(id, asked.query);
        match asked.body {
            Some(body) => {
                self.book.check_body(id, body).unwrap_or_else(|why| panic!("{id} is sent {why}"));
            }
            None => assert!(
                self.book.operation(id).told["requestBody"]["required"] != true,
                "{id} needs a body"
            ),
        }
        let answer = self.ask(client, id, asked).await;
        assert!(answer.status < 300, "{id}: {} {}", answer.status, answer.text());
        self.note(id, &answer);
        answer
    }

    /// Is refused, and told why in the way that is promised.
    pub(crate) async fn refused(&self, id: &str, asked: Asked<'_>, expected: (u16, &str)) {
        let client = self.server.client();
        self.refused_as(&client, id, asked, expected).await;
    }

    pub(crate) async fn refused_as(
        &self,
        client: &HttpClient,
        id: &str,
        asked: Asked<'_>,
        (status, code): (u16, &str),
    ) {
        let answer = self.ask(client, id, asked).await;
        assert_eq!(answer.error(), (status, code.to_owned()), "{id}: {}", answer.text());
        self.note(id, &answer);
    }

    /// An answer that came another way.
    pub(crate) fn note(&self, id: &str, answer: &HttpResponse) {
        let checked = self.book.check_answer(id, answer);
        checked.unwrap_or_else(|why| panic!("{id} answers {}: {why}", answer.status));
        let is_success = answer.status < 300;
        self.seen.lock().unwrap().entry(is_success).or_default().insert(id.to_owned());
    }

    pub(crate) fn assert_saw_everything(&self) {
        let seen = self.seen.lock().unwrap();
        for operation in self.book.operations() {
            for (is_success, what) in [(true, "succeed"), (false, "be refused")] {
                let seen = seen.get(&is_success).is_some_and(|seen| seen.contains(operation.id()));
                assert!(seen, "{} was not seen to {what}: add it to exercises/", operation.id());
            }
        }
    }

    fn check_query(&self, id: &str, query: &str) {
        let parameters = self.book.operation(id).told["parameters"].as_array().cloned();
        let parameters = parameters.unwrap_or_default();
        let known = parameters.iter().filter(|parameter| parameter["in"] == "query");
        let sent: Vec<_> = query.split('&').filter_map(|pair| pair.split('=').next()).collect();
        for parameter in known.clone().filter(|parameter| parameter["required"] == true) {
            assert!(sent.contains(&parameter["name"].as_str().unwrap()), "{id} needs {parameter}");
        }
        for name in sent.into_iter().filter(|name| !name.is_empty()) {
            assert!(known.clone().any(|known| known["name"] == name), "{id} takes no {name}");
        }
    }

    async fn ask(&self, client: &HttpClient, id: &str, asked: Asked<'_>) -> HttpResponse {
        let operation = self.book.operation(id);
        let mut path = String::new();
        let mut parts = asked.at.iter();
        for segment in operation.path.split('/').skip(1) {
            path.push('/');
            let is_parameter = segment.starts_with('{');
            path.push_str(if is_parameter { parts.next().expect(id) } else { segment });
        }
        assert_eq!(parts.next(), None, "{id} has fewer parameters");
        if !asked.query.is_empty() {
            path = format!("{path}?{}", asked.query);
        }
        let kind = operation.told["requestBody"]["content"].as_object();
        let kind = kind.and_then(|content| content.keys().next().cloned()).unwrap_or_default();
        let client = client.clone().with_header("Content-Type", &kind);
        let body = asked.body.map(Value::to_string).unwrap_or_default();
        client.request(&operation.method, &path, body.as_bytes()).await
    }
}
