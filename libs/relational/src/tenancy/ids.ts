// Checks whether a text can be an id or name. A lookup of a text that cannot be an id returns "not found" without a query.

/** The maximum length of ids in the API. An index entry of PostgreSQL can have at most 2,704 bytes. */
const maxIdLength = 800

/**
 * Returns false if the text cannot be a row's id: it is empty, too long, or contains NUL, which PostgreSQL rejects. A text with an unpaired
 * surrogate is also rejected. The surrogate would be stored as U+FFFD, and the lookup could find the row of another text.
 */
export const canBeId = (text: string): boolean => text !== '' && text.length <= maxIdLength && !text.includes('\0') && text.isWellFormed()
