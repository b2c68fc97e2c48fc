// Examines four bytes at once: a search within a word covers all of its bytes.

/** The byte repeated in all four positions of a word. */
export const everywhere = (byte: number): number => Math.imul(byte, 0x01010101)

const ones = everywhere(0x01)
const highs = everywhere(0x80)

/** Marks the zero bytes of a word by their highest bits. Only the lowest mark is reliable. */
export const zeroBytes = (word: number): number => (word - ones) & ~word & highs

/** Number of bytes before the lowest mark; 4 without a mark. */
export const bytesBefore = (marks: number): number => (marks === 0 ? 4 : (31 - Math.clz32(marks & -marks)) >> 3)
