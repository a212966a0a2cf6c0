//! From a prompt to what is to be done, by simple rules; pure.

/// What a prompt asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Intent {
    Help,
    Unknown,
    /// A sentence that begins well; the text says how it goes on.
    Unclear(&'static str),
    List {
        path: String,
    },
    Read {
        path: String,
    },
    Search {
        text: String,
    },
    Replace {
        path: String,
        old: String,
        new: String,
    },
    Write {
        path: String,
        text: String,
    },
    EditSomething,
    Plan {
        goal: Option<String>,
    },
    Think {
        about: Option<String>,
    },
    Tour,
    Slow,
    Flood {
        pieces: u32,
    },
    Fail,
    Crash,
    Hang,
}

/// More would only wear out the reader.
const MOST_PIECES: u32 = 100_000;
const USUAL_PIECES: u32 = 1000;

const HOW_TO_EDIT: &str = "edit PATH: replace OLD with NEW";

pub(crate) fn understand(prompt: &str) -> Intent {
    let sentence = prompt.trim();
    let sentence = sentence.strip_prefix('/').unwrap_or(sentence);
    let sentence = after_word(sentence, "please").unwrap_or(sentence);
    if let Some(intent) = said_alone(sentence) {
        return intent;
    }
    let (word, rest) = first_word(sentence);
    match word.to_ascii_lowercase().as_str() {
        "help" | "hello" | "hi" => Intent::Help,
        "list" | "ls" => Intent::List { path: directory_in(rest) },
        "read" | "cat" => named(without(rest, &["the", "file"]))
            .map_or(Intent::Unclear("read PATH"), |path| Intent::Read { path }),
        "search" | "find" | "grep" => named(after_word(rest, "for").unwrap_or(rest))
            .map_or(Intent::Unclear("search TEXT"), |text| Intent::Search { text }),
        "edit" => edit(rest),
        "write" => write(rest),
        "plan" => Intent::Plan { goal: topic(rest, "for") },
        "think" => Intent::Think { about: topic(rest, "about") },
        "demo" | "tour" => Intent::Tour,
        "flood" => flood(rest),
        _ => Intent::Unknown,
    }
}

/// These do something unpleasant, so a longer sentence that begins with them does not mean them.
fn said_alone(sentence: &str) -> Option<Intent> {
    let word = sentence.trim_end_matches(['.', '!', '?']).to_ascii_lowercase();
    match word.as_str() {
        "fail" => Some(Intent::Fail),
        "crash" => Some(Intent::Crash),
        "hang" => Some(Intent::Hang),
        "slow" => Some(Intent::Slow),
        _ => None,
    }
}

fn edit(rest: &str) -> Intent {
    if matches!(rest.to_ascii_lowercase().as_str(), "" | "a file" | "the file" | "something") {
        return Intent::EditSomething;
    }
    // A path may hold a colon itself, so the one before the verb counts.
    let cut = rest.match_indices(':').find_map(|(at, _)| {
        let (path, request) = rest.split_at(at);
        Some((path, after_word(request.strip_prefix(':')?.trim_start(), "replace")?))
    });
    let parts = cut.and_then(|(path, request)| {
        let (old, new) = old_and_new(request)?;
        Some(Intent::Replace { path: named(path)?, old, new: unquoted(new).to_owned() })
    });
    parts.unwrap_or(Intent::Unclear(HOW_TO_EDIT))
}

/// `OLD with NEW`; the first ` with ` parts them unless OLD is quoted.
fn old_and_new(request: &str) -> Option<(String, &str)> {
    let quote = request.chars().next().filter(|first| QUOTES.contains(first));
    if let Some(quote) = quote {
        let (old, rest) = request.strip_prefix(quote)?.split_once(quote)?;
        let new = after_word(rest.trim_start(), "with")?;
        return (!old.is_empty()).then(|| (old.to_owned(), new));
    }
    let (old, new) = request.split_once(" with ")?;
    (!old.trim().is_empty()).then(|| (old.trim().to_owned(), new))
}

fn write(rest: &str) -> Intent {
    let parts = rest.split_once(':').and_then(|(path, text)| {
        let text = text.strip_prefix(' ').unwrap_or(text);
        let text = text.strip_prefix('\n').unwrap_or(text);
        Some(Intent::Write { path: named(path)?, text: text.to_owned() })
    });
    parts.unwrap_or(Intent::Unclear("write PATH: TEXT"))
}

fn flood(rest: &str) -> Intent {
    match rest.split_whitespace().next().map(str::parse::<u32>) {
        None => Intent::Flood { pieces: USUAL_PIECES },
        Some(Ok(pieces)) => Intent::Flood { pieces: pieces.min(MOST_PIECES) },
        Some(Err(_)) => Intent::Unclear("flood NUMBER"),
    }
}

/// `list the files in src` means `src`, and no directory at all means this one.
fn directory_in(rest: &str) -> String {
    named(without(rest, &["all", "the", "files", "in", "of"])).unwrap_or_else(|| ".".to_owned())
}

/// What is left when these words are left out at its beginning, in this order.
fn without<'a>(rest: &'a str, fillers: &[&str]) -> &'a str {
    fillers.iter().fold(rest, |rest, filler| after_word(rest, filler).unwrap_or(rest))
}

fn topic(rest: &str, filler: &str) -> Option<String> {
    let topic = named(after_word(rest, filler).unwrap_or(rest))?;
    (topic != "something").then_some(topic)
}

fn named(text: &str) -> Option<String> {
    let text = unquoted(text);
    (!text.is_empty()).then(|| text.to_owned())
}

