/**
 * Used for values that cannot be parameters: long values and lists of pairs. Clients choose ids, so the value can contain any character,
 * including NUL.
 */
export const literal = (value: string | number): string =>
  `'${String(value).replace(/[\\'\0]/g, character => (character === '\0' ? '\\0' : `\\${character}`))}'`
