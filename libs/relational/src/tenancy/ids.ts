// Which texts can be an id or a name that somebody looks up. Other texts are answered "there is none" without a query.

/** As long as the API lets an id be. An index entry of PostgreSQL ends at 2,704 bytes. */
const maxIdLength = 800

/**
 * False for a text that no row can have: empty, too long, with a NUL (which PostgreSQL refuses), or with half of a surrogate
 * pair (which arrives there as U+FFFD, and would find the row of another text).
 */
export const canBeId = (text: string): boolean => text !== '' && text.length <= maxIdLength && !text.includes('\0') && text.isWellFormed()