const QUOTES: [char; 3] = ['"', '\'', '`'];

fn unquoted(text: &str) -> &str {
    let text = text.trim();
    let inner = |quote| text.strip_prefix(quote)?.strip_suffix(quote);
    QUOTES.into_iter().find_map(inner).unwrap_or(text)
}

/// The first word without what ends a sentence, and the rest.
fn first_word(sentence: &str) -> (&str, &str) {
    let (word, rest) = sentence.split_once(char::is_whitespace).unwrap_or((sentence, ""));
    (word.trim_end_matches(['.', '!', '?', ',', ':']), rest.trim())
}

/// What follows `word`, if the sentence begins with it.
fn after_word<'a>(sentence: &'a str, word: &str) -> Option<&'a str> {
    let (first, rest) = sentence.split_once(char::is_whitespace).unwrap_or((sentence, ""));
    first.trim_end_matches(',').eq_ignore_ascii_case(word).then(|| rest.trim_start())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn list(path: &str) -> Intent {
        Intent::List { path: path.to_owned() }
    }

    fn replace(path: &str, old: &str, new: &str) -> Intent {
        Intent::Replace { path: path.to_owned(), old: old.to_owned(), new: new.to_owned() }
    }

    fn write_of(path: &str, text: &str) -> Intent {
        Intent::Write { path: path.to_owned(), text: text.to_owned() }
    }

    fn read(path: &str) -> Intent {
        Intent::Read { path: path.to_owned() }
    }

    fn search(text: &str) -> Intent {
        Intent::Search { text: text.to_owned() }
    }

    #[track_caller]
    fn check(cases: &[(&str, Intent)]) {
        for (prompt, intent) in cases {
            assert_eq!(understand(prompt), *intent, "{prompt}");
        }
    }

    #[test]
    fn looking_around_is_asked_for_in_plain_english() {
        check(&[
            ("list", list(".")),
            ("List files", list(".")),
            ("please list all the files in `src`", list("src")),
            ("/list src/bin", list("src/bin")),
            ("read README.md", read("README.md")),
            ("/read \"two words.md\"", read("two words.md")),
            ("read the file README.md", read("README.md")),
            ("read", Intent::Unclear("read PATH")),
            ("search for todo", search("todo")),
            ("search 'for ever'", search("for ever")),
            ("grep fn main", search("fn main")),
            ("search", Intent::Unclear("search TEXT")),
        ]);
    }

    #[test]
    fn an_edit_names_its_file_and_both_texts() {
        check(&[
            ("edit a.md: replace one with two", replace("a.md", "one", "two")),
            ("Edit c:d.md: Replace one with", Intent::Unclear(HOW_TO_EDIT)),
            ("edit c:d.md: replace one with two", replace("c:d.md", "one", "two")),
            ("edit a.md: replace \"1 with 2\" with `3`", replace("a.md", "1 with 2", "3")),
            ("edit a.md: replace \"gone\" with \"\"", replace("a.md", "gone", "")),
            ("edit a.md: replace \"\" with x", Intent::Unclear(HOW_TO_EDIT)),
            ("edit a.md", Intent::Unclear(HOW_TO_EDIT)),
            ("edit a file", Intent::EditSomething),
            ("edit", Intent::EditSomething),
            ("write a.md: one: two\nthree", write_of("a.md", "one: two\nthree")),
            ("write a.md:\none", write_of("a.md", "one")),
            ("write a.md:", write_of("a.md", "")),
            ("write a.md", Intent::Unclear("write PATH: TEXT")),
            ("write : x", Intent::Unclear("write PATH: TEXT")),
        ]);
    }

    #[test]
    fn trouble_comes_only_when_it_is_all_that_is_said() {
        check(&[
            ("crash", Intent::Crash),
            ("/crash", Intent::Crash),
            ("Fail!", Intent::Fail),
            ("hang.", Intent::Hang),
            ("slow", Intent::Slow),
            ("crash course in Rust", Intent::Unknown),
            ("fail gracefully", Intent::Unknown),
        ]);
    }

    #[test]
    fn a_flood_has_a_size_and_a_bound() {
        let flood = |pieces| Intent::Flood { pieces };
        check(&[
            ("flood 5000", flood(5000)),
            ("flood", flood(USUAL_PIECES)),
            ("flood 4000000000", flood(MOST_PIECES)),
            ("flood -1", Intent::Unclear("flood NUMBER")),
            ("flood everything", Intent::Unclear("flood NUMBER")),
        ]);
    }

    #[test]
    fn everything_else_is_answered_with_what_to_try() {
        check(&[
            ("hello", Intent::Help),
            ("Hi!", Intent::Help),
            ("help me", Intent::Help),
            ("", Intent::Unknown),
            ("/", Intent::Unknown),
            ("what is the meaning of life", Intent::Unknown),
            ("demo", Intent::Tour),
            ("plan something", Intent::Plan { goal: None }),
            ("plan for a party", Intent::Plan { goal: Some("a party".to_owned()) }),
            ("think about cats", Intent::Think { about: Some("cats".to_owned()) }),
            ("think", Intent::Think { about: None }),
        ]);
    }

    proptest! {
        #[test]
        fn no_sentence_is_too_strange(prompt in any::<String>()) {
            understand(&prompt);
        }

        #[test]
        fn no_edit_is_too_strange(rest in "[ :\"'`a-cé\n]{0,12}") {
            understand(&format!("edit {rest}: replace {rest} with {rest}"));
            understand(&format!("write {rest}"));
        }
    }
}
