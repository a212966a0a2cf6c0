//! Half a surrogate pair, which JSON written by other languages may hold and ours refuses.
//!
//! Agents cut texts by units of UTF-16, also in the middle of a character. One such cut must not cost a whole line.

/// The text with a mark in place of every half pair; `None` if it has none.
pub fn mend(json: &str) -> Option<String> {
    let mut mended = String::new();
    let mut kept = 0;
    let mut at = 0;
    while let Some(found) = json.get(at..).and_then(|rest| rest.find('\\')) {
        let escape = at + found;
        at = escape + 2;
        let Some(unit) = unit_at(json, escape) else { continue };
        if is_high(unit) && unit_at(json, escape + 6).is_some_and(is_low) {
            at = escape + 12;
        } else if is_high(unit) || is_low(unit) {
            at = escape + 6;
            mended.push_str(json.get(kept..escape)?);
            mended.push_str("\\ufffd");
            kept = at;
        }
    }
    if kept == 0 {
        return None;
    }
    mended.push_str(json.get(kept..)?);
    Some(mended)
}

/// The unit that an escape at `place` stands for, if there is one.
fn unit_at(json: &str, place: usize) -> Option<u16> {
    let digits = json.get(place..place + 6)?.strip_prefix("\\u")?;
    u16::from_str_radix(digits, 16).ok()
}

fn is_high(unit: u16) -> bool {
    (0xD800..0xDC00).contains(&unit)
}

fn is_low(unit: u16) -> bool {
    (0xDC00..0xE000).contains(&unit)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_half_pairs_are_replaced() {
        assert_eq!(mend(r#""a\ud83db""#).as_deref(), Some(r#""a\ufffdb""#));
        assert_eq!(
            mend(r#""\uDE00 and \ud83d\ud83d\ude00""#).as_deref(),
            Some(r#""\ufffd and \ufffd\ud83d\ude00""#)
        );
        for whole in [r#""\ud83d\ude00""#, r#""\\ud83d""#, r#""plain \n \u00fc""#, "", r"\", r"\u"]
        {
            assert_eq!(mend(whole), None, "{whole}");
        }
    }

    proptest! {
        #[test]
        fn what_was_mended_reads_as_json(units in proptest::collection::vec(any::<u16>(), 0..40)) {
            let escaped: String = units.iter().map(|unit| format!("\\u{unit:04x}")).collect();
            let json = format!("\"{escaped}\"");
            let mended = mend(&json).unwrap_or(json);
            let text: String = serde_json::from_str(&mended).unwrap();
            prop_assert_eq!(text, String::from_utf16_lossy(&units));
        }
    }
}
