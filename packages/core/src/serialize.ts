// Values as attribute texts.

/** Written in place of what cannot be encoded. */
const failedToSerialize = '<failed to serialize>'

/** Text of an input or output: texts unchanged, everything else compact JSON. Nothing for null and undefined. Never throws. */
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
 * JSON text of one metadata value, texts in quotes: the server can tell the text 3 from the number 3. Nothing for what JSON does not know.
 * Never throws.
 */
export function serializeMetadataValue(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined
  try {
    return JSON.stringify(value)
  } catch {
    // A bigint, perhaps. Looking at each value takes several times as long, so it is not done for those that have none.
    try {
      return JSON.stringify(value, digitsOfBigint)
    } catch {
      return JSON.stringify(failedToSerialize)
    }
  }
}
