// Hashes of secret keys. The fast hash is used to look up a key. The slow hash has its own salt, so it stays valid if the server's salt
// changes.
import { createHmac, hash, randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

const derive = promisify<string, Buffer, number, { N: number; r: number; p: number }, Buffer>(scrypt)

/** A slow hash takes 16 MiB and about 40 ms of a worker thread. This makes it expensive to guess a secret that a user chose. */
const parameters = { N: 16_384, r: 8, p: 1 } as const
const hashBytes = 32

const sha256 = (text: string): string => hash('sha256', text, 'hex')

/**
 * The input of the SHA-256 is the secret, followed by the hex SHA-256 of the salt. Older servers use the same formula, so their rows stay
 * valid.
 */
export const createFastHash = (salt: string): ((secretKey: string) => string) => {
  const saltDigest = sha256(salt)
  return secretKey => sha256(secretKey + saltDigest)
}

/** The same salt and purpose always give the same secret. */
export const derivedSecret = (salt: string, purpose: string): string => createHmac('sha256', salt).update(purpose).digest('hex')

/** Returns an id of the salt. The id does not reveal the salt. */
export const saltId = (salt: string): string => sha256(`salt id ${salt}`).slice(0, 16)

/** Returns the slow hash as `scrypt$N=16384,r=8,p=1$<salt>$<hash>`. */
export const slowHash = async (secretKey: string): Promise<string> => {
  const salt = randomBytes(16)
  const { N, r, p } = parameters
  const derived = await derive(secretKey, salt, hashBytes, parameters)
  return `scrypt$N=${N},r=${r},p=${p}$${salt.toString('base64')}$${derived.toString('base64')}`
}

const slowHashPattern = /^scrypt\$N=(\d{1,7}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/=]+)\$([A-Za-z0-9+/=]+)$/

/** False for a hash of an unknown kind. */
export const verifySlowHash = async (secretKey: string, encoded: string): Promise<boolean> => {
  const match = slowHashPattern.exec(encoded)
  if (match === null) return false
  const [, N, r, p, salt, expected] = match as unknown as [string, string, string, string, string, string]
  const expectedBytes = Buffer.from(expected, 'base64')
  const derived = await derive(secretKey, Buffer.from(salt, 'base64'), expectedBytes.length, { N: Number(N), r: Number(r), p: Number(p) })
  return timingSafeEqual(derived, expectedBytes)
}

/** Compares two hashes in constant time. */
export const equalHashes = (a: string, b: string): boolean => {
  const left = Buffer.from(a)
  const right = Buffer.from(b)
  return left.length === right.length && timingSafeEqual(left, right)
}

export const displaySecret = (secretKey: string): string => `${secretKey.slice(0, 6)}...${secretKey.slice(-4)}`
