//! What the machine that tests run on can do.

/// Whether `::1` can be listened on. Where there is no table of addresses, as outside Linux, it always can.
pub fn has_ipv6_loopback() -> bool {
    const LOOPBACK: &str = "00000000000000000000000000000001 ";
    let table = std::fs::read_to_string("/proc/net/if_inet6");
    match table {
        Ok(table) => table.lines().any(|line| line.starts_with(LOOPBACK)),
        Err(_) => !cfg!(target_os = "linux"),
    }
}
