// Values as attribute texts.

/** Replacement for values that cannot be encoded. */
const failedToSerialize = '<failed to serialize>'

/** Text of an input or output: texts unchanged, everything else compact JSON. Returns undefined for null and undefined. Never throws. */
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
 * JSON text of one metadata value, texts in quotes: the server can tell the text 3 from the number 3. Returns undefined for values that
 * JSON cannot express. Never throws.
 */
export function serializeMetadataValue(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined
  try {
    return JSON.stringify(value)
  } catch {
    // The failure may be due to a bigint. A replacer takes several times as long, so it only runs after a failure.
    try {
      return JSON.stringify(value, digitsOfBigint)
    } catch {
      return JSON.stringify(failedToSerialize)
    }
  }
}
