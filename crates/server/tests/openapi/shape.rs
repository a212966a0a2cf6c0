//! The document by itself: an OpenAPI document, whole and without contradiction, that tells every route.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use testkit::TestServer;

use crate::book::{Book, Operation};

const PUBLIC: [&str; 2] = ["health", "logIn"];
const LOCAL: [&str; 3] = ["createLoginLink", "createToken", "rotateCredentials"];

async fn book() -> Book {
    Book::of(&TestServer::start().await).await
}

#[tokio::test]
async fn the_document_is_openapi_3_1() {
    let rules: Value = serde_json::from_str(include_str!("openapi-3.1.schema.json")).unwrap();
    let validator = jsonschema::draft202012::new(&rules).unwrap();
    let document = book().await.document;
    let problems: Vec<_> = validator
        .iter_errors(&document)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[tokio::test]
async fn every_reference_leads_somewhere_and_nothing_is_left_over() {
    let book = book().await;
    let mut references = BTreeSet::new();
    collect_references(&book.document, &mut references);
    for reference in &references {
        book.followed(&json!({ "$ref": reference }));
    }
    for kind in ["schemas", "responses"] {
        for name in book.document["components"][kind].as_object().unwrap().keys() {
            let reference = format!("#/components/{kind}/{name}");
            assert!(references.contains(&reference), "nothing refers to {reference}");
        }
    }
}

fn collect_references(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            found.extend(members.get("$ref").and_then(Value::as_str).map(str::to_owned));
            members.values().for_each(|value| collect_references(value, found));
        }
        Value::Array(values) => values.iter().for_each(|value| collect_references(value, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[tokio::test]
async fn every_operation_has_a_name_of_its_own_and_a_known_tag() {
    let book = book().await;
    let tags = book.document["tags"].as_array().unwrap();
    let mut names = BTreeSet::new();
    let mut used = BTreeSet::new();
    for operation in book.operations() {
        assert!(names.insert(operation.id().to_owned()), "two are called {}", operation.id());
        let tag = operation.told["tags"][0].as_str().unwrap().to_owned();
        assert!(tags.iter().any(|known| known["name"] == *tag), "{}: {tag}", operation.id());
        used.insert(tag);
    }
    assert_eq!(used.len(), tags.len(), "every tag is used");
}

#[tokio::test]
async fn the_parameters_of_a_path_are_those_that_are_told() {
    for operation in book().await.operations() {
        let within = operation.path.split('{').skip(1).map(|rest| rest.split('}').next().unwrap());
        let parameters = operation.told["parameters"].as_array().cloned().unwrap_or_default();
        let told = parameters.iter().filter(|parameter| parameter["in"] == "path");
        let told = told.map(|parameter| parameter["name"].as_str().unwrap());
        assert!(within.eq(told), "{}", operation.path);
        let names: BTreeSet<_> = parameters.iter().map(|known| known["name"].as_str()).collect();
        assert_eq!(names.len(), parameters.len(), "{}", operation.path);
    }
}

#[tokio::test]
async fn every_operation_tells_one_success_and_its_errors() {
    let book = book().await;
    for operation in book.operations() {
        let answers = operation.told["responses"].as_object().unwrap();
        let successes = answers.keys().filter(|status| status.as_str() < "300").count();
        assert_eq!(successes, 1, "{}", operation.id());
        assert!(answers.contains_key("403"), "{}", operation.id());
        assert!(answers.contains_key("500"), "{}: a bug may be anywhere", operation.id());
        for (status, answer) in answers.iter().filter(|(status, _)| status.as_str() >= "400") {
            let schema = &book.followed(answer)["content"]["application/json"]["schema"];
            let of_everything = json!({"message": "no code"});
            assert!(book.check(schema, &of_everything).is_err(), "{} {status}", operation.id());
            let odd = json!({"code": "ODD", "message": "no code of ours"});
            assert!(book.check(schema, &odd).is_err(), "{} {status}", operation.id());
        }
    }
}

#[tokio::test]
async fn what_needs_a_credential_says_so_and_refuses_strangers() {
    let server = TestServer::start().await;
    let book = Book::of(&server).await;
    let both = json!([{"token": []}, {"cookie": [], "pageKey": []}]);
    for operation in book.operations() {
        let is_public = PUBLIC.contains(&operation.id());
        let is_local = LOCAL.contains(&operation.id());
        let expected = if is_public || is_local { json!([]) } else { both.clone() };
        assert_eq!(operation.told["security"], expected, "{}", operation.id());
        assert_eq!(operation.told["description"].is_string(), is_local, "{}", operation.id());
        let answer = server.stranger().request(&operation.method, &filled(&operation), b"").await;
        assert_eq!(answer.status == 401, !is_public, "{}: {}", operation.id(), answer.text());
        assert_eq!(operation.told["responses"]["401"].is_null(), operation.id() == "health");
    }
}

/// A described route that is not there would answer `NOT_FOUND` or 405; an undescribed method of a path is not there.
#[tokio::test]
async fn exactly_the_methods_that_are_told_are_there() {
    let server = TestServer::start().await;
    let book = Book::of(&server).await;
    let told: BTreeSet<_> =
        book.operations().iter().map(|known| (known.method.clone(), filled(known))).collect();
    for operation in book.operations() {
        for method in ["GET", "PUT", "POST", "DELETE", "PATCH"] {
            let path = filled(&operation);
            let answer = server.client().request(method, &path, b"").await;
            let is_there = answer.status != 405;
            assert_eq!(
                is_there,
                told.contains(&(method.to_owned(), path)),
                "{method} {}",
                operation.path
            );
            assert!(
                !is_there || !answer.text().contains("there is nothing here"),
                "{method} {}",
                operation.path
            );
        }
    }
}

/// With something in place of its parameters.
fn filled(operation: &Operation<'_>) -> String {
    let segments = operation.path.split('/');
    let filled = segments.map(|segment| if segment.starts_with('{') { "nobody" } else { segment });
    filled.collect::<Vec<_>>().join("/")
}
