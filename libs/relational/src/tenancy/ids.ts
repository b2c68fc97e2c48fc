// Checks whether a text can be an id or name. Lookups of other texts return "not found" without a query.

/** The maximum length of ids in the API. An index entry of PostgreSQL can have at most 2,704 bytes. */
const maxIdLength = 800

/**
 * Returns false for a text that cannot be the id of a row, because it is empty, too long, or contains NUL, which PostgreSQL rejects. The
 * result is also false for a text with an unpaired surrogate, because the surrogate would be stored as U+FFFD, and the lookup could find
 * the row of a different text.
 */
export const canBeId = (text: string): boolean => text !== '' && text.length <= maxIdLength && !text.includes('\0') && text.isWellFormed()
