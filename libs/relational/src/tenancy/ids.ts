// A lookup of a text that cannot be an id returns "not found" without a query.

/** A text of this length has at most 2,400 bytes in UTF-8. An index entry of PostgreSQL can have at most 2,704 bytes. */
const maxIdLength = 800

/**
 * False for a text that is empty, too long, or contains NUL, which PostgreSQL rejects. Also false for a text with an unpaired surrogate:
 * the surrogate would be stored as U+FFFD, and a lookup of the text could find the row of another text.
 */
export const canBeId = (text: string): boolean => text !== '' && text.length <= maxIdLength && !text.includes('\0') && text.isWellFormed()
