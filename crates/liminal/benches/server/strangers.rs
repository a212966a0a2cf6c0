//! Those without a credential who take up connections, and what somebody with one notices of it.

use measure::{Bound, Estimate, Limit, Quantile};
use testkit::ServerProcess;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::time::Instant;

const REQUESTS: usize = 400;

pub(crate) struct Strangers {
    count: usize,
    /// Of a request with a credential, in milliseconds.
    before: Vec<f64>,
    meanwhile: Vec<f64>,
}

pub(crate) async fn measure(server: &ServerProcess, count: usize) -> Strangers {
    let before = requests(server).await;
    // They come all the time, and hold on to what they have.
    let flood = async {
        let mut held = Vec::new();
        loop {
            held.extend(stranger(server).await);
            // Ours are files too, of which there are only so many.
            if held.len() >= 1000 {
                held.clear();
            }
        }
    };
    let meanwhile = async {
        let mut filled = Vec::new();
        while filled.len() < count {
            filled.extend(stranger(server).await);
        }
        tokio::select! {
            millis = requests(server) => millis,
            () = flood => unreachable!("it never ends"),
        }
    };
    let meanwhile = meanwhile.await;
    Strangers { count, before, meanwhile }
}

/// Says the beginning of a request and nothing more. The server may be quicker to hang up.
async fn stranger(server: &ServerProcess) -> Option<TcpStream> {
    let mut stream = TcpStream::connect(("127.0.0.1", server.port())).await.ok()?;
    stream.write_all(b"GET / HTTP/1.1\r\nHost: ").await.ok()?;
    Some(stream)
}

/// One after the other, each on a connection of its own.
async fn requests(server: &ServerProcess) -> Vec<f64> {
    let mut millis = Vec::new();
    for _ in 0..REQUESTS {
        let start = Instant::now();
        let answer = server.get("/api/projects").await;
        assert!(answer.is_array(), "{answer}");
        millis.push(start.elapsed().as_secs_f64() * 1000.0);
    }
    millis
}

impl Strangers {
    pub(crate) fn report(&self) -> String {
        let row = |way: &str, millis: &[f64]| {
            let of = |quantile: Quantile| quantile.of(millis);
            format!("| {way} | {:.2} | {:.2} |\n", of(Quantile::Median), of(Quantile::P99))
        };
        format!(
            "\
### Connections of strangers

| a request with a credential | median, ms | P99, ms |
|---|---:|---:|
{}{}
*meanwhile*: {} connections that said half a request and wait, and more of them all the time.

",
            row("without strangers", &self.before),
            row("meanwhile", &self.meanwhile),
            self.count,
        )
    }

    pub(crate) fn bounds(&self) -> Vec<String> {
        let figure = Estimate::exact(Quantile::P99.of(&self.meanwhile));
        let text = "a request with a credential among strangers, P99";
        let limit = Limit::AtMost(50.0);
        vec![Bound { name: "s33_strangers", text, limit, figure, unit: " ms" }.to_string()]
    }
}
