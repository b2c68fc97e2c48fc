// A key becomes a file path and must not lead out of the directory.

const segment = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/

/** Only a bug can cause an invalid key. */
export function requireKey(key: string): string {
  if (!key.split('/').every(part => segment.test(part))) throw new Error(`${JSON.stringify(key)} is not a key of a blob.`)
  return key
}
