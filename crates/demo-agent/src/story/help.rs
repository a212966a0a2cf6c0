//! What to try.

const TRY: &str = "\
Try one of these:

- `demo` – a tour that uses everything
- `list files` – what is in this directory
- `read README.md` – reads a file
- `search for todo` – searches all files
- `plan something` – makes a plan and works through it
- `edit a file` – proposes a change and asks you first
- `think` – thinks aloud

An edit of your own looks like this:

```text
edit README.md: replace old words with new words
write notes.md: the whole text of the file
```

And when you want to see trouble:

| prompt | what happens |
|---|---|
| `slow` | an answer that takes its time: cancel it |
| `hang` | nothing, until you cancel it |
| `flood 5000` | five thousand pieces at once |
| `fail` | an error instead of an answer |
| `crash` | the agent's process ends |
";

pub(crate) fn greeting() -> String {
    format!(
        "# Hello!\n\nI am the **demo agent**. I run on your machine, need no account and ask no model: I follow simple \
         rules. What I do with files is real, but I stay in this session's directory, and I ask before I change \
         anything.\n\n{TRY}"
    )
}

pub(crate) fn not_understood() -> String {
    format!(
        "## I did not understand that\n\nI am the **demo agent**: I follow simple rules and ask no model.\n\n{TRY}"
    )
}

pub(crate) fn unclear(usage: &str) -> String {
    format!("Almost. Say it like this:\n\n```text\n{usage}\n```\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::intent::{Intent, understand};

    #[test]
    fn everything_it_names_is_understood() {
        let block = TRY.split("```").nth(1).unwrap().lines().skip(1);
        let quoted = TRY.split('`').skip(1).step_by(2);
        let single = quoted.filter(|prompt| !prompt.is_empty() && !prompt.contains('\n'));
        let mut checked = 0;
        for prompt in single.chain(block) {
            let intent = understand(prompt);
            assert!(!matches!(intent, Intent::Unknown | Intent::Unclear(_)), "{prompt}");
            checked += 1;
        }
        assert_eq!(checked, 14);
    }

    #[test]
    fn it_shows_a_heading_a_list_a_code_block_and_a_table() {
        for sign in ["# ", "\n- ", "\n```", "\n|---|"] {
            assert!(greeting().contains(sign), "{sign}");
        }
    }
}
