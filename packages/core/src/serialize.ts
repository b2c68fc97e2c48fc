// Values as attribute texts.

/** Replacement for values that cannot be encoded. */
const failedToSerialize = '<failed to serialize>'

/**
 * Text of an input or output. A text stays unchanged; any other value becomes compact JSON. Returns undefined for null and undefined.
 * Never throws.
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
 * JSON of one metadata value. A text gets quotes, so that the server can tell the text "3" from the number 3. Returns undefined for
 * values that JSON cannot express. Never throws.
 */
export function serializeMetadataValue(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined
  try {
    return JSON.stringify(value)
  } catch {
    // A bigint may have caused the failure. With a replacer, encoding takes several times as long, so the replacer is used only after a
    // failure.
    try {
      return JSON.stringify(value, digitsOfBigint)
    } catch {
      return JSON.stringify(failedToSerialize)
    }
  }
}
