//! However an agent ends, and wherever its children hide, nothing of it is left.

use std::cell::RefCell;
use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::time::Duration;

use agent_process::{AgentProcess, ExitStatus, Launcher, StopLadder};
use tokio::time::{Instant, timeout};
use tokio_util::task::TaskTracker;

use crate::support::{HELPER, Seen, Tree, command, gone, parent, seen, shell, signal, start};

const IN_A_SESSION_OF_ITS_OWN: &str = "setsid sleep 1000 &";
const ORPHANED_TWICE: &str = "(setsid sh -c '(sleep 1000 &) ; sleep 1000' &)";
const DEAF_TO_SIGTERM: &str = r#"sh -c "trap '' TERM; sleep 1000; sleep 1000" &"#;

/// The scripts, and how many processes each starts.
fn shapes() -> [(String, usize); 4] {
    let all = [IN_A_SESSION_OF_ITS_OWN, ORPHANED_TWICE, DEAF_TO_SIGTERM].join("\n");
    [
        (IN_A_SESSION_OF_ITS_OWN.to_owned(), 1),
        (ORPHANED_TWICE.to_owned(), 3),
        (DEAF_TO_SIGTERM.to_owned(), 2),
        (all, 6),
    ]
}

/// Starts an agent of each shape that then waits for a line, ends it by `end`, and checks that all of it is gone.
async fn ends_all(
    what: &str,
    end: impl AsyncFn(AgentProcess) -> Option<ExitStatus>,
) -> Vec<ExitStatus> {
    let mut statuses = Vec::new();
    for (script, count) in shapes() {
        let tree = Tree::new();
        let agent = start(&tree.mark(&format!("{script}\nread line\nexit 7"))).await;
        let mut known = tree.grown_to(count).await;
        known.extend(agent_and_guard(agent.control.pid()));
        statuses.extend(timeout(Duration::from_secs(6), end(agent)).await.unwrap());
        gone(&tree, &known, &format!("{what}: {script}")).await;
    }
    statuses
}

fn agent_and_guard(agent: u32) -> Vec<Seen> {
    [agent, parent(agent)].into_iter().filter_map(seen).collect()
}

#[tokio::test]
async fn nothing_is_left_of_an_agent_that_exits_by_itself() {
    let statuses = ends_all("exit", async |mut agent| {
        agent.input.write_line(b"go").await.unwrap();
        Some(agent.control.exited().await.status)
    });
    assert_eq!(statuses.await, [ExitStatus::Code(7); 4]);
}

#[tokio::test]
async fn nothing_is_left_of_an_agent_whose_input_is_closed_and_that_is_stopped() {
    let ladder = StopLadder {
        exit_by_itself: Duration::from_secs(5),
        after_terminate: Duration::from_secs(5),
    };
    let statuses = ends_all("close", async |agent| {
        agent.input.close();
        Some(agent.control.stop(ladder).await.status)
    });
    assert_eq!(statuses.await, [ExitStatus::Code(7); 4]);
}

#[tokio::test]
async fn nothing_is_left_of_an_agent_that_is_stopped() {
    let ladder = StopLadder {
        exit_by_itself: Duration::from_millis(50),
        after_terminate: Duration::from_secs(5),
    };
    let statuses =
        ends_all("stop", async |agent| Some(agent.control.stop(ladder).await.status)).await;
    assert_eq!(statuses, [ExitStatus::Signal(15); 4]);
}

#[tokio::test]
async fn an_agent_that_is_deaf_to_sigterm_is_killed_at_the_top_of_the_ladder() {
    let agent = start("trap '' TERM; read line").await;
    let pause = Duration::from_millis(50);
    let exit =
        agent.control.stop(StopLadder { exit_by_itself: pause, after_terminate: pause }).await;
    assert_eq!(exit.status, ExitStatus::Signal(9));
    assert!(!agent.control.is_alive());
}

#[tokio::test]
async fn nothing_is_left_of_an_agent_that_is_killed() {
    let statuses = ends_all("kill", async |agent| {
        agent.control.kill();
        Some(agent.control.exited().await.status)
    });
    assert_eq!(statuses.await, [ExitStatus::Signal(9); 4]);
}

#[tokio::test]
async fn nothing_is_left_of_an_agent_that_someone_else_kills() {
    let statuses = ends_all("kill -9 agent", async |agent| {
        signal("KILL", agent.control.pid());
        Some(agent.control.exited().await.status)
    });
    assert_eq!(statuses.await, [ExitStatus::Signal(9); 4]);
}

#[tokio::test]
async fn nothing_is_left_of_an_agent_whose_handles_are_dropped() {
    // Its pipes stay open: an agent would take the end of its input for a reason to exit.
    let pipes = RefCell::new(Vec::new());
    ends_all("drop", async |agent| {
        let AgentProcess { input, output, control } = agent;
        pipes.borrow_mut().push((input, output));
        drop(control);
        None
    })
    .await;
}

