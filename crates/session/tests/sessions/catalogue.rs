//! Which agents can be run: how often they are looked at, and for how long.

use std::sync::Arc;
use std::time::Duration;

use session::provider::{AgentCatalogue, AgentLabel, ProviderErrorCode, ProviderRegistry};
use testkit::{Operation, ScriptedProvider};

struct Agents {
    catalogue: Arc<AgentCatalogue>,
    agents: Vec<Arc<ScriptedProvider>>,
}

impl Agents {
    fn named(names: &[&str]) -> Self {
        let mut registry = ProviderRegistry::default();
        let agents: Vec<_> =
            names.iter().map(|name| Arc::new(ScriptedProvider::named(name))).collect();
        for (agent, name) in agents.iter().zip(names) {
            let install_hint = Some(format!("install {name}"));
            let label = AgentLabel { name: (*name).to_owned(), install_hint };
            registry.register_agent(agent.clone(), label);
        }
        Self { catalogue: Arc::new(AgentCatalogue::new(&registry)), agents }
    }

    fn checks(&self) -> Vec<usize> {
        self.agents.iter().map(|agent| agent.calls().len()).collect()
    }
}

#[tokio::test(start_paused = true)]
async fn what_was_found_holds_for_a_minute_unless_it_is_wanted_anew() {
    let agents = Agents::named(&["a"]);
    let found = agents.catalogue.agents(false).await;
    assert_eq!((found[0].available, found[0].version.as_deref()), (true, Some("1.0")));
    assert_eq!(found[0].install_hint, None, "it is there");
    agents.agents[0].fail_next(Operation::Check, ProviderErrorCode::ProcessCrash);
    tokio::time::advance(Duration::from_secs(59)).await;
    assert!(agents.catalogue.agents(false).await[0].available);
    assert_eq!(agents.checks(), [1]);
    let anew = agents.catalogue.agents(true).await;
    assert_eq!((anew[0].available, anew[0].version.as_deref()), (false, None));
    assert_eq!(anew[0].problem.as_deref(), Some("it was told to fail"));
    assert_eq!(anew[0].install_hint.as_deref(), Some("install a"));
    tokio::time::advance(Duration::from_secs(61)).await;
    assert!(agents.catalogue.agents(false).await[0].available);
    assert_eq!(agents.checks(), [3]);
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_never_answers_holds_up_nobody_for_long() {
    let agents = Agents::named(&["a", "b", "c"]);
    let _never = agents.agents[1].hold_next(Operation::Check);
    let asked = tokio::time::Instant::now();
    let found = agents.catalogue.agents(false).await;
    assert!(asked.elapsed() < Duration::from_secs(11));
    let told: Vec<_> =
        found.iter().map(|agent| (agent.cli_type.as_str(), agent.available)).collect();
    assert_eq!(told, [("a", true), ("b", false), ("c", true)]);
    assert!(found[1].problem.as_deref().unwrap().contains("did not answer"), "{found:?}");
}

#[tokio::test(start_paused = true)]
async fn whoever_asks_meanwhile_gets_the_same_answer_also_anew() {
    let agents = Agents::named(&["a"]);
    let (first, second, third) = tokio::join!(
        agents.catalogue.agents(true),
        agents.catalogue.agents(false),
        agents.catalogue.agents(true)
    );
    assert_eq!((&first, &first), (&second, &third));
    assert_eq!(agents.checks(), [1]);
    tokio::time::advance(Duration::from_secs(1)).await;
    // One that is asked for while an older look is under way is not answered by that one.
    let release = agents.agents[0].hold_next(Operation::Check);
    let catalogue = agents.catalogue.clone();
    let old = async { catalogue.agents(true).await };
    let new = async {
        agents.agents[0].wait_for_calls(2).await;
        tokio::time::advance(Duration::from_secs(1)).await;
        let asked = agents.catalogue.agents(true);
        release.send(()).unwrap();
        asked.await
    };
    tokio::join!(old, new);
    assert_eq!(agents.checks(), [3]);
}

#[tokio::test(start_paused = true)]
async fn a_few_are_looked_at_at_a_time() {
    let agents = Agents::named(&["a", "b", "c", "d", "e", "f"]);
    let held: Vec<_> =
        agents.agents.iter().map(|agent| agent.hold_next(Operation::Check)).collect();
    let catalogue = agents.catalogue.clone();
    let looking = async { catalogue.agents(false).await };
    let watching = async {
        agents.agents[3].wait_for_calls(1).await;
        tokio::time::advance(Duration::from_secs(1)).await;
        let checks = agents.checks();
        held.into_iter().for_each(|hold| hold.send(()).unwrap());
        checks
    };
    let (found, checks) = tokio::join!(looking, watching);
    assert_eq!(checks, [1, 1, 1, 1, 0, 0]);
    assert!(found.iter().all(|agent| agent.available), "{found:?}");
}
