//! What a prompt says, as one text; pure.

use agent_client_protocol::v1::schema::ContentBlock;

/// The texts one after another; a linked file stands in it as its path.
pub(super) fn of(blocks: &[ContentBlock]) -> String {
    let texts = blocks.iter().filter_map(|block| match block {
        ContentBlock::Text(text) => Some(text.text.clone()),
        ContentBlock::ResourceLink(link) => Some(path_in(&link.uri)),
        // Not announced as something we take.
        ContentBlock::Image(_) | ContentBlock::Audio(_) | ContentBlock::Resource(_) | _ => None,
    });
    texts.map(|text| text.trim().to_owned()).collect::<Vec<_>>().join(" ")
}

fn path_in(uri: &str) -> String {
    let Some(path) = uri.strip_prefix("file://") else { return uri.to_owned() };
    let mut bytes = Vec::new();
    let mut rest = path.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let coded = (*first == b'%').then(|| after.split_at_checked(2)).flatten();
        let coded = coded.and_then(|(digits, after)| Some((hex(digits)?, after)));
        let (byte, after) = coded.unwrap_or((*first, after));
        bytes.push(byte);
        rest = after;
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn hex(digits: &[u8]) -> Option<u8> {
    let digits = str::from_utf8(digits).ok()?;
    u8::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use agent_client_protocol::v1::schema::{ImageContent, ResourceLink};

    use super::*;

    #[test]
    fn a_linked_file_is_read_by_its_path() {
        let blocks = [
            ContentBlock::from("read "),
            ContentBlock::Image(ImageContent::new("", "image/png")),
            ContentBlock::ResourceLink(ResourceLink::new("x", "file:///a/two%20words%2.md")),
        ];
        assert_eq!(of(&blocks), "read /a/two words%2.md");
        assert_eq!(of(&[]), "");
        assert_eq!(path_in("https://example.org/%20"), "https://example.org/%20");
    }
}
