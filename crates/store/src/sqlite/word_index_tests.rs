//! What can be made again is made again, whatever became of the file that it was in.

use std::path::Path;
use std::time::Duration;

use contract::{ItemStatus, Text};

use super::tests::{directory, record, said};
use super::word_index::path_of;
use super::*;

async fn closed_with(path: &Path, words: &str) {
    let journal = SqliteJournal::open(path).unwrap();
    journal.create_session(record()).await.unwrap();
    let text = Text::from(words);
    journal.append(&"s".into(), vec![said(&text, 1, ItemStatus::Complete)]).await.unwrap();
}

async fn finds(journal: &SqliteJournal, word: &str) -> usize {
    journal.search(Wanted::parse(word).unwrap(), 10).await.unwrap().len()
}

/// As a thread sees it that has nothing to do with the journal. The newest is never forgotten.
fn ended_and_not_forgotten(path: &Path) -> u32 {
    let connection = connect(path).unwrap();
    connection.query_row("SELECT count(*) FROM ended", [], |row| row.get(0)).unwrap()
}

#[tokio::test]
async fn what_was_not_added_before_the_end_is_found_afterwards() {
    let (_directory, path) = directory();
    closed_with(&path, "marmalade").await;
    assert_eq!(ended_and_not_forgotten(&path), 1);
    assert_eq!(finds(&SqliteJournal::open(&path).unwrap(), "marmalade").await, 1);
}

#[tokio::test]
async fn words_that_are_lost_damaged_or_of_another_journal_are_gathered_again() {
    let (_directory, path) = directory();
    closed_with(&path, "marmalade").await;
    let (_elsewhere, other) = directory();
    closed_with(&other, "pelican").await;
    assert_eq!(finds(&SqliteJournal::open(&other).unwrap(), "pelican").await, 1);
    type Harm<'a> = (&'a str, Box<dyn Fn(&Path)>);
    let harms: [Harm<'_>; 4] = [
        ("whole", Box::new(|_| {})),
        ("lost", Box::new(|words| std::fs::remove_file(words).unwrap())),
        ("damaged", Box::new(|words| std::fs::write(words, [0x5a; 40_000]).unwrap())),
        (
            "of another",
            Box::new(move |words| assert!(std::fs::copy(path_of(&other), words).unwrap() > 0)),
        ),
    ];
    for (how, harm) in harms {
        harm(&path_of(&path));
        let journal = SqliteJournal::open(&path).unwrap();
        assert_eq!(finds(&journal, "marmalade").await, 1, "{how}");
        assert_eq!(finds(&journal, "pelican").await, 0, "{how}");
    }
}

/// Of the page where the words begin, which nobody reads before it is needed.
fn damage_words(journal: &Path) {
    let path = path_of(journal);
    let connection = connect(&path).unwrap();
    let number =
        |sql| connection.query_row(sql, [], |row| row.get::<_, u32>(0)).map(u64::from).unwrap();
    let page = number("SELECT rootpage FROM sqlite_schema WHERE name = 'words_data'");
    let size = number("PRAGMA page_size");
    drop(connection);
    overwrite(&path, (page - 1) * size, size);
}

fn overwrite(file: &Path, from: u64, bytes: u64) {
    let file = std::fs::OpenOptions::new().write(true).open(file).unwrap();
    let nonsense = vec![0x5a; usize::try_from(bytes).unwrap()];
    std::os::unix::fs::FileExt::write_all_at(&file, &nonsense, from).unwrap();
}

#[tokio::test]
async fn damage_that_is_met_in_a_search_or_a_step_is_mended() {
    for is_written_to in [false, true] {
        let (_directory, path) = directory();
        closed_with(&path, "marmalade").await;
        assert_eq!(finds(&SqliteJournal::open(&path).unwrap(), "marmalade").await, 1);
        damage_words(&path);
        let journal = SqliteJournal::open(&path).unwrap();
        if is_written_to {
            let text = Text::from("marmalade and pelicans");
            let change = said(&text, 2, ItemStatus::Complete);
            journal.append(&"s".into(), vec![change]).await.unwrap();
        }
        assert_eq!(finds(&journal, "marmalade").await, 1, "written to: {is_written_to}");
        assert_eq!(finds(&journal, "pelicans").await, usize::from(is_written_to));
        let text = Text::from("marmalade and walnuts");
        let seq = 2 + u64::from(is_written_to);
        journal.append(&"s".into(), vec![said(&text, seq, ItemStatus::Complete)]).await.unwrap();
        assert_eq!(finds(&journal, "walnuts").await, 1, "it goes on");
        drop(journal);
        assert_eq!(finds(&SqliteJournal::open(&path).unwrap(), "walnuts").await, 1);
    }
}

#[tokio::test]
async fn damage_that_comes_back_is_an_error_and_not_mended_for_ever() {
    let (_directory, path) = directory();
    closed_with(&path, "marmalade").await;
    assert_eq!(finds(&SqliteJournal::open(&path).unwrap(), "marmalade").await, 1);
    damage_words(&path);
    let journal = SqliteJournal::open(&path).unwrap();
    assert_eq!(finds(&journal, "marmalade").await, 1);
    for file in [path_of(&path), log_of(&path_of(&path))] {
        let size = file.metadata().unwrap().len();
        overwrite(&file, 0, size);
    }
    let wanted = Wanted::parse("marmalade").unwrap();
    assert!(journal.search(wanted, 10).await.is_err());
    let text = Text::from("marmalade and pelicans");
    let change = said(&text, 2, ItemStatus::Complete);
    journal.append(&"s".into(), vec![change]).await.expect("the journal is not concerned");
    drop(journal);
    assert_eq!(finds(&SqliteJournal::open(&path).unwrap(), "pelicans").await, 1);
}

#[tokio::test]
async fn the_journal_forgets_what_was_added_once_it_rests() {
    let (_directory, path) = directory();
    let journal = SqliteJournal::open_resting_after(&path, Duration::from_millis(50)).unwrap();
    journal.create_session(record()).await.unwrap();
    for (seq, words) in [(1, "marm"), (2, "marmal"), (3, "marmalade")] {
        let change = said(&Text::from(words), seq, ItemStatus::Complete);
        journal.append(&"s".into(), vec![change]).await.unwrap();
    }
    assert_eq!(finds(&journal, "marmalade").await, 1);
    for _ in 0..2400 {
        if ended_and_not_forgotten(&path) == 1 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    assert_eq!(ended_and_not_forgotten(&path), 1);
    let text = Text::from("marmalade and more");
    journal.append(&"s".into(), vec![said(&text, 4, ItemStatus::Complete)]).await.unwrap();
    assert_eq!(finds(&journal, "more").await, 1, "what comes next is added as well");
    drop(journal);
    std::fs::remove_file(path_of(&path)).unwrap();
    assert_eq!(finds(&SqliteJournal::open(&path).unwrap(), "more").await, 1);
}
