//! A TCP proxy for one connection: it passes bytes on in pieces of any size, and cuts the connection at any byte.

use std::net::Ipv4Addr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{ReadHalf, WriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::task::TaskTracker;

/// In small pieces only so far, for each costs a system call.
const SLICED: usize = 4096;

#[derive(Clone, Debug)]
pub(crate) struct Link {
    /// How many bytes pass at once.
    pub(crate) slice: usize,
    pub(crate) cut: Option<Cut>,
}

/// Where a connection ends, whatever is on its way.
#[derive(Clone, Debug)]
pub(crate) struct Cut {
    /// After so many bytes of the server, or of the client.
    pub(crate) at: usize,
    pub(crate) of_client: bool,
    /// With a reset on both sides, not with an end.
    pub(crate) reset: bool,
}

impl Link {
    /// Listens for one connection and returns its port.
    pub(crate) async fn to(self, server: u16, tasks: &TaskTracker) -> u16 {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        tasks.spawn(async move {
            let (client, _) = listener.accept().await.unwrap();
            let server = TcpStream::connect((Ipv4Addr::LOCALHOST, server)).await.unwrap();
            self.pass(client, server).await;
        });
        port
    }

    async fn pass(self, mut client: TcpStream, mut server: TcpStream) {
        for stream in [&client, &server] {
            stream.set_nodelay(true).unwrap();
        }
        let limit = |of_client| {
            let cut = self.cut.as_ref().filter(|cut| cut.of_client == of_client);
            cut.map_or(usize::MAX, |cut| cut.at)
        };
        {
            let ((from_client, to_client), (from_server, to_server)) =
                (client.split(), server.split());
            // Both end with the one that ends first.
            tokio::select! {
                () = pump(from_client, to_server, self.slice, limit(true)) => {}
                () = pump(from_server, to_client, self.slice, limit(false)) => {}
            }
        }
        if self.cut.is_some_and(|cut| cut.reset) {
            for stream in [&client, &server] {
                stream.set_zero_linger().unwrap();
            }
        }
    }
}

/// Passes bytes on until the limit is reached or a side is gone.
async fn pump(mut from: ReadHalf<'_>, mut to: WriteHalf<'_>, slice: usize, limit: usize) {
    let (mut passed, mut buffer) = (0, vec![0; 64 << 10]);
    while passed < limit {
        let size = if passed < SLICED { slice } else { buffer.len() };
        let room = size.min(limit - passed);
        let Ok(read @ 1..) = from.read(&mut buffer[..room]).await else { return };
        if to.write_all(&buffer[..read]).await.is_err() {
            return;
        }
        passed += read;
    }
}
