/**
 * Returns a value as SQL, for places where parameters do not work: a URL has a maximum length, and a parameter cannot be a list of pairs.
 * Ids come from clients and may contain any character, including NUL.
 */
export const literal = (value: string | number): string =>
  `'${String(value).replace(/[\\'\0]/g, character => (character === '\0' ? '\\0' : `\\${character}`))}'`
