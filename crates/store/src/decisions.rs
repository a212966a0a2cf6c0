//! How many permission requests that are over are told at once.

use contract::PermissionRequest;

/// In bytes, as they are written down.
const ROOM: usize = 1 << 20;

/// The first of them that are no more than `limit` and fit; one always does.
pub(crate) fn within_room(
    requests: impl IntoIterator<Item = PermissionRequest>,
    limit: usize,
) -> Vec<PermissionRequest> {
    let mut left = ROOM;
    let fits = |request: &PermissionRequest| {
        let has_room = left > 0;
        left = left.saturating_sub(size(request));
        has_room
    };
    requests.into_iter().take(limit).take_while(fits).collect()
}

fn size(request: &PermissionRequest) -> usize {
    let arguments = request.tool_arguments.as_ref();
    let hunks = request.diff.iter().flatten().flat_map(|file| &file.hunks);
    arguments.map_or(0, contract::ToolArguments::approximate_size)
        + hunks.flat_map(|hunk| &hunk.lines).map(String::len).sum::<usize>()
        + request.plan.as_ref().map_or(0, String::len)
        + request.title.len()
}
