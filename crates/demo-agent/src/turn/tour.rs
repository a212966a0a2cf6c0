//! Everything once: a plan, thoughts, tools, an edit.

use super::actions::about_listing;
use super::{Stop, Turn};
use crate::story::Steps;

impl Turn {
    pub(super) async fn tour(&mut self) -> Result<(), Stop> {
        let mut steps = Steps::new(&[
            "Look around",
            "Read a file",
            "Search for things to do",
            "Propose a change",
            "Sum up",
        ]);
        self.tell(steps.update()).await?;
        self.think("A newcomer wants to see everything. I look around first, then I propose a small change.\n")
            .await?;
        self.next(&mut steps).await?;
        let listing = self.list(".".to_owned()).await?;
        if let Some(listing) = &listing {
            self.say(&about_listing(listing)).await?;
        }
        self.next(&mut steps).await?;
        let names = listing.map(|listing| listing.names).unwrap_or_default();
        match worth_reading(&names) {
            Some(name) => {
                if let Some(text) = self.read(name.to_owned()).await? {
                    self.say(&self.about_text(&text)).await?;
                }
            }
            None => self.say("There is nothing to read here yet.\n").await?,
        }
        self.next(&mut steps).await?;
        let found = self.search("todo".to_owned()).await?;
        self.say(&self.about_found(&found)).await?;
        self.next(&mut steps).await?;
        self.edit_something().await?;
        self.next(&mut steps).await?;
        self.say("\nThat was the tour: a plan, thoughts, tools, a question and a change. Say `help` for more.\n")
            .await?;
        self.next(&mut steps).await
    }

    async fn next(&mut self, steps: &mut Steps) -> Result<(), Stop> {
        steps.advance();
        self.tell(steps.update()).await
    }
}

/// A readme if there is one, else a text that is likely to be for people.
fn worth_reading(names: &[String]) -> Option<&str> {
    let lower = |name: &String| name.to_ascii_lowercase();
    let readme = names.iter().find(|name| lower(name).starts_with("readme"));
    let text = || {
        names.iter().find(|name| {
            [".md", ".txt", ".toml"].iter().any(|ending| lower(name).ends_with(ending))
        })
    };
    readme.or_else(text).map(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_readme_is_read_first() {
        let names =
            |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert_eq!(worth_reading(&names(&["a.md", "ReadMe.txt"])), Some("ReadMe.txt"));
        assert_eq!(worth_reading(&names(&["a.bin", "b.toml"])), Some("b.toml"));
        assert_eq!(worth_reading(&names(&["a.bin"])), None);
    }
}
