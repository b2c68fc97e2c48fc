/**
 * A value as SQL, where parameters will not do: those stand in an address, which ends somewhere, and cannot be lists of pairs. Ids come
 * from clients and may hold anything, a NUL too.
 */
export const literal = (value: string | number): string =>
  `'${String(value).replace(/[\\'\0]/g, character => (character === '\0' ? '\\0' : `\\${character}`))}'`
