// Converts data URIs to Blobs, so that the page does not hold media as text.

/** Returns undefined if the text is not a base64 data URI. */
export function blobOf(source: string): Blob | undefined {
  // The regular expression reads only the text before the comma. The expression would be slow on a text of megabytes.
  const comma = source.slice(0, 400).indexOf(',') + 1
  const head = /^data:([\w.+-]+\/[\w.+-]+)?[^,]*;base64,$/.exec(source.slice(0, comma))
  if (head === null || source.length === comma) return undefined
  try {
    const binary = atob(source.slice(comma))
    const bytes = new Uint8Array(binary.length)
    for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at)
    return new Blob([bytes], { type: head[1] ?? 'application/octet-stream' })
  } catch {
    return undefined
  }
}
