//! From an intent to what the turn does.

use agent_client_protocol::Error;
use agent_client_protocol::v1::schema::StopReason;

use super::tools::failed;
use super::{SLOWNESS, Stop, Turn, Voice};
use crate::intent::Intent;
use crate::project::{Found, Listing, Text};
use crate::story::{self, Steps, counted, fenced};

/// Lines of a file that are quoted.
const QUOTED: usize = 8;

/// How a turn ended.
#[derive(Debug)]
pub(crate) enum Ending {
    Stopped(StopReason),
    Failed(Error),
    /// The process is to end with it.
    Crashed,
}

impl Turn {
    /// Does what was asked. However it ends, nothing of it stays open; the session is free when this returns.
    pub(crate) async fn run(mut self, intent: Intent) -> Ending {
        let (why, ending) = match self.perform(intent).await {
            Ok(()) => return Ending::Stopped(StopReason::EndTurn),
            Err(Stop::Cancelled) => ("cancelled", Ending::Stopped(StopReason::Cancelled)),
            Err(Stop::Failed(error)) => ("failed", Ending::Failed(error)),
            Err(Stop::Crashed) => ("crashed", Ending::Crashed),
        };
        // The turn ends with its own reason, also if this cannot be told.
        drop(self.end_call_regardless(failed(why.to_owned())).await);
        ending
    }

    async fn perform(&mut self, intent: Intent) -> Result<(), Stop> {
        match intent {
            Intent::Help => self.say(&story::greeting()).await,
            Intent::Unknown => self.say(&story::not_understood()).await,
            Intent::Unclear(usage) => self.say(&story::unclear(usage)).await,
            Intent::List { path } => match self.list(path).await? {
                Some(listing) => self.say(&about_listing(&listing)).await,
                None => Ok(()),
            },
            Intent::Read { path } => match self.read(path).await? {
                Some(text) => self.say(&self.about_text(&text)).await,
                None => Ok(()),
            },
            Intent::Search { text } => {
                let found = self.search(text).await?;
                self.say(&self.about_found(&found)).await
            }
            Intent::Replace { path, old, new } => {
                self.change(move |project| project.propose_replacement(&path, &old, &new)).await
            }
            Intent::Write { path, text } => {
                self.change(move |project| project.propose_file(&path, &text)).await
            }
            Intent::EditSomething => self.edit_something().await,
            Intent::Plan { goal } => self.plan(goal.as_deref()).await,
            Intent::Think { about } => self.think_aloud(about.as_deref()).await,
            Intent::Tour => self.tour().await,
            Intent::Slow => self.slow().await,
            Intent::Flood { pieces } => self.flood(pieces).await,
            Intent::Fail => self.fail().await,
            Intent::Crash => self.crash().await,
            Intent::Hang => self.hang().await,
        }
    }

    pub(super) fn about_text(&self, text: &Text) -> String {
        let name = self.running.session.project.name_of(&text.path);
        let lines = text.text.lines().count();
        let whole = if text.is_cut { "at least " } else { "" };
        let quoted: Vec<_> = text.text.lines().take(QUOTED).collect();
        let more = if lines > QUOTED { "\n…" } else { "" };
        let block = fenced("text", &format!("{}{more}", quoted.join("\n")));
        format!("`{name}` has {whole}{}. It begins:\n\n{block}", counted(lines, "line"))
    }

    pub(super) fn about_found(&self, found: &Found) -> String {
        let more = if found.is_cut { " (and maybe more)" } else { "" };
        let hits = counted(found.hits.len(), "hit");
        let mut text = format!("{hits}{more} in {}.\n", counted(found.files, "text file"));
        for hit in found.hits.iter().take(QUOTED) {
            let name = self.running.session.project.name_of(&hit.path);
            text.push_str(&format!("\n- `{name}`, line {}", hit.line));
        }
        text.push('\n');
        text
    }

    pub(super) async fn edit_something(&mut self) -> Result<(), Stop> {
        self.say("I propose a small file, so that you can see a change before it is made.\n")
            .await?;
        self.change(|project| project.propose_file(EXAMPLE_FILE, EXAMPLE)).await
    }

    async fn plan(&mut self, goal: Option<&str>) -> Result<(), Stop> {
        let goal = goal.unwrap_or("something worth planning");
        let mut steps =
            Steps::new(&["Say what is wanted", "Cut it into steps", "Do them", "Look back"]);
        self.tell(steps.update()).await?;
        self.think(&format!("A plan for {goal}: four steps will do.\n")).await?;
        for said in [
            "First I say what is wanted: ",
            "Then I cut it into steps. ",
            "I do them one by one. ",
            "And I look back.",
        ] {
            steps.advance();
            self.tell(steps.update()).await?;
            self.say(said).await?;
            self.pause(self.pace * SLOWNESS).await?;
        }
        steps.advance();
        self.tell(steps.update()).await?;
        self.say(&format!("\n\nThe plan for **{goal}** is complete.\n")).await
    }

    async fn think_aloud(&mut self, about: Option<&str>) -> Result<(), Stop> {
        let about = about.unwrap_or("what thinking looks like");
        self.think(&format!(
            "The question is {about}.\n\nI have no model, so these thoughts are written down in my program. They are \
             streamed as any agent's thoughts are: apart from the answer, and before it.\n"
        ))
        .await?;
        self.say(&format!("I thought about **{about}**. You can open my thoughts above.\n")).await
    }

    async fn slow(&mut self) -> Result<(), Stop> {
        let text = "This answer takes its time. Every word comes alone, so that you can cancel me in the middle of it and \
                    see that what I said so far stays.\n";
        self.stream(Voice::Message, story::words(text), self.pace * SLOWNESS).await
    }

    async fn flood(&mut self, pieces: u32) -> Result<(), Stop> {
        let pieces = (1..=pieces).map(|number| format!("{number} "));
        self.stream(Voice::Message, pieces, std::time::Duration::ZERO).await
    }

    async fn fail(&mut self) -> Result<(), Stop> {
        self.say("I am about to fail, as you asked.\n").await?;
        Err(Stop::Failed(Error::new(-32603, "the demo agent failed because a prompt asked it to")))
    }

    async fn crash(&mut self) -> Result<(), Stop> {
        self.say("I am about to crash, as you asked.\n").await?;
        self.updates.credit.all_written().await;
        Err(Stop::Crashed)
    }

    async fn hang(&mut self) -> Result<(), Stop> {
        self.say("I wait until you cancel me.\n").await?;
        self.running.cancelled.cancelled().await;
        Err(Stop::Cancelled)
    }
}

const EXAMPLE_FILE: &str = "liminal-demo.md";
const EXAMPLE: &str = "\
# Written by the demo agent

You allowed this file. Delete it whenever you like, or change it and ask the demo agent to
`edit liminal-demo.md: replace demo with test`.
";

pub(super) fn about_listing(listing: &Listing) -> String {
    let most = if listing.is_cut { "at least " } else { "" };
    let mut text = format!("I see {most}{} here.\n", counted(listing.names.len(), "file"));
    for name in listing.names.iter().take(QUOTED) {
        text.push_str(&format!("\n- `{name}`"));
    }
    if listing.names.len() > QUOTED {
        text.push_str("\n- …");
    }
    text.push('\n');
    text
}
