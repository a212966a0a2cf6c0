//! What an agent begins with, and what is said if it cannot begin.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;

use agent_process::{AgentSpec, ExitStatus, SpawnError};

use crate::support::{HELPER, command, launcher, lines, parent, shell, start};

#[tokio::test]
async fn an_agent_inherits_standard_input_output_and_error_only() {
    let directory = tempfile::tempdir().unwrap();
    // Started with something open that is not meant for anyone it starts.
    let mut server = command("sh")
        .args(["-c", "exec \"$0\" server \"$1\" 'echo $$; read line' 9</dev/null", HELPER])
        .arg(directory.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let agent = BufReader::new(server.stdout.take().unwrap()).lines().next().unwrap().unwrap();
    let open = std::fs::read_dir(format!("/proc/{agent}/fd")).unwrap();
    let mut open: Vec<_> = open.map(|entry| entry.unwrap().file_name()).collect();
    open.sort();
    server.kill().unwrap();
    server.wait().unwrap();
    assert_eq!(open, ["0", "1", "2"]);
}

#[tokio::test]
async fn an_agent_gets_the_given_environment_and_its_marker() {
    let mut spec = shell("cat /proc/$$/environ | tr '\\0' '\\n'");
    spec.environment.push(("GIVEN".into(), "value".into()));
    let path = spec.environment[0].1.clone().into_string().unwrap();
    let mut agent = launcher().spawn(spec).await.unwrap();
    let mut lines = lines(&mut agent).await;
    lines.sort();
    let [given, marker, search_path] = lines.as_slice() else { panic!("{lines:?}") };
    assert_eq!((given.as_str(), search_path), ("GIVEN=value", &format!("PATH={path}")));
    assert!(marker.starts_with("LIMINAL_AGENT="));
}

#[tokio::test]
async fn neither_the_environment_nor_the_command_line_of_the_guard_tells_a_secret() {
    let mut spec = shell("read line");
    spec.environment.push(("KEY".into(), "hidden-value".into()));
    let agent = launcher().spawn(spec).await.unwrap();
    let guard = parent(agent.control.pid());
    for file in ["environ", "cmdline"] {
        let told = std::fs::read(format!("/proc/{guard}/{file}")).unwrap();
        let told = String::from_utf8_lossy(&told);
        assert!(!told.contains("hidden-value"), "{told}");
    }
}

#[tokio::test]
async fn an_agent_runs_in_its_directory_its_own_group_and_its_guards_session() {
    let directory = tempfile::tempdir().unwrap();
    let spec = AgentSpec {
        directory: directory.path().to_owned(),
        ..shell("pwd; cut -d' ' -f5 /proc/$$/stat; cut -d' ' -f6 /proc/$$/stat; echo $PPID")
    };
    let mut agent = launcher().spawn(spec).await.unwrap();
    let lines = lines(&mut agent).await;
    let [place, group, session, guard] = lines.as_slice() else { panic!("{lines:?}") };
    assert_eq!(Path::new(place), directory.path().canonicalize().unwrap());
    assert_eq!(group, &agent.control.pid().to_string());
    assert_eq!(session, guard);
}

#[test]
fn a_guard_that_someone_starts_by_hand_says_that_it_is_not_for_them() {
    let output = command(HELPER).arg("guard").output().unwrap();
    assert_eq!(output.status.code(), Some(64));
    assert!(String::from_utf8_lossy(&output.stderr).contains("for the server's own use"));
}

#[tokio::test]
async fn what_is_missing_is_named() {
    let error = launcher()
        .spawn(AgentSpec { program: "no-such-agent".into(), ..shell("") })
        .await
        .unwrap_err();
    assert!(
        matches!(error, SpawnError::MissingProgram { ref program, .. } if program == "no-such-agent")
    );
    let error = launcher()
        .spawn(AgentSpec { directory: "/no/such".into(), ..shell("") })
        .await
        .unwrap_err();
    assert!(
        matches!(error, SpawnError::MissingDirectory(ref path) if path == Path::new("/no/such"))
    );
    let error = launcher()
        .spawn(AgentSpec { program: "/etc/passwd".into(), ..shell("") })
        .await
        .unwrap_err();
    assert!(matches!(error, SpawnError::NotExecutable(_)));
}

#[tokio::test]
async fn a_file_that_the_system_cannot_run_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let directory = tempfile::tempdir().unwrap();
    let script = directory.path().join("agent");
    for content in ["#!/no/such/interpreter\n", "\u{7f}ELF and no more"] {
        std::fs::write(&script, content).unwrap();
        std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
        let spec = AgentSpec { program: script.clone().into(), ..shell("") };
        let error = launcher().spawn(spec).await.unwrap_err();
        assert!(matches!(error, SpawnError::Refused { .. }), "{error}");
        assert!(error.to_string().contains(script.to_str().unwrap()), "{error}");
    }
}

#[tokio::test]
async fn an_agent_may_have_as_many_files_open_as_it_is_told_or_as_we_may() {
    let of_ours = rustix::process::getrlimit(rustix::process::Resource::Nofile).current.unwrap();
    for (told, expected) in [(Some(77), 77), (None, of_ours)] {
        let launcher = launcher().with_open_files(told);
        let mut agent = launcher.spawn(shell("ulimit -Sn")).await.unwrap();
        assert_eq!(lines(&mut agent).await, [expected.to_string()]);
    }
}

#[tokio::test]
async fn a_guard_that_is_none_is_our_fault() {
    for guard in ["true", "/no/such/guard"] {
        let launcher = agent_process::Launcher::new(vec![guard.into()], Default::default());
        let error = launcher.spawn(shell("")).await.unwrap_err();
        assert!(matches!(error, SpawnError::Guard(_)), "{error}");
    }
}

#[tokio::test]
async fn an_agent_that_exits_at_once_has_still_been_started() {
    let agent = start("exit 0").await;
    assert_eq!(agent.control.exited().await.status, ExitStatus::Code(0));
}
