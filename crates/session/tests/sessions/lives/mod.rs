//! A session over several lives of the server, whatever people, agent and disk do, in any order and at any moment: what
//! was answered is accounted for, once, and nothing happens that nobody asked for.

mod life;
mod promises;
mod wishes;

use std::sync::Arc;

use contract::Delivery;
use proptest::prelude::*;
use testkit::{BreakableJournal, CountingIds};

use life::{Life, Past};

/// One thing that happens.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Send(Delivery),
    /// With a name for the message that may have been used before.
    SendNamed(usize),
    Cancel,
    CancelTurn(usize),
    Kill,
    Load,
    Archive,
    Unarchive,
    RemoveProject,
    Resume,
    Reword(usize),
    Move(usize, usize),
    Hurry(usize),
    Remove(usize),
    Answer(usize, bool),
    Agent(AgentStep),
    /// The next call of the provider takes its time, until it is released.
    Hold(usize),
    FailNext(usize),
    Release,
    /// The next commit fails.
    BreakJournal,
    Wait(u64),
    /// Everything that can happen by itself happens; then what must hold is looked at.
    Settle,
    /// The server is told to stop, or killed, and another one starts.
    Stop,
    Crash,
}

/// What an agent does with a turn that it was given, or of its own.
#[derive(Clone, Copy, Debug)]
pub(crate) enum AgentStep {
    Begin,
    Say(bool),
    Ask,
    Complete,
    Stopped,
    Fail,
    NeverBegan,
    WakeUp,
    Exit,
}

fn step() -> impl Strategy<Value = Step> {
    let n = || 0..4_usize;
    let delivery = prop_oneof![4 => Just(Delivery::Queue), 1 => Just(Delivery::Steer), 1 => Just(Delivery::Interrupt)];
    prop_oneof![
        8 => delivery.prop_map(Step::Send),
        2 => n().prop_map(Step::SendNamed),
        2 => Just(Step::Cancel),
        1 => n().prop_map(Step::CancelTurn),
        1 => Just(Step::Kill),
        1 => Just(Step::Load),
        1 => Just(Step::Archive),
        1 => Just(Step::Unarchive),
        1 => Just(Step::RemoveProject),
        2 => Just(Step::Resume),
        2 => n().prop_map(Step::Reword),
        2 => (n(), n()).prop_map(|(turn, before)| Step::Move(turn, before)),
        2 => n().prop_map(Step::Hurry),
        2 => n().prop_map(Step::Remove),
        2 => (n(), any::<bool>()).prop_map(|(id, cancel)| Step::Answer(id, cancel)),
        20 => agent_step().prop_map(Step::Agent),
        2 => n().prop_map(Step::Hold),
        1 => n().prop_map(Step::FailNext),
        2 => Just(Step::Release),
        1 => Just(Step::BreakJournal),
        1 => (0..6000_u64).prop_map(Step::Wait),
        // Long enough for an idle agent to be ended.
        1 => Just(Step::Wait(31 * 60 * 1000)),
        12 => Just(Step::Settle),
        1 => Just(Step::Stop),
        2 => Just(Step::Crash),
    ]
}

fn agent_step() -> impl Strategy<Value = AgentStep> {
    prop_oneof![
        6 => Just(AgentStep::Begin),
        4 => any::<bool>().prop_map(AgentStep::Say),
        2 => Just(AgentStep::Ask),
        5 => Just(AgentStep::Complete),
        2 => Just(AgentStep::Stopped),
        1 => Just(AgentStep::Fail),
        1 => Just(AgentStep::NeverBegan),
        1 => Just(AgentStep::WakeUp),
        1 => Just(AgentStep::Exit),
    ]
}

/// One runtime for each life: dropping it is how a server is killed.
fn live(steps: &[Step], steers: bool) -> Result<(), TestCaseError> {
    let journal = Arc::new(BreakableJournal::default());
    let ids = Arc::new(CountingIds::default());
    let mut past = Past::default();
    let lives = steps.split_inclusive(|step| matches!(step, Step::Stop | Step::Crash));
    for steps in lives.chain([&[Step::Settle][..]]) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .start_paused(true)
            .build()
            .expect("a runtime");
        let told = past;
        past = runtime.block_on(async {
            let mut life = Life::begin(journal.clone(), ids.clone(), steers, told).await?;
            for step in steps {
                life.perform(step).await?;
            }
            // A life that was not cut short answers everybody.
            if !matches!(steps.last(), Some(Step::Crash)) {
                life.end().await?;
            }
            Ok::<_, TestCaseError>(life.into_past())
        })?;
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens_over_the_lives_of_a_server_every_message_is_accounted_for(
        steps in proptest::collection::vec(step(), 0..80),
        steers in any::<bool>(),
    ) {
        live(&steps, steers)?;
    }
}
