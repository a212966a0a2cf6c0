//! From nothing to an open session, and the ways in which that fails.

use contract::SessionId;
use serde_json::{Value, json};
use session::provider::{Adjustment, CliProvider, CreateSession, LoadSession, ProviderErrorCode};
use testkit::scripted_acp::AGENT_SESSION;

use crate::bench::Bench;

fn in_project() -> CreateSession {
    CreateSession { project_dir: "/project".to_owned(), ..CreateSession::default() }
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_does_not_start_is_told_with_its_words() {
    let bench = Bench::new();
    bench.agent.fail_next("no such program");
    let error = bench.provider.create_session(in_project()).await.unwrap_err();
    assert_eq!(error.code, ProviderErrorCode::SessionCreateFailed);
    assert!(error.to_string().contains("no such program"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_says_nothing_is_given_up_and_ended() {
    let bench = Bench::new();
    bench.agent.be_silent();
    let error = bench.provider.create_session(in_project()).await.unwrap_err();
    assert!(error.to_string().contains("in time"), "{error}");
    assert!(!bench.provider.is_alive(&SessionId::from("session-1")));
}

/// Answers what opens the session: the introduction, then `session/new` with an error until `logged_in`.
async fn refuse_until_login(bench: &Bench, logs_in: bool) {
    while bench.agent.connects().is_empty() {
        tokio::task::yield_now().await;
    }
    let hello = bench.agent.next("initialize").await;
    let methods = json!([
        { "id": "web", "name": "Log in with a browser" },
        { "type": "env_var", "id": "key", "name": "Use A_KEY", "vars": [{ "name": "A_KEY" }] },
    ]);
    let told = json!({ "protocolVersion": 1, "agentCapabilities": {}, "authMethods": methods });
    bench.agent.answer(&hello, told).await;
    let new = bench.agent.next("session/new").await;
    bench.agent.refuse(&new, -32000, "Authentication required").await;
    if logs_in {
        let login = bench.agent.next("authenticate").await;
        assert_eq!(login["params"], json!({ "methodId": "key" }));
        bench.agent.answer(&login, json!({})).await;
        let new = bench.agent.next("session/new").await;
        bench.agent.answer(&new, json!({ "sessionId": AGENT_SESSION })).await;
    }
}

#[tokio::test(start_paused = true)]
async fn an_agent_logs_in_by_itself_where_a_variable_is_enough() {
    let bench = Bench::new();
    bench.agent.be_silent();
    bench.agent.set_variables(&["PATH", "A_KEY"]);
    let (created, ()) =
        tokio::join!(bench.provider.create_session(in_project()), refuse_until_login(&bench, true));
    created.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_nobody_logged_in_says_how_to() {
    let bench = Bench::new();
    bench.agent.be_silent();
    let (created, ()) = tokio::join!(
        bench.provider.create_session(in_project()),
        refuse_until_login(&bench, false)
    );
    let error = created.unwrap_err().to_string();
    assert!(error.contains("not logged in") && error.contains("Use A_KEY"), "{error}");
    assert_eq!(bench.agent.closes(), 1, "and is ended");
}

#[tokio::test(start_paused = true)]
async fn a_session_that_is_known_is_resumed_without_its_history() {
    let bench = Bench::new();
    let (session, prompt) = bench.prompted().await;
    bench.agent.message_chunk("one").await;
    bench.agent.end_turn(&prompt, "end_turn").await;
    bench.settle().await;
    bench.agent.die("gone");
    bench.settle().await;
    assert!(!bench.provider.is_alive(&session));
    let before = bench.items().len();
    bench.provider.load_session(&session, LoadSession::default()).await.unwrap();
    let resume = bench.agent.next("session/resume").await;
    assert_eq!(resume["params"]["sessionId"], AGENT_SESSION);
    assert_eq!(resume["params"]["cwd"], "/project");
    assert_eq!(bench.items().len(), before);
}

#[tokio::test(start_paused = true)]
async fn where_only_loading_is_known_the_history_is_passed_over() {
    let bench = Bench::new();
    bench.agent.be_silent();
    let session = SessionId::from("ours");
    bench.listen(&session);
    let options = LoadSession {
        project_dir: Some("/project".to_owned()),
        agent_session: Some(AGENT_SESSION.to_owned()),
        holds_history: true,
        ..LoadSession::default()
    };
    let agent = async {
        while bench.agent.connects().is_empty() {
            tokio::task::yield_now().await;
        }
        let hello = bench.agent.next("initialize").await;
        let told = json!({ "protocolVersion": 1, "agentCapabilities": { "loadSession": true } });
        bench.agent.answer(&hello, told).await;
        let load = bench.agent.next("session/load").await;
        assert_eq!(load["params"]["sessionId"], AGENT_SESSION);
        bench.agent.message_chunk("old words").await;
        bench.agent.answer(&load, json!({})).await;
    };
    let (loaded, ()) = tokio::join!(bench.provider.load_session(&session, options), agent);
    loaded.unwrap();
    assert!(bench.items().is_empty() && bench.turns().is_empty());
}

/// It refuses the session half-way, or dies.
#[tokio::test(start_paused = true)]
async fn a_history_that_is_not_told_to_its_end_leaves_no_turn_open() {
    for is_alive in [true, false] {
        let bench = Bench::new();
        bench.agent.be_silent();
        let session = SessionId::from("ours");
        bench.listen(&session);
        let options =
            LoadSession { agent_session: Some(AGENT_SESSION.to_owned()), ..LoadSession::default() };
        let agent = async {
            while bench.agent.connects().is_empty() {
                tokio::task::yield_now().await;
            }
            let hello = bench.agent.next("initialize").await;
            let can = json!({ "loadSession": true });
            bench
                .agent
                .answer(&hello, json!({ "protocolVersion": 1, "agentCapabilities": can }))
                .await;
            let load = bench.agent.next("session/load").await;
            bench.agent.message_chunk("old words").await;
            bench.settle().await;
            if is_alive {
                bench.agent.refuse(&load, -32603, "disk on fire").await;
            } else {
                bench.agent.die("disk on fire");
            }
        };
        let (loaded, ()) = tokio::join!(bench.provider.load_session(&session, options), agent);
        let error = loaded.unwrap_err().to_string();
        assert!(error.contains("disk on fire"), "{error}");
        let turns = bench.turns();
        assert_eq!(turns.len(), 2, "{turns:?}");
        assert!(turns[1].contains("PROCESS_CRASH") && turns[1].contains("on fire"), "{turns:?}");
        assert_eq!(bench.items().last().unwrap(), "turn-1:1:0 Error INTERRUPTED \"old words\"");
        assert!(!bench.provider.is_alive(&session));
    }
}

/// Nobody looks at the session yet.
#[tokio::test(start_paused = true)]
async fn an_agent_that_asks_before_it_opens_the_session_is_answered_and_opens_it() {
    let bench = Bench::new();
    bench.agent.be_silent();
    let agent = async {
        while bench.agent.connects().is_empty() {
            tokio::task::yield_now().await;
        }
        let hello = bench.agent.next("initialize").await;
        bench.agent.answer(&hello, json!({ "protocolVersion": 1 })).await;
        let new = bench.agent.next("session/new").await;
        let option = json!({ "optionId": "yes", "name": "Yes", "kind": "allow_once" });
        let call = json!({ "toolCallId": "c", "title": "Trust this directory?" });
        let params = json!({ "sessionId": AGENT_SESSION, "toolCall": call, "options": [option] });
        let method = "session/request_permission";
        bench.agent.say(json!({ "id": "ask", "method": method, "params": params })).await;
        let answered = bench.agent.answer_to("ask").await;
        assert_eq!(answered["result"]["outcome"]["outcome"], "cancelled");
        bench.agent.answer(&new, json!({ "sessionId": AGENT_SESSION })).await;
    };
    tokio::join!(bench.create(), agent);
    assert!(bench.turns().is_empty() && bench.asked.lock().unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_session_in_which_nothing_was_said_begins_anew() {
    let bench = Bench::new();
    let session = bench.create().await;
    bench.provider.kill_session(&session).await.unwrap();
    bench.agent.set_capabilities(json!({}));
    bench.provider.load_session(&session, LoadSession::default()).await.unwrap();
    assert!(bench.provider.is_alive(&session));
    bench.agent.next("session/new").await;
}

/// As after a restart of the server, when only the journal knows that nothing was said.
#[tokio::test(start_paused = true)]
async fn a_session_that_never_ran_begins_anew_also_where_no_agent_of_it_is_known() {
    let bench = Bench::new();
    bench.agent.set_capabilities(json!({}));
    let session = "s".into();
    let ran = LoadSession { holds_history: true, ..LoadSession::default() };
    assert!(bench.provider.load_session(&session, ran.clone()).await.is_err());
    let never_ran = LoadSession { never_ran: true, ..ran };
    bench.provider.load_session(&session, never_ran).await.unwrap();
    assert!(bench.provider.is_alive(&session));
    bench.agent.next("session/new").await;
}

#[tokio::test(start_paused = true)]
async fn what_is_chosen_for_a_new_session_must_be_offered() {
    let bench = Bench::new();
    bench.agent.be_silent();
    let wish = CreateSession { mode_id: Some("plan".into()), ..in_project() };
    let (created, ()) = tokio::join!(
        bench.provider.create_session(wish),
        open_with_modes(&bench, "session/new", 0)
    );
    assert!(created.unwrap_err().to_string().contains("plan"));
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_cannot_go_on_says_so() {
    let bench = Bench::new();
    let (session, prompt) = bench.prompted().await;
    bench.agent.end_turn(&prompt, "end_turn").await;
    bench.settle().await;
    bench.agent.die("gone");
    bench.settle().await;
    bench.agent.set_capabilities(json!({}));
    let error = bench.provider.load_session(&session, LoadSession::default()).await.unwrap_err();
    assert_eq!(error.code, ProviderErrorCode::ProcessCrash);
    assert!(error.to_string().contains("cannot go on"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn the_agents_own_id_is_told() {
    let bench = Bench::new();
    bench.create().await;
    assert_eq!(bench.notices(), [format!("AgentSession({AGENT_SESSION:?})")]);
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_says_little_of_itself_is_an_agent() {
    let bench = Bench::new();
    bench.agent.be_silent();
    let agent = async {
        while bench.agent.connects().is_empty() {
            tokio::task::yield_now().await;
        }
        let hello = bench.agent.next("initialize").await;
        let told = json!({
            "protocolVersion": 1, "agentCapabilities": null, "authMethods": null,
            "agentInfo": { "name": "plain" },
        });
        bench.agent.answer(&hello, told).await;
        let new = bench.agent.next("session/new").await;
        bench.agent.answer(&new, json!({ "sessionId": AGENT_SESSION })).await;
    };
    let created = async { bench.provider.create_session(in_project()).await.unwrap() };
    tokio::join!(created, agent);
}

#[tokio::test(start_paused = true)]
async fn s_21_no_agent_is_offered_to_have_files_read_or_written_for_it() {
    let bench = Bench::new();
    bench.agent.be_silent();
    let asked = async {
        while bench.agent.connects().is_empty() {
            tokio::task::yield_now().await;
        }
        bench.agent.next("initialize").await
    };
    let hello = tokio::select! {
        hello = asked => hello,
        created = bench.provider.create_session(in_project()) => panic!("{created:?}"),
    };
    let offered = &hello["params"]["clientCapabilities"];
    for ability in ["readTextFile", "writeTextFile"] {
        assert_ne!(offered["fs"][ability], true, "{offered}");
    }
    assert_ne!(offered["terminal"], true, "nor commands run: {offered}");
}

#[tokio::test(start_paused = true)]
async fn s_21_an_agent_that_asks_for_a_file_all_the_same_is_refused() {
    let bench = Bench::new();
    let (_, _prompt) = bench.prompted().await;
    let project = tempfile::tempdir().unwrap();
    let file = project.path().join("file");
    std::fs::write(&file, "what it holds").unwrap();
    let params = json!({ "sessionId": AGENT_SESSION, "path": file, "content": "other" });
    for method in ["fs/read_text_file", "fs/write_text_file", "terminal/create"] {
        let asked = json!({ "jsonrpc": "2.0", "id": method, "method": method, "params": params });
        bench.agent.say(asked).await;
        let answer = bench.agent.answer_to(method).await;
        assert_eq!(answer["error"]["code"], -32601, "{answer}");
        assert!(answer.get("result").is_none(), "{answer}");
    }
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "what it holds");
}

const MODES: [(&str, &str); 2] =
    [("read-only", "Asks before it acts"), ("full-access", "Full access: never asks")];

/// Answers an agent's opening, in the mode that it begins in by itself.
async fn open_with_modes(bench: &Bench, method: &str, already: usize) {
    open_in_mode(bench, method, already, "read-only").await;
}

async fn open_in_mode(bench: &Bench, method: &str, already: usize, mode: &str) {
    while bench.agent.connects().len() == already {
        tokio::task::yield_now().await;
    }
    let hello = bench.agent.next("initialize").await;
    let can = json!({ "loadSession": true });
    bench.agent.answer(&hello, json!({ "protocolVersion": 1, "agentCapabilities": can })).await;
    let open = bench.agent.next(method).await;
    let offered = MODES.map(|(id, name)| json!({ "id": id, "name": name }));
    let modes = json!({ "currentModeId": mode, "availableModes": offered });
    bench.agent.answer(&open, json!({ "sessionId": AGENT_SESSION, "modes": modes })).await;
}

#[tokio::test(start_paused = true)]
async fn s_31_an_agent_that_goes_on_is_not_set_to_a_mode_that_never_asks() {
    let bench = Bench::new();
    bench.agent.be_silent();
    let (session, ()) = tokio::join!(bench.create(), open_with_modes(&bench, "session/new", 0));
    let chosen = Adjustment::Mode("full-access".into());
    let set = async {
        let asked = bench.agent.next("session/set_mode").await;
        assert_eq!(asked["params"]["modeId"], "full-access", "because somebody chose it");
        bench.agent.answer(&asked, json!({})).await;
    };
    let (adjusted, ()) = tokio::join!(bench.provider.adjust(&session, chosen), set);
    adjusted.unwrap();
    bench.agent.die("gone");
    bench.settle().await;

    let load = bench.provider.load_session(&session, LoadSession::default());
    let (loaded, ()) = tokio::join!(load, open_with_modes(&bench, "session/load", 1));
    loaded.unwrap();
    bench.settle().await;
    let told = bench.agent.told();
    let is_set = |message: &Value| message["method"] == "session/set_mode";
    assert!(!told.iter().any(is_set), "{told:?}");
    let options = bench.provider.options(&session).unwrap();
    assert_eq!(options.current_mode_id, Some("read-only".into()));
}

#[tokio::test(start_paused = true)]
async fn s_31_an_agent_that_comes_back_in_a_mode_that_never_asks_is_set_to_another() {
    let bench = Bench::new();
    bench.agent.be_silent();
    let (session, ()) = tokio::join!(bench.create(), open_with_modes(&bench, "session/new", 0));
    bench.agent.die("gone");
    bench.settle().await;

    let load = bench.provider.load_session(&session, LoadSession::default());
    let answers = async {
        open_in_mode(&bench, "session/load", 1, "full-access").await;
        let asked = bench.agent.next("session/set_mode").await;
        assert_eq!(asked["params"]["modeId"], "read-only");
        bench.agent.answer(&asked, json!({})).await;
    };
    let (loaded, ()) = tokio::join!(load, answers);
    loaded.unwrap();
    let options = bench.provider.options(&session).unwrap();
    assert_eq!(options.current_mode_id, Some("read-only".into()));
}

/// Everything up to the request to leave that mode, which comes back.
async fn loaded_in_bypass(bench: &Bench, already: usize) -> Value {
    open_in_mode(bench, "session/load", already, "full-access").await;
    bench.agent.next("session/set_mode").await
}

#[tokio::test(start_paused = true)]
async fn s_31_an_agent_that_does_not_leave_such_a_mode_is_ended_each_time() {
    let bench = Bench::new();
    bench.agent.be_silent();
    let (session, ()) = tokio::join!(bench.create(), open_with_modes(&bench, "session/new", 0));
    bench.agent.die("gone");
    bench.settle().await;
    // It refuses, then does not answer: nobody ever prompts it.
    for already in [1, 2] {
        let load = bench.provider.load_session(&session, LoadSession::default());
        let answers = async {
            let asked = loaded_in_bypass(&bench, already).await;
            if already == 1 {
                bench.agent.refuse(&asked, -32603, "no").await;
            }
        };
        let (loaded, ()) = tokio::join!(load, answers);
        loaded.unwrap_err();
        assert!(!bench.provider.is_alive(&session), "it is ended");
        let sent = bench.send(&session, "go").await.unwrap();
        assert_eq!(sent.unwrap_err().code, ProviderErrorCode::ProcessCrash);
    }
    assert_eq!(bench.agent.connects().len(), 3, "each load starts another");
}

#[tokio::test(start_paused = true)]
async fn s_31_an_agent_whose_own_mode_never_asks_is_set_to_another_unless_it_was_chosen() {
    let bench = Bench::new();
    bench.agent.be_silent();
    let answers = async {
        open_in_mode(&bench, "session/new", 0, "full-access").await;
        let asked = bench.agent.next("session/set_mode").await;
        assert_eq!(asked["params"]["modeId"], "read-only");
        bench.agent.answer(&asked, json!({})).await;
    };
    let (session, ()) = tokio::join!(bench.create(), answers);
    let mode =
        |session: &SessionId| bench.provider.options(session).unwrap().current_mode_id.unwrap();
    assert_eq!(mode(&session), "read-only");

    let wish = CreateSession { mode_id: Some("full-access".into()), ..in_project() };
    let answers = async {
        open_in_mode(&bench, "session/new", 1, "full-access").await;
        let asked = bench.agent.next("session/set_mode").await;
        assert_eq!(asked["params"]["modeId"], "full-access", "because somebody chose it");
        bench.agent.answer(&asked, json!({})).await;
    };
    let (created, ()) = tokio::join!(bench.provider.create_session(wish), answers);
    let session = created.unwrap().session_id;
    bench.settle().await;
    let told = bench.agent.told();
    assert!(!told.iter().any(|it| it["params"]["modeId"] == "read-only"), "{told:?}");
    assert_eq!(mode(&session), "full-access");
}

#[tokio::test(start_paused = true)]
async fn s_31_a_session_whose_agent_does_not_leave_its_own_such_mode_is_not_created() {
    let bench = Bench::new();
    bench.agent.be_silent();
    let answers = async {
        open_in_mode(&bench, "session/new", 0, "full-access").await;
        let asked = bench.agent.next("session/set_mode").await;
        bench.agent.refuse(&asked, -32603, "no").await;
    };
    let (created, ()) = tokio::join!(bench.provider.create_session(in_project()), answers);
    assert_eq!(created.unwrap_err().code, ProviderErrorCode::SessionCreateFailed);
    assert!(!bench.provider.is_alive(&SessionId::from("session-1")));
}
