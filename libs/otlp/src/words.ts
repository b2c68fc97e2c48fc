// Examines four bytes together, as a 32-bit word: a search within a word covers all of its bytes.

/** The byte, repeated in all four positions of a 32-bit word. */
export const everywhere = (byte: number): number => Math.imul(byte, 0x01010101)

const ones = everywhere(0x01)
const highs = everywhere(0x80)

/** Sets the highest bit of each byte that is zero in the word. Only the lowest of these bits is reliable. */
export const zeroBytes = (word: number): number => (word - ones) & ~word & highs

/** Number of bytes before the lowest bit that `zeroBytes` set; 4 if no bit is set. */
export const bytesBefore = (marks: number): number => (marks === 0 ? 4 : (31 - Math.clz32(marks & -marks)) >> 3)
