//! Every operation that the server tells of itself, so that a promise about all of them forgets none.

use testkit::TestServer;

pub(crate) struct Operation {
    pub(crate) id: String,
    pub(crate) method: String,
    path: String,
}

/// In the order of the document, but the one that ends every credential comes last.
pub(crate) async fn operations(server: &TestServer) -> Vec<Operation> {
    let document = server.client().get("/api/openapi.json").await.json();
    let mut operations = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, told) in item.as_object().unwrap() {
            let id = told["operationId"].as_str().unwrap().to_owned();
            operations.push(Operation { id, method: method.to_uppercase(), path: path.clone() });
        }
    }
    assert!(operations.len() > 40, "the document tells nearly nothing");
    operations.sort_by_key(|operation| operation.id == "rotateCredentials");
    operations
}

/// With this in place of each of its parameters.
pub(crate) fn filled(operation: &Operation, id: &str) -> String {
    let segments = operation.path.split('/');
    let filled = segments.map(|segment| if segment.starts_with('{') { id } else { segment });
    filled.collect::<Vec<_>>().join("/")
}
