//! Content blocks as text, and text as content blocks.

use agent_client_protocol_schema::v1::{ContentBlock, EmbeddedResourceResource};

/// What a reader of plain text sees of a block.
pub(crate) fn to_text(block: &ContentBlock) -> String {
    match block {
        ContentBlock::Text(text) => text.text.clone(),
        ContentBlock::Image(_) => "[image]".to_owned(),
        ContentBlock::Audio(_) => "[audio]".to_owned(),
        ContentBlock::ResourceLink(link) => format!("[{}]({})", link.name, link.uri),
        ContentBlock::Resource(resource) => match &resource.resource {
            EmbeddedResourceResource::TextResourceContents(text) => text.text.clone(),
            other => match other {
                EmbeddedResourceResource::BlobResourceContents(blob) => format!("[{}]", blob.uri),
                _ => "[resource]".to_owned(),
            },
        },
        _ => "[content]".to_owned(),
    }
}
