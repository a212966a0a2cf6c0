-- The first shape of the journal. Never edited once released: later shapes are migrations after it.

-- What is done once and was done.
CREATE TABLE marks (
  name TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;

CREATE TABLE projects (
  n        INTEGER PRIMARY KEY,
  id       TEXT NOT NULL UNIQUE,
  path     TEXT NOT NULL UNIQUE,
  name     TEXT NOT NULL,
  added_at INTEGER NOT NULL
) STRICT;

CREATE TABLE sessions (
  n              INTEGER PRIMARY KEY,
  id             TEXT NOT NULL UNIQUE,
  project_id     TEXT NOT NULL,
  project_dir    TEXT NOT NULL,
  cli_type       TEXT NOT NULL,
  agent_session  TEXT,
  epoch          TEXT NOT NULL,
  title          TEXT NOT NULL,
  created_at     INTEGER NOT NULL,
  last_active_at INTEGER NOT NULL,
  archived       INTEGER NOT NULL,
  dead           INTEGER NOT NULL,
  source         TEXT NOT NULL,
  head           INTEGER NOT NULL,
  queue          TEXT NOT NULL
) STRICT;

-- What changes with every state of an item is here; what is long is in `bodies` and `chunks`.
CREATE TABLE items (
  session    INTEGER NOT NULL REFERENCES sessions (n) ON DELETE CASCADE,
  position   INTEGER NOT NULL,
  seq        INTEGER NOT NULL,
  item       TEXT NOT NULL,
  turn       TEXT NOT NULL,
  status     INTEGER NOT NULL,
  final      INTEGER NOT NULL,
  size       INTEGER NOT NULL,
  source_at  INTEGER NOT NULL,
  emitted_at INTEGER NOT NULL,
  PRIMARY KEY (session, position)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX items_by_id ON items (session, item);
CREATE UNIQUE INDEX items_by_change ON items (session, seq, size);
CREATE INDEX items_unfinished ON items (session, position) WHERE final = 0;

-- The item as JSON. Of one that grows, without its text.
CREATE TABLE bodies (
  n        INTEGER PRIMARY KEY,
  session  INTEGER NOT NULL REFERENCES sessions (n) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  body     TEXT NOT NULL,
  UNIQUE (session, position)
) STRICT;

-- Text that grows, in the order it came. Folded into the body when the item ends.
CREATE TABLE chunks (
  session  INTEGER NOT NULL REFERENCES sessions (n) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  n        INTEGER NOT NULL,
  text     TEXT NOT NULL,
  PRIMARY KEY (session, position, n)
) STRICT, WITHOUT ROWID;

CREATE TABLE turns (
  session  INTEGER NOT NULL REFERENCES sessions (n) ON DELETE CASCADE,
  seq      INTEGER NOT NULL,
  turn     TEXT NOT NULL,
  terminal INTEGER NOT NULL,
  body     TEXT NOT NULL,
  PRIMARY KEY (session, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX turns_by_id ON turns (session, turn, seq);

-- Turns that started and have not ended.
CREATE TABLE open_turns (
  session INTEGER NOT NULL REFERENCES sessions (n) ON DELETE CASCADE,
  turn    TEXT NOT NULL,
  seq     INTEGER NOT NULL,
  PRIMARY KEY (session, turn)
) STRICT, WITHOUT ROWID;

-- What was sent along with a turn that waits.
CREATE TABLE attachments (
  session INTEGER NOT NULL REFERENCES sessions (n) ON DELETE CASCADE,
  turn    TEXT NOT NULL,
  n       INTEGER NOT NULL,
  body    TEXT NOT NULL,
  PRIMARY KEY (session, turn, n)
) STRICT;

CREATE TABLE permissions (
  session  INTEGER NOT NULL REFERENCES sessions (n) ON DELETE CASCADE,
  id       TEXT NOT NULL,
  waiting  INTEGER NOT NULL,
  asked_at INTEGER NOT NULL,
  body     TEXT NOT NULL,
  PRIMARY KEY (session, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX permissions_waiting ON permissions (session, asked_at) WHERE waiting = 1;

CREATE TABLE sent (
  session INTEGER NOT NULL REFERENCES sessions (n) ON DELETE CASCADE,
  client  TEXT NOT NULL,
  body    TEXT NOT NULL,
  PRIMARY KEY (session, client)
) STRICT, WITHOUT ROWID;

-- Words of items that have ended. Row ids are those of `bodies`; the text itself is only there.
CREATE VIRTUAL TABLE words USING fts5 (
  text, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
);
