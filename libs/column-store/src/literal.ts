/**
 * Returns a value as SQL, for places where parameters are not possible: the length of a URL is limited, and a parameter cannot be a list of
 * pairs. Clients choose ids, which can contain any character, including NUL.
 */
export const literal = (value: string | number): string =>
  `'${String(value).replace(/[\\'\0]/g, character => (character === '\0' ? '\\0' : `\\${character}`))}'`
