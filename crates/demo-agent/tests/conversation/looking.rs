//! What it says and how it looks at files.

use serde_json::{Value, json};

use crate::support::{Place, calls, said, shown, text_of};

#[tokio::test]
async fn it_says_what_it_can_do() {
    let place = Place::new();
    let ended = place.talk(async |mut talk| {
        let introduction = serde_json::to_value(&talk.introduction).unwrap();
        assert_eq!(introduction["protocolVersion"], 1);
        assert_eq!(introduction["agentInfo"]["name"], "liminal-demo-agent");
        assert_eq!(introduction["authMethods"], json!([]));
        let capabilities = &introduction["agentCapabilities"];
        assert_eq!(capabilities["loadSession"], true);
        for method in ["list", "resume", "close"] {
            assert!(capabilities["sessionCapabilities"][method].is_object(), "{method}");
        }
        let session = talk.try_new_session(&place.project()).await.unwrap();
        assert!(!session.0.is_empty());
        let commands = talk.update().await;
        let names = commands["availableCommands"].as_array().unwrap();
        assert!(names.iter().any(|command| command["name"] == "demo"));
    });
    ended.await.unwrap();
}

#[tokio::test]
async fn a_session_needs_a_directory() {
    let place = Place::new();
    let ended = place.talk(async |talk| {
        for cwd in
            [place.project().join("missing"), place.project().join("README.md"), "src".into()]
        {
            let error = talk.try_new_session(&cwd).await.unwrap_err();
            assert_eq!(i32::from(error.code), -32602, "{cwd:?}");
        }
    });
    ended.await.unwrap();
}

#[tokio::test]
async fn help_is_streamed_markdown() {
    let place = Place::new();
    let ended = place.talk(async |mut talk| {
        let session = talk.new_session().await;
        for (prompt, heading) in
            [("hello", "# Hello!"), ("what is 2 + 2?", "## I did not understand that")]
        {
            let (_, told) = talk.ask(&session, prompt).await;
            assert!(told.len() > 20, "{} pieces", told.len());
            assert!(told.iter().all(|piece| piece["messageId"] == told[0]["messageId"]));
            let text = said(&told);
            assert!(text.starts_with(heading), "{text}");
            for part in ["\n- `list files`", "\n```text\n", "\n| `crash` |"] {
                assert!(text.contains(part), "{part}");
            }
        }
        let (_, told) = talk.ask(&session, "read").await;
        assert!(said(&told).contains("read PATH"));
    });
    ended.await.unwrap();
}

#[tokio::test]
async fn files_are_listed_read_and_searched() {
    let place = Place::new();
    let ended = place.talk(async |mut talk| {
        let session = talk.new_session().await;
        let (_, told) = talk.ask(&session, "list files").await;
        assert_eq!(calls(&told), ["search: in_progress completed"]);
        assert_eq!(shown(&told), "README.md\nsrc/main.rs");
        assert!(said(&told).contains("I see 2 files here."));

        let (_, told) = talk.ask(&session, "read README.md").await;
        assert_eq!(calls(&told), ["read: in_progress completed"]);
        assert_eq!(told[0]["rawInput"], json!({ "path": "README.md" }));
        assert_eq!(told[1]["locations"][0]["path"], json!(place.project().join("README.md")));
        assert_eq!(shown(&told), "# Title\n\nTodo: write more\n");
        assert!(said(&told).contains("has 3 lines"));

        let (_, told) = talk.ask(&session, "search for todo").await;
        assert_eq!(calls(&told), ["search: in_progress completed"]);
        assert_eq!(shown(&told), "README.md:3: Todo: write more");
        assert_eq!(told[1]["locations"][0]["line"], 3);
        let (_, told) = talk.ask(&session, "search for absent things").await;
        assert_eq!(shown(&told), "0 hits in 2 text files");
    });
    ended.await.unwrap();
}

#[tokio::test]
async fn nothing_outside_the_directory_is_read() {
    let place = Place::new();
    let ended = place.talk(async |mut talk| {
        let session = talk.new_session().await;
        for path in ["../secret.txt", "../../../../../../../etc/passwd", "/etc/passwd", "way-out"] {
            let (_, told) = talk.ask(&session, &format!("read {path}")).await;
            assert_eq!(calls(&told), ["read: in_progress failed"], "{path}");
            assert_eq!(shown(&told), format!("{path} leads outside this session's directory"));
        }
        let (_, told) = talk.ask(&session, "list ..").await;
        assert_eq!(calls(&told), ["search: in_progress failed"]);
        let (_, told) = talk.ask(&session, "search secret").await;
        assert_eq!(shown(&told), "0 hits in 2 text files");
    });
    ended.await.unwrap();
}

#[tokio::test]
async fn thoughts_come_before_the_answer() {
    let place = Place::new();
    let ended = place.talk(async |mut talk| {
        let session = talk.new_session().await;
        let (_, told) = talk.ask(&session, "think about cats").await;
        assert!(text_of(&told, "agent_thought_chunk").contains("The question is cats."));
        assert!(said(&told).contains("**cats**"));
        assert_eq!(told[0]["sessionUpdate"], "agent_thought_chunk");
    });
    ended.await.unwrap();
}

/// The plan's stages, each as its entries' states by their first letters.
fn stages(told: &[Value]) -> Vec<String> {
    let plans = told.iter().filter(|update| update["sessionUpdate"] == "plan");
    plans
        .map(|plan| {
            let entries = plan["entries"].as_array().unwrap().iter();
            entries.map(|entry| &entry["status"].as_str().unwrap()[..1]).collect()
        })
        .collect()
}

#[tokio::test]
async fn a_plan_is_worked_through() {
    let place = Place::new();
    let ended = place.talk(async |mut talk| {
        let session = talk.new_session().await;
        let (_, told) = talk.ask(&session, "plan something").await;
        assert_eq!(stages(&told), ["pppp", "ippp", "cipp", "ccip", "ccci", "cccc"]);
    });
    ended.await.unwrap();
}

#[tokio::test]
async fn the_tour_shows_everything() {
    let place = Place::new();
    let ended = place.talk(async |mut talk| {
        let session = talk.new_session().await;
        let told = talk.ask_and_choose(&session, "demo", "allow-once").await;
        let expected = [
            "search: in_progress completed",
            "read: in_progress completed",
            "search: in_progress completed",
            "edit: pending in_progress completed",
        ];
        assert_eq!(calls(&told), expected);
        assert_eq!(stages(&told).last().unwrap(), "ccccc");
        assert!(!text_of(&told, "agent_thought_chunk").is_empty());
    });
    ended.await.unwrap();
    assert!(place.text("liminal-demo.md").unwrap().contains("Written by the demo agent"));
}
