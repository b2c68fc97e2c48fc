// Compares texts by their UTF-8 bytes. Unlike JavaScript's order of strings, this order is the same in every store and language.

/**
 * Returns the rank of a UTF-16 code unit in the order of UTF-8 bytes. Surrogates encode the highest code points but are below U+E000, so
 * the function ranks them above all other code units.
 */
const place = (unit: number): number => (unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800)

/** Returns a negative number if `a` comes first. Both texts must be well-formed. */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const one = a.charCodeAt(i)
    const other = b.charCodeAt(i)
    if (one !== other) return place(one) - place(other)
  }
  return a.length - b.length
}
