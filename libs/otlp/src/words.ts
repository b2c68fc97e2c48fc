// Functions that examine four bytes at once, as a 32-bit word.

/** Returns a 32-bit word that contains the byte four times. */
export const everywhere = (byte: number): number => Math.imul(byte, 0x01010101)

const ones = everywhere(0x01)
const highs = everywhere(0x80)

/**
 * Returns a word in which each byte has its highest bit set if the same byte of the given word is zero. Only the lowest of the set bits is
 * reliable.
 */
export const zeroBytes = (word: number): number => (word - ones) & ~word & highs

/** Returns the number of bytes before the lowest bit that `zeroBytes` has set; 4 if no bit is set. */
export const bytesBefore = (marks: number): number => (marks === 0 ? 4 : (31 - Math.clz32(marks & -marks)) >> 3)
