-- Fewer pages are written with every item.

-- An item names the row of its body, so that bodies need no index of their own.
ALTER TABLE items ADD COLUMN body INTEGER NOT NULL DEFAULT 0;
UPDATE items SET body = coalesce(
  (SELECT b.n FROM bodies b WHERE b.session = items.session AND b.position = items.position), 0
);
CREATE TABLE bodies_of_items (
  n        INTEGER PRIMARY KEY,
  session  INTEGER NOT NULL,
  position INTEGER NOT NULL,
  -- The item as JSON. Of one that grows, with the beginning of its text; the rest is in `chunks`.
  body     TEXT NOT NULL
) STRICT;
INSERT INTO bodies_of_items (n, session, position, body) SELECT n, session, position, body FROM bodies;
DROP TABLE bodies;
ALTER TABLE bodies_of_items RENAME TO bodies;

-- The newest row always stays, so that no number is used again without being noted elsewhere.
CREATE TABLE ended_items (
  n    INTEGER PRIMARY KEY,
  body INTEGER NOT NULL
) STRICT;
INSERT INTO ended_items (n, body) SELECT n, body FROM ended;
INSERT OR IGNORE INTO ended_items (n, body) SELECT seq, 0 FROM sqlite_sequence WHERE name = 'ended';
DROP TABLE ended;
ALTER TABLE ended_items RENAME TO ended;
