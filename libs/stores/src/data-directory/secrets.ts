// Secrets that the first start generates and stores in a file that only the file's owner can read. At every start, the standalone prints
// the password and the key pair if it uses them. It never prints the salt.
import { randomBytes, randomUUID } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { AppError } from '@svc-server/errors'

export interface Secrets {
  readonly salt: string
  readonly columnStorePassword: string
  readonly publicKey: string
  readonly secretKey: string
}

const leastLength: Readonly<Record<keyof Secrets, number>> = { salt: 16, columnStorePassword: 16, publicKey: 1, secretKey: 1 }

function parseSecrets(value: unknown): Secrets {
  const found = Object(value) as Readonly<Partial<Record<keyof Secrets, unknown>>>
  const read = (name: keyof Secrets): string => {
    const text = found[name]
    if (typeof text !== 'string' || text.length < leastLength[name]) throw new Error(`${name} is missing or too short`)
    return text
  }
  return {
    salt: read('salt'),
    columnStorePassword: read('columnStorePassword'),
    publicKey: read('publicKey'),
    secretKey: read('secretKey'),
  }
}

const create = (): Secrets => ({
  salt: randomBytes(24).toString('base64url'),
  columnStorePassword: randomBytes(18).toString('base64url'),
  publicKey: `pk-svc-${randomUUID()}`,
  secretKey: `sk-svc-${randomUUID()}`,
})

/**
 * Reads the file, or creates it with mode 0600. Throws config_invalid if the file is damaged, because the encryption key of stored secrets
 * is derived from the salt in this file.
 */
export function loadSecrets(file: string): Secrets {
  if (!existsSync(file)) {
    const secrets = create()
    const draft = `${file}.new`
    const descriptor = openSync(draft, 'w', 0o600)
    writeSync(descriptor, `${JSON.stringify(secrets, null, 2)}\n`)
    fsyncSync(descriptor)
    closeSync(descriptor)
    renameSync(draft, file)
    return secrets
  }
  try {
    return parseSecrets(JSON.parse(readFileSync(file, 'utf8')))
  } catch (error) {
    throw new AppError(
      'config_invalid',
      `${file} is damaged. Restore the file from a backup: without its salt, no stored key can be verified.`,
      { file },
      { cause: error },
    )
  }
}
