// Checks whether a text is one JSON number, without creating a string.

const isDigit = (byte: number | undefined) => byte !== undefined && byte >= 0x30 && byte <= 0x39

export function isJsonNumber(bytes: Uint8Array, start: number, end: number): boolean {
  let at = start
  const digits = (): boolean => {
    const from = at
    while (at < end && isDigit(bytes[at])) at++
    return at > from
  }
  if (at < end && bytes[at] === 0x2d) at++
  if (at < end && bytes[at] === 0x30) at++
  else if (!digits()) return false
  if (at < end && bytes[at] === 0x2e) {
    at++
    if (!digits()) return false
  }
  if (at < end && (bytes[at]! | 0x20) === 0x65) {
    at++
    if (at < end && (bytes[at] === 0x2b || bytes[at] === 0x2d)) at++
    if (!digits()) return false
  }
  return at === end
}
