//! What goes through the pipes of an agent.

use std::time::Duration;

use agent_process::ExitStatus;
use tokio::time::{sleep, timeout};

use crate::support::{signal, start};

const LONGEST: usize = 8 * 1024 * 1024;

#[tokio::test]
async fn lines_go_in_and_come_out() {
    let mut agent = start("while read -r line; do echo \"<$line>\"; done; printf end").await;
    for text in ["one", "", "two words"] {
        agent.input.write_line(text.as_bytes()).await.unwrap();
        let line = agent.output.next_line().await.unwrap().unwrap();
        assert_eq!(String::from_utf8_lossy(line.bytes), format!("<{text}>"));
    }
    agent.input.close();
    let last = agent.output.next_line().await.unwrap().unwrap();
    assert_eq!((last.bytes, last.unfinished), (b"end".as_slice(), true));
    assert_eq!(agent.output.next_line().await.unwrap(), None);
    assert_eq!(agent.output.next_line().await.unwrap(), None);
}

#[tokio::test]
async fn a_line_of_a_megabyte_goes_in_whole() {
    let mut agent = start("wc -c").await;
    agent.input.write_line(&vec![b'x'; 1024 * 1024]).await.unwrap();
    agent.input.close();
    let line = agent.output.next_line().await.unwrap().unwrap();
    assert_eq!(String::from_utf8_lossy(line.bytes).trim(), "1048577");
}

#[tokio::test]
async fn a_write_that_is_dropped_half_way_does_not_leave_half_a_line() {
    let mut agent = start("kill -STOP $$; exec wc -lc").await;
    let large = vec![b'x'; 256 * 1024];
    let dropped = timeout(Duration::from_millis(50), agent.input.write_line(&large)).await;
    assert!(dropped.is_err(), "a pipe does not take it all");
    signal("CONT", agent.control.pid());
    agent.input.write_line(b"second").await.unwrap();
    agent.input.close();
    let line = agent.output.next_line().await.unwrap().unwrap();
    let counts = String::from_utf8_lossy(line.bytes).into_owned();
    assert_eq!(counts.split_whitespace().collect::<Vec<_>>(), ["2", "262152"]);
}

#[tokio::test]
async fn writing_to_an_agent_that_has_exited_is_an_error() {
    let mut agent = start("exit 0").await;
    agent.control.exited().await;
    assert!(agent.input.write_line(b"anyone?").await.is_err());
}

#[tokio::test]
async fn a_line_of_9_mib_is_cut_and_the_next_one_is_intact() {
    let mut agent = start("head -c 9437184 /dev/zero | tr '\\0' x; echo; echo next").await;
    let line = agent.output.next_line().await.unwrap().unwrap();
    assert_eq!((line.bytes.len(), line.cut), (LONGEST, true));
    let line = agent.output.next_line().await.unwrap().unwrap();
    assert_eq!((line.bytes, line.cut), (b"next".as_slice(), false));
    assert_eq!(agent.output.cut_lines(), 1);
}

#[tokio::test]
async fn a_flood_on_standard_error_blocks_nothing_and_its_end_is_kept() {
    let script =
        "head -c 10485760 /dev/zero | tr '\\0' e >&2; printf tail >&2; echo done; read line";
    let mut agent = start(script).await;
    let line = agent.output.next_line().await.unwrap().unwrap();
    assert_eq!(line.bytes, b"done");
    agent.input.close();
    let exit = agent.control.exited().await;
    assert_eq!(exit.stderr_tail, format!("{}tail", "e".repeat(64 * 1024 - 4)));
    assert_eq!(exit.status, ExitStatus::Code(1));
}

#[tokio::test]
async fn an_agent_that_floods_standard_error_can_be_killed() {
    let agent = start("yes >&2").await;
    while agent.control.stderr_tail().is_empty() {
        sleep(Duration::from_millis(1)).await;
    }
    agent.control.kill();
    assert_eq!(agent.control.exited().await.status, ExitStatus::Signal(9));
}

#[tokio::test]
async fn an_agent_waits_for_a_reader_that_does_not_read() {
    let mut agent = start("exec yes").await;
    let written = blocked_at(agent.control.pid()).await;
    assert!(written < 1024 * 1024, "{written} bytes were taken from an agent that nobody reads");
    for _ in 0..1_000_000 {
        assert_eq!(agent.output.next_line().await.unwrap().unwrap().bytes, b"y");
    }
    assert!(blocked_at(agent.control.pid()).await > written);
}

/// How much the process has written once it writes no more.
async fn blocked_at(pid: u32) -> u64 {
    let mut before = 0;
    loop {
        let now = written(pid);
        if now > 0 && now == before {
            return now;
        }
        before = now;
        sleep(Duration::from_millis(200)).await;
    }
}

fn written(pid: u32) -> u64 {
    let io = std::fs::read_to_string(format!("/proc/{pid}/io")).unwrap();
    io.lines().find_map(|line| line.strip_prefix("wchar: ")).unwrap().parse().unwrap()
}

#[tokio::test]
async fn standard_error_is_followed_as_it_comes() {
    let mut agent = start("echo one >&2; read line; echo two >&2; read line").await;
    let mut errors = agent.control.follow_stderr();
    assert_eq!(errors.next().await, "one\n");
    agent.input.write_line(b"go on").await.unwrap();
    assert_eq!(errors.next().await, "two\n");
    assert_eq!(agent.control.follow_stderr().next().await, "one\ntwo\n", "who comes late too");
}
