//! A line without end takes no more memory than the longest line. Alone in its process, since it measures.
#![cfg(test)]

mod support;

use support::start;

/// In KiB.
fn most_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.split_whitespace().next().unwrap().parse().unwrap()
}

#[tokio::test]
async fn a_line_of_64_mib_takes_the_memory_of_one_of_8() {
    let before = most_memory();
    let mut agent = start("head -c 67108864 /dev/zero | tr '\\0' x; echo; echo next").await;
    let line = agent.output.next_line().await.unwrap().unwrap();
    assert!(line.cut);
    let line = agent.output.next_line().await.unwrap().unwrap();
    assert_eq!(line.bytes, b"next");
    let grown = most_memory() - before;
    assert!(grown < 26 * 1024, "{grown} KiB");
}
