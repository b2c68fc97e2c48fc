/**
 * Returns a value as an SQL literal, for values that cannot be parameters: long values and lists of pairs. The value can contain any
 * character, including NUL, because clients choose ids.
 */
export const literal = (value: string | number): string =>
  `'${String(value).replace(/[\\'\0]/g, character => (character === '\0' ? '\\0' : `\\${character}`))}'`
