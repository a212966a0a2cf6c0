//! The sockets the server listens on: both loopback addresses, on one port.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use tokio::net::TcpListener;

/// How often a picked port is tried again because its twin is taken.
const TRIES: usize = 16;

/// Binds `address`, and its twin of the other IP version where this machine has one.
pub(crate) async fn bind(address: SocketAddr) -> io::Result<Vec<TcpListener>> {
    for _ in 0..TRIES {
        let first = TcpListener::bind(address).await?;
        let Some(twin) = twin_of(first.local_addr()?) else { return Ok(vec![first]) };
        match TcpListener::bind(twin).await {
            Ok(second) => return Ok(vec![first, second]),
            Err(error) if error.kind() != io::ErrorKind::AddrInUse => return Ok(vec![first]),
            Err(error) if address.port() != 0 => return Err(error),
            // The port was picked for us; another one may be free on both.
            Err(_) => {}
        }
    }
    Err(io::Error::new(io::ErrorKind::AddrInUse, "no port is free on both loopback addresses"))
}

/// Only the usual addresses have a twin that means the same.
fn twin_of(address: SocketAddr) -> Option<SocketAddr> {
    let ip = match address.ip() {
        IpAddr::V4(Ipv4Addr::LOCALHOST) => IpAddr::V6(Ipv6Addr::LOCALHOST),
        IpAddr::V6(Ipv6Addr::LOCALHOST) => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V4(_) | IpAddr::V6(_) => return None,
    };
    Some(SocketAddr::new(ip, address.port()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn both_addresses_share_a_port_and_a_taken_port_is_an_error() {
        let listeners = bind("127.0.0.1:0".parse().unwrap()).await.unwrap();
        let addresses: Vec<_> =
            listeners.iter().map(|listener| listener.local_addr().unwrap()).collect();
        assert!(addresses.iter().all(|address| address.port() == addresses[0].port()));
        let ips: Vec<_> = addresses.iter().map(SocketAddr::ip).collect();
        let both = [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)];
        let expected = if testkit::has_ipv6_loopback() { &both[..] } else { &both[..1] };
        assert_eq!(ips, expected);
        let taken = bind(addresses[0]).await.unwrap_err();
        assert_eq!(taken.kind(), io::ErrorKind::AddrInUse);
    }
}
