// The word index (store/search.ts). It holds no text of its own: what is found is read from the event.

export const search = `
CREATE VIRTUAL TABLE search USING fts5 (
  text,
  content = '',
  contentless_delete = 1,
  tokenize = "unicode61 remove_diacritics 2"
);
`;
