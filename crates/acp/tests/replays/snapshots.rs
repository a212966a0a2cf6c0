//! The conversations as people read them; reviewed, and kept beside the recordings.
//!
//! `UPDATE_SNAPSHOTS=1` writes them anew; look at the difference before it is committed.

use std::path::Path;

use crate::recordings;

#[test]
#[expect(clippy::disallowed_methods, reason = "snapshots are files")]
fn the_recordings_read_as_reviewed() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots");
    let update = std::env::var("UPDATE_SNAPSHOTS").as_deref() == Ok("1");
    for sample in recordings::all() {
        let events = recordings::replay(&sample.recording);
        let text: String = events.iter().map(|event| format!("{event}\n")).collect();
        let path = directory.join(format!("{}.txt", sample.name));
        if update {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, &text).unwrap();
        }
        let reviewed = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(reviewed == text, "{} reads otherwise:\n{text}", sample.name);
    }
}
