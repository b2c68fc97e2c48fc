// Four bytes at a time: what is looked for in a word is looked for in all of them at once.

/** A byte in each of the four places of a word. */
export const everywhere = (byte: number): number => Math.imul(byte, 0x01010101)

const ones = everywhere(0x01)
const highs = everywhere(0x80)

/** Marks the bytes of a word that are zero by their highest bits. The lowest mark is exact, those above it may be wrong. */
export const zeroBytes = (word: number): number => (word - ones) & ~word & highs

/** How many bytes are in front of the lowest mark; 4 where there is none. */
export const bytesBefore = (marks: number): number => (marks === 0 ? 4 : (31 - Math.clz32(marks & -marks)) >> 3)
