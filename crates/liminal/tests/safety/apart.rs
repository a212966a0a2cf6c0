//! The server in a network of its own, which only root can enter, and what can be proved without one.

#![cfg(target_os = "linux")]

use std::path::Path;
use std::process::{Child, Output, Stdio};

use testkit::ServerPlace;

use crate::LIMINAL;
use crate::server::{Server, command, liminal};

/// Commands to enter a network: that of a process, as who made it.
const ENTER: [&str; 4] = ["-U", "-n", "--preserve-credentials", "-t"];
const OURS: &str = "10.231.7.1";

fn place() -> ServerPlace {
    ServerPlace::new(Path::new(LIMINAL), "")
}

/// A server in a network that has nothing but its loopback.
fn apart() -> Server {
    let mut unshare = command("unshare");
    let up = "ip link set lo up && exec \"$0\" \"$@\"";
    unshare.args(["-rn", "sh", "-c", up, LIMINAL]);
    Server::start_by(place(), unshare, |command| command)
}

fn within(pid: u32, program: &[&str]) -> Output {
    let mut enter = command("nsenter");
    enter.args(ENTER).arg(pid.to_string()).args(program).stdin(Stdio::null()).output().unwrap()
}

/// A process in another network, which ends with this.
struct Neighbour(Child);

impl Drop for Neighbour {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

impl Neighbour {
    /// Joined to the server's network by a wire.
    fn of(server: &Server) -> Self {
        let mut enter = command("nsenter");
        enter.args(ENTER).arg(server.pid().to_string());
        // It says when it is in its own network.
        enter.args(["unshare", "-n", "sh", "-c", "echo; exec sleep 600"]);
        let mut child = enter.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let mut said = [0; 1];
        std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut said).unwrap();
        let neighbour = Self(child);
        let wire = format!(
            "ip link add ours type veth peer name theirs netns {} && ip addr add {OURS}/24 dev ours && ip link set ours up",
            neighbour.pid()
        );
        assert_success(&within(server.pid(), &["sh", "-c", &wire]));
        let end = "ip addr add 10.231.7.2/24 dev theirs && ip link set theirs up";
        assert_success(&within(neighbour.pid(), &["sh", "-c", end]));
        neighbour
    }

    fn pid(&self) -> u32 {
        self.0.id()
    }

    /// What becomes of a connection to the server's port. A wire that is not up yet is tried again.
    fn connect(&self, port: u16) -> String {
        let attempt = format!("exec 3<>/dev/tcp/{OURS}/{port} && echo connected");
        for _ in 0..200 {
            let tried = within(self.pid(), &["timeout", "5", "bash", "-c", &attempt]);
            let told = [tried.stdout, tried.stderr].concat();
            let told = String::from_utf8_lossy(&told).into_owned();
            if !told.contains("No route to host") && !told.contains("unreachable") {
                return told;
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        "the wire never came up".to_owned()
    }
}

fn assert_success(output: &Output) {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[tokio::test]
async fn s_01_a_neighbour_in_the_network_is_refused_as_root() {
    let server = apart();
    let neighbour = Neighbour::of(&server);
    let told = neighbour.connect(server.port);
    // An answer came, so the wire is there, and the answer is no.
    assert!(told.contains("Connection refused"), "{told}");
}

/// An address of its own that every Linux has: whoever listens everywhere answers there too.
const ANOTHER: &str = "127.0.0.2";

/// From this machine to each address that it has, and to one that it has also where there is no network.
#[test]
fn s_01_no_other_address_of_this_machine_answers() {
    let server = Server::start(place());
    assert!(std::net::TcpStream::connect(("127.0.0.1", server.port)).is_ok());
    std::net::TcpListener::bind((ANOTHER, 0)).expect("an address of this machine");
    for address in addresses().into_iter().chain([ANOTHER.to_owned()]) {
        let tried = std::net::TcpStream::connect((address.as_str(), server.port));
        assert!(tried.is_err(), "{address}");
    }
}

/// Every address of this machine but loopback, as the system's table of routes tells them.
fn addresses() -> Vec<String> {
    let table = std::fs::read_to_string("/proc/net/fib_trie").unwrap_or_default();
    let lines: Vec<_> = table.lines().collect();
    let pairs = lines.windows(2).filter(|pair| pair[1].contains("/32 host LOCAL"));
    let mut found: Vec<_> = pairs
        .filter_map(|pair| pair[0].trim().strip_prefix("|-- "))
        .filter(|address| !address.starts_with("127."))
        .map(str::to_owned)
        .collect();
    found.dedup();
    found
}

/// What was tried in the network of a process: packets that had nowhere to go, and questions by which names are looked up.
fn attempts(pid: u32) -> u64 {
    let table = within(pid, &["cat", "/proc/net/snmp"]);
    assert_success(&table);
    let text = String::from_utf8(table.stdout).unwrap();
    let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split(' ').collect()).collect();
    let count = |kind: &str, name: &str| -> u64 {
        let [names, values] = lines.iter().filter(|line| line[0] == kind).collect::<Vec<_>>()[..]
        else {
            panic!("{text}")
        };
        let column = names.iter().position(|found| *found == name).unwrap();
        values[column].parse().unwrap()
    };
    count("Ip:", "OutNoRoutes") + count("Udp:", "OutDatagrams")
}

#[tokio::test]
async fn s_40_it_starts_and_works() {
    works(&Server::start(place()));
}

#[tokio::test]
async fn s_40_it_starts_and_works_where_there_is_no_way_out_as_root() {
    let server = apart();
    works(&server);
    assert_eq!(attempts(server.pid()), 0, "nobody is called, and no name is looked up");
    let call = "exec 3<>/dev/tcp/192.0.2.1/53";
    within(server.pid(), &["timeout", "5", "bash", "-c", call]);
    assert!(attempts(server.pid()) > 0, "a call would be seen");
}

fn works(server: &Server) {
    let dir = server.place.at("project");
    let new = ["new", "--cli", "demo", "--dir", dir.to_str().unwrap(), "help"];
    let created = liminal(&server.place, &new);
    assert_success(&created);
    let id = String::from_utf8(created.stdout).unwrap().trim().to_owned();
    let told = liminal(&server.place, &["tail", &id, "--until-idle"]);
    assert_success(&told);
    assert!(String::from_utf8_lossy(&told.stdout).ends_with("-- done\n"));
    let log = server.log();
    assert!(!log.contains("ERROR"), "{log}");
}