#[tokio::test]
async fn nothing_is_left_of_an_agent_whose_guard_is_killed() {
    let statuses = ends_all("kill -9 guard", async |agent| {
        signal("KILL", parent(agent.control.pid()));
        Some(agent.control.exited().await.status)
    });
    assert_eq!(statuses.await, [ExitStatus::Lost; 4]);
}

#[tokio::test]
async fn a_guard_that_does_not_answer_is_replaced() {
    let tree = Tree::new();
    let agent = start(&tree.mark(&format!("{ORPHANED_TWICE}\nread line"))).await;
    let mut known = tree.grown_to(3).await;
    known.extend(agent_and_guard(agent.control.pid()));
    signal("STOP", parent(agent.control.pid()));
    agent.control.kill();
    assert_eq!(
        timeout(Duration::from_secs(6), agent.control.exited()).await.unwrap().status,
        ExitStatus::Lost
    );
    gone(&tree, &known, "a stopped guard").await;
}

#[tokio::test]
async fn nothing_is_left_of_the_agent_of_a_server_that_is_killed() {
    for (script, count) in shapes() {
        let tree = Tree::new();
        let directory = tempfile::tempdir().unwrap();
        // The agent does not care that its input ends.
        let script = tree.mark(&format!("{script}\necho $$\nsleep 1000"));
        let mut server = command(HELPER)
            .args(["server", directory.path().to_str().unwrap(), &script])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut agent = String::new();
        BufReader::new(server.stdout.take().unwrap()).read_line(&mut agent).unwrap();
        let mut known = tree.grown_to(count + 1).await;
        known.extend(agent_and_guard(agent.trim().parse().unwrap()));
        server.kill().unwrap();
        server.wait().unwrap();
        gone(&tree, &known, &format!("kill -9 server: {script}")).await;
    }
}

#[tokio::test]
async fn a_child_without_marker_or_session_is_found_in_the_tree() {
    let mut agent = start("(env -i setsid sleep 1000 & echo $!); read line").await;
    let line = agent.output.next_line().await.unwrap().unwrap();
    let child: u32 = String::from_utf8_lossy(line.bytes).parse().unwrap();
    let known = [seen(child).unwrap()];
    agent.input.close();
    agent.control.exited().await;
    gone(&Tree::new(), &known, "a child without environment").await;
}

#[tokio::test]
async fn the_end_is_told_at_once_though_a_survivor_holds_the_output() {
    let mut fastest = Duration::MAX;
    for _ in 0..5 {
        let tree = Tree::new();
        let mut agent = start(&tree.mark(&format!("{IN_A_SESSION_OF_ITS_OWN}\nread line"))).await;
        tree.grown_to(1).await;
        let killed_at = Instant::now();
        signal("KILL", agent.control.pid());
        agent.control.exited().await;
        fastest = fastest.min(killed_at.elapsed());
        assert_eq!(agent.output.next_line().await.unwrap(), None);
    }
    // The best of a few, since other tests want the machine too.
    assert!(fastest < Duration::from_millis(100), "{fastest:?}");
}

#[tokio::test]
async fn the_end_is_told_to_everyone_who_asks_however_late() {
    let agent = start("echo last words >&2; exit 3").await;
    let (one, other) = (agent.control.clone(), agent.control.clone());
    let (one, other) = tokio::join!(one.exited(), other.exited());
    assert_eq!(one, other);
    assert_eq!((one.status, one.stderr_tail.as_str()), (ExitStatus::Code(3), "last words\n"));
    assert_eq!(agent.control.exited().await, other);
    assert!(!agent.control.is_alive());
}

#[tokio::test]
async fn orphans_that_end_are_not_kept_as_zombies_while_the_agent_runs() {
    let tree = Tree::new();
    let agent = start(&tree.mark("(sh -c 'sleep 0.3' &)\nread line")).await;
    let known = tree.grown_to(1).await;
    gone(&tree, &known, "an orphan that has ended").await;
    assert!(agent.control.is_alive());
}

#[tokio::test]
async fn a_start_that_is_abandoned_leaves_nothing() {
    let tree = Tree::new();
    let tasks = TaskTracker::new();
    let launcher = Launcher::new(vec![HELPER.into(), "guard".into()], tasks.clone());
    for patience in [0, 200, 400, 800, 1200, 1600, 2400, 5000] {
        let spawning = launcher.spawn(shell(&tree.mark("sh -c 'sleep 1000; sleep 1000'")));
        drop(timeout(Duration::from_micros(patience), spawning).await);
    }
    tasks.close();
    tasks.wait().await;
    gone(&tree, &[], "an abandoned start").await;
}
