/**
 * Writes a value as an SQL literal. Long values and lists of pairs need literals, because they cannot be parameters. Clients choose ids, so
 * the value can contain any character, including NUL.
 */
export const literal = (value: string | number): string =>
  `'${String(value).replace(/[\\'\0]/g, character => (character === '\0' ? '\\0' : `\\${character}`))}'`
