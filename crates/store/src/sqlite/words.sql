-- What can be made again from the journal: the words of items that have ended, by the row of their body.
CREATE VIRTUAL TABLE words USING fts5 (
  text, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
);

-- One row: whose words these are, up to which body all were looked through, where that ends, and how far `ended` is followed.
CREATE TABLE progress (
  journal TEXT NOT NULL,
  scanned INTEGER NOT NULL,
  goal INTEGER NOT NULL,
  ended INTEGER NOT NULL
);
