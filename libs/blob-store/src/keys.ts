// Keys become paths of files, so a key that would lead out of the directory must never be used.

const segment = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/

/** Throws for an invalid key, which can only be a defect of the caller. */
export function requireKey(key: string): string {
  if (!key.split('/').every(part => segment.test(part))) throw new Error(`${JSON.stringify(key)} is not a key of a blob.`)
  return key
}
