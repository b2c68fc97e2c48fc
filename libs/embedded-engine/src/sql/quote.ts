// Writes literals for the statements that the listener itself runs before the statement of a caller.

const special: Readonly<Record<string, string>> = { '\\': '\\\\', "'": "\\'", '\0': '\\0' }

export const quoteString = (value: string): string => `'${value.replace(/[\\'\0]/g, char => special[char]!)}'`

export const quoteIdentifier = (name: string): string => `\`${name.replace(/[\\`]/g, '\\$&')}\``

/**
 * True if the name may become part of a statement. Only plain names are allowed, because names of settings and parameters come from URLs.
 */
export const isPlainName = (name: string): boolean => /^[A-Za-z_][A-Za-z0-9_.]*$/.test(name)
