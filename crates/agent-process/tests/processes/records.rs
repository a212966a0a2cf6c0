//! What a server that was killed leaves behind is ended at the next start, and nothing else is.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use agent_process::ProcessRecords;
use uuid::Uuid;

use crate::support::{HELPER, Tree, command, gone, launcher, parent, seen, shell, signal};

#[tokio::test]
async fn an_agent_is_on_record_while_it_runs() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("agents");
    let launcher = launcher().with_records(ProcessRecords::at(&path).unwrap());
    let agent = launcher.spawn(shell("read line")).await.unwrap();
    let files = files(&path);
    let [file] = files.as_slice() else { panic!("{files:?}") };
    let record: serde_json::Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    assert_eq!(record["agentPid"], agent.control.pid());
    assert_eq!(record["guardPid"], parent(agent.control.pid()));
    assert_eq!(record["agentStartTime"].to_string(), seen(agent.control.pid()).unwrap().1);
    assert_eq!(fs::metadata(file).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o700);
    agent.control.kill();
    agent.control.exited().await;
    assert!(self::files(&path).is_empty());
    // Where no control group can be made there is none to be left.
    assert!(!record["cgroup"].as_str().is_some_and(|group| Path::new(group).exists()));
}

#[tokio::test]
async fn what_neither_server_nor_guard_could_end_is_swept() {
    let directory = tempfile::tempdir().unwrap();
    let tree = Tree::new();
    let script = tree.mark("(setsid sleep 1000 &)\nsh -c 'sleep 1000; sleep 1000' &\nwait");
    let mut server = server(directory.path(), &script);
    let known = tree.grown_to(3).await;
    let record = record(directory.path()).await;
    let guard = u32::try_from(record["guardPid"].as_u64().unwrap()).unwrap();
    signal("STOP", guard);
    server.kill().unwrap();
    server.wait().unwrap();
    signal("KILL", guard);
    assert_eq!(tree.seen().len(), 3, "the test needs survivors");
    let records = ProcessRecords::at(directory.path()).unwrap();
    let killed = tokio::task::spawn_blocking(move || records.sweep()).await.unwrap();
    assert!(killed >= 3, "{killed}");
    gone(&tree, &known, "sweep").await;
    assert!(files(directory.path()).is_empty());
}

/// The one record there is. An agent may have begun before it is written.
async fn record(directory: &Path) -> serde_json::Value {
    loop {
        let written = files(directory).first().and_then(|file| fs::read(file).ok());
        if let Some(Ok(record)) = written.map(|text| serde_json::from_slice(&text)) {
            return record;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn a_process_is_swept_by_number_and_start_time_only() {
    let directory = tempfile::tempdir().unwrap();
    let records = ProcessRecords::at(directory.path()).unwrap();
    let mut bystander = sleeper().spawn().unwrap();
    let (pid, start_time) = seen(bystander.id()).unwrap();
    let start_time: u64 = start_time.parse().unwrap();
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap();
    for (start_time, boot_id) in [(start_time + 1, boot.trim()), (start_time, "an earlier boot")] {
        write_record(directory.path(), pid, start_time, boot_id);
        assert_eq!(records.sweep(), 0);
        assert!(is_running(&mut bystander));
        assert!(files(directory.path()).is_empty());
    }
    write_record(directory.path(), pid, start_time, boot.trim());
    assert_eq!(records.sweep(), 1);
    assert!(!bystander.wait().unwrap().success());
}

#[tokio::test]
async fn a_record_that_cannot_be_read_still_leads_to_its_marker() {
    let directory = tempfile::tempdir().unwrap();
    let records = ProcessRecords::at(directory.path()).unwrap();
    let marker = Uuid::new_v4().to_string();
    let mut survivor = sleeper().env("LIMINAL_AGENT", &marker).spawn().unwrap();
    fs::write(directory.path().join(format!("{marker}.json")), "{half").unwrap();
    fs::write(directory.path().join("notes.txt"), "not ours").unwrap();
    assert_eq!(records.sweep(), 1);
    assert!(!survivor.wait().unwrap().success());
    assert_eq!(files(directory.path()), [directory.path().join("notes.txt")]);
}

/// It holds nothing of ours open, should a test fail and leave it behind.
fn sleeper() -> Command {
    let mut sleeper = command("sleep");
    sleeper.arg("1000").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    sleeper
}

fn server(records: &Path, script: &str) -> Child {
    let arguments = ["server", records.to_str().unwrap(), script];
    command(HELPER).args(arguments).stdout(Stdio::null()).spawn().unwrap()
}

fn write_record(directory: &Path, pid: u32, start_time: u64, boot_id: &str) {
    let marker = Uuid::new_v4().to_string();
    let record = serde_json::json!({
        "marker": marker, "guardPid": 1, "guardStartTime": 0, "agentPid": pid, "agentStartTime": start_time,
        "cgroup": null, "bootId": boot_id,
    });
    fs::write(directory.join(format!("{marker}.json")), record.to_string()).unwrap();
}

fn files(directory: &Path) -> Vec<std::path::PathBuf> {
    fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect()
}

fn is_running(child: &mut Child) -> bool {
    child.try_wait().unwrap().is_none()
}
