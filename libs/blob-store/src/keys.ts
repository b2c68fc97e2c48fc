// Keys become file paths, so a key that leads out of the directory must be refused.

const segment = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/

/** Throws for an invalid key, which only a bug can cause. */
export function requireKey(key: string): string {
  if (!key.split('/').every(part => segment.test(part))) throw new Error(`${JSON.stringify(key)} is not a key of a blob.`)
  return key
}
