// SQL literals that the listener itself puts before a statement.

const special: Readonly<Record<string, string>> = { '\\': '\\\\', "'": "\\'", '\0': '\\0' }

export const quoteString = (value: string): string => `'${value.replace(/[\\'\0]/g, char => special[char]!)}'`

export const quoteIdentifier = (name: string): string => `\`${name.replace(/[\\`]/g, '\\$&')}\``

/** Names of settings and parameters come from URLs. Only a plain name becomes SQL. */
export const isPlainName = (name: string): boolean => /^[A-Za-z_][A-Za-z0-9_.]*$/.test(name)
