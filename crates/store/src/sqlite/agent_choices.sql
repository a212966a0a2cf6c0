-- What the next agent of a session is set to, as JSON.
ALTER TABLE sessions ADD COLUMN choices TEXT NOT NULL DEFAULT '{}';
