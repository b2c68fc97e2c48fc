// Converts values to attribute texts.

/** Text that replaces values that JSON cannot encode. */
const failedToSerialize = '<failed to serialize>'

/**
 * Returns the text of an input or output. Texts stay unchanged, and other values become compact JSON. Returns undefined for null and
 * undefined. Never throws.
 */
export function serializeValue(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (value === undefined || value === null) return undefined
  try {
    return JSON.stringify(value)
  } catch {
    return failedToSerialize
  }
}

const digitsOfBigint = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? value.toString() : value)

/**
 * Returns one metadata value as JSON. A text is quoted, so that the server can distinguish the text "3" from the number 3. Returns
 * undefined for values that JSON cannot express. Never throws.
 */
export function serializeMetadataValue(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined
  try {
    return JSON.stringify(value)
  } catch {
    // JSON.stringify throws for a bigint. The replacer for bigints makes encoding several times slower, so it runs only after a failure.
    try {
      return JSON.stringify(value, digitsOfBigint)
    } catch {
      return JSON.stringify(failedToSerialize)
    }
  }
}
