-- What is worth knowing after a restart and belongs to no session.
CREATE TABLE notes (
  name  TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
