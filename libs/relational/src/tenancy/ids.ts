// Checks whether a text can be an id or name. Lookups of other texts return "not found" without a query.

/** The API's maximum length of ids. An index entry of PostgreSQL holds at most 2,704 bytes. */
const maxIdLength = 800

/**
 * Returns false for a text that cannot be a row's id: an empty text, a text that is too long, and a text with NUL, which PostgreSQL
 * rejects. Also returns false for a text with an unpaired surrogate: the surrogate would be stored as U+FFFD, so the lookup could find the
 * row of a different text.
 */
export const canBeId = (text: string): boolean => text !== '' && text.length <= maxIdLength && !text.includes('\0') && text.isWellFormed()
