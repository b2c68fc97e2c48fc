// Checks whether a text can be an id or name. Lookups of other texts return "not found" without a query.

/** The API's maximum length of ids. An index entry of PostgreSQL holds at most 2,704 bytes. */
const maxIdLength = 800

/**
 * False for a text that no row can have: empty, too long, with NUL (which PostgreSQL rejects), or with an unpaired surrogate
 * (which becomes U+FFFD and could match another text's row).
 */
export const canBeId = (text: string): boolean => text !== '' && text.length <= maxIdLength && !text.includes('\0') && text.isWellFormed()
